"""Flips of each candidate, both ways, as bars from a middle line."""

from __future__ import annotations

from typing import Any

import altair as alt

from regrade.report.drawing.ink import BLUE, ORANGE, TEXT, Drawn

WAYS = ("fail to pass", "pass to fail")
WIDTH = 440
"""Pixels of the longest pair of bars; the numbers beside them have room of their own."""


def draw(rows: list[dict[str, Any]], options: dict[str, Any]) -> Drawn:
    """Draw bars to the right for fail to pass, to the left for pass to fail, each with its number.

    Args:
        rows: `candidate`, `up` and `down`: trials.
        options: `axis`: the title of the horizontal axis, with its denominators.
    """
    bars = [
        {"candidate": row["candidate"], "way": way, "trials": sign * row[key], "label": f"{row[key]:,}"}
        for row in rows
        for way, key, sign in zip(WAYS, ("up", "down"), (1, -1), strict=True)
    ]
    up, down = (max(row[key] for row in rows) for key in ("up", "down"))
    room = 0.12 * max(up + down, 1)
    place = alt.Y("candidate:N", sort=None, title=None)
    length = alt.X(
        "trials:Q",
        title=options["axis"],
        scale=alt.Scale(domain=[-down - room, up + room], nice=False),
        axis=alt.Axis(labelExpr="format(abs(datum.value), ',')", labelOverlap=True, tickMinStep=1),
    )
    way = alt.Color("way:N", title=None, scale=alt.Scale(domain=WAYS, range=[BLUE, ORANGE]))
    chart = alt.Chart(alt.Data(values=bars), width=WIDTH, height=alt.Step(26))
    numbers = chart.mark_text(color=TEXT).encode(x=length, y=place, text="label:N")
    right = numbers.mark_text(align="left", dx=5).transform_filter(f"datum.way == '{WAYS[0]}'")
    left = numbers.mark_text(align="right", dx=-5).transform_filter(f"datum.way == '{WAYS[1]}'")
    return alt.layer(chart.mark_bar(size=14).encode(x=length, y=place, color=way), right, left)
