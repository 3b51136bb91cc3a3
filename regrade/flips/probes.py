"""Probes: which items pass them, by candidate; and for a grader that cannot be probed, what the log itself shows."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

from regrade.grades.probes import PROBES

COUNTS = """
with of_item as (
  select candidate, probe, item, count(*) as made, count(*) filter (status = 'passed') as passed,
         bool_and(status = 'ungraded') as ungraded
  from probes where axis = $axis group by all
)
select candidate, probe, count(*), count(*) filter (ungraded),
       coalesce(list(item order by item) filter (passed > 0), []), sum(made)::bigint, sum(passed)::bigint
from of_item group by all
"""

KEYS = ("items", "ungraded", "passing", "probes", "passed")

IDLE = """
with seen as (
  select trial_id, item, len(trials.calls) as calls from trials where turns is not null
)
select count(*), coalesce(list(trial_id order by item, trial_id), []) from seen join frozen_grades f using (trial_id)
where f.axis = $axis and f.stored and f.status = 'passed' and calls = 0
  and item in (select item from seen where calls > 0)
"""


def probe_counts(con: DuckDBPyConnection, axis: str, kind: str, candidates: list[str]) -> dict[str, Any]:
    """Make `probes` of an axis: by candidate (`frozen` the first), by probe, what was probed and what passes.

    `items` were probed, `passing` names those of which any variant passes, `ungraded` counts those of which none could
    be graded; of all their variants, `probes` in number, `passed` pass. A frozen grader that is carried is null, since
    it cannot be replayed; an axis that it never had has no entry for it.

    Args:
        con: a graded store.
        axis: the axis.
        kind: what its frozen grader is: ported, carried or none.
        candidates: their names, in order.
    """
    found = {
        (name, probe): dict(zip(KEYS, counts, strict=True))
        for name, probe, *counts in con.execute(COUNTS, {"axis": axis}).fetchall()
    }
    none = dict(zip(KEYS, (0, 0, [], 0, 0), strict=True))
    blocks: dict[str, Any] = {
        name: {probe: found.get((name, probe), none) for probe in PROBES} for name in ("frozen", *candidates)
    }
    if kind == "carried":
        blocks["frozen"] = None
    elif kind == "none":
        del blocks["frozen"]
    return blocks


def idle_passes(con: DuckDBPyConnection, axis: str, kind: str) -> dict[str, Any] | None:
    """Frozen passes without a call, on items where some trial calls: `trials` and their names in `passing`.

    The nearest thing to `do_nothing` that a log can show of a carried grader; null for any other, which is probed.
    """
    if kind != "carried":
        return None
    [(trials, names)] = con.execute(IDLE, {"axis": axis}).fetchall()
    return {"trials": trials, "passing": names}
