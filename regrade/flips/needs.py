"""Needs: the smallest sets of a candidate's rules that its flips and recodes rest on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.tallies import DIRECTION, DIRECTIONS, NO_SPREAD, SPREAD, SPREAD_KEYS, require_equal

NEEDED = f"""
with needed as (
  select m.candidate, g.decided_by, a.item, a.configuration, a.weights, a.lineage,
         coalesce({DIRECTION}, 'recoded') as direction, count(*) as trials
  from moves m join grades g using (trial_id, axis, candidate) join attempts a using (trial_id)
  where m.axis = $axis and g.decided_by is not null and from_status <> 'none'
        and (from_status <> to_status or from_code is distinct from to_code)
  group by all
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
