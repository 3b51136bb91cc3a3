"""Records on their way into the store: gathered as tuples, and made into Arrow tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any

import duckdb
import pyarrow as pa

from regrade.tables.mapping import Place, Row
from regrade.tables.schema import BY_NAME

PIECE = 16 * 1024 * 1024
"""Bytes of records that are written by one statement."""

COLUMNS = {
    "staged": "record bigint, part bigint, file_id bigint, member varchar, line bigint, trial_id varchar, "
    "reason varchar, excerpt varchar",
    "staged_grades": "record bigint, part bigint, trial_id varchar, axis varchar, present boolean, status varchar, "
    "code varchar, answer varchar, score double",
}
"""Every record, and every grade that one stores, until it is known which of them count."""

ARROW = {"bigint": pa.int64(), "boolean": pa.bool_(), "double": pa.float64()}
TYPES = {
    **{name: dict(column.split() for column in columns.split(", ")) for name, columns in COLUMNS.items()},
    "trials": {column.name: column.type for column in BY_NAME["trials"].columns},
}


def make_staging(con: duckdb.DuckDBPyConnection) -> None:
    """Make the tables that records are gathered in."""
    for name, columns in COLUMNS.items():
        con.execute(f"create or replace temp table {name} ({columns})")


class Piece:
    """Some records, as rows of the three tables; a `Writer` writes them."""

    def __init__(self) -> None:
        self.size = 0
        """Bytes of the records."""
        self._rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in TYPES}

    def load(self, record: int, part: int, place: Place, row: Row) -> None:
        """Take one trial."""
        trial_id = row.trial[0]
        self._rows["staged"].append((record, part, place.file_id, place.member, place.line, trial_id, None, None))
        self._rows["trials"].append(row.trial)
        for grade in row.graded:
            self._rows["staged_grades"].append((record, part, trial_id, *grade))

    def refuse(self, record: int, part: int, place: Place, reason: str, excerpt: str) -> None:
        """Take one reject."""
        self._rows["staged"].append((record, part, place.file_id, place.member, place.line, None, reason, excerpt))

    def tables(self) -> dict[str, pa.Table]:
        """The rows of each table."""
        return {name: _table(rows, TYPES[name]) for name, rows in self._rows.items()}


def _table(rows: list[tuple[Any, ...]], types: dict[str, str]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(types)
    return pa.table(
        {
            name: _nested(column, NESTED[name]) if name in NESTED else pa.array(column, ARROW.get(kind, pa.string()))
            for (name, kind), column in zip(types.items(), columns, strict=True)
        }
    )


NESTED = {
    "turns": {"role": pa.string(), "text": pa.string()},
    "calls": {
        "turn": pa.int64(),
        "call": pa.int64(),
        "name": pa.string(),
        "arguments": pa.string(),
        "result": pa.string(),
        "answered": pa.int64(),
    },
}


def _nested(lists: Sequence[list[tuple[Any, ...]] | None], fields: dict[str, pa.DataType]) -> pa.ListArray:
    """A column of lists of structs, put together from its flat parts: nested Python values convert slowly."""
    flat = list(chain.from_iterable(one or () for one in lists))
    columns = zip(*flat, strict=True) if flat else ((),) * len(fields)
    structs = pa.StructArray.from_arrays(
        [pa.array(column, kind) for column, kind in zip(columns, fields.values(), strict=True)], list(fields)
    )
    offsets = pa.array(list(accumulate((len(one or ()) for one in lists), initial=0)), pa.int32())
    return pa.ListArray.from_arrays(offsets, structs, mask=pa.array([one is None for one in lists], pa.bool_()))
