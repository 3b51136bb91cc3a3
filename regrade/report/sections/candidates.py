"""Candidates side by side: what each changes, both ways, on every axis and in every tier."""

from __future__ import annotations

from typing import Any

from regrade.report.page import Page, rule_states


def candidates(page: Page) -> dict[str, Any] | None:
    """Moves, flips and recodes with what they come from, and the codes that they lead between."""
    axes = {axis: _axis(page, axis, block) for axis, block in page.summary["axes"].items() if block["candidates"]}
    return {"title": "Candidates", "axes": axes} if axes else None


def _axis(page: Page, axis: str, block: dict[str, Any]) -> dict[str, Any]:
    shown = {
        name: {
            **candidate,
            "state": rule_states(page.summary, axis, name),
            "transitions": _transitions(candidate),
        }
        for name, candidate in block["candidates"].items()
    }
    first = next(iter(shown.values()))["tiers"]
    return {"tiers": list(first), "new": block["frozen"]["kind"] == "none", "candidates": shown}


def _transitions(candidate: dict[str, Any]) -> list[dict[str, Any]]:
    """The moved pairs of grades, ordered as in the summary, with their trials by tier."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for tier, block in candidate["tiers"].items():
        for move in block["transitions"]:
            key = (str(move["from"]), str(move["to"]))
            row = rows.setdefault(key, {"from": move["from"], "to": move["to"], "trials": {}})
            row["trials"][tier] = move["trials"]
    return list(rows.values())
