"""Cut one JSON document into the values that are its records, in bounded memory and without changing a byte."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa

from regrade.errors import CorpusError
from regrade.files.loaders.loader import BLOCK, BOM, batch, too_long

_SPACE = re.compile(rb"[ \t\n\r]*+")
_SCALAR = re.compile(rb"[^ \t\n\r,\]}]*+")
_OUTSIDE = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""Up to the next bracket, over whole strings; or to a string that the block does not end."""
_INSIDE = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)

_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*+)"|[{}\[\]:]', re.DOTALL)


def first_keys(head: bytes) -> set[bytes]:
    """The keys of the first object in the beginning of a document, as far as they can be seen."""
    keys: set[bytes] = set()
    depth = inside = 0
    last = b""
    for token in _TOKEN.finditer(head):
        match token[0]:
            case b"{" | b"[":
                depth += 1
                if not inside and token[0] == b"{":
                    inside = depth
            case b"}" | b"]":
                depth -= 1
                if inside and depth < inside:
                    break
            case b":":
                if depth == inside:
                    keys.add(last)
            case _:
                last = token[1]
    return keys


def elements(stream: BinaryIO, max_line: int) -> Iterator[pa.RecordBatch]:
    """Give the elements of a document that is a list, or the document itself where it is one object.

    An element is given as its exact text, whatever kind of value it is and even where its inside is no JSON. An empty
    document has no records. Memory is bounded by a block and an element.

    Args:
        stream: The document, as decompressed bytes.
        max_line: Bytes that an element may have.

    Raises:
        CorpusError: The document is neither a list nor an object, or its elements cannot be told apart. It names the
            line and the column (both from 1, the column in bytes).
    """
    text = Text(stream)
    opening = text.peek()
    if not opening:
        return
    if opening == b"{":
        yield from text.values(max_line, alone=True)
    elif opening == b"[":
        text.take()
        yield from text.values(max_line, alone=False)
    else:
        raise text.error("expected a list or an object")
    if text.peek():
        raise text.error("expected the end of the document")


class Text:
    """A document read block by block, its place kept."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._name = str(getattr(stream, "name", "the document"))
        head = stream.read(len(BOM))
        self._block = b"" if head == BOM else head
        self._at = 0
        self._line = self._column = 1

    def error(self, expected: str) -> CorpusError:
        """What is wrong here."""
        if len(self._block) - self._at < 20:
            self._more()
        found = self._block[self._at : self._at + 20].decode(errors="replace")
        return CorpusError(
            f"{self._name}: line {self._line}, column {self._column}: {expected}, "
            f"found {repr(found) if found else 'the end of the file'}. Restore the file, or name its format."
        )

    def peek(self) -> bytes:
        """The next byte that is no white space; empty at the end."""
        while True:
            self.take(_SPACE)
            if self._at < len(self._block):
                return self._block[self._at : self._at + 1]
            if not self._more():
                return b""

    def take(self, pattern: re.Pattern[bytes] | None = None) -> bytes:
        """Go over what matches here, or over one byte."""
        found = pattern.match(self._block, self._at) if pattern else None
        return self._take(found.end() if found else self._at + 1)

    def _take(self, stop: int) -> bytes:
        piece = self._block[self._at : stop]
        lines = piece.count(b"\n")
        self._line += lines
        self._column = len(piece) - piece.rfind(b"\n") if lines else self._column + len(piece)
        self._at = stop
        return piece

    def values(self, max_line: int, *, alone: bool) -> Iterator[pa.RecordBatch]:
        """The one value here, or those up to the end of the list, in batches."""
        lines: list[int] = []
        records: list[bytes] = []
        size = 0
        more = alone or self.peek() != b"]"
        while more:
            if not self.peek():
                raise self.error("expected a value")
            line = self._line
            record = self._value(max_line)
            size += len(record)
            if len(record) > max_line or size > BLOCK:
                if lines:
                    yield batch(lines, records, max_line)
                lines, records, size = [], [], len(record)
            if len(record) > max_line:
                yield too_long(line, record)
                size = 0
            else:
                lines.append(line)
                records.append(record)
            more = not alone and self.peek() == b","
            if more:
                self.take()
        if lines:
            yield batch(lines, records, max_line)
        if not alone:
            if self.peek() != b"]":
                raise self.error("expected a comma or the end of the list")
            self.take()

    def _value(self, max_line: int) -> bytes:
        """The text of the value here; of one that is too long its beginning, of more than `max_line` bytes."""
        kept = bytearray()
        for piece in self._pieces():
            if len(kept) <= max_line:
                kept += piece
        return bytes(kept)

    def _pieces(self) -> Iterator[bytes]:
        start = self._block[self._at : self._at + 1]
        if start not in (b"{", b"[", b'"'):
            yield from self._scalar()
            return
        yield self.take()
        inside = start == b'"'
        depth = 0 if inside else 1
        while True:
            block, at = self._block, self._at
            while True:
                found = (_INSIDE if inside else _OUTSIDE).match(block, at)
                at = found.end() if found else at
                mark = block[at : at + 1]
                if mark in (b"", b"\\"):
                    break
                at += 1
                if mark == b'"':
                    inside = not inside
                else:
                    depth += 1 if mark in (b"{", b"[") else -1
                if not depth and not inside:
                    yield self._take(at)
                    return
            yield self._take(at)
            if not self._more():
                raise self.error("expected the rest of a record")

    def _scalar(self) -> Iterator[bytes]:
        piece = self.take(_SCALAR)
        if not piece:
            raise self.error("expected a value")
        yield piece
        while self._at == len(self._block) and self._more():
            yield self.take(_SCALAR)

    def _more(self) -> bool:
        """Read on; a byte not yet taken stays."""
        block = self._stream.read(BLOCK)
        self._block = self._block[self._at :] + block
        self._at = 0
        return bool(block)
