"""Ranges of ranks, as a bar a configuration."""

from __future__ import annotations

from typing import Any

import altair as alt

from regrade.report.drawing.ink import BLUE, GOLD, ORANGE, Drawn

WIDTH = 400
MARKS = ("all sets", "sets without a rejected rule", "frozen")


def draw(rows: list[dict[str, Any]], options: dict[str, Any]) -> Drawn:
    """Draw a thin bar from the best rank to the worst, a thick one inside it, and a diamond at the frozen rank.

    Args:
        rows: `configuration`, `rank`, `best` and `worst`, `kept_best` and `kept_worst`.
        options: `axis`: the title of the horizontal axis; `has_rejected`: whether the two bars are of different sets.
    """
    chart = alt.Chart(alt.Data(values=rows), width=WIDTH, height=alt.Step(19))
    name = alt.Y("configuration:N", sort=None, title=None)
    last = max(row["worst"] for row in rows)
    scale = alt.Scale(domain=[0.5, last + 0.5], nice=False)
    axis = alt.Axis(tickMinStep=1, format="d", labelOverlap=True)

    def bar(start: str, stop: str, size: int, mark: str) -> alt.Chart:
        # A rank that never changes has a bar as well.
        wide = chart.transform_calculate(a=f"datum.{start} - 0.3", b=f"datum.{stop} + 0.3", mark=f"'{mark}'")
        x = alt.X("a:Q", scale=scale, axis=axis, title=options["axis"])
        return wide.mark_bar(size=size).encode(x=x, x2="b:Q", y=name, fill=_ink("mark:N"))

    layers = [bar("best", "worst", 4, MARKS[0])]
    if options["has_rejected"]:
        layers.append(bar("kept_best", "kept_worst", 11, MARKS[1]))
    point = chart.transform_calculate(mark=f"'{MARKS[2]}'").mark_point(shape="diamond", size=60, strokeWidth=0)
    layers.append(point.encode(x=alt.X("rank:Q", scale=scale), y=name, fill=_ink("mark:N")))
    return alt.layer(*layers)


def _ink(field: str) -> alt.Fill:
    return alt.Fill(field, title=None, scale=alt.Scale(domain=MARKS, range=[ORANGE, BLUE, GOLD]))
