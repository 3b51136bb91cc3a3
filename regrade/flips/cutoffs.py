"""Cut-offs: what the figures come to where a tier's limit is set elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from regrade.files.corpus import Tier
from regrade.flips.tiers import PassCount, reaching


def cutoffs(
    tier: Tier, counts: Mapping[str, PassCount], gains: Mapping[str, Any], candidates: Iterable[str]
) -> list[dict[str, Any]]:
    """One row a limit of `tier`, its own among them, by rising limit.

    Args:
        tier: the tier; its `min_trials` stays.
        counts: pass counts on the primary axis, which decide who reaches a limit.
        gains: what `gains` gives for the axis that is counted.
        candidates: the candidates of that axis.
    """
    names = list(candidates)
    rows = []
    for limit in sorted({tier.min_pass_rate, *tier.cutoffs}):
        members = [gains[c] for c in reaching(counts, limit, tier.min_trials) if c in gains]
        rows.append(
            {
                "min_pass_rate": limit,
                "configurations": len(members),
                "failed": sum(member["failed"] for member in members),
                "flips": {
                    name: {
                        direction: sum(m["candidates"].get(name, {}).get(direction, 0) for m in members)
                        for direction in ("fail_to_pass", "pass_to_fail")
                    }
                    for name in names
                },
            }
        )
    return rows
