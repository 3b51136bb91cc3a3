"""Which grades a store has already, so that only what is new is graded.

A grade rests on the candidate's fingerprint, the file that its trial stands in and how that is read, the item's family
and gold, the frozen grade where it is carried or compared, and the code of this package.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import duckdb

from regrade.grades.plan import Column
from regrade.grades.trial import gold_type
from regrade.tables.store import Store, literal

PLANNED = """
create or replace temp table planned as select unnest($axes::varchar[]) as axis,
  unnest($candidates::varchar[]) as candidate, unnest($fingerprints::varchar[]) as fingerprint
"""

COVERED = """
select count(*) from trials t join items i using (item) where {covers}
"""


def plan_table(store: Store, columns: Sequence[Column]) -> None:
    """Make the temporary table `planned(axis, candidate, fingerprint)`."""
    store.con.execute(
        PLANNED,
        {
            "axes": [c.axis for c in columns],
            "candidates": [c.name for c in columns],
            "fingerprints": [c.fingerprint for c in columns],
        },
    )


def pending(store: Store, columns: Sequence[Column]) -> tuple[list[Column], list[Column]]:
    """The columns that have no grade yet, and those that lack some trials."""
    con = store.con
    plan_table(store, columns)
    kept = {
        (axis, name): count
        for axis, name, count in con.execute(
            "select axis, candidate, count(*) from grades join planned using (axis, candidate, fingerprint) "
            "group by all"
        ).fetchall()
    }
    families = con.execute("select family, count(*) from trials join items using (item) group by family").fetchall()
    stored = dict(con.execute("select axis, count(*) from frozen_grades where stored group by axis").fetchall())
    none, some = [], []
    for column in columns:
        if column.grader.carried:
            due = stored.get(column.axis, 0)
        else:
            due = sum(count for family, count in families if column.grader.stages(family) is not None)
        found = kept.get((column.axis, column.name), 0)
        if not found:
            none.append(column)
        elif found < due:
            some.append(column)
    return none, some


def drop_others(store: Store) -> None:
    """Take out the grades of what is not planned."""
    store.con.execute("delete from grades where (axis, candidate, fingerprint) not in (from planned)")


def mark_items(con: duckdb.DuckDBPyConnection) -> None:
    """Give each item the hash of what its trials' grades rest on: family, gold, and the types of the family's golds."""
    rows = con.execute("select item, family, gold from items order by family, item").fetchall()
    golds: dict[str | None, list[object]] = {}
    for _, family, gold in rows:
        golds.setdefault(family, []).append(None if gold is None else json.loads(gold))
    kinds = {family: str(gold_type(values)) for family, values in golds.items()}
    marks = [
        (hashlib.sha256(json.dumps([family, gold, kinds[family]]).encode()).hexdigest(), item)
        for item, family, gold in rows
    ]
    con.execute("create or replace temp table marks (mark varchar, item varchar)")
    if marks:
        con.execute(
            "insert into marks select unnest($marks::varchar[]), unnest($items::varchar[])",
            {"marks": [m for m, _ in marks], "items": [i for _, i in marks]},
        )
    con.execute("update items set mark = m.mark from marks m where m.item = items.item")


def carry_over(store: Store, earlier: Path, columns: Sequence[Column]) -> None:
    """Copy the grades of an earlier store that hold as they are.

    Args:
        store: a store that was just loaded.
        earlier: another store of the same code.
        columns: what is to be graded.
    """
    con = store.con
    plan_table(store, columns)
    con.execute(f"attach {literal(str(earlier))} as earlier (read_only)")
    try:
        con.execute("""
            insert into grades select g.* from earlier.grades g join planned using (axis, candidate, fingerprint)
            join trials t using (trial_id) join files f using (file_id) join items i using (item)
            join earlier.trials u on u.trial_id = t.trial_id and u.line is not distinct from t.line
            join earlier.files e on e.file_id = u.file_id and e.sha256 = f.sha256
            join earlier.items j on j.item = t.item and j.mark = i.mark
            left join frozen_grades x on x.trial_id = t.trial_id and x.axis = g.axis and x.stored
            left join earlier.frozen_grades y on y.trial_id = t.trial_id and y.axis = g.axis and y.stored
            where x.status is not distinct from y.status and x.code is not distinct from y.code
        """)
    finally:
        con.execute("detach earlier")
