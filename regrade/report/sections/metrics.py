"""Metrics: the declared rates side by side, with their denominators, intervals, gaps and splits."""

from __future__ import annotations

from typing import Any

from regrade.report.page import Page
from regrade.report.rates import (
    Under,
    by_candidate,
    configurations_of,
    declared,
    gap_tables,
    meaning,
    panel_text,
    panels_of,
)

ROWS = 500
"""Rows of a table at most; the rest stand in summary.json."""


def metrics(page: Page) -> dict[str, Any] | None:
    """Each metric's meaning, and under every candidate all of them by configuration, by panel and by split."""
    found = declared(page.summary["axes"], "metrics")
    if not found:
        return None
    panels = panels_of(page.summary["axes"])
    known = {
        name: (lineage, arm)
        for name, lineage, arm in page.con.execute("select configuration, lineage, arm from configurations").fetchall()
    }
    return {
        "title": "Metrics",
        "meanings": {name: meaning(axis, metric) for name, (axis, metric) in found.items()},
        "unseen": {name: metric["unseen"] for name, (_, metric) in found.items() if metric["unseen"]},
        "known": known,
        "panels": {name: panel_text(name, panel) for name, panel in panels.items()},
        "groups": [_group(under) for under in by_candidate(found)],
    }


def _group(under: Under) -> dict[str, Any]:
    configurations = configurations_of(under)
    return {
        "names": under.names,
        "blocks": under.blocks,
        "total": len(configurations),
        "configurations": configurations[:ROWS],
        "gaps": [(name, over, table) for name, block in under.blocks.items() for over, table in gap_tables(block)],
        "splits": [
            _split(name, split) for name, block in under.blocks.items() for split in (block or {"by": []})["by"]
        ],
    }


def _split(metric: str, split: dict[str, Any]) -> dict[str, Any]:
    rows = [
        (part["values"], name, record, _gap(part, name))
        for part in split["parts"]
        for name, record in part["configurations"].items()
    ]
    return {"metric": metric, "by": split["by"], "total": len(rows), "rows": rows[:ROWS]}


def _gap(part: dict[str, Any], configuration: str) -> dict[str, Any] | str | None:
    """A configuration's gap to the leader of its part and arm over graded trials, or that it is the leader."""
    for compared in (each["of_graded"] for each in part["gaps"] if each["of_graded"]):
        if configuration == compared["leader"]:
            return "leads"
        if configuration in compared["gaps"]:
            gap: dict[str, Any] = compared["gaps"][configuration]
            return gap
    return None
