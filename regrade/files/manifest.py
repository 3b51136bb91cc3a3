"""The files of a corpus and SHA256SUMS: which there are, and that none has changed since it was frozen."""

from __future__ import annotations

import glob
import hashlib
import os
import posixpath
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from regrade.errors import CorpusError, GateFailed, OutputError
from regrade.files.corpus import Corpus

SUMS = "SHA256SUMS"

_LINE = re.compile(r"(\\?)([0-9a-f]{64}) [ *](.+)", re.DOTALL)
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}


class FileDigest(msgspec.Struct, frozen=True):
    """One file as it is stored."""

    path: str
    """Relative to the corpus, with forward slashes."""
    sha256: str
    bytes: int

    def line(self) -> str:
        """Its line in SHA256SUMS, as `sha256sum` writes it, LF included."""
        escaped = "".join(_ESCAPES.get(character, character) for character in self.path)
        mark = "\\" if escaped != self.path else ""
        return f"{mark}{self.sha256}  {escaped}\n"


class Manifest(msgspec.Struct, frozen=True):
    """A corpus whose files are as they were frozen."""

    present: bool
    """Whether there is a SHA256SUMS."""
    sha256: str
    """SHA-256 of the sorted lines of SHA256SUMS, or of those it would have."""
    files: list[FileDigest]
    """Every file that is, or would be, listed, by path."""
    written: dict[str, int | None]
    """When each was last written, in nanoseconds, before any was read."""


def match_files(corpus: Corpus) -> list[Path]:
    """The transcript files: what the globs match, sorted, each once, relative to the corpus.

    The bank, the configurations and the notes are no transcripts, whatever a glob says.

    Raises:
        CorpusError: A glob matches no file.
    """
    return match_globs(corpus.root, corpus.files, _companions(corpus))


def match_globs(root: Path, globs: Iterable[str], besides: Sequence[str] = (), where: str | None = None) -> list[Path]:
    """The files that any of the globs matches; see `match_files`.

    Args:
        root: The folder that the globs are relative to.
        globs: Globs, `**` for any folders; one that is a file's very name means that file.
        besides: Paths that are never matched.
        where: What to call the globs in errors; the files of a corpus where it is None.
    """
    excluded = {posixpath.normpath(path) for path in (*besides, SUMS, "corpus.toml")}
    found: set[str] = set()
    for pattern in globs:
        names = [pattern] if (root / pattern).is_file() else glob.glob(pattern, root_dir=root, recursive=True)
        paths = {posixpath.normpath(Path(name).as_posix()) for name in names if (root / name).is_file()} - excluded
        if not paths:
            raise CorpusError(
                f"{where or f'{root}: files'} = {pattern!r} matches no file. Globs are relative to the folder of"
                " corpus.toml."
            )
        found |= paths
    for path in found:
        try:
            path.encode()
        except UnicodeEncodeError as error:
            raise CorpusError(f"{root}: the name of {path!r} is not UTF-8. Rename the file.") from error
    return [Path(path) for path in sorted(found)]


def digest_files(corpus: Corpus) -> list[FileDigest]:
    """The transcript files with their sums, by path.

    Raises:
        CorpusError: A glob matches no file, a file cannot be read, or two files have the same content.
    """
    digests = [_digest(corpus.root, path.as_posix()) for path in match_files(corpus)]
    _refuse_copies(corpus, digests)
    return digests


def freeze(corpus: Corpus) -> Path:
    """Write SHA256SUMS beside corpus.toml: transcript files, bank, configurations and notes.

    Files may be added to a frozen corpus. Those already listed must be as they were.

    Returns:
        The path of SHA256SUMS.

    Raises:
        GateFailed: A file that is already listed has changed or is gone.
        CorpusError: A file cannot be used.
        OutputError: SHA256SUMS cannot be written.
    """
    digests = _by_path(_unchanged(corpus) + _unlisted(corpus))
    _refuse_copies(corpus, digests)
    target = corpus.root / SUMS
    beside = corpus.root / f".{SUMS}.new"
    try:
        beside.write_text("".join(digest.line() for digest in digests), encoding="utf-8", newline="\n")
        os.replace(beside, target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}.") from error
    return target


def verify(corpus: Corpus) -> Manifest:
    """Check every file against SHA256SUMS, if there is one.

    Raises:
        GateFailed: A listed file has changed or is gone, or a file of the corpus is not listed.
        CorpusError: A file cannot be used, or a line of SHA256SUMS cannot be read.
    """
    present = (corpus.root / SUMS).is_file()
    listed = _listed(corpus)
    # Of a frozen corpus the list says which files there are, and one that is gone is told by its sum.
    written = {path: _written(corpus, path) for path in (listed or _paths(corpus))}
    unchanged, unlisted = _unchanged(corpus), _unlisted(corpus)
    if present:
        _refuse(
            [
                f"{digest.path}: not in {SUMS}, found sha256 {digest.sha256}. "
                "Take it out of corpus.toml, or add it with regrade freeze"
                for digest in unlisted
            ]
        )
    digests = _by_path(unchanged + unlisted)
    _refuse_copies(corpus, digests)
    return Manifest(present, sum_of(digests), digests, written)


