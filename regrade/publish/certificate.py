"""A certificate: claims and absences, bound to the hashes of all that they were computed from.

It is checked by making it anew from the inputs: nothing that it says is an input but the questions that it answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from regrade.errors import CorpusError, one_line
from regrade.publish.claims import Claim

SCHEMA = "regrade.certificate/1"
CHECK = "regrade certify CORPUS --check FILE"


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of the corpus, by its hash."""

    path: str
    """Relative to the corpus, with forward slashes."""
    sha256: str


class Bound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The corpus that a certificate is about."""

    name: str
    benchmark: str | None
    simulated: bool
    sha256: str
    """Of the sorted lines of SHA256SUMS, or of those it would have."""
    files: tuple[File, ...]
    """corpus.toml, then transcripts, configurations and notes by path."""


class Absence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that the world lacks, for an item of the bank."""

    item: str
    absent: str
    state: str
    """SHA-256 of the world's file."""
    witness: Any
    """What shows it; what it means the grader file says in its function `absences`."""
    statement: str


class Certificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `regrade certify` writes."""

    schema: str
    corpus: Bound
    world: File | None
    """The bank's file; None where the bank stands in the trials."""
    rules: dict[str, str]
    """Fingerprint of each rule and grader that the claims and absences rest on; `carried` for a grade as logged."""
    claims: tuple[Claim, ...]
    absences: tuple[Absence, ...]
    check: str
    """How anyone can check it, offline."""

    def numbered(self) -> Iterator[tuple[str, int, Claim | Absence]]:
        """Each claim and absence, with the list that it stands in and its place there."""
        yield from (("claims", number, claim) for number, claim in enumerate(self.claims))
        yield from (("absences", number, absence) for number, absence in enumerate(self.absences))

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    def text(self) -> str:
        """The file: the same bytes for the same inputs."""
        return json.dumps(self.plain(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read_certificate(path: Path) -> Certificate:
    """Read a certificate.

    Raises:
        CorpusError: it cannot be read, is no certificate, or is one of another version.
    """
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise CorpusError(f"{path}: cannot be read as a certificate: {one_line(str(error))}.") from None
    found = data.get("schema") if isinstance(data, dict) else None
    if found != SCHEMA:
        raise CorpusError(f"{path}: no certificate: found schema {found!r}, expected {SCHEMA!r}.")
    try:
        said = msgspec.convert(data, Certificate)
    except msgspec.ValidationError as error:
        raise CorpusError(f"{path}: no certificate: {one_line(str(error))}.") from None
    if not said.claims and not said.absences:
        raise CorpusError(f"{path}: it certifies nothing: found neither claims nor absences.")
    return said


def moved(said: Certificate, found: Certificate) -> list[dict[str, Any]]:
    """List the hashes that are not as a certificate says.

    Returns:
        A record each: `kind` (`corpus`, `world`, `rule`), `name`, and what was `said` and `found`, None for a file or
        rule that is only in one.
    """
    both = []
    for certificate in (said, found):
        world = [certificate.world] if certificate.world else []
        both.append(
            {
                **{("corpus", file.path): file.sha256 for file in certificate.corpus.files},
                **{("world", file.path): file.sha256 for file in world},
                **{("rule", name): mark for name, mark in certificate.rules.items()},
            }
        )
    one, other = both
    keys = [*one, *(key for key in other if key not in one)]
    changed = [
        {"kind": kind, "name": name, "said": one.get((kind, name)), "found": other.get((kind, name))}
        for kind, name in keys
        if one.get((kind, name)) != other.get((kind, name))
    ]
    sums = (said.corpus.sha256, found.corpus.sha256)
    if sums[0] != sums[1] and not changed:
        changed.append({"kind": "corpus", "name": "SHA256SUMS", "said": sums[0], "found": sums[1]})
    return changed


def differing(said: Certificate, found: Certificate) -> list[dict[str, Any]]:
    """List what a certificate says otherwise than its inputs do: records of `where`, `said` and `found`."""
    return list(_differing("", said.plain(), found.plain()))


def _differing(where: str, said: Any, found: Any) -> Any:
    if isinstance(said, dict) and isinstance(found, dict):
        for key in dict.fromkeys([*said, *found]):
            yield from _differing(f"{where}.{key}" if where else key, said.get(key), found.get(key))
    elif isinstance(said, list | tuple) and isinstance(found, list | tuple) and len(said) == len(found):
        for number, (one, other) in enumerate(zip(said, found, strict=True)):
            yield from _differing(f"{where}[{number}]", one, other)
    # As JSON, since in Python 1, 1.0 and True are equal.
    elif json.dumps(said) != json.dumps(found):
        yield {"where": where, "said": said, "found": found}
