"""Tiers: the configurations at or above a frozen pass rate on the primary axis."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Corpus

ALL = "all"
"""The tier that every axis has: every configuration with a trial."""

PUBLISHED = """
create or replace temp view published as
select trial_id, axis, status, code from frozen_grades
union all
select trial_id, axis, status, code from grades
where candidate = 'frozen' and axis not in (select axis from frozen_grades)
"""


class PassCount(NamedTuple):
    """What one configuration's graded trials came to."""

    passed: int
    failed: int


def tier_names(corpus: Corpus) -> tuple[str, ...]:
    """The tiers in the order they are shown: `all`, then as declared."""
    return (ALL, *(tier.name for tier in corpus.tiers))


def publish_frozen(con: DuckDBPyConnection) -> None:
    """Make the temp view `published(trial_id, axis, status, code)`: the frozen grades as they were published.

    These are the recorded grades. An axis of which nothing is recorded takes what its replayed grader says.
    """
    con.execute(PUBLISHED)


def pass_counts(con: DuckDBPyConnection, axis: str) -> dict[str, PassCount]:
    """Count passed and failed trials of the published grades on `axis`, by configuration; ungraded ones are left out.

    Needs the view `published`.
    """
    rows = con.execute(
        "select configuration, count(*) filter (status = 'passed'), count(*) filter (status = 'failed') "
        "from published join trials using (trial_id) where axis = $axis group by configuration order by configuration",
        {"axis": axis},
    ).fetchall()
    return {configuration: PassCount(passed, failed) for configuration, passed, failed in rows}


def reaching(counts: Mapping[str, PassCount], limit: float, min_trials: int) -> list[str]:
    """The configurations with a pass rate of at least `limit` (0 to 1) and at least `min_trials` graded trials.

    The limit is taken as the decimal that it is written as, so that 0.9 of 10 trials is 9 exactly. A
    configuration without a graded trial has no rate and reaches no limit.
    """
    least = Fraction(repr(limit))
    return [
        configuration
        for configuration, (passed, failed) in counts.items()
        if passed + failed >= max(min_trials, 1) and Fraction(passed, passed + failed) >= least
    ]


def tiers(con: DuckDBPyConnection, corpus: Corpus) -> None:
    """Make the temp table `tier_members(tier, configuration)`, and the view `published` that it rests on.

    Tiers follow the primary axis, whatever axis is then counted by them.
    """
    publish_frozen(con)
    counts = pass_counts(con, corpus.axis)
    members = [(tier.name, c) for tier in corpus.tiers for c in reaching(counts, tier.min_pass_rate, tier.min_trials)]
    con.execute(
        "create or replace temp table tier_members as "
        "select distinct $all::varchar as tier, configuration from trials "
        "union all select unnest($tiers::varchar[]), unnest($configurations::varchar[])",
        {"all": ALL, "tiers": [tier for tier, _ in members], "configurations": [c for _, c in members]},
    )
