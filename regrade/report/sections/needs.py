"""Needs: which rules of a combined candidate each of its flips and recodes rests on."""

from __future__ import annotations

from typing import Any

from regrade.flips.tiers import ALL
from regrade.report.page import Page


def needs(page: Page) -> dict[str, Any] | None:
    """The smallest sets of rules by axis and tier, of each candidate that has several."""
    axes = {
        axis: {
            name: {
                "tiers": {tier: counts["needs"] for tier, counts in candidate["tiers"].items()},
                "together": [need for need in candidate["tiers"][ALL]["needs"] if len(need["rules"]) > 1],
            }
            for name, candidate in block["candidates"].items()
            if len(candidate["rules"]) > 1 and any(counts["needs"] for counts in candidate["tiers"].values())
        }
        for axis, block in page.summary["axes"].items()
    }
    shown = {axis: candidates for axis, candidates in axes.items() if candidates}
    return {"title": "Rules that flips need", "axes": shown, "widest": page.widest} if shown else None
