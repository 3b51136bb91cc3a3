"""Ranks before and after, as a line a configuration."""

from __future__ import annotations

from typing import Any

import altair as alt

from regrade.report.drawing.ink import BLUE, ORANGE, QUIET, TEXT, Drawn

WAYS = ("up", "same rank", "down")
DASHES = ([1, 0], [2, 3], [7, 3])
WIDTH = 690
MIDDLE, ROOM = 190, 250
"""Pixels between the two sides, and of a name beside them."""
STEP = 19


def draw(rows: list[dict[str, Any]], options: dict[str, Any]) -> Drawn:
    """Draw the configurations in the order of their ranks on both sides, and lines between their places.

    Args:
        rows: `configuration`, `old` and `new`: ranks; `old_tied` and `new_tied`: how many share each.
        options: `left` and `right`: what the sides are called.
    """
    left = sorted(rows, key=lambda row: (row["old"], row["new"], row["configuration"]))
    right = sorted(rows, key=lambda row: (row["new"], row["old"], row["configuration"]))
    places = {row["configuration"]: at for at, row in enumerate(right)}
    lines, names = [], [_head(0, options["left"]), _head(1, options["right"])]
    for at, row in enumerate(left):
        name, to = row["configuration"], places[row["configuration"]]
        way = WAYS[1 + (row["new"] > row["old"]) - (row["new"] < row["old"])]
        lines += [{"name": name, "way": way, "side": side, "place": place} for side, place in enumerate((at, to))]
        names += [
            {"side": 0, "place": at, "text": f"{name}  {_rank(row, 'old')}"},
            {"side": 1, "place": to, "text": f"{_rank(row, 'new')}  {name}"},
        ]
    edge = ROOM / MIDDLE
    side = alt.X("side:Q", axis=None, scale=alt.Scale(domain=[-edge, 1 + edge], nice=False))
    place = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[len(rows) - 0.5, -1.5], nice=False))
    height = STEP * (len(rows) + 1)
    ink = alt.Color("way:N", title=None, scale=alt.Scale(domain=WAYS, range=[BLUE, QUIET, ORANGE]))
    dash = alt.StrokeDash("way:N", title=None, scale=alt.Scale(domain=WAYS, range=DASHES))
    drawn = alt.Chart(alt.Data(values=lines), width=WIDTH, height=height)
    chart = drawn.mark_line(point=False).encode(x=side, y=place, detail="name:N", color=ink, strokeDash=dash)
    told = alt.Chart(alt.Data(values=names)).encode(x=side, y=place, text="text:N")
    left_names = told.mark_text(align="right", dx=-7, limit=ROOM - 10, color=TEXT)
    right_names = told.mark_text(align="left", dx=7, limit=ROOM - 10, color=TEXT)
    return alt.layer(
        chart, left_names.transform_filter("datum.side == 0"), right_names.transform_filter("datum.side == 1")
    )


def _head(side: int, text: str) -> dict[str, Any]:
    return {"side": side, "place": -1, "text": text}


def _rank(row: dict[str, Any], key: str) -> str:
    """A rank, with an equals sign where others share it."""
    return f"{row[key]}{'=' if row[f'{key}_tied'] > 1 else ''}"
