"""Pass rates of configurations on items, as a grid in which what was missed stands out."""

from __future__ import annotations

import json
from typing import Any

import altair as alt

from regrade.report.drawing.ink import ORANGE, TEXT, Drawn

STEP = 19
"""Pixels of a cell, either way."""
PALE, DEEP = 0.12, 0.55
"""Opacity of a cell that is nearly always passed, and of one that never is: letters on it are legible in any theme."""
WIDTH, ROOM = 900, 160
"""Pixels of the picture, and those of the longest name above it."""
LETTER = 5.5
"""Pixels of a letter of a name, about."""


def draw(rows: list[dict[str, Any]], options: dict[str, Any]) -> Drawn:
    """Draw a grid of rates in percent, darker where more was missed; what was passed on every trial stays blank.

    Args:
        rows: `configuration`, and `c0`, `c1`, ... the cells of its items: `passed/graded` in trials, `0/0` where none
            could be graded, null where it was not tried.
        options: `items`: the names of the columns; `key`: what a cell shows.
    """
    cells = [
        {"row": at, "column": column, **shown}
        for at, row in enumerate(rows)
        for column in range(len(options["items"]))
        if (shown := _shown(row[f"c{column}"]))
    ]
    columns = _named(options["items"], ROOM, orient="top", labelAngle=-90)
    rest = _named([row["configuration"] for row in rows], WIDTH - STEP * len(options["items"]))
    grid = alt.Chart(alt.Data(values=cells), width=alt.Step(STEP), height=alt.Step(STEP)).encode(
        x=alt.X("column:O", **columns), y=alt.Y("row:O", **rest)
    )
    shades = grid.transform_filter("datum.shade > 0").mark_rect(color=ORANGE)
    key = alt.Title(
        options["key"], anchor="start", frame="bounds", orient="bottom", color=TEXT, fontSize=12, fontWeight="normal"
    )
    # A reader's letters may be wider than those that were measured.
    above = 5 + min(max(map(len, options["items"])), int(ROOM / LETTER))
    return alt.layer(
        shades.encode(fillOpacity=alt.FillOpacity("shade:Q", scale=None)),
        grid.mark_text(color=TEXT, fontSize=11).encode(text="text:N"),
        title=key,
        padding={"top": above, "left": 5, "right": 5, "bottom": 5},
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


def _named(names: list[str], room: int, **options: Any) -> dict[str, Any]:
    """Places with their names: two of one name, as long ones may be once they are cut, keep a place each."""
    axis = alt.Axis(
        labelExpr=f"{json.dumps([_cut(name, int(room / LETTER)) for name in names])}[datum.value]",
        labelFontSize=11,
        labelLimit=room,
        grid=True,
        tickBand="extent",
        ticks=False,
        domain=False,
        **options,
    )
    return {"title": None, "scale": alt.Scale(domain=list(range(len(names)))), "axis": axis}


def _cut(name: str, most: int) -> str:
    """Leave out the middle of a long name: the ends are what tells names apart."""
    return name if len(name) <= most else f"{name[: most // 2 - 1]}\u2026{name[-(most // 2) :]}"
