"""The beginning of a log: its files, their format, and the first records, which is all that a guess looks at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regrade.errors import CorpusError
from regrade.files.loaders import LOADERS, MAX_LINE, Loader, detect, loader_named
from regrade.files.manifest import SUMS

RECORDS = 300
"""Records that are read, from the first files on."""


@dataclass(frozen=True, slots=True)
class Record:
    """One of the first records."""

    file: int
    """Which of the files, from 0."""
    line: int
    text: str
    """Its JSON text."""
    value: dict[str, Any]


@dataclass(frozen=True)
class Head:
    """The beginning of a log of one format."""

    loader: Loader
    files: tuple[Path, ...]
    """All of its files, also those that were not looked into."""
    others: tuple[Path, ...]
    """Files beside them that are of another format, or of none."""
    read: int
    """Files that were looked into, from the first."""
    records: tuple[Record, ...]
    unread: tuple[tuple[int, int, str, str], ...]
    """What is no object: file, line, reason, and what it begins with."""
    whole: bool
    """Whether that was all there is."""

    @property
    def seen(self) -> int:
        """Records that were read, those that are no object among them."""
        return len(self.records) + len(self.unread)

    @property
    def alone(self) -> bool:
        """Whether each of several files holds a single record."""
        return self.read > 1 and self.seen == self.read and len({r.file for r in self.records}) == len(self.records)


def read_head(logs: Sequence[Path], format_name: str | None = None, limit: int = RECORDS) -> Head:
    """Read the first records of a log.

    Args:
        logs: Files, and folders that stand for every file under them, hidden ones left out.
        format_name: A loader's name; detected where it is None. In folders the format that most files have wins, and
            the rest is left out.
        limit: Records that are read.

    Raises:
        CorpusError: A path does not exist, a file that was named is of no known format or of another one than the
            first, or there is no object in what was read.
    """
    listed, found = _files(logs)
    loader, files, others = _one_format(listed, found, format_name)
    records: list[Record] = []
    unread: list[tuple[int, int, str, str]] = []
    share = max(1, -(-limit // len(files)))
    read, whole = 0, True
    for number, path in enumerate(files):
        left = min(share, limit - len(records) - len(unread))
        if left <= 0:
            whole = False
            break
        read += 1
        for taken, (line, text, reason, excerpt) in enumerate(_cut(loader, path)):
            if taken == left:
                whole = False
                break
            value = None if text is None else _object(text)
            if isinstance(value, dict):
                records.append(Record(number, line, str(text), value))
            else:
                kind = "not_json" if isinstance(value, _NoJson) else "not_object"
                unread.append((number, line, reason or kind, (excerpt or text or "")[:80]))
    if not records:
        what = f"{unread[0][2]}, {unread[0][3]!r}" if unread else "no record"
        raise CorpusError(f"{files[0]}: read as {loader.name}, found {what}. A log holds one JSON object a trial.")
    return Head(loader, tuple(files), tuple(others), read, tuple(records), tuple(unread), whole)


def _files(logs: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files that were named, and those found in folders."""
    listed, found = [], []
    for log in logs:
        if log.is_dir():
            inside = sorted(p for p in log.rglob("*") if p.is_file() and not _hidden(p.relative_to(log)))
            if not inside:
                raise CorpusError(f"{log}: the folder holds no file. Name a log, or a folder of logs.")
            found += inside
        elif log.is_file():
            listed.append(log)
        else:
            raise CorpusError(f"{log}: no such file. Name a log, or a folder of logs.")
    return list(dict.fromkeys(listed)), list(dict.fromkeys(found))


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts) or path.name in (SUMS, "corpus.toml")


def _one_format(
    listed: list[Path], found: list[Path], format_name: str | None
) -> tuple[Loader, list[Path], list[Path]]:
    if format_name is not None:
        return loader_named(format_name), [*listed, *found], []
    known = {path: detect(path) for path in listed if path.stat().st_size or not (found or len(listed) > 1)}
    first = next(iter(known), None)
    for path, loader in known.items():
        if first is not None and loader is not known[first]:
            raise CorpusError(
                f"{path}: read as {loader.name}, and {first} as {known[first].name}. A corpus is of one format; "
                "make one of each."
            )
    for path in found:
        try:
            known[path] = detect(path)
        except CorpusError:
            continue
    if not known:
        names = ", ".join(loader.name for loader in LOADERS)
        raise CorpusError(f"{(listed + found)[0]}: none of the files is of a known format. Known: {names}.")
    counts = {loader.name: sum(each is loader for each in known.values()) for loader in known.values()}
    loader = known[first] if first is not None else loader_named(max(counts, key=lambda name: counts[name]))
    files = [path for path, each in known.items() if each is loader]
    return loader, files, [path for path in (*listed, *found) if path not in files and path.stat().st_size]


def _cut(loader: Loader, path: Path) -> Iterator[tuple[int, str | None, str | None, str | None]]:
    for batch in loader.records(path, MAX_LINE):
        columns = (batch.column(name).to_pylist() for name in ("line", "text", "reason", "excerpt"))
        yield from zip(*columns, strict=True)


class _NoJson:
    """What a text gives that is no JSON."""


def _object(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NoJson()
