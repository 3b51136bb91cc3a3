"""Pass rates of configurations on items, as a grid in which what was missed stands out."""

from __future__ import annotations

import json
from typing import Any

import altair as alt

from regrade.report.drawing.ink import ORANGE, TEXT, Drawn

STEP = 15
"""Pixels of a cell, either way."""
PALE, DEEP = 0.12, 0.55
"""Opacity of a cell that is nearly always passed, and of one that never is: letters on it are legible in any theme."""
ROOM = 180
"""Pixels of the longest label."""


def draw(rows: list[dict[str, Any]], options: dict[str, Any]) -> Drawn:
    """Draw a grid of rates in percent, darker where more was missed; what was passed on every trial stays blank.

    Args:
        rows: `configuration`, and `c0`, `c1`, ... the cells of its items: `passed/graded` in trials, `0/0` where none
            could be graded, null where it was not tried.
        options: `items`: the names of the columns; `axis`: their title, which tells what a cell shows.
    """
    cells = [
        {"row": at, "column": column, **shown}
        for at, row in enumerate(rows)
        for column in range(len(options["items"]))
        if (shown := _shown(row[f"c{column}"]))
    ]
    grid = alt.Chart(alt.Data(values=cells), width=alt.Step(STEP), height=alt.Step(STEP)).encode(
        x=alt.X("column:O", **_named(options["items"], options["axis"], orient="top", labelAngle=-90, titleAnchor="start", titleX=-ROOM)),
        y=alt.Y("row:O", **_named([row["configuration"] for row in rows], None)),
    )
    shades = grid.transform_filter("datum.shade > 0").mark_rect(color=ORANGE)
    return alt.layer(
        shades.encode(fillOpacity=alt.FillOpacity("shade:Q", scale=None)),
        grid.mark_text(color=TEXT, fontSize=9).encode(text="text:N"),
    )


def _shown(cell: str | None) -> dict[str, Any] | None:
    """What a cell has written in it, and how dark it is."""
    passed, graded = map(int, cell.split("/")) if cell else (0, 0)
    if not graded:
        return {"text": "?" if cell else "\u2013", "shade": 0}
    if passed == graded:
        return None
    # Only what was never passed is 0.
    percent = max(round(100 * passed / graded), 1) if passed else 0
    return {"text": str(min(percent, 99)), "shade": round(DEEP - (DEEP - PALE) * passed / graded, 2)}


def _named(names: list[str], title: str | None, **options: Any) -> dict[str, Any]:
    """Places with their names: two of one name, as long ones may be once they are cut, keep a place each."""
    axis = alt.Axis(
        labelExpr=f"{json.dumps(names)}[datum.value]",
        labelFontSize=11,
        labelLimit=ROOM,
        grid=True,
        tickBand="extent",
        ticks=False,
        domain=False,
        **options,
    )
    return {"title": title, "scale": alt.Scale(domain=list(range(len(names)))), "axis": axis}
