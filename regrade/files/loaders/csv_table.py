"""CSV: RFC 4180 with quoted line ends; the delimiter is a comma, semicolon or tab, whichever the header uses most.

A record is an object of the header's names. Every cell is text, as written, and an empty one is null: an empty reply,
no grade, no key. Under `typed` stands each cell once more as the number or boolean that it spells (`true` in any case
of letters), else as its text; `[frozen.*]` is read there, so that a grade may be written `1`, `0.5` or `True`
while an id such as `007` or `1.10` stays as it is.

A row that does not fit the header, or whose quotes are amiss, makes no object of it: `not_object`. Where a quote is
never closed, that is the line with the quote, and the lines after it are read as if it were not there.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from regrade.errors import CorpusError
from regrade.files.loaders.as_read import Reading, rewrite
from regrade.files.loaders.loader import BLOCK, BOM, EXCERPT, Loader, batch
from regrade.files.shape import shown
from regrade.files.streams import open_stream

DELIMITERS = (",", ";", "\t")
TYPED = "typed"
HEAD = 64 * 1024
"""Bytes in which the delimiter is counted."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,40})(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,4})?")
_WORDS = {"true": True, "false": False, "nan": float("nan")}
_QUOTED = re.compile(rb'"(?:[^"]++|"")*+(?:"|\Z)')
_CLOSE = re.compile(rb'(?:[^"]++|"")*+"')

# A reply may be as long as a record; the standard reader would refuse a cell of more than 128 KiB.
csv.field_size_limit(2**31 - 1)


def looks_like(head: bytes) -> bool:
    """Whether the first line names two columns or more, each once, and half of the rows have as many cells."""
    whole = len(head) < HEAD
    head = head.removeprefix(BOM)
    if head.lstrip().startswith((b"{", b"[")) or b"\0" in head:
        return False
    delimiter = _delimiter(head)
    found = _cut(io.BytesIO(head), delimiter, len(head), whole=whole)
    header, *rows = [_cells(_shown(record), delimiter) for _, record in found] or [None]
    if header is None and not whole:
        # A header may be so long that its end is not seen.
        header = _cells(_shown(head), delimiter, strict=False)
    if header is None or _fault(header) or "\N{REPLACEMENT CHARACTER}" in "".join(header[:-1]):
        return False
    alike = sum(row is not None and len(row) == len(header) for row in rows)
    return sum(name.strip() != "" for name in header) > 1 and alike >= len(rows) / 2


def records(path: Path, max_line: int) -> Iterator[pa.RecordBatch]:
    """Give the rows below the header as objects of its names.

    Raises:
        CorpusError: The header cannot be read, names a column twice, or names one `typed`.
    """
    with open_stream(path) as stream:
        delimiter = _delimiter(stream.read(HEAD).removeprefix(BOM))
    with open_stream(path) as stream:
        rows = _cut(stream, delimiter, max_line)
        first = next(rows, None)
        if first is None:
            return
        names = _header(first[1], delimiter, path)

        def read(line: int, text: str) -> Reading:
            cells = _cells(text, delimiter)
            if cells is None or len(cells) != len(names):
                return None, "not_object"
            row: dict[str, Any] = {name: cell or None for name, cell in zip(names, cells, strict=True)}
            row[TYPED] = {name: _typed(cell) for name, cell in zip(names, cells, strict=True)}
            return json.dumps(row, ensure_ascii=False), None

        for lines, found in _batches(rows):
            yield rewrite(batch(lines, found, max_line), read)


def _shown(data: bytes) -> str:
    return data.decode(errors="replace")


def _delimiter(head: bytes) -> str:
    header = _QUOTED.sub(b"", head.lstrip(b"\r\n")).partition(b"\n")[0]
    return max(DELIMITERS, key=lambda each: header.count(each.encode()))


