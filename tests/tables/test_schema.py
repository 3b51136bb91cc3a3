"""The schema as data: what it makes, and that it keeps its promises."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from regrade.errors import StoreError
from regrade.tables.schema import TABLES
from regrade.tables.store import Store


def test_the_tables_have_the_promised_columns(shared: Path) -> None:
    promised = (shared / "design" / "CONTRACT.md").read_text(encoding="utf-8").split("Views:")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|$", promised, re.MULTILINE))
    assert len(rows) == 14
    known = {t.name: [c.name for c in t.columns] for t in TABLES}
    for table, columns in rows.items():
        names = re.findall(r"\w+", re.sub(r"\([^)]*\)|\band\b", "", columns))
        assert [c for c in known[table] if c in names] == names, table


def test_every_column_says_what_it_is_and_has_an_arrow_type_where_rows_are_inserted() -> None:
    for table in TABLES:
        assert table.about and all(c.about for c in table.columns)
        if table.name != "trials":
            assert table.arrow().names == [c.name for c in table.columns]


def test_a_store_holds_what_was_inserted_and_refuses_nulls_where_a_value_is_required(tmp_path: Path) -> None:
    with Store.create(tmp_path / "a.duckdb") as store:
        assert store.insert("signals", [("t", "s", 0, 1, 2, "x"), ("t", "s", None, None, None, None)]) == 2
        assert store.insert("signals", []) == 0
        with pytest.raises(duckdb.ConstraintException):
            store.con.execute("insert into signals (trial_id) values ('t')")
    with Store.open(tmp_path / "a.duckdb", read_only=True) as store:
        assert store.con.execute("select count(*) from signals").fetchall() == [(2,)]


def test_a_store_that_is_absent_or_of_another_version_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No store at .*regrade load CORPUS"):
        Store.open(tmp_path / "none.duckdb")
    with Store.create(tmp_path / "a.duckdb") as store:
        store.remember({"version": "0"})
    with pytest.raises(StoreError, match="is of version 0, expected 5. Delete it"):
        Store.open(tmp_path / "a.duckdb")
    duckdb.connect(str(tmp_path / "b.duckdb")).close()
    with pytest.raises(StoreError, match="is of version None"):
        Store.open(tmp_path / "b.duckdb")
