"""Rows on their way into the store: gathered as tuples, written by a thread of its own while the next are read."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from types import TracebackType
from typing import Any

import duckdb
import pyarrow as pa

from regrade.tables.mapping import Place, Row
from regrade.tables.schema import BY_NAME
from regrade.tables.turns import StoredTurn

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
    """Some records, as rows of the three tables."""

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
            name: _turns(column) if name == "turns" else pa.array(column, ARROW.get(kind, pa.string()))
            for (name, kind), column in zip(types.items(), columns, strict=True)
        }
    )


def _turns(transcripts: Sequence[list[StoredTurn] | None]) -> pa.ListArray:
    """The column `turns`, put together from its flat parts: nested Python values convert slowly."""
    turns = list(chain.from_iterable(transcript or () for transcript in transcripts))
    roles, texts, calls = zip(*turns, strict=True) if turns else ((), (), ())
    flat = list(chain.from_iterable(calls))
    *said, answered = zip(*flat, strict=True) if flat else ((), (), (), ())
    made = pa.StructArray.from_arrays(
        [*(pa.array(column, pa.string()) for column in said), pa.array(answered, pa.int64())],
        ["name", "arguments", "result", "answered"],
    )
    shaped = pa.StructArray.from_arrays(
        [pa.array(roles, pa.string()), pa.array(texts, pa.string()), pa.ListArray.from_arrays(_offsets(calls), made)],
        ["role", "text", "calls"],
    )
    absent = pa.array([transcript is None for transcript in transcripts], pa.bool_())
    return pa.ListArray.from_arrays(_offsets([t or () for t in transcripts]), shaped, mask=absent)


def _offsets(lists: Iterable[Sequence[Any]]) -> pa.Array:
    return pa.array(list(accumulate(map(len, lists), initial=0)), pa.int32())


class Writer:
    """Writes pieces into the store in the order in which they are given. Use as a context manager."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._given: queue.Queue[Piece | None] = queue.Queue(maxsize=1)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._write_all, daemon=True)

    def write(self, piece: Piece) -> None:
        """Give a piece; returns before it is written. The connection is the writer's until the end."""
        self._given.put(piece)
        if self._error is not None:
            raise self._error

    def _write_all(self) -> None:
        while (piece := self._given.get()) is not None:
            if self._error is not None:
                continue
            try:
                # Named in the statement, not registered: a registered table is kept until the transaction ends.
                for name, rows in piece.tables().items():  # noqa: B007
                    self._con.execute(f"insert into {name} select * from rows")
            except BaseException as error:
                # It is raised where pieces are given.
                self._error = error

    def __enter__(self) -> Writer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._given.put(None)
        self._thread.join()
        if error is None and self._error is not None:
            raise self._error