def _header(record: bytes, delimiter: str, path: Path) -> list[str]:
    try:
        names = _cells(record.decode(), delimiter)
    except UnicodeDecodeError:
        names = None
    fault = "it is no UTF-8 or its quotes are amiss" if names is None else _fault(names)
    if names is None or fault:
        found = shown(_shown(record[:EXCERPT]))
        raise CorpusError(f"{path}: the header cannot be used: {fault}; found {found}. Rename or restore the columns.")
    return names


def _fault(names: list[str]) -> str | None:
    """What is wrong with a header; columns without a name, which no path leads to, may be several."""
    twice = next((name for i, name in enumerate(names) if name and name in names[:i]), None)
    if twice is not None:
        return f"the column {shown(twice)} stands twice"
    return f"a column may not be named {TYPED!r}" if TYPED in names else None


def _cells(text: str, delimiter: str, *, strict: bool = True) -> list[str] | None:
    """The cells of one record; None where its quotes are amiss."""
    try:
        [cells] = csv.reader([text], delimiter=delimiter, strict=strict)
    except (csv.Error, ValueError):
        return None
    return cells


def _typed(cell: str) -> Any:
    if _NUMBER.fullmatch(cell):
        return json.loads(cell)
    # A longer text is no grade, so its beginning says enough.
    return _WORDS.get(cell.lower(), cell[:EXCERPT]) if cell else None


def _cut(stream: BinaryIO, delimiter: str, max_line: int, *, whole: bool = True) -> Iterator[tuple[int, bytes]]:
    """The records that are not empty, each with the line on which it begins and without its line end.

    Of one that is too long more than `max_line` bytes are given; the next one begins on the next line. What the end of
    the stream cuts off is left out where the stream is not the `whole` file.
    """
    opening = re.compile(b'(?:^|%b)"' % delimiter.encode())
    lines = _lines(stream, max_line)
    again: deque[bytes] = deque()
    held: list[bytes] = []
    number = size = 0
    while True:
        line = again.popleft() if again else next(lines, None)
        if line is None or not whole and not line.endswith(b"\n"):
            if not held or not whole:
                return
            number -= len(held) - 1
            yield number, _without_end(held[0])
            again.extend(held[1:])
            held, size = [], 0
            continue
        number += 1
        inside = _is_open(line, opening, bool(held))
        size += len(line)
        if inside and size <= max_line:
            held.append(line)
            continue
        record = b"".join((*held, line))
        if record := record if inside else _without_end(record):
            yield number - len(held), record
        held, size = [], 0


def _lines(stream: BinaryIO, max_line: int) -> Iterator[bytes]:
    """Physical lines with their ends; of one that is too long the beginning."""
    mark = BOM
    while line := stream.readline(max_line + 3):
        yield line.removeprefix(mark)
        mark = b""
        while line and not line.endswith(b"\n"):
            line = stream.readline(BLOCK)


def _without_end(record: bytes) -> bytes:
    return record.removesuffix(b"\n").removesuffix(b"\r")


def _is_open(line: bytes, opening: re.Pattern[bytes], inside: bool) -> bool:
    """Whether a quoted cell goes on after a line; `inside` says whether one did before it."""
    if b'"' not in line:
        return inside
    at = 0
    while True:
        if inside:
            close = _CLOSE.match(line, at)
            if close is None:
                return True
            at = close.end()
        begin = opening.search(line, at)
        if begin is None:
            return False
        at, inside = begin.end(), True


def _batches(rows: Iterator[tuple[int, bytes]]) -> Iterator[tuple[list[int], list[bytes]]]:
    lines: list[int] = []
    found: list[bytes] = []
    size = 0
    for line, record in rows:
        lines.append(line)
        found.append(record)
        size += len(record)
        if size > BLOCK:
            yield lines, found
            lines, found, size = [], [], 0
    if lines:
        yield lines, found


LOADER = Loader(
    name="csv",
    about="CSV: a header and a row a trial, separated by commas, semicolons or tabs; names are given in [columns].",
    looks_like=looks_like,
    records=records,
    typed=TYPED,
)
