"""Partitions: unique trials by the sets that they are in."""

from __future__ import annotations

from typing import Any

from regrade.report.page import Page


def partitions(page: Page) -> dict[str, Any] | None:
    """Cells of each declared partition by tier, with total and overlap."""
    declared = page.primary["partitions"]
    if not declared:
        return None
    return {"title": "Partitions", "partitions": {name: _table(tiers) for name, tiers in declared.items()}}


def _table(tiers: dict[str, Any]) -> dict[str, Any]:
    first = next(iter(tiers.values()))
    several = {tier: [c["trials"] for c in block["cells"] if len(c["in"]) > 1] for tier, block in tiers.items()}
    return {
        "of": first["of"],
        "totals": {tier: block["total"] for tier, block in tiers.items()},
        "cells": [
            {"in": cell["in"], "trials": {tier: block["cells"][i]["trials"] for tier, block in tiers.items()}}
            for i, cell in enumerate(first["cells"])
        ],
        "overlap": {tier: sum(trials) for tier, trials in several.items()},
    }
