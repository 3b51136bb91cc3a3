"""One member of a zip archive, decompressed as it is read: stored, deflate, and zstd, which `zipfile` does not know."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import pyarrow as pa

STORED, DEFLATE, ZSTD = 0, 8, 93
PIECE = 1 << 20
"""Bytes read at a time."""

ENCRYPTED = 0x1
LOCAL = struct.Struct("<4s22xHH")
"""The header before a member's data: its signature, the lengths of its name and of its extra field."""


class Damaged(Exception):
    """A member cannot be decompressed, or is not what the directory of its archive says."""


class TooLong(Damaged):
    """A member, or what is read of several, is longer than a record may be."""


class Member(io.RawIOBase):
    """The bytes of a member, never more than its archive says, with their sum checked at the end."""

    def __init__(self, file: BinaryIO, info: zipfile.ZipInfo, piece: int = PIECE) -> None:
        """Begin to read.

        Args:
            file: The archive.
            info: The entry of its directory.
            piece: Bytes that are decompressed at a time; those before a damage can be had.
        """
        self.name = info.filename
        self._left = memoryview(b"")
        self._pieces = _checked(file, info, piece)

    def whole(self) -> bytes:
        """All that is not yet read."""
        return b"".join([self._left, *self._pieces])

    def readable(self) -> bool:  # noqa: D102
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: D102
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def _checked(file: BinaryIO, info: zipfile.ZipInfo, limit: int) -> Iterator[bytes]:
    size = total = 0
    try:
        for piece in _decompressed(_stored(file, info), info.compress_type, limit):
            size += len(piece)
            if size > info.file_size:
                break
            total = zlib.crc32(piece, total)
            yield piece
    except (zlib.error, OSError) as error:
        raise Damaged(str(error)) from error
    if size != info.file_size or total != info.CRC:
        raise Damaged("its size or its sum is not that in the directory")


def _stored(file: BinaryIO, info: zipfile.ZipInfo) -> _Slice:
    if info.flag_bits & ENCRYPTED:
        raise Damaged("it is encrypted")
    file.seek(info.header_offset)
    head = file.read(LOCAL.size)
    if len(head) < LOCAL.size or not head.startswith(b"PK\x03\x04"):
        raise Damaged("nothing begins where the directory says")
    _, name, extra = LOCAL.unpack(head)
    return _Slice(file, info.header_offset + LOCAL.size + name + extra, info.compress_size)


def _decompressed(stored: _Slice, method: int, limit: int) -> Iterator[bytes]:
    if method == STORED:
        yield from iter(lambda: stored.read(limit), b"")
    elif method == DEFLATE:
        yield from _inflated(stored, limit)
    elif method == ZSTD:
        # Several frames are one stream to this reader.
        with pa.CompressedInputStream(pa.PythonFile(stored, mode="r"), "zstd") as stream:
            yield from iter(lambda: stream.read(limit), b"")
    else:
        raise Damaged(f"its compression method {method} is not one of 0, 8 (deflate) and 93 (zstd)")


def _inflated(stored: _Slice, limit: int) -> Iterator[bytes]:
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    for block in iter(lambda: stored.read(PIECE), b""):
        piece = inflate.decompress(block, limit)
        while piece:
            yield piece
            piece = inflate.decompress(inflate.unconsumed_tail, limit)
    yield inflate.flush()


class _Slice(io.RawIOBase):
    """A part of a file that others read as well."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file = file
        self._at = start
        self._stop = start + size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._file.seek(self._at)
        piece = self._file.read(min(len(buffer), self._stop - self._at))
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)
