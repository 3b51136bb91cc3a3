"""What `regrade try` does: one rule on a loaded store, what it moves, and some trials with both readings."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb

from regrade.books import rulebook, store_corpus
from regrade.errors import RuleError, near
from regrade.flips.tallies import SPREAD_KEYS
from regrade.grades.plan import FROZEN, Column, plan
from regrade.grades.trying import TRIED, try_columns
from regrade.report.shown import reading_marks
from regrade.tables.store import Store

SCHEMA = "regrade.try/1"
ON = ("flips", "failures", "passes")
"""Which trials are shown: those whose grade moves, or those that fail or pass under the rule."""

MOVES = f"""
create or replace temp table moves_tried as
with frozen as (
  select trial_id, status, code from {TRIED} where axis = $axis and candidate = 'frozen' union all
  select trial_id, status, code from grades where axis = $axis and candidate = 'frozen'
  and not exists (from {TRIED} where axis = $axis and candidate = 'frozen')
)
-- The grade as recorded, where the log has one: flips are counted from that.
select coalesce(f.trial_id, s.trial_id) as trial_id,
  coalesce(s.status, f.status) as from_status, if(s.status is null, f.code, s.code) as from_code,
  coalesce(t.status, f.status) as to_status, if(t.status is null, f.code, t.code) as to_code
from frozen f full join (select trial_id, status, code from frozen_grades where axis = $axis and stored) s
on s.trial_id = f.trial_id
left join (select trial_id, status, code from {TRIED} where axis = $axis and candidate = $candidate) t
on t.trial_id = coalesce(f.trial_id, s.trial_id)
"""

MOVED = "from_status is distinct from to_status or from_code is distinct from to_code"

COUNTS = f"""
select from_status, from_code, to_status, to_code, grouping(from_code) as whole, count(*) as trials,
  count(distinct item) as items, count(distinct configuration) as configurations,
  count(distinct coalesce(weights, configuration)) as weights,
  count(distinct coalesce(lineage, weights, configuration)) as lineages
from (from moves_tried where {MOVED}) join trials using (trial_id) left join configurations using (configuration)
group by grouping sets ((from_status, from_code, to_status, to_code), (from_status, to_status))
order by from_status, from_code nulls first, to_status, to_code nulls first
"""

TOTALS = "select from_status, count(*) from moves_tried group by all order by all"

PICK = """
create or replace temp table picked as
select *, row_number() over (partition by from_status, to_status order by trial_id) as place
from moves_tried where {picked} order by place, from_status, to_status, trial_id limit $number
"""

SHOWN = f"""
with graded as (
  select * from {TRIED} where axis = $axis union all by name select * from grades where axis = $axis
  and candidate = 'frozen' and not exists (from {TRIED} where axis = $axis and candidate = 'frozen')
), those as (from graded where trial_id in (select unnest($picked::varchar[])))
select p.trial_id, t.item, i.gold::varchar, t.reply, p.from_status, p.from_code, p.to_status, p.to_code,
  f as frozen, if(r.trial_id is null, f, r) as read
from picked p join (from trials where trial_id in (select unnest($picked::varchar[]))) t using (trial_id)
left join items i using (item)
left join (from those where candidate = 'frozen') f on f.trial_id = p.trial_id
left join (from those where candidate = $candidate) r on r.trial_id = p.trial_id
order by p.place, p.from_status, p.to_status, p.trial_id
"""
"""Some of each kind of move before more of one."""

PICKED = {
    "flips": MOVED,
    "failures": "to_status = 'failed'",
    "passes": "to_status = 'passed'",
}


def try_rule(
    store: Store, name: str, *, rules: Path | None = None, on: str = "flips", number: int = 10
) -> dict[str, Any]:
    """Run one rule over a loaded store and say what it moves; nothing is written.

    Args:
        store: a loaded store; graded or not.
        name: a rule of the benchmark or a generic one, or the path of a rule file.
        rules: a rules folder that wins over the corpus's and the bundled one.
        on: which trials to show, of ON.
        number: how many of them on each axis.

    Returns:
        `schema`, `rule`, `candidate`, `decision`, `state`, `fingerprint`, and of each axis `trials`; `frozen`, how many
        have each status; `moves` of what is not as frozen (`from` and `to` status, with `trials`, `items`,
        `configurations`, `weights`, `lineages`), `transitions` with codes, and the trials `shown`, each with both
        grades and the `marks` of both readings in its reply.

    Raises:
        RuleError: there is no such rule, or it raised.
    """
    corpus = store_corpus(store)
    book = rulebook(corpus, rules)
    file = book.take(Path(name)) if name.endswith(".py") else book.file(name)
    if file.decision == "frozen":
        raise RuleError(f"{file.name} is a grader and no rule. Name a rule; its file overrides one stage.")
    columns = plan(corpus, book, {file.alone: [file.name]})
    if all(column.name == FROZEN for column in columns):
        raise RuleError(
            f"{file.name} is a rule of the axis {file.axis!r}, which nothing here grades."
            f"{near(str(file.axis), corpus.axes)}"
        )
    try_columns(store, columns)
    return {
        "schema": SCHEMA,
        "rule": file.name,
        "candidate": file.alone,
        "decision": file.decision,
        "state": file.state,
        "fingerprint": file.fingerprint,
        "axes": {c.axis: _axis(store.con, c, on, number) for c in columns if c.name != FROZEN},
    }


def _axis(con: duckdb.DuckDBPyConnection, column: Column, on: str, number: int) -> dict[str, Any]:
    bound = {"axis": column.axis, "candidate": column.name}
    con.execute(MOVES, bound)
    frozen = dict(con.execute(TOTALS).fetchall())
    moves, transitions = [], []
    for old, old_code, new, new_code, whole, *counts in con.execute(COUNTS).fetchall():
        if not whole:
            transitions.append({"from": [old, old_code], "to": [new, new_code], "trials": counts[0]})
        else:
            moves.append({"from": old, "to": new, **dict(zip(SPREAD_KEYS, counts, strict=True))})
    con.execute(PICK.format(picked=PICKED[on]), {"number": number})
    picked = [trial_id for (trial_id,) in con.execute("select trial_id from picked").fetchall()]
    cursor = con.execute(SHOWN, {**bound, "picked": picked})
    return {
        "trials": sum(frozen.values()),
        "frozen": {status or "none": trials for status, trials in frozen.items()},
        "moves": moves,
        "transitions": transitions,
        "shown": [_shown(row, column.name) for row in cursor.fetchall()],
    }


def _shown(row: tuple[Any, ...], name: str) -> dict[str, Any]:
    trial_id, item, gold, reply, old, old_code, new, new_code, frozen, read = row
    readings = [(who, who == FROZEN, grade) for who, grade in ((FROZEN, frozen), (name, read)) if grade]
    return {
        "trial_id": trial_id,
        "item": item,
        "gold": None if gold is None else json.loads(gold),
        "reply": reply,
        "from": [old, old_code],
        "to": [new, new_code],
        "frozen": frozen,
        "read": read,
        "marks": [asdict(mark) for mark in reading_marks(reply, readings)],
    }
