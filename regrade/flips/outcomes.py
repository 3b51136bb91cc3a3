"""Outcomes: each trial's grade under the frozen grader and under each candidate, in one view."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from duckdb import DuckDBPyConnection

from regrade.errors import CorpusError, near
from regrade.grades.plan import FROZEN

OUTCOMES = """
create or replace temp view outcomes as
select f.trial_id, f.axis, 'frozen' as candidate, f.status, f.code, g.value
from frozen_grades f left join grades g on g.trial_id = f.trial_id and g.axis = f.axis and g.candidate = 'frozen'
union all
select trial_id, axis, candidate, status, code, value from grades where candidate <> 'frozen'
"""
"""The published grade of the frozen grader, beside what its replay read."""


def find_outcomes(con: DuckDBPyConnection) -> dict[str, list[str]]:
    """Make the temp view `outcomes(trial_id, axis, candidate, status, code, value)`.

    Returns:
        By axis the candidates with a grade there, `frozen` first.
    """
    con.execute(OUTCOMES)
    found: dict[str, list[str]] = {}
    for axis, candidate in con.execute(
        "select axis, candidate from (select distinct axis, candidate from outcomes) "
        "order by axis, candidate <> 'frozen', candidate"
    ).fetchall():
        found.setdefault(axis, []).append(candidate)
    return found


def check_axis(axis: str, graded: Collection[str], label: str) -> None:
    """CorpusError where nothing is graded on an axis that a rate is of."""
    if axis not in graded:
        raise CorpusError(f"{label}: nothing is graded on the axis {axis!r}.{near(axis, graded)}")


def graded_on(axis: str, candidate: str, graded: Mapping[str, Sequence[str]]) -> str | None:
    """Whose grades on `axis` hold under a candidate: its own, else the frozen ones; None where there are neither.

    A candidate has grades of its own on the axes that its rules touch, and leaves the others as they were.
    """
    return next((name for name in (candidate, FROZEN) if name in graded.get(axis, [])), None)
