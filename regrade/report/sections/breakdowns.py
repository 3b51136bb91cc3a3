"""Breakdowns: where the failures and the flips are, by family, item, weights, lineage and configuration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from regrade.report.page import Page

ROWS = 500
"""Rows of a table; those with most failures stand first."""


def breakdowns(page: Page) -> dict[str, Any] | None:
    """Groups of trials with their frozen grades and flips, and what each configuration gains."""
    axes = {axis: _axis(block) for axis, block in page.summary["axes"].items() if block["gains"]}
    return {"title": "Breakdowns", "axes": axes} if axes else None


def _axis(block: dict[str, Any]) -> dict[str, Any]:
    groups = {
        "family": block["families"],
        "item": block["items"],
        "weights": {tier: by["weights"] for tier, by in block["breakdowns"].items()},
        "lineage": {tier: by["lineage"] for tier, by in block["breakdowns"].items()},
    }
    return {
        "groups": {
            by: {tier: _table(records, block["candidates"]) for tier, records in tiers.items()}
            for by, tiers in groups.items()
        },
        "gains": _gains(block["gains"], block["candidates"]),
    }


def _table(records: dict[str, Any], candidates: Iterable[str]) -> dict[str, Any]:
    ordered = sorted(records.items(), key=lambda pair: (-pair[1]["failed"], pair[0]))
    flipping = {name for record in records.values() for name in record["flips"]}
    return {
        "total": len(records),
        "rows": ordered[:ROWS],
        "candidates": [name for name in candidates if name in flipping],
    }


def _gains(gains: dict[str, Any], candidates: Iterable[str]) -> dict[str, Any]:
    """Configurations by falling pass rate, those without a graded trial last."""

    def place(pair: tuple[str, Any]) -> tuple[float, str]:
        graded = pair[1]["passed"] + pair[1]["failed"]
        return (-pair[1]["passed"] / graded if graded else 1.0, pair[0])

    gaining = {name for record in gains.values() for name in record["candidates"]}
    return {
        "total": len(gains),
        "rows": sorted(gains.items(), key=place)[:ROWS],
        "candidates": [name for name in candidates if name in gaining],
    }
