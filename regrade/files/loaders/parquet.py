"""Parquet: a row a trial; the fields are named in [columns].

A row becomes an object: structs are objects, lists are lists, a map is a list of [key, value]. Dates, times, decimals
and binary data are text (binary that is no UTF-8 in base64), NaN and infinities stay. `line` counts the rows from 1.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import types

from regrade.errors import CorpusError, one_line
from regrade.files.loaders.loader import BLOCK, Loader, batch, refused
from regrade.files.shape import shown
from regrade.files.streams import open_stream

MAGIC = b"PAR1"
MOST_ROWS = 1024
"""Rows that are read at a time; fewer where they are wide."""

_DAMAGED = (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError)


def looks_like(head: bytes) -> bool:
    """Whether the file begins as Parquet does."""
    return head.startswith(MAGIC)


def records(path: Path, max_line: int) -> Iterator[pa.RecordBatch]:
    """Give the rows as objects.

    Raises:
        CorpusError: The file is no Parquet or is damaged, or has two columns of one name.
    """
    try:
        with open_stream(path) as source, pq.ParquetFile(source) as file:
            _check_names(file.schema_arrow.names, path)
            line = 1
            for rows in file.iter_batches(_rows_at_a_time(file.metadata), use_threads=False):
                yield from _batches(rows, line, max_line)
                line += rows.num_rows
    except _DAMAGED as error:
        raise CorpusError(
            f"{path}: the Parquet data is damaged or of an unknown kind ({one_line(str(error))[:200]}). "
            "Fetch or write the file again, or take it out of files."
        ) from error


def _check_names(names: list[str], path: Path) -> None:
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise CorpusError(f"{path}: the column {shown(twice)} stands twice. Rename one.")


def _rows_at_a_time(metadata: pq.FileMetaData) -> int:
    size: int = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    count: int = metadata.num_rows
    return max(1, min(MOST_ROWS, BLOCK * count // max(1, size)))


def _batches(rows: pa.RecordBatch, line: int, max_line: int) -> Iterator[pa.RecordBatch]:
    plain = pa.struct([field.with_type(_plain(field.type)) for field in rows.schema])
    objects = rows.to_struct_array().cast(plain)
    try:
        texts = [_text(value) for value in objects.to_pylist()]
    except UnicodeDecodeError:
        for i, value in enumerate(objects):
            try:
                yield batch([line + i], [_text(value.as_py())], max_line)
            except UnicodeDecodeError as error:
                yield refused(line + i, "not_utf8", bytes(error.object))
        return
    if texts:
        yield batch(range(line, line + len(texts)), texts, max_line)


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type that a column is read as: what JSON has no value for, and Python no exact one, becomes text."""
    if types.is_temporal(kind) and not types.is_interval(kind) or types.is_decimal(kind):
        return pa.string()
    if types.is_dictionary(kind):
        return _plain(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return _plain(kind.storage_type)
    if types.is_struct(kind):
        return pa.struct([field.with_type(_plain(field.type)) for field in kind])
    if types.is_map(kind):
        return pa.map_(_plain(kind.key_type), _plain(kind.item_type))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return pa.large_list(_plain(kind.value_type))
    return kind


def _text(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=_as_text).encode()


def _as_text(value: object) -> str:
    if not isinstance(value, bytes):
        return str(value)
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()


LOADER = Loader(
    name="parquet",
    about="Parquet: a row a trial; the fields are named in [columns].",
    looks_like=looks_like,
    records=records,
)
