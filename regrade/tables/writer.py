"""Write rows into the store by a thread of its own, while the next ones are made."""

from __future__ import annotations

import queue
import threading
from types import TracebackType
from typing import Protocol

import duckdb
import pyarrow as pa


class Rows(Protocol):
    """Something that gives rows of some tables."""

    def tables(self) -> dict[str, pa.Table]:
        """The rows of each table, its columns in order; called by the writing thread."""


class Writer:
    """Writes pieces into the store in the order in which they are given. Use as a context manager."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._given: queue.Queue[Rows | None] = queue.Queue(maxsize=1)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._write_all, daemon=True)

    def write(self, piece: Rows) -> None:
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
