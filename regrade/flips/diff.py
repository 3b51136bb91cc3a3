"""Diff: two gradings compared cell by cell, a cell being the grade of a trial on an axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.diff_groups import count_groups
from regrade.flips.diff_tiers import count_rates
from regrade.flips.tallies import DIRECTION, DIRECTIONS, NO_SPREAD, SPREAD, SPREAD_KEYS, require_equal

SIDES = ("a", "b")
KINDS = ("same", "recoded", "moved", "only_in_a", "only_in_b")
"""What becomes of a cell: status and code are kept; the code alone changed; the status did; one side lacks it."""
READING = ("status", "code", "answer", "value", "missed")

# What the two sides say otherwise of a configuration must count the same from either side.
ATTEMPTS = """
create or replace temp table attempts as
with known as (
  select configuration, coalesce(least(x.weights, y.weights), configuration) as weights,
         coalesce(least(x.lineage, y.lineage), least(x.weights, y.weights), configuration) as lineage
  from {a}.configurations x full join {b}.configurations y using (configuration)
),
families as (
  select item, coalesce(least(x.family, y.family), '') as family from {a}.items x full join {b}.items y using (item)
)
select trial_id, item, coalesce(family, '') as family, configuration, coalesce(weights, configuration) as weights,
       coalesce(lineage, configuration) as lineage
from (select trial_id, item, configuration from {a}.trials union
      select trial_id, item, configuration from {b}.trials)
left join known using (configuration) left join families using (item)
"""

CELLS = """
create or replace temp view {name}_cells as
select trial_id, axis, candidate, status, code from {grades}.grades where candidate <> 'frozen'
union all select trial_id, axis, 'frozen', status, code from {grades}.frozen_grades
"""

PAIRED = """
(select trial_id, status as from_status, code as from_code from a_cells where axis = $axis and candidate = $a)
full join (select trial_id, status as to_status, code as to_code from b_cells where axis = $axis and candidate = $b)
using (trial_id)
"""

KIND = """
case when to_status is null then 'only_in_a' when from_status is null then 'only_in_b'
     when from_status <> to_status then 'moved' when from_code is distinct from to_code then 'recoded' else 'same' end
"""

TALLY = f"""
create or replace temp table pair_tallies as
select item, family, configuration, weights, lineage, from_status, from_code, to_status, to_code, {KIND} as kind,
       {DIRECTION} as direction, count(*) as trials
from {PAIRED} join attempts using (trial_id) group by all
"""

TRANSITIONS = f"""
select from_status, from_code, to_status, to_code, {SPREAD} from pair_tallies where kind in ('moved', 'recoded')
group by all order by from_status, from_code nulls first, to_status, to_code nulls first
"""

# What a carried frozen grader read is not known.
READ = (
    "axis = $axis and candidate = ${side} and not (candidate = 'frozen' and axis in"
    " (select axis from {g}.graders where kind = 'carried'))"
)

CHANGED = f"""
with changed as (
  select trial_id, {KIND} as kind, from_status, from_code, to_status, to_code from {PAIRED}
  where kind in ('moved', 'recoded') order by kind, trial_id limit $limit
)
select c.trial_id, from_status, from_code, coalesce(x.answer, xf.answer), x.value, x.missed,
       to_status, to_code, coalesce(y.answer, yf.answer), y.value, y.missed
from changed c
left join (from {{a}}.grades where {READ.format(g="{a}", side="a")}) x using (trial_id)
left join (from {{b}}.grades where {READ.format(g="{b}", side="b")}) y using (trial_id)
left join {{a}}.frozen_grades xf on xf.trial_id = c.trial_id and xf.axis = $axis and $a = 'frozen'
left join {{b}}.frozen_grades yf on yf.trial_id = c.trial_id and yf.axis = $axis and $b = 'frozen'
order by c.kind, c.trial_id
"""

Columns = dict[tuple[str, str], int]
"""The cells of each (axis, candidate)."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two gradings."""

    trials: str
    """Attached database that has the trials, items, configurations and files."""
    grades: str
    """Attached database that has the grades; another one where a store was graded without being written to."""
    candidate: str | None = None
    """One candidate alone, `frozen` too; None = each, beside the one of its name."""


def diff_cells(con: DuckDBPyConnection, a: Side, b: Side, *, limit: int) -> dict[str, Any]:
    """Compare the grades of two sides by trial and axis.

    A frozen grade is the recorded one, as in the view `flips`. Where the sides name different weights or lineages for
    a configuration, or families for an item, the first by name is counted, so that swapping the sides swaps the counts
    and changes none.

    Args:
        con: a connection to which the databases of both sides are attached; temp tables and views are made on it.
        a: the side that grades change from.
        b: the side that they change to.
        limit: changed trials that are listed of each pair, moved ones first.

    Returns:
        `compared`: a record for each axis and pair of candidates that both sides have: `axis`, `candidate` and
        `rules` and `fingerprint` of `a` and `b`, `cells` of each, a spread for each of `KINDS` and for each direction
        of a flip, `transitions` (from, to, spread), `by` as `count_groups` gives it, `tiers` as `count_rates` does,
        and `trials` (trial_id, then `a` and `b` with `READING`).
        `only_in_a`, `only_in_b`: axes and candidates that the other side lacks, with their cells.

    Raises:
        StoreError: the counts do not add up.
    """
    con.execute(ATTEMPTS.format(a=a.trials, b=b.trials))
    columns = dict(zip(SIDES, (_columns(con, n, s) for n, s in zip(SIDES, (a, b), strict=True)), strict=True))
    pairs = _pairs(a, b, columns["a"], columns["b"])
    used = {name: {(axis, pair[place]) for axis, *pair in pairs} for place, name in enumerate(SIDES)}
    return {
        "compared": [_compare(con, (a, b), columns, pair, limit) for pair in pairs],
        **{
            f"only_in_{name}": [
                {"axis": axis, "candidate": candidate, "cells": cells}
                for (axis, candidate), cells in columns[name].items()
                if (axis, candidate) not in used[name]
            ]
            for name in SIDES
        },
    }


