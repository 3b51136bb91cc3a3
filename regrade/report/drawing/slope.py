"""Ranks before and after, as a line a configuration."""

from __future__ import annotations

from typing import Any

import altair as alt

from regrade.report.drawing.ink import BLUE, ORANGE, QUIET, TEXT, Drawn
from regrade.report.drawing.names import short

WAYS = ("rank rises", "same rank", "rank falls")
KEY = "By colour and dash, not by slope: those that share a rank (=) stand below one another"
DASHES = ([1, 0], [2, 3], [7, 3])
WIDTH = 690
MIDDLE, ROOM = 190, 250
"""Pixels between the two sides, and of a name beside them."""
STEP = 19
LONG = 36
"""Characters of a name beyond which all are set smaller."""


def draw(rows: list[dict[str, Any]], options: dict[str, Any]) -> Drawn:
    """Draw the configurations in the order of their ranks on both sides, and lines between their places.

    Args:
        rows: `configuration`, `old` and `new`: ranks; `old_tied` and `new_tied`: how many share each.
        options: `left` and `right`: what the sides are called.
    """
    names = short(row["configuration"] for row in rows)
    left = sorted(range(len(rows)), key=lambda at: (rows[at]["old"], rows[at]["new"], at))
    right = sorted(range(len(rows)), key=lambda at: (rows[at]["new"], rows[at]["old"], at))
    lines, texts = [], [_text(0, -1, options["left"]), _text(1, -1, options["right"])]
    for at, row in enumerate(rows):
        ends = left.index(at), right.index(at)
        way = WAYS[1 + (row["new"] > row["old"]) - (row["new"] < row["old"])]
        lines += [{"line": at, "way": way, "side": side, "place": place} for side, place in enumerate(ends)]
        texts.append(_text(0, ends[0], f"{names[at]}  {_rank(row, 'old')}"))
        texts.append(_text(1, ends[1], f"{_rank(row, 'new')}  {names[at]}"))
    edge = ROOM / MIDDLE
    side = alt.X("side:Q", axis=None, scale=alt.Scale(domain=[-edge, 1 + edge], nice=False))
    place = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[len(rows) - 0.5, -1.5], nice=False))
    height = STEP * (len(rows) + 1)
    key = alt.Legend(title=KEY, titleLimit=WIDTH)
    ink = alt.Color("way:N", legend=key, scale=alt.Scale(domain=WAYS, range=[BLUE, QUIET, ORANGE]))
    dash = alt.StrokeDash("way:N", legend=key, scale=alt.Scale(domain=WAYS, range=DASHES))
    drawn = alt.Chart(alt.Data(values=lines), width=WIDTH, height=height)
    chart = drawn.mark_line(point=False).encode(x=side, y=place, detail="line:N", color=ink, strokeDash=dash)
    told = alt.Chart(alt.Data(values=texts)).encode(x=side, y=place, text="text:N")
    size = 12 if max(map(len, names)) <= LONG else 10
    left_names = told.mark_text(align="right", dx=-7, color=TEXT, fontSize=size)
    right_names = told.mark_text(align="left", dx=7, color=TEXT, fontSize=size)
    return alt.layer(
        chart, left_names.transform_filter("datum.side == 0"), right_names.transform_filter("datum.side == 1")
    )


def _text(side: int, place: int, text: str) -> dict[str, Any]:
    return {"side": side, "place": place, "text": text}


def _rank(row: dict[str, Any], key: str) -> str:
    """A rank, with an equals sign where others share it."""
    return f"{row[key]}{'=' if row[f'{key}_tied'] > 1 else ''}"
