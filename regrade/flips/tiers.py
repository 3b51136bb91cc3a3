"""Tiers: the configurations at or above a frozen pass rate on the primary axis."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Corpus

ALL = "all"
"""The tier that every axis has: every configuration with a trial."""


class PassCount(NamedTuple):
    """What one configuration's graded trials came to."""

    passed: int
    failed: int


def tier_names(corpus: Corpus) -> tuple[str, ...]:
    """The tiers in the order they are shown: `all`, then as declared."""
    return (ALL, *(tier.name for tier in corpus.tiers))


def strongest(corpus: Corpus, counts: Mapping[str, PassCount]) -> str:
    """The declared tier with the highest limit that a configuration reaches, or `all` where there is none.

    Args:
        corpus: the corpus as declared.
        counts: pass counts on its primary axis.
    """
    reached = [tier for tier in corpus.tiers if reaching(counts, tier.min_pass_rate, tier.min_trials)]
    return max(reached, key=lambda tier: tier.min_pass_rate).name if reached else ALL


def pass_counts(con: DuckDBPyConnection, axis: str) -> dict[str, PassCount]:
    """Count passed and failed trials of the frozen grades on `axis`, by configuration; ungraded ones are left out."""
    rows = con.execute(
        "select configuration, count(*) filter (status = 'passed'), count(*) filter (status = 'failed') "
        "from frozen_grades join trials using (trial_id) where axis = $axis "
        "group by configuration order by configuration",
        {"axis": axis},
    ).fetchall()
    return {configuration: PassCount(passed, failed) for configuration, passed, failed in rows}


def reaching(counts: Mapping[str, PassCount], limit: float, min_trials: int) -> list[str]:
    """The configurations with a pass rate of at least `limit` (0 to 1) and at least `min_trials` graded trials.

    The limit is taken as the decimal that it is written as, so that 0.9 of 10 trials is 9 exactly. A
    configuration without a graded trial has no rate and reaches no limit.
    """
    return [name for name, count in counts.items() if sum(count) >= min_trials and reaches(count, limit)]


def reaches(count: PassCount, limit: float) -> bool:
    """Whether a pass rate is at least `limit`, however few trials it is of."""
    rate = pass_rate(count)
    return rate is not None and rate >= as_written(limit)


def pass_rate(count: PassCount) -> Fraction | None:
    """Passed over graded trials; None without one."""
    return Fraction(count.passed, sum(count)) if sum(count) else None


def as_written(limit: float) -> Fraction:
    """A limit as the decimal that it is written as."""
    return Fraction(repr(limit))


def find_tiers(con: DuckDBPyConnection, corpus: Corpus) -> None:
    """Fill the table `tiers`, in place of what it held: by the frozen grades of the primary axis, for every axis."""
    counts = pass_counts(con, corpus.axis)
    members = [(tier.name, c) for tier in corpus.tiers for c in reaching(counts, tier.min_pass_rate, tier.min_trials)]
    con.execute("delete from tiers")
    con.execute(
        "insert into tiers select distinct $all::varchar, configuration from trials "
        "union all select unnest($tiers::varchar[]), unnest($configurations::varchar[])",
        {"all": ALL, "tiers": [tier for tier, _ in members], "configurations": [c for _, c in members]},
    )
