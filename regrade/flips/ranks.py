"""Ranks: configurations by pass rate in each tier, under the frozen grader, each candidate, and every set of rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.pairs import top_pairs
from regrade.flips.tallies import require_equal
from regrade.grades.plan import FROZEN
from regrade.grades.rule_sets import FACT

REJECTED = "rejected"

COUNTS = """
create or replace temp table pass_counts as
with told as (
  select 'frozen' as candidate, configuration, status, trials from frozen_tallies where axis = $axis
  union all
  select candidate, configuration, to_status, trials from move_tallies where axis = $axis
)
select candidate, configuration, coalesce(sum(trials) filter (status = 'passed'), 0)::bigint as passed,
       coalesce(sum(trials) filter (status = 'failed'), 0)::bigint as failed
from told group by all
"""

PASSED = """
select c.candidate, c.configuration, c.passed, c.passed + c.failed
from pass_counts c left join pass_counts f on f.configuration = c.configuration and f.candidate = 'frozen'
where c.candidate <> 'frozen' and (c.passed, c.failed) is distinct from (f.passed, f.failed) order by 2, 1
"""

MASK = (
    "list_sum([0] || list_transform({names}, lambda name: 1 << (list_position($rules::varchar[], name) - 1)))::bigint"
)
SET_COUNTS = f"""
create or replace temp table set_counts as
with parts as (
  select configuration, {MASK.format(names="with_rules")} as taken, {MASK.format(names="without_rules")} as without,
         coalesce(sum(trials) filter (status = 'passed'), 0) as passed,
         coalesce(sum(trials) filter (status = 'failed'), 0) as failed
  from rule_sets where axis = $axis group by all
)
select rules, configuration, sum(passed)::bigint as passed, sum(failed)::bigint as failed
from range((1 << len($rules::varchar[]))::bigint) as s(rules)
join parts on rules & taken = taken and rules & without = 0
group by all
"""
"""Passed and failed trials of each configuration under each set of rules, a set being a number with a bit a rule."""

RANKED = """
select *, rank() over (partition by {by}, tier order by rate desc) as rank,
       count(*) over (partition by {by}, tier, rate) as tied
from (select *, passed / (passed + failed) as rate from {counts} where passed + failed > 0)
join tiers using (configuration)
"""
"""Equal rates share a rank, which is one more than the number of higher ones. Quotients of whole numbers are equal as
doubles only where they are equal, as long as a configuration has less than 67 million trials."""

RANGES = f"""
select tier, configuration, min(rank), max(rank), min(rank) filter (rules & $rejected = 0),
       max(rank) filter (rules & $rejected = 0)
from ({RANKED.format(by="rules", counts="set_counts")}) group by all
"""

PROVED = """
with own as (select unnest($names::varchar[]) as candidate, unnest($sets::bigint[]) as rules)
select candidate, count(*) from (from pass_counts join own using (candidate)) c
full join (from set_counts join own using (rules)) s using (candidate, configuration)
where (c.passed, c.failed) is distinct from (s.passed, s.failed) group by candidate order by candidate
"""
"""The candidates whose counts are not those of their rules, each with the number of configurations."""

Ranks = dict[str, dict[str, dict[str, int]]]
"""By tier, candidate and configuration; one without a graded trial has none."""


def rank_counts(
    con: DuckDBPyConnection,
    axis: str,
    candidates: Sequence[str],
    tiers: Iterable[str],
    *,
    new: bool,
    paired: tuple[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Make `ranks` of an axis: who stands where in each tier by passed / (passed + failed).

    `undefined` says why nobody has a rank, or is null. `rules` are those that may change a status, in the order in
    which they act, `rejected` those of them that were; `sets` and `kept_sets` count their sets, all and those without
    a rejected rule, under which a configuration has its range; `range_undefined` says why there is none, or is null.

    A tier has `configurations`, by rank and then by name: `passed`, `failed`, `rank` (null without a graded trial),
    `tied` (how many share it), `candidates` (the rank under each candidate that gives it another), and where it is
    defined `range` and `kept_range`, the best and the worst rank under all sets and under those without a rejected
    rule. `ranked` counts those who have a rank, `first` those who share the first one; `range` and `kept_range` those
    who have one rank under all of the sets (`steady`) and those who are first under some (`may_lead`); `fewest` and
    `most` are the graded trials of a configuration with a rank.

    A tier's `candidates` have `moved` (configurations with another rank), `up` and `down`, `unranked` (who had a rank
    and has no graded trial now), `largest` (the move over most ranks: `configuration`, `from`, `to`; null where none
    moves), `first`, and `leader_changes`: whether others share the first rank than under the frozen grader.

    `passed` has of each configuration, under each candidate that gives it other counts, how many of its trials pass
    and how many have a grade.

    Args:
        con: a graded store on which `tally` has run.
        axis: the axis.
        candidates: its candidates.
        tiers: every tier.
        new: the frozen grader never had this axis.
        paired: a tier whose first configurations are held against one another, and the candidates under which, the
            published grades apart: `pairs` has what `top_pairs` gives, by candidate; without it none.

    Raises:
        StoreError: the counts of a candidate are not those of its set of rules.
    """
    if new:
        return {"undefined": "the frozen grader has no such axis", "tiers": {}, "pairs": {}, "passed": {}}
    con.execute(COUNTS, {"axis": axis})
    blocks: dict[str, Any] = {tier: {} for tier in tiers}
    ranks: Ranks = {tier: {name: {} for name in (FROZEN, *candidates)} for tier in blocks}
    for tier, configuration in con.execute("select tier, configuration from tiers order by all").fetchall():
        blocks[tier][configuration] = {"passed": 0, "failed": 0, "rank": None, "tied": 0, "candidates": {}}
    for tier, name, configuration, passed, failed, rank, tied in con.execute(
        "select tier, candidate, configuration, passed, failed, rank, tied "
        f"from ({RANKED.format(by='candidate', counts='pass_counts')})"
    ).fetchall():
        ranks[tier][name][configuration] = rank
        if name == FROZEN:
            blocks[tier][configuration] |= {"passed": passed, "failed": failed, "rank": rank, "tied": tied}
    ranges = _ranges(con, axis)
    for (tier, configuration), found in ranges.pop("found").items():
        blocks[tier][configuration] |= found
    counts: dict[str, dict[str, list[int]]] = {}
    for name, configuration, passing, graded in con.execute(PASSED).fetchall():
        counts.setdefault(configuration, {})[name] = [passing, graded]
    pairs = {}
    if paired is not None:
        tier, graders = paired
        pairs = {name: top_pairs(con, axis, name, ranks[tier][name]) for name in (FROZEN, *graders)}
    return {
        "undefined": None,
        **ranges,
        "tiers": {tier: _tier(blocks[tier], ranks[tier]) for tier in blocks},
        "pairs": pairs,
        "passed": counts,
    }


