"""JSON Lines: one record a physical line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

import pyarrow as pa

from regrade.files.loaders.loader import BLOCK, BOM, Loader, batch, of_stream, too_long

SPACE = b" \t\n\r\x0b\x0c"


def looks_like(head: bytes) -> bool:
    """Whether a line is a JSON object by itself, or the first line is an object too long to see its end."""
    lines = head.removeprefix(BOM).lstrip(SPACE).split(b"\n")
    if len(lines) == 1:
        return lines[0].startswith(b"{")
    return any(line.startswith(b"{") and _is_object(line) for line in lines)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def lines(stream: BinaryIO, max_line: int) -> Iterator[pa.RecordBatch]:
    """Give every line that is not blank, whatever it holds.

    A line ends at LF, and a CR before it is dropped; no other character ends one. A blank line has nothing but ASCII
    white space. Memory is bounded by a block and a line.
    """
    line = 1
    head = stream.read(len(BOM))
    rest = b""
    skipping = False
    for block in chain((head.removeprefix(BOM),), iter(lambda: stream.read(BLOCK), b"")):
        if skipping:
            _, ended, block = block.partition(b"\n")
            if not ended:
                continue
            skipping = False
            line += 1
        stop = block.rfind(b"\n") + 1
        if stop:
            cut = (rest + block[:stop]).split(b"\n")[:-1]
            yield from _lines([record.removesuffix(b"\r") for record in cut], line, max_line)
            line += len(cut)
            rest = block[stop:]
        else:
            rest += block
        # One byte more, since the last may be the CR of the line end.
        if len(rest) > max_line + 1:
            yield too_long(line, rest)
            rest, skipping = b"", True
    yield from _lines([rest], line, max_line)


def _lines(cut: list[bytes], line: int, max_line: int) -> Iterator[pa.RecordBatch]:
    kept = [i for i, record in enumerate(cut) if record and not record.isspace()]
    if len(kept) == len(cut):
        yield batch(range(line, line + len(cut)), cut, max_line)
    elif kept:
        yield batch([line + i for i in kept], [cut[i] for i in kept], max_line)


LOADER = Loader(
    name="jsonl",
    about="JSON Lines: one JSON object a line; the fields are named in [columns].",
    looks_like=looks_like,
    records=of_stream(lines),
)
