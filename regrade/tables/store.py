"""The DuckDB store: made, opened, and filled with rows; a cache that can always be rebuilt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb
import pyarrow as pa

from regrade.errors import OutputError, StoreError, StoreHeld, one_line
from regrade.tables.schema import BY_NAME, TABLES, VERSION, VIEWS, quote

FILE_NAME = "audit.duckdb"
SETTINGS = (
    # Texts are most of a store; written this way they take less time and less than half of the room.
    "set force_compression = 'zstd'",
    # What is inserted goes to the disk as soon as it can, not after five times as much.
    "set write_buffer_row_group_count = 1",
    # Beyond this the engine uses the disk: a corpus of any size is audited on a machine of any size.
    "set memory_limit = '1GB'",
)


class Store:
    """An open store. Use as a context manager."""

    def __init__(self, con: duckdb.DuckDBPyConnection, path: Path) -> None:
        self.con = con
        self.path = path

    @classmethod
    def create(cls, path: Path) -> Store:
        """Make an empty store at `path`, replacing what is there. Raises OutputError where it cannot be written."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            con = duckdb.connect(str(path))
        except (OSError, duckdb.Error) as error:
            raise OutputError(
                f"Cannot write the store {path}: {one_line(str(error))}. Name another with --out."
            ) from None
        _settle(con)
        for table in TABLES:
            con.execute(table.ddl())
        for name, query in VIEWS:
            con.execute(f"create view {quote(name)} as {query}")
        store = cls(con, path)
        store.remember({"version": str(VERSION)})
        return store

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Store:
        """Open the store at `path`.

        Raises:
            StoreError: there is none, another process holds it, or it is of another version.
        """
        if not path.is_file():
            raise StoreError(f"No store at {path}. Make one with: regrade load CORPUS")
        try:
            con = duckdb.connect(str(path), read_only=read_only)
        except duckdb.Error as error:
            if "lock" in str(error).lower():
                raise StoreHeld(
                    f"Another process has the store {path} open: {one_line(str(error))}. Wait for it, or name another"
                    " folder with --out."
                ) from None
            raise StoreError(
                f"Cannot open the store {path}: {one_line(str(error))}. Delete the file and run: regrade load CORPUS"
            ) from None
        _settle(con)
        store = cls(con, path)
        found = store.facts().get("version") if "meta" in store.tables() else None
        if found != str(VERSION):
            con.close()
            raise StoreError(
                f"The store {path} is of version {found}, expected {VERSION}. Delete it and run: regrade load CORPUS"
            )
        return store

    def tables(self) -> set[str]:
        """Names of the tables that exist."""
        rows = self.con.execute("select table_name from duckdb_tables()").fetchall()
        return {row[0] for row in rows}

    def facts(self) -> dict[str, str]:
        """What the store was made from."""
        return dict(self.con.execute("select key, value from meta").fetchall())

    def remember(self, facts: dict[str, str]) -> None:
        """Write facts into `meta`, each over an earlier one of its name."""
        for key, value in facts.items():
            self.con.execute("delete from meta where key = ?", [key])
            self.con.execute("insert into meta values (?, ?)", [key, value])

    def insert(self, table: str, rows: Iterable[Sequence[Any]]) -> int:
        """Insert rows given in the order of the table's columns; return how many."""
        schema = BY_NAME[table].arrow()
        columns = list(zip(*rows, strict=True))
        if not columns:
            return 0
        batch = pa.table(
            [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)], schema=schema
        )
        return self.insert_arrow(table, batch)

    def insert_arrow(self, table: str, batch: pa.Table) -> int:
        """Insert an Arrow table whose columns stand in the table's order; return how many rows."""
        # Named in the statement, not registered: a registered table is kept until the transaction ends.
        self.con.execute(f"insert into {quote(table)} select * from batch")
        return int(batch.num_rows)

    def make_whatif(self) -> None:
        """Make the view `whatif`: a row a trial and axis, frozen and candidate grades side by side."""
        names = [r[0] for r in self.con.execute("select distinct candidate from candidates order by 1").fetchall()]
        picked = "".join(
            f", max(status) filter (candidate = {literal(n)}) as {quote(n + '_status')}"
            f", max(code) filter (candidate = {literal(n)}) as {quote(n + '_code')}"
            for n in names
        )
        wide = f"select trial_id, axis{picked} from grades group by trial_id, axis"
        columns = "".join(f", w.{quote(n + '_status')}, w.{quote(n + '_code')}" for n in names)
        self.con.execute(
            "create or replace view whatif as select w.trial_id, w.axis, f.status as frozen_status, f.code as"
            f" frozen_code{columns} from ({wide}) w left join frozen_grades f using (trial_id, axis)"
        )

    def close(self) -> None:
        """Close the connection; the file keeps what was committed."""
        self.con.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _settle(con: duckdb.DuckDBPyConnection) -> None:
    for setting in SETTINGS:
        con.execute(setting)


def literal(text: str) -> str:
    """Quote a text for SQL where a value cannot be bound: in a view."""
    return "'" + text.replace("'", "''") + "'"