def _tier(members: dict[str, Any], ranks: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    frozen = ranks[FROZEN]
    graded = [members[name]["passed"] + members[name]["failed"] for name in frozen]
    for name, under in ranks.items():
        for configuration, record in members.items():
            if under.get(configuration) != frozen.get(configuration):
                record["candidates"][name] = under.get(configuration)
    order = sorted(members, key=lambda name: (name not in frozen, frozen.get(name, 0), name))
    leaders = _leaders(frozen)
    return {
        "ranked": len(frozen),
        "first": len(leaders),
        "fewest": min(graded, default=0),
        "most": max(graded, default=0),
        **{key: _spread(members.values(), key) for key in ("range", "kept_range")},
        "configurations": {name: members[name] for name in order},
        "candidates": {
            name: {**_moves(frozen, under), "first": len(_leaders(under)), "leader_changes": _leaders(under) != leaders}
            for name, under in ranks.items()
            if name != FROZEN
        },
    }


def _spread(members: Iterable[Mapping[str, Any]], key: str) -> dict[str, int]:
    ranges = [member[key] for member in members if member.get(key)]
    return {"steady": sum(best == worst for best, worst in ranges), "may_lead": sum(best == 1 for best, _ in ranges)}


def _leaders(ranks: Mapping[str, int]) -> set[str]:
    return {name for name, rank in ranks.items() if rank == 1}


def _moves(frozen: Mapping[str, int], under: Mapping[str, int]) -> dict[str, Any]:
    moves = {name: (rank, under[name]) for name, rank in frozen.items() if name in under and under[name] != rank}
    largest = min(moves, key=lambda name: (-abs(moves[name][0] - moves[name][1]), moves[name], name), default=None)
    return {
        "moved": len(moves),
        "up": sum(new < old for old, new in moves.values()),
        "down": sum(new > old for old, new in moves.values()),
        "unranked": len(frozen.keys() - under.keys()),
        "largest": largest and {"configuration": largest, "from": moves[largest][0], "to": moves[largest][1]},
    }


def _ranges(con: DuckDBPyConnection, axis: str) -> dict[str, Any]:
    """What the summary says of the ranges, and under `found` those of each tier and configuration."""
    [(facts,)] = con.execute("select coalesce(max(value), '{}') from meta where key = $key", {"key": FACT}).fetchall()
    known = json.loads(facts).get(axis, {"rules": [], "undefined": "the sets of rules were not evaluated"})
    rules, undefined = known["rules"], known["undefined"]
    rejected = [
        rule
        for (rule,) in con.execute("select rule from rules where decision = 'rejected' order by rule").fetchall()
        if rule in rules
    ]
    told = {"rules": rules, "rejected": rejected, "range_undefined": undefined}
    if undefined is not None:
        return {**told, "sets": None, "kept_sets": None, "found": {}}
    con.execute(SET_COUNTS, {"axis": axis, "rules": rules})
    _prove(con, axis, rules)
    rows = con.execute(RANGES, {"rejected": sum(1 << rules.index(rule) for rule in rejected)}).fetchall()
    return {
        **told,
        "sets": 1 << len(rules),
        "kept_sets": 1 << (len(rules) - len(rejected)),
        "found": {
            (tier, name): {"range": [best, worst], "kept_range": None if kept is None else [kept, least]}
            for tier, name, best, worst, kept, least in rows
        },
    }


def _prove(con: DuckDBPyConnection, axis: str, rules: Sequence[str]) -> None:
    """Hold the counts of every candidate against those of its set of rules: they were found apart from one another."""
    own = con.execute("select candidate, rules from candidates where axis = $axis", {"axis": axis}).fetchall()
    sets = {name: sum(1 << rules.index(rule) for rule in mine if rule in rules) for name, mine in own}
    differing = con.execute(PROVED, {"names": list(sets), "sets": list(sets.values())}).fetchall()
    names = ", ".join(name for name, _ in differing)
    unlike = f"configurations on {axis} that the rules of {names} count unlike these candidates"
    require_equal(sum(count for _, count in differing), 0, unlike)
