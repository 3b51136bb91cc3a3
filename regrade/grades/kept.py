"""Which grades a store has already, so that only what is new is graded.

A grade rests on the candidate's fingerprint, the file that its trial stands in and how that is read, what a stage
sees of the trial, the item's family and gold, the frozen grade where it is carried or compared, and the code of this
package.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from regrade.code import code
from regrade.grades.items import read_items
from regrade.grades.plan import Column
from regrade.grades.trial import FRAME
from regrade.tables.schema import WORLD
from regrade.tables.store import Store, literal

PLANNED = """
create or replace temp table planned as select unnest($axes::varchar[]) as axis,
  unnest($candidates::varchar[]) as candidate, unnest($fingerprints::varchar[]) as fingerprint
"""

GRADED_BY = "graded_by"
"""Fact of a store: the code that its grades were made by."""

DUE = {
    True: "exists (from frozen_grades d where d.trial_id = t.trial_id and d.axis = ? and d.stored)",
    False: "exists (from items d where d.item = t.item and list_contains(?::varchar[], coalesce(d.family, chr(0))))",
}
"""Which trials a carried and a ported grader cover, in SQL over `trials t`. chr(0) stands for no family."""

Missing = tuple[list[Column], str, list[Any]]
"""Columns that lack the same trials; which these are, in SQL over `trials t`, with the values of its marks."""


def plan_table(store: Store, columns: Sequence[Column]) -> None:
    """Make the temporary table `planned(axis, candidate, fingerprint)`, empty where other code made the grades."""
    same = store.facts().get(GRADED_BY) == code()
    store.con.execute(
        PLANNED + ("" if same else " limit 0"),
        {
            "axes": [c.axis for c in columns],
            "candidates": [c.name for c in columns],
            "fingerprints": [c.fingerprint for c in columns],
        },
    )


def pending(store: Store, columns: Sequence[Column]) -> list[Missing]:
    """What is to be graded: the columns without a grade, then those that lack some of the trials that they cover."""
    plan_table(store, columns)
    kept = {
        (axis, name): count
        for axis, name, count in store.con.execute(
            "select axis, candidate, count(*) from grades join planned using (axis, candidate, fingerprint) "
            "group by all"
        ).fetchall()
    }
    families = [row[0] for row in store.con.execute("select distinct family from items order by 1").fetchall()]
    whole = [c for c in columns if (c.axis, c.name) not in kept]
    found: list[Missing] = [(whole, "true", [])] if whole else []
    parts: dict[tuple[bool, str, tuple[str, ...]], list[Column]] = {}
    for column in columns:
        if column not in whole:
            carried = column.grader.carried
            covered = () if carried else tuple(f or "\0" for f in families if column.grader.stages(f) is not None)
            parts.setdefault((carried, column.axis, covered), []).append(column)
    for (carried, axis, covered), alike in parts.items():
        due: list[Any] = [axis if carried else list(covered)]
        [(trials,)] = store.con.execute(f"select count(*) from trials t where {DUE[carried]}", due).fetchall()
        lacking = [c for c in alike if kept[c.axis, c.name] < trials]
        if lacking:
            marks = ", ".join("(?, ?, ?)" for _ in lacking)
            where = (
                f"{DUE[carried]} and t.trial_id not in (select trial_id from grades "
                f"where (axis, candidate, fingerprint) in ({marks}) group by trial_id having count(*) = {len(lacking)})"
            )
            named = [part for c in lacking for part in (c.axis, c.name, c.fingerprint)]
            found.append((lacking, where, due + named))
    return found


def drop_others(store: Store) -> None:
    """Take out the grades of what is not planned, and remember which code makes the rest."""
    store.con.execute("delete from grades where (axis, candidate, fingerprint) not in (from planned)")
    store.con.execute("delete from measures where (axis, candidate) not in (select axis, candidate from planned)")
    store.remember({GRADED_BY: code()})


def mark_items(con: duckdb.DuckDBPyConnection) -> None:
    """Give each item the hash of what its trials' grades rest on: family, gold, types of the family's golds, world."""
    # A world may be as long as all golds together, and is the same beside each.
    world = _hash(con.execute("select value from meta where key = ?", [WORLD]).fetchone())
    rows = con.execute("select item, family, gold from items order by family, item").fetchall()
    kinds = read_items(con).kinds
    marks = [(_hash([family, gold, kinds[family], world]), item) for item, family, gold in rows]
    con.execute("create or replace temp table marks (mark varchar, item varchar)")
    if marks:
        con.execute(
            "insert into marks select unnest($marks::varchar[]), unnest($items::varchar[])",
            {"marks": [m for m, _ in marks], "items": [i for _, i in marks]},
        )
    con.execute("update items set mark = m.mark from marks m where m.item = items.item")


def _hash(what: object) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def carry_over(store: Store, earlier: Path, columns: Sequence[Column]) -> None:
    """Copy the grades of an earlier store that hold as they are.

    Args:
        store: a store that was just loaded.
        earlier: another store; what other code graded in it does not hold.
        columns: what is to be graded.
    """
    con = store.con
    # A file may be read in the light of another one, so that its hash does not tell all of what a stage sees.
    seen = " and ".join(f"u.{name} is not distinct from t.{name}" for name in FRAME)
    con.execute(f"attach {literal(str(earlier))} as earlier (read_only)")
    try:
        made_by = con.execute("select value from earlier.meta where key = ?", [GRADED_BY]).fetchone()
        store.remember({GRADED_BY: made_by[0] if made_by else ""})
        plan_table(store, columns)
        con.execute(f"""
            insert into grades
            with same as materialized (
              select t.trial_id from trials t join files f using (file_id) join items i using (item)
              join earlier.trials u on u.trial_id = t.trial_id and u.line is not distinct from t.line and {seen}
              join earlier.files e on e.file_id = u.file_id and e.sha256 = f.sha256
              join earlier.items j on j.item = t.item and j.mark = i.mark
            )
            select g.* from earlier.grades g join planned using (axis, candidate, fingerprint)
            join same t using (trial_id)
            left join frozen_grades x on x.trial_id = t.trial_id and x.axis = g.axis and x.stored
            left join earlier.frozen_grades y on y.trial_id = t.trial_id and y.axis = g.axis and y.stored
            where x.status is not distinct from y.status and x.code is not distinct from y.code
        """)
        con.execute("""
            insert into measures select m.* from earlier.measures m
            join grades using (trial_id, axis, candidate)
        """)
    finally:
        con.execute("detach earlier")
