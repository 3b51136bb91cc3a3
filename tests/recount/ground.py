"""The ground of a recount: a store's base tables as flat rows, one a trial and grader, and how two trees are held."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import duckdb

from regrade.files.corpus import Corpus, Tier

WAYS = {
    "fail_to_pass": "(from_status, status) = ('failed', 'passed')",
    "pass_to_fail": "(from_status, status) = ('passed', 'failed')",
    "to_ungraded": "from_status in ('passed', 'failed') and status = 'ungraded'",
    "from_ungraded": "from_status = 'ungraded' and status in ('passed', 'failed')",
}
SPREAD = ("trials", "items", "configurations", "weights", "lineages")
COUNTED = (
    "count(*), count(distinct item), count(distinct configuration), count(distinct weights), count(distinct lineage)"
)
STATUSES = ("passed", "failed", "ungraded")
BY_STATUS = ", ".join(f"count(*) filter (status = '{status}')" for status in STATUSES)

TRIALS = """
create or replace temp table seen as
select t.trial_id, t.item, ifnull(i.family, '') as family, t.configuration, t.run, t.trial,
       ifnull(c.weights, t.configuration) as weights, ifnull(ifnull(c.lineage, c.weights), t.configuration) as lineage
from trials t left join items i on i.item = t.item left join configurations c on c.configuration = t.configuration
"""
PUBLISHED = """
create or replace temp table published as
select f.axis, s.*, f.status, f.code from frozen_grades f join seen s on s.trial_id = f.trial_id
"""
REGRADED = """
create or replace temp table regraded as
select g.axis, g.candidate, s.*, ifnull(f.status, 'none') as from_status, f.code as from_code, g.status, g.code,
       g.decided_by
from grades g join seen s on s.trial_id = g.trial_id
left join frozen_grades f on f.trial_id = g.trial_id and f.axis = g.axis where g.candidate <> 'frozen'
"""
GRADED = """
create or replace temp table told as
select * from published union all
select distinct on (axis, trial_id) r.axis, s.*, 'none', null from regraded r join seen s on s.trial_id = r.trial_id
where r.from_status = 'none'
"""
RATES = """
create or replace temp table rates as
select configuration, count(*) filter (status = 'passed') as passed,
       count(*) filter (status in ('passed', 'failed')) as graded
from published where axis = $axis group by configuration
"""


class Elsewhere(NamedTuple):
    """Stands for what another test holds to another source: intervals, coefficients, sentences, hashes."""

    test: str


class Ground:
    """The flat tables of a store, and the few queries that most figures are."""

    def __init__(self, con: duckdb.DuckDBPyConnection, corpus: Corpus) -> None:
        """Make them as temp tables: nothing of the store is changed."""
        self.con = con
        self.corpus = corpus
        self.tiers = ["all", *(tier.name for tier in corpus.tiers)]
        for statement in (TRIALS, PUBLISHED, REGRADED, GRADED):
            con.execute(statement)
        con.execute(RATES, {"axis": corpus.axis})
        con.execute("create or replace temp table member(tier varchar, configuration varchar)")
        con.execute("insert into member select distinct 'all', configuration from seen")
        for tier in corpus.tiers:
            names = [[tier.name, name] for name in self.reaching(tier.min_pass_rate, tier.min_trials)]
            if names:
                con.executemany("insert into member values (?, ?)", names)

    @property
    def highest(self) -> str:
        """The tier with the highest limit, the first of equals."""
        limits = [(-tier.min_pass_rate, at, tier.name) for at, tier in enumerate(self.corpus.tiers)]
        return min(limits)[2] if limits else "all"

    def rows(self, query: str, **bound: Any) -> list[tuple[Any, ...]]:
        return self.con.execute(query, bound).fetchall()

    def reaching(self, limit: float, least: int) -> list[str]:
        """The configurations at or above a limit on the primary axis, taken as it is written."""
        return [name for name, passed, graded in self.rows("from rates order by all") if within(passed, graded, limit)
                and graded >= least]  # fmt: skip

    def candidates(self, axis: str) -> list[str]:
        return [name for (name,) in self.rows("select candidate from candidates where axis = $a order by 1", a=axis)]

    def declared(self, axis: str) -> list[str]:
        """The candidates that corpus.toml names, in its order; every one where it names none."""
        names = self.candidates(axis)
        return [spec.name for spec in self.corpus.candidates if spec.name in names] or names

    def groups(self, axis: str, by: str) -> dict[str, dict[str, Any]]:
        """Published counts, codes and flips of each group of a tier: `{tier: {name: record}}`."""
        found: dict[str, dict[str, Any]] = {tier: {} for tier in self.tiers}
        for tier, name, *counts in self.rows(
            f"select tier, {by}, {COUNTED}, {BY_STATUS} from told join member using (configuration) "
            "where axis = $axis group by 1, 2 order by 1, 2",
            axis=axis,
        ):
            found[tier][name] = {**dict(zip((*SPREAD, *STATUSES), counts, strict=True)), "codes": {}, "flips": {}}
        for tier, name, code, trials in self.rows(
            f"select tier, {by}, code, count(*) from told join member using (configuration) "
            "where axis = $axis and status = 'failed' and code is not null group by 1, 2, 3 order by 3",
            axis=axis,
        ):
            found[tier][name]["codes"][code] = trials
        for way in ("fail_to_pass", "pass_to_fail"):
            for tier, name, candidate, *counts in self.rows(
                f"select tier, {by}, candidate, {COUNTED} from regraded join member using (configuration) "
                f"where axis = $axis and {WAYS[way]} group by 1, 2, 3 order by 3",
                axis=axis,
            ):
                flips = found[tier][name]["flips"]
                flips.setdefault(candidate, {"fail_to_pass": nothing(), "pass_to_fail": nothing()})
                flips[candidate][way] = dict(zip(SPREAD, counts, strict=True))
        return found


def within(passed: int, graded: int, limit: float) -> bool:
    """Whether so many of so many reach a limit as it is written, exactly."""
    return graded > 0 and passed >= Decimal(repr(limit)) * graded


def in_tier(tier: Tier, passed: int, graded: int) -> bool:
    return graded >= tier.min_trials and within(passed, graded, tier.min_pass_rate)


def nothing() -> dict[str, int]:
    return dict.fromkeys(SPREAD, 0)


def differences(told: Any, counted: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Where two trees differ: `(path, what the summary says, what was counted)`, None for what one of them lacks."""
    if isinstance(counted, Elsewhere):
        return
    if isinstance(told, dict) and isinstance(counted, dict):
        for key in [*told, *(key for key in counted if key not in told)]:
            if key in told and key in counted:
                yield from differences(told[key], counted[key], (*at, key))
            else:
                yield (*at, key), told.get(key, "is not there"), counted.get(key, "is not counted")
    elif isinstance(told, list) and isinstance(counted, list) and len(told) == len(counted):
        for number, pair in enumerate(zip(told, counted, strict=True)):
            yield from differences(*pair, (*at, number))
    elif isinstance(told, float) and isinstance(counted, float | int) and not isinstance(counted, bool):
        if not math.isclose(told, counted, rel_tol=1e-9, abs_tol=1e-9):
            yield at, told, counted
    elif told != counted or isinstance(told, bool) != isinstance(counted, bool):
        yield at, told, counted
