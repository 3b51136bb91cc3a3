"""Needs: which rules of a combined candidate each of its flips and recodes rests on."""

from __future__ import annotations

from typing import Any

from regrade.flips.tiers import ALL
from regrade.report.page import Page, ungrading


def needs(page: Page) -> dict[str, Any] | None:
    """The smallest sets of rules by axis and tier, of each candidate that has several."""
    axes = {axis: _combined(page, block["candidates"]) for axis, block in page.summary["axes"].items()}
    shown = {axis: candidates for axis, candidates in axes.items() if candidates}
    if not shown:
        return None
    return {
        "title": "Rules that flips need",
        "axes": shown,
        "widest": page.widest,
        "ungrading": {axis: ungrading(page.summary["axes"][axis]["candidates"]) for axis in shown},
    }


def _combined(page: Page, known: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name in page.corpus.declared(known):
        tiers = {tier: counts["needs"] for tier, counts in known[name]["tiers"].items()}
        if len(known[name]["rules"]) > 1 and any(tiers.values()):
            found[name] = {"tiers": tiers, "together": [need for need in tiers[ALL] if len(need["rules"]) > 1]}
    return found