def digests_now(corpus: Corpus) -> list[FileDigest]:
    """Every file of the corpus as it is, by path, whatever SHA256SUMS says; one that is not there is left out.

    Raises:
        CorpusError: A glob matches no file, or a file cannot be read.
    """
    return [_digest(corpus.root, path) for path in sorted(_paths(corpus)) if (corpus.root / path).is_file()]


def sum_of(digests: Iterable[FileDigest]) -> str:
    """SHA-256 of the sorted lines of SHA256SUMS, as they are for these files."""
    return hashlib.sha256(b"".join(sorted(digest.line().encode() for digest in digests))).hexdigest()


def require_still(corpus: Corpus, manifest: Manifest) -> None:
    """Refuse files that were written to since they were verified: what was read of them is not what the sums say.

    Raises:
        CorpusError: It names the first.
    """
    for path, written in sorted(manifest.written.items()):
        if _written(corpus, path) != written:
            raise CorpusError(
                f"{corpus.root / path}: it was written to while it was read. Wait until nothing writes to it, "
                "and run the command again."
            )


def _unchanged(corpus: Corpus) -> list[FileDigest]:
    """The files that SHA256SUMS lists, once all are found to be as they were."""
    digests, troubles = [], []
    for path, frozen in sorted(_listed(corpus).items()):
        digest = _digest(corpus.root, path) if (corpus.root / path).is_file() else None
        if digest is not None and digest.sha256 == frozen:
            digests.append(digest)
        else:
            found = f"sha256 {digest.sha256}" if digest else "no file"
            troubles.append(
                f"{path}: frozen with sha256 {frozen}, found {found}. "
                "Restore it or add a new file; frozen files are never edited"
            )
    _refuse(troubles)
    return digests


def _unlisted(corpus: Corpus) -> list[FileDigest]:
    """The files of the corpus that SHA256SUMS does not list."""
    return [_digest(corpus.root, path) for path in sorted(_paths(corpus) - _listed(corpus).keys())]


def _paths(corpus: Corpus) -> set[str]:
    """The transcript files, the bank, the configurations and the notes."""
    return {p.as_posix() for p in match_files(corpus)} | {posixpath.normpath(p) for p in _companions(corpus)}


def _written(corpus: Corpus, path: str) -> int | None:
    """When a file was last written, in nanoseconds; None where it is not there."""
    file = corpus.root / path
    return file.stat().st_mtime_ns if file.is_file() else None


def _by_path(digests: list[FileDigest]) -> list[FileDigest]:
    return sorted(digests, key=lambda digest: digest.path)


def _refuse(troubles: list[str]) -> None:
    if troubles:
        further = f" ({len(troubles) - 1} more such)" if len(troubles) > 1 else ""
        raise GateFailed(f"{troubles[0]}{further}.")


def _companions(corpus: Corpus) -> list[str]:
    return [path for path in (corpus.bank.file, corpus.configurations, corpus.bank.notes) if path is not None]


def _digest(root: Path, path: str) -> FileDigest:
    try:
        with (root / path).open("rb") as file:
            return FileDigest(path, hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise CorpusError(f"{root / path}: cannot be read: {error.strerror or error}.") from error


def _listed(corpus: Corpus) -> dict[str, str]:
    """Path to sum, as SHA256SUMS has them; empty where there is none."""
    path = corpus.root / SUMS
    if not path.is_file():
        return {}
    try:
        lines = path.read_bytes().decode().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: cannot be read: {error}. Restore it.") from error
    listed: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        line = line.removesuffix("\r")
        if not line:
            continue
        match = _LINE.fullmatch(line)
        name = match and (re.sub(r"\\([\\nr])", _unescaped, match[3]) if match[1] else match[3])
        if match is None or not name or listed.setdefault(name := posixpath.normpath(name), match[2]) != match[2]:
            raise CorpusError(
                f"{path}: line {number}: expected a SHA-256 and a path not yet listed, found {line[:80]!r}. Restore it."
            )
    return listed


def _unescaped(match: re.Match[str]) -> str:
    return {"\\": "\\", "n": "\n", "r": "\r"}[match[1]]


def _refuse_copies(corpus: Corpus, digests: list[FileDigest]) -> None:
    """Refuse two transcript files of one content, whose trials would count twice; empty ones have none."""
    transcripts = {path.as_posix() for path in match_files(corpus)}
    first: dict[str, str] = {}
    for digest in digests:
        if digest.bytes and digest.path in transcripts and first.setdefault(digest.sha256, digest.path) != digest.path:
            raise CorpusError(
                f"{corpus.root}: {first[digest.sha256]} and {digest.path} have the same content. Take one out of files."
            )
