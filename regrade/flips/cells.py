"""Cells: what the trials of an item by a configuration come to in a metric, counted once for every figure of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Metric
from regrade.flips.stats import Number, Pair

TRIAL = "if($apart, t.run, null) as run, if($apart, t.trial, null) as trial"

COUNTED = f"""
with counted as (
  select configuration, item, {TRIAL}, o.status in ('passed', 'failed') as graded,
         (list_contains($counts, o.status) or coalesce(list_contains($counts, o.code), false))
         and ($needs is null or coalesce(n.status = 'passed', false)) as hit
  from outcomes o join trials t using (trial_id)
  left join outcomes n on n.trial_id = o.trial_id and n.axis = $needs and n.candidate = $needed
  where o.axis = $axis and o.candidate = $candidate and t.item in (select unnest($items::varchar[]))
)
select configuration, item, run, trial, count(*), count(*) filter (graded), count(*),
       count(*) filter (hit and graded), count(*) filter (graded), count(*) filter (hit), count(*)
from counted group by configuration, item, run, trial order by all
"""

MEASURED = f"""
with measured as (
  select trial_id, configuration, item, {TRIAL}, o.status in ('passed', 'failed') as graded,
         p.amount as part, w.amount as whole
  from outcomes o join trials t using (trial_id)
  left join measures p on p.trial_id = o.trial_id and p.axis = o.axis and p.candidate = o.candidate
                          and p.measure = $part
  left join measures w on w.trial_id = o.trial_id and w.axis = o.axis and w.candidate = o.candidate
                          and w.measure = $whole
  where o.axis = $axis and o.candidate = $candidate and t.item in (select unnest($items::varchar[]))
),
told as (select *, part is not null and whole is not null as has_both from measured)
select configuration, item, run, trial, count(*), count(*) filter (graded), count(*) filter (has_both),
       coalesce(sum(part order by trial_id) filter (has_both and graded), 0),
       coalesce(sum(whole order by trial_id) filter (has_both and graded), 0),
       coalesce(sum(part order by trial_id) filter (has_both), 0),
       coalesce(sum(whole order by trial_id) filter (has_both), 0)
from told group by configuration, item, run, trial order by all
"""

BOUNDED = """
select bool_and(p.amount >= 0 and w.amount >= 0), bool_and(p.amount <= w.amount)
from measures p join measures w using (trial_id, axis, candidate)
where axis = $axis and p.measure = $part and w.measure = $whole
"""


class Cell(NamedTuple):
    """What some trials come to."""

    trials: int
    graded: int
    """Trials that passed or failed."""
    measured: int
    """Trials that can be counted: all of them, or those that have both measures."""
    part: Number
    """Of the graded trials."""
    whole: Number
    part_of_all: Number
    whole_of_all: Number


Cells = Mapping[str, Cell]
"""By item."""


def add(one: Cell, other: Cell) -> Cell:
    """Both together."""
    return Cell._make(map(sum, zip(one, other, strict=True)))


def pool(several: Iterable[Cells]) -> dict[str, Cell]:
    """Add up cells by item."""
    pooled: dict[str, Cell] = {}
    for cells in several:
        for item, cell in cells.items():
            pooled[item] = add(pooled[item], cell) if item in pooled else cell
    return dict(sorted(pooled.items()))


class Row(NamedTuple):
    """A cell with the trials that it is of."""

    configuration: str
    item: str
    run: str | None
    """Of the one trial that it is of; null where it is of all of them."""
    trial: str | None
    cell: Cell


def read_rows(
    con: DuckDBPyConnection, spec: Metric, candidate: str, needed: str | None, items: Sequence[str], *, apart: bool
) -> list[Row]:
    """Count the trials of a metric under a candidate, by configuration and item.

    Args:
        con: a connection on which `find_outcomes` has run.
        spec: the metric.
        candidate: whose grades hold on the axis where it is counted, `frozen` or a candidate.
        needed: whose grades hold on the axis that the metric needs.
        items: the items that it is of.
        apart: each trial has a row of its own.
    """
    bound = {"axis": spec.axis, "candidate": candidate, "items": items, "apart": apart}
    if spec.ratio:
        query, bound = MEASURED, {**bound, "part": spec.ratio[0], "whole": spec.ratio[1]}
    else:
        query, bound = COUNTED, {**bound, "counts": list(spec.counts), "needs": spec.needs, "needed": needed}
    return [
        Row(configuration, item, run, trial, Cell._make(map(_whole, numbers)))
        for configuration, item, run, trial, *numbers in con.execute(query, bound).fetchall()
    ]


def read_bounds(con: DuckDBPyConnection, spec: Metric) -> Pair:
    """Read what a metric cannot be below or above: 0 and 1 where it counts trials.

    A ratio of measures is not below 0 if none of them ever is, nor above 1 if the first never exceeds the second.
    """
    if not spec.ratio:
        return 0.0, 1.0
    bound = {"axis": spec.axis, "part": spec.ratio[0], "whole": spec.ratio[1]}
    [(positive, some)] = con.execute(BOUNDED, bound).fetchall()
    return (0.0 if positive else -math.inf), (1.0 if positive and some else math.inf)


def by_configuration(rows: Iterable[Row]) -> dict[str, dict[str, Cell]]:
    """Gather rows: configuration -> item -> cell, both in order."""
    found: dict[str, dict[str, Cell]] = {}
    for row in rows:
        cells = found.setdefault(row.configuration, {})
        cells[row.item] = add(cells[row.item], row.cell) if row.item in cells else row.cell
    return found


def _whole(number: float) -> Number:
    return int(number) if isinstance(number, float) and number.is_integer() else number
