"""Ranges of ranks, as a bar a configuration."""

from __future__ import annotations

from typing import Any

import altair as alt

from regrade.report.drawing.ink import BLUE, TEXT, Drawn
from regrade.report.drawing.names import short

WIDTH = 400


def draw(rows: list[dict[str, Any]], options: dict[str, Any]) -> Drawn:
    """Draw a thin bar from the best rank to the worst, a thick one from the kept ones, a diamond at the frozen rank.

    Args:
        rows: `configuration`, `rank`, `best` and `worst`, `kept_best` and `kept_worst`, the thick bar's, where they are
            of fewer sets.
        options: `axis`: the title of the horizontal axis, which says what each mark is.
    """
    last = max(row["worst"] for row in rows)
    scale = alt.Scale(domain=[0.5, last + 0.5], nice=False)
    ticks = alt.Axis(tickMinStep=1, format="d", labelOverlap=True)
    name = alt.Y("configuration:N", sort=None, title=None)
    named = zip(rows, short(row["configuration"] for row in rows), strict=True)
    values = [{**row, "configuration": text} for row, text in named]
    chart = alt.Chart(alt.Data(values=values), width=WIDTH, height=alt.Step(19)).encode(y=name)

    def bar(best: str, worst: str, size: int, opacity: float) -> alt.Chart:
        # A rank that never changes has a bar as well.
        wide = chart.transform_calculate(a=f"datum.{best} - 0.3", b=f"datum.{worst} + 0.3")
        x = alt.X("a:Q", scale=scale, axis=ticks, title=options["axis"])
        drawn: alt.Chart = wide.mark_bar(size=size, fill=BLUE, fillOpacity=opacity).encode(x=x, x2="b:Q")
        return drawn

    layers = [bar("best", "worst", 3, 1)]
    if "kept_best" in rows[0]:
        layers.append(bar("kept_best", "kept_worst", 12, 0.45))
    point = chart.mark_point(shape="diamond", size=55, filled=True, fill=TEXT, opacity=1)
    return alt.layer(*layers, point.encode(x=alt.X("rank:Q", scale=scale)))
