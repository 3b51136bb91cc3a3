"""The sealed key: which trial each id of a packet is of."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from regrade.errors import CorpusError, near
from regrade.files.documents import read_json
from regrade.files.shape import shown

FILE_NAME = "key.json"
SCHEMA = "regrade.key/1"
FOLDER = "reviews"
"""Where a corpus keeps what reviewers say, a folder a sample."""
ABOVE = 4
"""How many folders above a verdict file its key is looked for."""


class Key(msgspec.Struct, frozen=True):
    """What of a key is needed to bring verdicts home; it has more."""

    schema: str
    sample: str
    """The sample's hash."""
    name: str
    reviewers: dict[str, dict[str, str]]
    """Reviewer to id to trial."""
    spec: dict[str, Any] = {}
    """What was drawn from what."""


def read_key(path: Path) -> Key:
    """Read a key. CorpusError where it is none."""
    value = read_json(path)
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        said = value.get("schema") if isinstance(value, dict) else value
        raise CorpusError(f"{path}: schema is {shown(said)}, expected {SCHEMA!r}. Name the key.json of the draw.")
    try:
        return msgspec.convert(value, Key)
    except msgspec.ValidationError as error:
        raise CorpusError(f"{path}: it is no key: {error}. Draw the sample again.") from None


def find_key(file: Path, sample: str, reviewer: str, root: Path) -> tuple[Path, Key]:
    """The key of a sample: near a verdict file, in a folder above it, or under the corpus.

    Args:
        file: the verdict file.
        sample: the hash that it says.
        reviewer: whose packet it says it is, or empty; a key without a packet of theirs is taken last.
        root: the corpus's folder.

    Raises:
        CorpusError: there is no key, or none of that sample.
    """
    found, second = [], None
    for path in dict.fromkeys(_places(file, root)):
        if path.is_file():
            key = read_key(path)
            if key.sample == sample and (not reviewer or reviewer in key.reviewers):
                return path, key
            if key.sample == sample:
                second = second or (path, key)
            found.append(f"{path} of {key.sample[:12]}")
    if second:
        return second
    if found:
        raise CorpusError(
            f"{file}: it is of another draw: its sample is {sample[:12]!r}, and found are {', '.join(found)}. Name the"
            " key that was made with its packet with --key FILE."
        )
    raise CorpusError(
        f"{file}: no sealed key is near it or under {root / FOLDER}. Name the one that was made with its packet with"
        " --key FILE."
    )


def _places(file: Path, root: Path) -> Iterable[Path]:
    for folder in [*file.resolve().parents][:ABOVE]:
        yield folder / "sealed" / FILE_NAME
    yield from sorted(root.resolve().glob(f"{FOLDER}/*/sealed/{FILE_NAME}"))


def trial_of(key: Key, reviewer: str, id_: str, place: str) -> str:
    """The trial of an id in a reviewer's packet. CorpusError where there is no such reviewer or id."""
    if reviewer not in key.reviewers:
        raise CorpusError(
            f"{place}: no packet was made for a reviewer {reviewer!r}.{near(reviewer, key.reviewers)} Where the packet"
            " was made by itself, as those for rulings are, name its key: --key PACKETS/sealed/key.json"
        )
    if trial := key.reviewers[reviewer].get(id_):
        return trial
    for other, ids in key.reviewers.items():
        if id_ in ids:
            raise CorpusError(f"{place}: the id {id_} is of the packet of {other}, not of {reviewer}.")
    raise CorpusError(
        f"{place}: unknown id {shown(id_)}: no trial of the packet of {reviewer} has it. Give ids back as they are."
    )
