"""Needs: the smallest sets of a candidate's rules that its flips and recodes rest on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.tallies import DIRECTION, DIRECTIONS, NO_SPREAD, SPREAD, SPREAD_KEYS, require_equal

NEEDED = f"""
with moved as (
  select trial_id, g.candidate, g.decided_by, f.status as from_status, g.status as to_status
  from grades g join frozen_grades f using (trial_id, axis)
  where axis = $axis and g.candidate <> 'frozen' and g.decided_by is not null
        and (f.status <> g.status or f.code is distinct from g.code)
),
needed as (
  select candidate, decided_by, item, configuration, weights, lineage,
         coalesce({DIRECTION}, 'recoded') as direction, count(*) as trials
  from moved join attempts using (trial_id) group by all
)
select candidate, tier, decided_by, direction, {SPREAD}
from needed join tiers using (configuration) group by all
"""


def add_needs(con: DuckDBPyConnection, axis: str, candidates: Mapping[str, Any]) -> None:
    """Add `needs` to each candidate's block of each tier: what of its counts rests on which smallest set of rules.

    Each is `{rules, fail_to_pass, pass_to_fail, to_ungraded, from_ungraded, recoded}`, flips with the distinct things
    that they come from. The rules are those of `decided_by` in the candidate's order; no rule at all where the ported
    grader alone differs from the frozen grade. Smaller sets stand first, then as the candidate has its rules.

    Args:
        con: a connection on which `tally` has run.
        axis: the axis.
        candidates: the blocks of its candidates, with their counts.

    Raises:
        StoreError: the sets do not sum to the candidate's counts.
    """
    found: dict[tuple[str, str], dict[tuple[str, ...], dict[str, Any]]] = {}
    for candidate, tier, rules, direction, *numbers in con.execute(NEEDED, {"axis": axis}).fetchall():
        needs = found.setdefault((candidate, tier), {})
        need = needs.setdefault(tuple(rules), {**{d: dict(NO_SPREAD) for d in DIRECTIONS}, "recoded": 0})
        need[direction] = numbers[0] if direction == "recoded" else dict(zip(SPREAD_KEYS, numbers, strict=True))
    for name, candidate in candidates.items():
        at = {rule: place for place, rule in enumerate(candidate["rules"])}
        for tier, block in candidate["tiers"].items():
            needs = found.get((name, tier), {})
            ordered = sorted(needs, key=lambda rules: (len(rules), [at[rule] for rule in rules]))
            block["needs"] = [{"rules": list(rules), **needs[rules]} for rules in ordered]
            where = f"of candidate {name} on axis {axis} in tier {tier}, by the rules that they need,"
            for way in DIRECTIONS:
                parts = sum(need[way]["trials"] for need in block["needs"])
                require_equal(parts, block[way]["trials"], f"flips {where}")
            require_equal(sum(need["recoded"] for need in block["needs"]), block["recoded"], f"recodes {where}")
