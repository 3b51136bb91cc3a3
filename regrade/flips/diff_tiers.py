"""Tiers of a diff: who is in which on each side, and what the pass rates of those are."""

from __future__ import annotations

import json
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.tallies import NO_SPREAD, SPREAD, SPREAD_KEYS
from regrade.flips.tiers import ALL

ORDER = f"tier <> '{ALL}', tier"

# The sides may be one store, and then each has the same members.
MEMBERS = """
(select tier, configuration, x.tier is not null as in_a, y.tier is not null as in_b
 from {a}.tiers x full join {b}.tiers y using (tier, configuration))
"""

RATES = """
with graded as (
  select *, from_status in ('passed', 'failed') as of_a, to_status in ('passed', 'failed') as of_b
  from pair_tallies join {members} using (configuration)
)
select tier, coalesce(sum(trials) filter (in_a and from_status = 'passed'), 0),
       coalesce(sum(trials) filter (in_a and of_a), 0), coalesce(sum(trials) filter (in_b and to_status = 'passed'), 0),
       coalesce(sum(trials) filter (in_b and of_b), 0),
       coalesce(sum(trials) filter (in_a and in_b and of_a and of_b and from_status = 'passed'), 0),
       coalesce(sum(trials) filter (in_a and in_b and of_a and of_b and to_status = 'passed'), 0),
       coalesce(sum(trials) filter (in_a and in_b and of_a and of_b), 0)
from graded group by tier order by {order}
"""

FLIPS = f"""
select tier, direction, {SPREAD} from pair_tallies join {{members}} using (configuration)
where in_a and in_b and direction is not null group by tier, direction order by tier, direction
"""

FROZEN = """
select configuration, count(*) filter (status = 'passed'), count(*) filter (status in ('passed', 'failed'))
from {side}.frozen_grades join {side}.trials using (trial_id) where axis = $axis and configuration in
(select unnest($names::varchar[])) group by configuration order by configuration
"""


def count_rates(con: DuckDBPyConnection, a: str, b: str) -> dict[str, Any]:
    """Count the cells of a pair that pass in each tier.

    Args:
        con: a connection with `pair_tallies` of the pair.
        a: the attached database that has the tiers of A.
        b: that of B.

    Returns:
        By tier: `a` and `b` (passed, graded: cells of its own configurations), `both` (`a` and `b`: passed, of the
        `graded` cells that both sides pass or fail, in configurations that are in the tier on both), and the spread
        of each direction of a flip in configurations that are in the tier on both.
    """
    members = MEMBERS.format(a=a, b=b)
    found: dict[str, Any] = {
        tier: {
            "a": {"passed": in_a, "graded": of_a},
            "b": {"passed": in_b, "graded": of_b},
            "both": {"a": both_a, "b": both_b, "graded": of_both},
            "fail_to_pass": dict(NO_SPREAD),
            "pass_to_fail": dict(NO_SPREAD),
        }
        for tier, in_a, of_a, in_b, of_b, both_a, both_b, of_both in con.execute(
            RATES.format(members=members, order=ORDER)
        ).fetchall()
    }
    for tier, direction, *numbers in con.execute(FLIPS.format(members=members)).fetchall():
        found[tier][direction] = dict(zip(SPREAD_KEYS, numbers, strict=True))
    return found


def find_members(con: DuckDBPyConnection, a: str, b: str) -> dict[str, Any]:
    """Say which configurations are in each tier, which goes by the frozen grades of the primary axis.

    Returns:
        By tier: `a`, `b` and `both` (configurations), `min_pass_rate` of `a` and `b` (null where it is not declared),
        and `only_in_a` and `only_in_b`: `configuration`, with `a` and `b` (passed, graded: frozen cells on the
        primary axis; null where that side has none).
    """
    counts = con.execute(
        "select tier, count(*) filter (in_a), count(*) filter (in_b), count(*) filter (in_a and in_b), "
        "coalesce(list(configuration order by configuration) filter (not in_b), []), "
        "coalesce(list(configuration order by configuration) filter (not in_a), []) "
        f"from {MEMBERS.format(a=a, b=b)} group by tier order by {ORDER}"
    ).fetchall()
    moved = sorted({name for *_, only_a, only_b in counts for name in (*only_a, *only_b)})
    known = {side: _frozen(con, database, moved) for side, database in (("a", a), ("b", b))}
    limits = {side: _limits(con, database) for side, database in (("a", a), ("b", b))}

    def listed(names: list[str]) -> list[dict[str, Any]]:
        return [{"configuration": name, **{side: known[side].get(name) for side in known}} for name in names]

    return {
        tier: {
            "min_pass_rate": {side: limits[side].get(tier) for side in limits},
            "a": in_a,
            "b": in_b,
            "both": in_both,
            "only_in_a": listed(only_a),
            "only_in_b": listed(only_b),
        }
        for tier, in_a, in_b, in_both, only_a, only_b in counts
    }


def _frozen(con: DuckDBPyConnection, side: str, names: list[str]) -> dict[str, dict[str, int]]:
    bound = {"axis": _corpus(con, side)["axis"], "names": names}
    rows = con.execute(FROZEN.format(side=side), bound).fetchall()
    return {name: {"passed": passed, "graded": graded} for name, passed, graded in rows}


def _limits(con: DuckDBPyConnection, side: str) -> dict[str, float]:
    return {tier["name"]: tier["min_pass_rate"] for tier in _corpus(con, side)["tiers"]}


def _corpus(con: DuckDBPyConnection, side: str) -> dict[str, Any]:
    [(text,)] = con.execute(f"select value from {side}.meta where key = 'corpus'").fetchall()
    corpus: dict[str, Any] = json.loads(text)
    return corpus
