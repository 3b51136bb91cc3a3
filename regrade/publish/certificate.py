"""A certificate: claims and absences, bound to the hashes of all that they were computed from.

It is checked by making it anew from the inputs: nothing that it says is an input but the questions that it answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from regrade.errors import CorpusError, one_line
from regrade.files.documents import read_json
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
    records: int = 0
    """In the transcripts: those that became trials, and those that were rejected. None is counted before they are
    loaded."""
    loaded: int = 0
    rejected: int = 0
    """Could not be read as a trial, and are in no count."""
    stopped: int = 0
    """Trials that a limit or an error ended."""


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
    versions: dict[str, str]
    """Of regrade, Python and the engines that the claims were computed with."""
    code: str
    """SHA-256 of the source of regrade."""
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


class Said(NamedTuple):
    """A certificate as it was read."""

    certificate: Certificate
    data: dict[str, Any]
    """All that its text says, in place of which the certificate has what a missing key means."""


def read_certificate(path: Path) -> Said:
    """Read a certificate.

    Raises:
        CorpusError: it cannot be read, says something twice, is no certificate, or is one of another version.
    """
    data = read_json(path)
    found = data.get("schema") if isinstance(data, dict) else None
    if found != SCHEMA:
        raise CorpusError(f"{path}: no certificate: found schema {found!r}, expected {SCHEMA!r}.")
    try:
        said = msgspec.convert(data, Certificate)
    except msgspec.ValidationError as error:
        raise CorpusError(f"{path}: no certificate: {one_line(str(error))}.") from None
    if not said.claims and not said.absences:
        raise CorpusError(f"{path}: it certifies nothing: found neither claims nor absences.")
    return Said(said, data)


SOFTWARE = ("version", "code")
"""Kinds of what moves without an input: what the inputs come to can be computed all the same."""


def moved(said: Certificate, found: Certificate) -> list[dict[str, Any]]:
    """List the hashes and versions that are not as a certificate says.

    Returns:
        A record each: `kind` (`corpus`, `world`, `rule`, `version`, `code`), `name`, and what was `said` and `found`,
        None for what is only in one.
    """
    both = []
    for certificate in (said, found):
        world = [certificate.world] if certificate.world else []
        both.append(
            {
                **{("corpus", file.path): file.sha256 for file in certificate.corpus.files},
                **{("world", file.path): file.sha256 for file in world},
                **{("rule", name): mark for name, mark in certificate.rules.items()},
                **{("version", name): version for name, version in certificate.versions.items()},
                ("code", "regrade"): certificate.code,
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


def differing(said: Said, found: Certificate) -> list[dict[str, Any]]:
    """List what a certificate says otherwise than its inputs do: records of `where`, `said` and `found`.

    What it says is all of its text. Versions and code are not of the inputs, and left to `moved`.
    """
    here = {**found.plain(), "versions": said.data.get("versions"), "code": said.data.get("code")}
    return list(_differing("", said.data, here))


def _differing(where: str, said: Any, found: Any) -> Any:
    if isinstance(said, dict) and isinstance(found, dict):
        for key in dict.fromkeys([*said, *found]):
            place = f"{where}.{key}" if where else key
            if key in said and key in found:
                yield from _differing(place, said[key], found[key])
            else:
                yield {"where": place, "said": said.get(key), "found": found.get(key)}
    elif isinstance(said, list | tuple) and isinstance(found, list | tuple) and len(said) == len(found):
        for number, (one, other) in enumerate(zip(said, found, strict=True)):
            yield from _differing(f"{where}[{number}]", one, other)
    # As JSON, since in Python 1, 1.0 and True are equal.
    elif json.dumps(said) != json.dumps(found):
        yield {"where": where, "said": said, "found": found}