def _columns(con: DuckDBPyConnection, name: str, side: Side) -> Columns:
    con.execute(CELLS.format(name=name, grades=side.grades))
    rows = con.execute(
        f"select axis, candidate, count(*) from {name}_cells where $only is null or candidate = $only "
        "group by axis, candidate order by axis, case candidate when 'frozen' then 0 else 1 end, candidate",
        {"only": side.candidate},
    ).fetchall()
    return {(axis, candidate): cells for axis, candidate, cells in rows}


def _pairs(a: Side, b: Side, has_a: Columns, has_b: Columns) -> list[tuple[str, str, str]]:
    """(axis, candidate of A, candidate of B): those named, or each with the one of its name."""
    if a.candidate is not None and b.candidate is not None:
        axes = [axis for axis, _ in has_a if (axis, b.candidate) in has_b]
        return [(axis, a.candidate, b.candidate) for axis in axes]
    return [(axis, name, name) for axis, name in has_a if (axis, name) in has_b]


def _compare(
    con: DuckDBPyConnection,
    sides: tuple[Side, Side],
    columns: Mapping[str, Columns],
    pair: tuple[str, str, str],
    limit: int,
) -> dict[str, Any]:
    axis, one, other = pair
    bound = {"axis": axis, "a": one, "b": other}
    con.execute(TALLY, bound)
    block: dict[str, Any] = {
        "axis": axis,
        **{
            name: {
                "candidate": candidate,
                **_made_of(con, side, axis, candidate),
                "cells": columns[name][axis, candidate],
            }
            for name, side, candidate in zip(SIDES, sides, pair[1:], strict=True)
        },
        **{key: dict(NO_SPREAD) for key in (*KINDS, *DIRECTIONS)},
    }
    for by in ("kind", "direction"):
        query = f"select {by}, {SPREAD} from pair_tallies where {by} is not null group by {by}"
        for key, *numbers in con.execute(query).fetchall():
            block[key] = dict(zip(SPREAD_KEYS, numbers, strict=True))
    block["transitions"] = [
        {"from": [old, old_code], "to": [new, new_code], **dict(zip(SPREAD_KEYS, numbers, strict=True))}
        for old, old_code, new, new_code, *numbers in con.execute(TRANSITIONS).fetchall()
    ]
    block["by"] = count_groups(con)
    block["tiers"] = count_rates(con, sides[0].trials, sides[1].trials)
    query = CHANGED.format(a=sides[0].grades, b=sides[1].grades)
    block["trials"] = [
        {
            "trial_id": trial,
            "a": dict(zip(READING, read[:5], strict=True)),
            "b": dict(zip(READING, read[5:], strict=True)),
        }
        for trial, *read in con.execute(query, {**bound, "limit": limit}).fetchall()
    ]
    _check(block)
    return block


def _made_of(con: DuckDBPyConnection, side: Side, axis: str, candidate: str) -> dict[str, Any]:
    """The candidate's rules on an axis, and the hash of them and the grader."""
    row = con.execute(
        f"select rules, fingerprint from {side.grades}.candidates where axis = $axis and candidate = $candidate "
        f"union all select [], fingerprint from {side.grades}.graders where axis = $axis and $candidate = 'frozen'",
        {"axis": axis, "candidate": candidate},
    ).fetchone()
    return dict(zip(("rules", "fingerprint"), row or ([], None), strict=True))


def _check(block: Mapping[str, Any]) -> None:
    """Each cell of a side is counted once, each moved one in one direction, each changed one in one transition."""
    where = f"of {block['a']['candidate']} and {block['b']['candidate']} on axis {block['axis']}"
    trials = {key: block[key]["trials"] for key in (*KINDS, *DIRECTIONS)}
    both = trials["same"] + trials["recoded"] + trials["moved"]
    for name in SIDES:
        require_equal(both + trials[f"only_in_{name}"], block[name]["cells"], f"cells {where}")
    require_equal(sum(trials[d] for d in DIRECTIONS), trials["moved"], f"flips {where}")
    listed = sum(t["trials"] for t in block["transitions"])
    require_equal(listed, trials["moved"] + trials["recoded"], f"transitions {where}")
    for key, groups in block["by"].items():
        for kind in ("recoded", *DIRECTIONS):
            grouped = sum(group[kind]["trials"] for group in groups if kind in group)
            require_equal(grouped, trials[kind], f"{kind} by {key} {where}")
