"""Counts: the frozen grades and each candidate's moves, by tier."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.tallies import DIRECTIONS, NO_SPREAD, SPREAD, SPREAD_KEYS, require_equal

Grade = tuple[str, str | None]
"""A status and a code."""

STATUSES = ("passed", "failed", "ungraded")
FROZEN_KEYS = (*SPREAD_KEYS, *STATUSES)
FROZEN = SPREAD + "".join(f", coalesce(sum(trials) filter (status = '{s}'), 0) as {s}" for s in STATUSES)
"""Select list over `frozen_tallies`, in the order of `FROZEN_KEYS`."""


def tier_counts(con: DuckDBPyConnection, axis: str, tiers: Iterable[str]) -> dict[str, Any]:
    """Count the published grades of each tier, with the codes of the failed trials and every grade by status and code.

    `trials` is passed + failed + ungraded, and on a new axis the trials that its candidates grade.
    """
    blocks: dict[str, Any] = {tier: {**dict.fromkeys(FROZEN_KEYS, 0), "codes": {}, "grades": []} for tier in tiers}
    source = "from frozen_tallies join tiers using (configuration) where axis = $axis"
    for tier, *numbers in con.execute(f"select tier, {FROZEN} {source} group by tier", {"axis": axis}).fetchall():
        blocks[tier].update(zip(FROZEN_KEYS, numbers, strict=True))
    for tier, status, code, trials in con.execute(
        f"select tier, status, code, sum(trials) {source} and status <> 'none' "
        "group by all order by status, code nulls first",
        {"axis": axis},
    ).fetchall():
        blocks[tier]["grades"].append({"grade": [status, code], "trials": trials})
        if status == "failed" and code is not None:
            blocks[tier]["codes"][code] = trials
    return blocks


def candidate_counts(
    con: DuckDBPyConnection, axis: str, candidates: Iterable[str], tiers: Iterable[str], *, new: bool
) -> dict[str, dict[str, Any]]:
    """Count what each candidate changes in each tier: `{candidate: {tier: block}}`.

    Args:
        con: a connection on which `tally` has run.
        axis: the axis.
        candidates: its candidates.
        tiers: every tier.
        new: the frozen grader never had this axis, so that the row `none` stands even where it is empty.

    Raises:
        StoreError: the numbers do not add up.
    """
    blocks = {candidate: {tier: _empty(new) for tier in tiers} for candidate in candidates}
    bound = {"axis": axis}
    source = "from move_tallies join tiers using (configuration) where axis = $axis"
    for candidate, tier, old, old_code, status, code, trials in con.execute(
        f"select candidate, tier, from_status, from_code, to_status, to_code, sum(trials) {source} "
        "group by all order by from_status, from_code nulls first, to_status, to_code nulls first",
        bound,
    ).fetchall():
        _add_move(blocks[candidate][tier], (old, old_code), (status, code), trials)
    for candidate, tier, direction, *numbers in con.execute(
        f"select candidate, tier, direction, {SPREAD} {source} and direction is not null group by all", bound
    ).fetchall():
        blocks[candidate][tier][direction] = dict(zip(SPREAD_KEYS, numbers, strict=True))
    for candidate, tier, measure, amount in con.execute(
        "select candidate, tier, measure, sum(amount order by trial_id) from measures "
        "join trials using (trial_id) join tiers using (configuration) "
        "where axis = $axis and candidate <> 'frozen' group by all order by measure",
        bound,
    ).fetchall():
        blocks[candidate][tier]["measures"][measure] = int(amount) if amount.is_integer() else amount
    for candidate, by_tier in blocks.items():
        for tier, block in by_tier.items():
            _check(block, f"of candidate {candidate} on axis {axis} in tier {tier}")
    return blocks


def _empty(new: bool) -> dict[str, Any]:
    rows = (*STATUSES, "none") if new else STATUSES
    return {
        "trials": 0,
        "moves": {row: dict.fromkeys(STATUSES, 0) for row in rows},
        "recoded": 0,
        "unmoved": 0,
        **{direction: dict(NO_SPREAD) for direction in DIRECTIONS},
        "transitions": [],
        "measures": {},
    }


def _add_move(block: dict[str, Any], old: Grade, new: Grade, trials: int) -> None:
    block["trials"] += trials
    # A trial without a frozen grade on an axis that others have one on still counts.
    block["moves"].setdefault(old[0], dict.fromkeys(STATUSES, 0))[new[0]] += trials
    if old == new:
        block["unmoved"] += trials
    else:
        block["transitions"].append({"from": list(old), "to": list(new), "trials": trials})
        if old[0] == new[0]:
            block["recoded"] += trials


def _check(block: dict[str, Any], where: str) -> None:
    moves = block["moves"]
    require_equal(sum(sum(row.values()) for row in moves.values()), block["trials"], f"trials {where}")
    flipped = sum(n for old, row in moves.items() for new, n in row.items() if old not in (new, "none"))
    require_equal(sum(block[direction]["trials"] for direction in DIRECTIONS), flipped, f"flips {where}")
    listed = sum(t["trials"] for t in block["transitions"] if t["from"][0] != "none")
    require_equal(listed, flipped + block["recoded"], f"transitions {where}")
    everything = sum(t["trials"] for t in block["transitions"]) + block["unmoved"]
    require_equal(everything, block["trials"], f"moved and unmoved trials {where}")
