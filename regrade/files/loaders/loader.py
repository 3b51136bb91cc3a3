"""What a loader is, and the batches of records that it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from regrade.files.corpus import FrozenAxis
from regrade.files.streams import open_stream

MAX_LINE = 64 * 1024 * 1024
"""Bytes of one record, its line end left out; a longer one is rejected and never held in memory."""

BLOCK = 8 * 1024 * 1024
"""Bytes read at a time, and about those of a batch."""

BOM = b"\xef\xbb\xbf"

EXCERPT = 200
"""Characters."""

RECORDS = pa.schema(
    [
        pa.field("member", pa.string()),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("text", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("excerpt", pa.string()),
    ]
)
"""A record as cut from its file.

`member` is the member of an archive that it stands in, null elsewhere; `line` the physical line on which it begins,
from 1; `text` its JSON text, not yet checked. Where `reason` is not null (`not_utf8`, `not_json`, `too_long`) `text` is
null and `excerpt` has what it begins with.
"""


Files = Callable[[], Sequence[Path]]
"""Finds the transcript files of a corpus."""
Records = Callable[[Path, int], Iterator[pa.RecordBatch]]
"""Cuts a file into records no longer than so many bytes; batches of the schema `RECORDS`."""


@dataclass(frozen=True, slots=True)
class Loader:
    """One format: how to know it, how to cut it into records, where the fields usually stand."""

    name: str
    about: str
    """One sentence."""
    looks_like: Callable[[bytes], bool]
    """Whether a file of this format may begin like this (64 KiB, decompressed)."""
    records: Records
    columns: Mapping[str, str] = field(default_factory=dict)
    """`[columns]` where corpus.toml has none."""
    frozen: Callable[[Files], Mapping[str, FrozenAxis]] = lambda files: {}
    """`[frozen.*]` where corpus.toml has none: the grades that the files hold, by axis."""
    typed: str | None = None
    """Where all fields are text: the key under which each stands once more as the number or boolean that it spells;
    `[frozen.*]` is read there."""
    bank: Mapping[str, str] = field(default_factory=dict)
    """`[bank.columns]` where corpus.toml has no bank."""
    configuration: Mapping[str, str] = field(default_factory=dict)
    """`[configurations.columns]` where corpus.toml has none."""
    bank_of: Callable[[Any, str], Mapping[str, Any]] | None = None
    """Where the format has a bank file of its own kind: makes the `world` and the `items` of what the file holds; the
    text says what to call it in errors."""
    beside: Callable[[Any], Records] | None = None
    """Where a record means more beside its bank: makes `records` of what the bank's file holds."""


def of_stream(
    cut: Callable[[BinaryIO, int], Iterator[pa.RecordBatch]],
) -> Records:
    """Make a loader's `records` of a function that cuts a decompressed stream."""

    def records(path: Path, max_line: int) -> Iterator[pa.RecordBatch]:
        with open_stream(path) as stream:
            yield from cut(stream, max_line)

    return records


def batch(
    lines: Sequence[int], records: list[bytes], max_line: int = MAX_LINE, member: str | None = None
) -> pa.RecordBatch:
    """Make a batch of records.

    Args:
        lines: The physical line on which each begins.
        records: Their bytes, without line end. One that is too long, no UTF-8, or holds a raw NUL is refused alone.
        max_line: Bytes that a record may have.
        member: The member of an archive that all of them stand in.
    """
    # The engine would take a raw NUL inside a string, which is no JSON.
    if max(map(len, records), default=0) <= max_line and not any(b"\0" in record for record in records):
        try:
            return _batch(lines, pa.array(records, pa.binary()).cast(pa.string()), member=member)
        except pa.ArrowInvalid:
            pass
    reasons = [_refusal(record, max_line) for record in records]
    return _batch(
        lines,
        [None if reason else record.decode() for record, reason in zip(records, reasons, strict=True)],
        reasons,
        [_excerpt(record) if reason else None for record, reason in zip(records, reasons, strict=True)],
        member,
    )


def too_long(line: int, head: bytes, member: str | None = None) -> pa.RecordBatch:
    """Make the batch of one record of which only the beginning was kept."""
    return refused(line, "too_long", head, member)


def refused(line: int, reason: str, head: bytes, member: str | None = None) -> pa.RecordBatch:
    """Make the batch of one record that cannot be read."""
    return _batch([line], [None], [reason], [_excerpt(head)], member)


def _batch(
    lines: Sequence[int],
    texts: pa.StringArray | list[str | None],
    reasons: list[str | None] | None = None,
    excerpts: list[str | None] | None = None,
    member: str | None = None,
) -> pa.RecordBatch:
    none = [None] * len(lines)
    columns = [[member] * len(lines), pa.array(lines, pa.int64()), texts, reasons or none, excerpts or none]
    return pa.record_batch(
        [c if isinstance(c, pa.Array) else pa.array(c, pa.string()) for c in columns], schema=RECORDS
    )


def _refusal(record: bytes, max_line: int) -> str | None:
    if len(record) > max_line:
        return "too_long"
    try:
        record.decode()
    except UnicodeDecodeError:
        return "not_utf8"
    return "not_json" if b"\0" in record else None


def _excerpt(record: bytes) -> str:
    # No character takes more than four bytes.
    return record[: 4 * EXCERPT].decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")[:EXCERPT]
