"""Tallies: the trials counted once, in two small tables that every figure is summed from."""

from __future__ import annotations

from duckdb import DuckDBPyConnection

from regrade.errors import StoreError

ATTEMPTS = """
create or replace temp view attempts as
select t.trial_id, t.item, coalesce(i.family, '') as family, t.configuration,
       coalesce(c.weights, t.configuration) as weights, coalesce(c.lineage, c.weights, t.configuration) as lineage
from trials t left join items i using (item) left join configurations c using (configuration)
"""

FROZEN_TALLIES = """
create or replace temp table frozen_tallies as
select k.axis, a.item, a.family, a.configuration, a.weights, a.lineage,
       coalesce(p.status, 'none') as status, p.code, count(*) as trials
from (select trial_id, axis from frozen_grades union select trial_id, axis from grades) k
join attempts a using (trial_id) left join frozen_grades p using (trial_id, axis)
group by all
"""

DIRECTION = """
case when from_status = 'failed' and to_status = 'passed' then 'fail_to_pass'
     when from_status = 'passed' and to_status = 'failed' then 'pass_to_fail'
     when from_status in ('passed', 'failed') and to_status = 'ungraded' then 'to_ungraded'
     when from_status = 'ungraded' and to_status in ('passed', 'failed') then 'from_ungraded' end
"""
"""The kind of flip that a move is, of DIRECTIONS, or null."""

MOVE_TALLIES = f"""
create or replace temp table move_tallies as
select m.axis, m.candidate, a.item, a.family, a.configuration, a.weights, a.lineage,
       m.from_status, m.from_code, m.to_status, m.to_code,
       {DIRECTION} as direction,
       count(*) as trials
from moves m join attempts a using (trial_id)
group by all
"""

DIRECTIONS = ("fail_to_pass", "pass_to_fail", "to_ungraded", "from_ungraded")
"""The kinds of flip."""

SPREAD = (
    "sum(trials) as trials, count(distinct item) as items, count(distinct configuration) as configurations, "
    "count(distinct weights) as weights, count(distinct lineage) as lineages"
)
"""Select list over either table: a number of trials, and the distinct things that they come from."""

SPREAD_KEYS = ("trials", "items", "configurations", "weights", "lineages")

NO_SPREAD = dict.fromkeys(SPREAD_KEYS, 0)


def tally(con: DuckDBPyConnection) -> None:
    """Make the temp tables that the figures are summed from.

    `frozen_tallies(axis, item, family, configuration, weights, lineage, status, code, trials)` counts the
    published grades; `none` is the status of a trial that only candidates grade.
    `move_tallies` has a candidate, from and to in place of the one grade, and the direction of a flip or null.
    Nothing says that an unknown weights is shared, so the configuration stands for it; an unknown lineage is
    that of the weights alone. An item without a family has the family `''`.

    Raises:
        StoreError: a grade belongs to no trial, or a key names two rows.
    """
    for statement in (ATTEMPTS, FROZEN_TALLIES, MOVE_TALLIES):
        con.execute(statement)
    for what, tallied, stored in (
        ("grades", "sum(trials) from move_tallies", "grades where candidate <> 'frozen'"),
        ("frozen grades", "sum(trials) from frozen_tallies where status <> 'none'", "frozen_grades"),
    ):
        [(found, expected)] = con.execute(
            f"select coalesce((select {tallied}), 0), (select count(*) from {stored})"
        ).fetchall()
        require_equal(found, expected, what)


def require_equal(found: int, expected: int, what: str) -> None:
    """Stop where two counts of one thing differ.

    Raises:
        StoreError: they differ; the store is damaged.
    """
    if found != expected:
        raise StoreError(
            f"Counts do not add up in the store: {what} are {found} one way and {expected} the other. "
            "Delete audit.duckdb and run `regrade audit` again."
        )
