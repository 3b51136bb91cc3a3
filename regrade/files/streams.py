"""Open a transcript file as it is stored: plain, gzip or zstd."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from regrade.errors import CorpusError, one_line

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""How a compressed file begins; its name says nothing."""


class _Decompressed(io.RawIOBase):
    """What a compressed file holds, with a damaged one told as an error of the corpus."""

    def __init__(self, path: Path, codec: str) -> None:
        self.name = str(path)
        self._inner = pa.CompressedInputStream(pa.OSFile(self.name), codec)
        self._codec = codec

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return int(self._inner.readinto(buffer))
        except OSError as error:
            raise CorpusError(
                f"{self.name}: the {self._codec} data is cut off or damaged ({one_line(str(error))}). "
                "Fetch or compress the file again, or take it out of files."
            ) from error

    def close(self) -> None:
        self._inner.close()
        super().close()


def open_stream(path: Path) -> BinaryIO:
    """Open a file for reading, decompressed where its first bytes say gzip or zstd.

    Raises:
        CorpusError: The file cannot be opened; or, later, while it is read, its compressed data is damaged.
    """
    try:
        plain = path.open("rb")
        head = plain.peek(4)
        codec = next((name for magic, name in MAGIC.items() if head.startswith(magic)), None)
        if codec is None:
            return plain
        plain.close()
        return io.BufferedReader(_Decompressed(path, codec), 1 << 20)
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror or error}.") from error
