"""Beyond this corpus: how far the shares of flipped trials speak of other items and other lineages."""

from __future__ import annotations

from typing import Any

from regrade.report.page import DIRECTIONS, Page


def beyond(page: Page) -> dict[str, Any] | None:
    """Both shares of each declared candidate by axis and tier, with an interval by item, by lineage and by both."""
    axes = {axis: _by_tier(block) for axis, block in page.summary["axes"].items() if block["beyond"]}
    if not axes:
        return None
    unknown = [name for name, gain in page.primary["gains"].items() if gain["lineage"] is None]
    return {
        "title": "Beyond this corpus",
        "axes": axes,
        "directions": DIRECTIONS,
        "unknown": len(unknown),
        "widest": page.widest,
    }


def _by_tier(block: dict[str, Any]) -> dict[str, list[tuple[str, str, dict[str, Any], dict[str, int]]]]:
    """By tier `(candidate, direction, its share, the distinct things that its flips come from)`."""
    tiers: dict[str, list[tuple[str, str, dict[str, Any], dict[str, int]]]] = {}
    for name, by_tier in block["beyond"].items():
        flips = block["candidates"][name]["tiers"]
        for tier, shares in by_tier.items():
            tiers.setdefault(tier, []).extend((name, way, each, flips[tier][way]) for way, each in shares.items())
    return tiers
