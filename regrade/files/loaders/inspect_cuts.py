"""What is cut out of an Inspect log for one record, and the batches that many of them make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa

from regrade.files.loaders.loader import BLOCK, RECORDS, refused


class Cut(NamedTuple):
    """One sample of a log, or the record made of it."""

    member: str | None
    """The member of an archive that it stands in."""
    line: int
    """The physical line of the file or member on which it begins, from 1."""
    data: bytes
    """Its JSON text; where `reason` is given, as much of its beginning as could be read."""
    reason: str | None = None
    """Why it cannot be read."""


def batches(cuts: Iterable[Cut], max_line: int) -> Iterator[pa.RecordBatch]:
    """Make batches of the schema `RECORDS` of records, in order; one that is too long is refused."""
    held: list[Cut] = []
    size = 0
    for cut in cuts:
        reason = cut.reason or ("too_long" if len(cut.data) > max_line else None)
        if held and (reason or size + len(cut.data) > BLOCK):
            yield _batch(held)
            held, size = [], 0
        if reason:
            yield refused(cut.line, reason, cut.data, cut.member)
        else:
            held.append(cut)
            size += len(cut.data)
    if held:
        yield _batch(held)


def _batch(cuts: list[Cut]) -> pa.RecordBatch:
    members, lines, texts, reasons = zip(*cuts, strict=True)
    nothing = pa.nulls(len(cuts), pa.string())
    return pa.record_batch(
        [
            pa.array(members, pa.string()),
            pa.array(lines, pa.int64()),
            pa.array(texts, pa.binary()).cast(pa.string()),
            nothing,
            nothing,
        ],
        schema=RECORDS,
    )
