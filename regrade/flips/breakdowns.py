"""Breakdowns: the frozen grades and the flips by item, family, configuration, weights or lineage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.counts import FROZEN, FROZEN_KEYS, STATUSES
from regrade.flips.tallies import NO_SPREAD, SPREAD, SPREAD_KEYS
from regrade.flips.tiers import ALL

Groups = dict[str, dict[str, Any]]
"""`{tier: {name: record}}`, names in order."""

GROUPINGS = ("item", "family", "configuration", "weights", "lineage")
"""The columns of the tallies that trials are grouped by."""


def break_down(con: DuckDBPyConnection, axis: str, tiers: Iterable[str]) -> dict[str, Groups]:
    """Group by item, family, configuration, weights and lineage: `{grouping: {tier: {name: record}}}`.

    A record has the published counts and codes as in the tiers, which are the denominators, and `flips`: for each
    candidate with a flip there, both directions with the distinct items, configurations, weights and lineages.
    Only groups with a trial in the tier are listed. Needs `tally`.
    """
    names = list(tiers)
    groups: dict[str, Groups] = {grouping: {tier: {} for tier in names} for grouping in GROUPINGS}
    graded = _grouped("frozen_tallies where axis = $axis")
    for grouping, tier, name, *numbers in con.execute(
        f"select grouping, tier, name, {FROZEN} from {graded} group by grouping, tier, name order by name",
        {"axis": axis},
    ).fetchall():
        groups[grouping][tier][name] = {**dict(zip(FROZEN_KEYS, numbers, strict=True)), "codes": {}, "flips": {}}
    for grouping, tier, name, code, trials in con.execute(
        f"select grouping, tier, name, code, sum(trials) from {graded} "
        "where status = 'failed' and code is not null group by grouping, tier, name, code order by code",
        {"axis": axis},
    ).fetchall():
        groups[grouping][tier][name]["codes"][code] = trials
    flipped = _grouped("move_tallies where axis = $axis and direction in ('fail_to_pass', 'pass_to_fail')")
    for grouping, tier, name, candidate, direction, *numbers in con.execute(
        f"select grouping, tier, name, candidate, direction, {SPREAD} from {flipped} "
        "group by grouping, tier, name, candidate, direction order by candidate",
        {"axis": axis},
    ).fetchall():
        flips = groups[grouping][tier][name]["flips"].setdefault(
            candidate, {"fail_to_pass": dict(NO_SPREAD), "pass_to_fail": dict(NO_SPREAD)}
        )
        flips[direction] = dict(zip(SPREAD_KEYS, numbers, strict=True))
    return groups


def _grouped(tally: str) -> str:
    """The rows of a tally by tier, once a grouping, with the name of the group."""
    literals = ", ".join(f"'{column}'" for column in GROUPINGS)
    columns = ", ".join(GROUPINGS)
    return (
        f"(select *, unnest([{literals}]) as grouping, unnest([{columns}]) as name from {tally}) "
        "join tiers using (configuration)"
    )


def gains(con: DuckDBPyConnection, by_configuration: Groups) -> dict[str, Any]:
    """What each configuration gains under each candidate that flips a trial of it.

    A configuration's trials are the same in every tier it is in, so these stand once: `{configuration: {weights,
    lineage, tiers, trials, passed, failed, ungraded, candidates: {name: {fail_to_pass, pass_to_fail, gain}}}}`,
    `gain` being fail_to_pass less pass_to_fail.

    Args:
        con: the store.
        by_configuration: the grouping `configuration` of `break_down`.
    """
    known = {
        configuration: {"weights": weights, "lineage": lineage}
        for configuration, weights, lineage in con.execute(
            "select configuration, weights, lineage from configurations"
        ).fetchall()
    }
    return {
        configuration: {
            **known.get(configuration, {"weights": None, "lineage": None}),
            "tiers": [tier for tier, records in by_configuration.items() if configuration in records],
            **{key: record[key] for key in ("trials", *STATUSES)},
            "candidates": {name: _gain(flips) for name, flips in record["flips"].items()},
        }
        for configuration, record in by_configuration[ALL].items()
    }


def _gain(flips: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    up, down = flips["fail_to_pass"]["trials"], flips["pass_to_fail"]["trials"]
    return {"fail_to_pass": up, "pass_to_fail": down, "gain": up - down}
