"""Tiers and cut-offs: the frozen grades, and what they come to where a limit is set elsewhere."""

from __future__ import annotations

from typing import Any

from regrade.report.page import Page


def tiers(page: Page) -> dict[str, Any]:
    """The frozen grades of each tier by axis, the codes of its failures, and the limits tried."""
    return {
        "title": "Tiers",
        "axes": {axis: {**block, "codes": _codes(block["tiers"])} for axis, block in page.summary["axes"].items()},
        "limits": {tier.name: tier for tier in page.corpus.tiers},
    }


def _codes(blocks: dict[str, Any]) -> dict[str | None, dict[str, int]]:
    """Failed trials by code and tier, those without a code last, under None."""
    names = sorted({code for block in blocks.values() for code in block["codes"]})
    rows: dict[str | None, dict[str, int]] = {
        code: {tier: block["codes"].get(code, 0) for tier, block in blocks.items()} for code in names
    }
    bare = {tier: block["failed"] - sum(block["codes"].values()) for tier, block in blocks.items()}
    return {**rows, None: bare} if any(bare.values()) else rows
