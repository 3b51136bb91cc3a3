"""Steps that are measured and have no command of their own; each is run in a process of its own."""

from __future__ import annotations

import sys
import time
from pathlib import Path

MESSAGE = (
    "struct(role varchar, content varchar, tool_call_id varchar, tool_calls struct(id varchar, type varchar, "
    '"function" struct("name" varchar, arguments varchar))[])'
)
COLUMNS = {
    "config": "varchar",
    "episode": "varchar",
    "rep": "bigint",
    "messages": f"{MESSAGE}[]",
    "grade": 'struct("pass" boolean, code varchar)',
}
"""What corpus.toml maps of a record, as DuckDB types."""


def create_table(corpus: Path, store: Path) -> None:
    """Load a corpus as DuckDB alone does it: no keys, no rejects, no sums, no replies apart."""
    import duckdb

    columns = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items())
    with duckdb.connect(str(store)) as con:
        con.execute(
            f"create table trials as select * from read_ndjson(?, columns = {{{columns}}})",
            [str(corpus / "trials" / "*.jsonl")],
        )


def try_rule(store: Path, rule: str) -> None:
    """Run one rule over a store as it would be in a session, and print the seconds: imports and opening are done."""
    from regrade.tables.store import FILE_NAME, Store
    from regrade.trying import try_rule

    with Store.open(store / FILE_NAME, read_only=True) as opened:
        start = time.perf_counter()
        try_rule(opened, rule)
        print(time.perf_counter() - start)


if __name__ == "__main__":
    step, path, argument = sys.argv[1:]
    if step == "create_table":
        create_table(Path(path), Path(argument))
    else:
        try_rule(Path(path), argument)
