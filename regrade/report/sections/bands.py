"""Bands: how far the repeats of an item agree with its first trial."""

from __future__ import annotations

from typing import Any

from regrade.report.page import Page
from regrade.report.rates import by_candidate, declared, panel_text, panels_of, scope

ROWS = 500
"""Rows of a table at most; the rest stand in summary.json."""
MOVES = 60
"""Moved verdicts shown at most, of each band under each candidate."""


def bands(page: Page) -> dict[str, Any] | None:
    """Each band by configuration and panel under every candidate, and the verdicts that moved."""
    found = declared(page.summary["axes"], "bands")
    if not found:
        return None
    panels = panels_of(page.summary["axes"])
    return {
        "title": "Self-consistency",
        "panels": {name: panel_text(name, panel) for name, panel in panels.items()},
        "bands": [
            {
                "name": name,
                "axis": axis,
                "scope": scope(band),
                "verdicts": band["verdicts"],
                "groups": [
                    {"names": under.names, **_shown(under.blocks[name])} for under in by_candidate({name: (axis, band)})
                ],
            }
            for name, (axis, band) in found.items()
        ],
    }


def _shown(block: dict[str, Any]) -> dict[str, Any]:
    moves = [
        (configuration, move) for configuration, record in block["configurations"].items() for move in record["moves"]
    ]
    rows = list(block["configurations"].items())
    return {
        "total": len(rows),
        "rows": rows[:ROWS],
        "panels": block["panels"],
        "moves": moves[:MOVES],
        "moved": len(moves),
    }
