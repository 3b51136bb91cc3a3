"""The sealed key: which trial each id of a packet is of."""

from __future__ import annotations

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
REVIEW, RULING = "review", "ruling"
"""What packets are made for: to be reviewed, or to be ruled on where the reviewers do not settle."""


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
    purpose: str = REVIEW
    """REVIEW or RULING."""


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


def find_key(
    file: Path, sample: str, reviewer: str, root: Path, *, given: Path | None = None, purpose: str = REVIEW
) -> tuple[Path, Key]:
    """The key of a sample: the one given, or near a verdict file, in a folder above it, or under the corpus.

    Args:
        file: the verdict file.
        sample: the hash that it says.
        reviewer: whose packet it says it is, or empty; a key without a packet of theirs is taken last.
        root: the corpus's folder.
        given: the key, where it is named.
        purpose: what the file's packet was made for. A key of another purpose beside it is refused; of those under the
            corpus one of this purpose comes first.

    Raises:
        CorpusError: there is no key, or none of that sample, or its packets were made for another purpose.
    """
    if given:
        return _of_purpose(file, given, read_key(given), purpose)
    found, second = [], None
    beside = _beside(file)
    for path in dict.fromkeys([*beside, *sorted(root.resolve().glob(f"{FOLDER}/*/sealed/{FILE_NAME}"))]):
        if path.is_file():
            try:
                key = read_key(path)
            except CorpusError as error:
                # It need not be ours, or may be of another sample.
                found.append(f"{path}, which is no key ({str(error).removeprefix(f'{path}: ').rstrip('.')})")
                continue
            if key.sample == sample and (not reviewer or reviewer in key.reviewers):
                if key.purpose == purpose or path in beside:
                    return _of_purpose(file, path, key, purpose)
            if key.sample == sample:
                second = second or (path, key)
            found.append(f"{path} of {key.sample[:12]}")
    if second:
        return _of_purpose(file, *second, purpose)
    if found:
        raise CorpusError(
            f"{file}: it is of another draw: its sample is {sample[:12]!r}, and found are {', '.join(found)}. Name the"
            " key that was made with its packet with --key FILE."
        )
    raise CorpusError(
        f"{file}: no sealed key is near it or under {root / FOLDER}. Name the one that was made with its packet with"
        " --key FILE."
    )


REFUSED = {
    REVIEW: "a packet to be ruled on, and rulings are no verdicts. Give it to: regrade review rule CORPUS FILE",
    RULING: "a packet to be reviewed, and verdicts are no rulings. Give it to: regrade review import CORPUS FILE",
}
"""What is said of a file where another purpose is wanted."""


def _of_purpose(file: Path, path: Path, key: Key, purpose: str) -> tuple[Path, Key]:
    if key.purpose != purpose:
        raise CorpusError(
            f"{file}: its key {path} is of {REFUSED[purpose]}; or name the key that was made with its packet with"
            " --key FILE."
        )
    return path, key


def _beside(file: Path) -> list[Path]:
    return [folder / "sealed" / FILE_NAME for folder in [*file.resolve().parents][:ABOVE]]


def trial_of(key: Key, reviewer: str, id_: str, place: str) -> str:
    """The trial of an id in a reviewer's packet. CorpusError where there is no such reviewer or id."""
    if reviewer not in key.reviewers:
        raise CorpusError(f"{place}: no packet was made for a reviewer {reviewer!r}.{near(reviewer, key.reviewers)}")
    if trial := key.reviewers[reviewer].get(id_):
        return trial
    for other, ids in key.reviewers.items():
        if id_ in ids:
            raise CorpusError(f"{place}: the id {id_} is of the packet of {other}, not of {reviewer}.")
    raise CorpusError(
        f"{place}: unknown id {shown(id_)}: no trial of the packet of {reviewer} has it. Give ids back as they are."
    )
