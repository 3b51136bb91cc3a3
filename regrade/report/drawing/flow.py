"""Where trials go: bands from the frozen grades on the left to a candidate's on the right, as wide as their trials."""

from __future__ import annotations

from typing import Any, Literal

import altair as alt

from regrade.report.drawing.ink import BLUE, GOLD, GREEN, ORANGE, QUIET, TEXT, Drawn

COLOURS = {
    "fail to pass": BLUE,
    "pass to fail": ORANGE,
    "recoded": QUIET,
    "to ungraded": GOLD,
    "from ungraded": GREEN,
    "newly graded": TEXT,
}
LEFT, RIGHT = 180, 440
"""Pixels between which the bands run; the labels stand on both sides."""
WIDTH = 620
TALL = 300
"""Pixels of all trials together."""
LINE = 19
"""Pixels that a label takes at least."""
BAR = 7
STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Where a band's edges are told, of its way across; between them they are smooth."""
ENDS = ("from", "to")


def draw(rows: list[dict[str, Any]], options: dict[str, Any]) -> Drawn:
    """Draw a band a row, coloured by the kind of move; each end says its grade and its trials.

    Args:
        rows: `from` and `to`: a grade; `trials`; `way`: a key of COLOURS. Ends stand in the order of the rows.
        options: `left` and `right`: what the two sides are.
    """
    scale = TALL / max(sum(row["trials"] for row in rows), 1)
    ends = {end: _stacked(rows, end, scale) for end in ENDS}
    height = max(end["stop"] for side in ends.values() for end in side.values())
    used = {end: dict.fromkeys(side, 0.0) for end, side in ends.items()}
    bands = []
    for number, row in enumerate(rows):
        tops = []
        for end in ENDS:
            name = row[end]
            tops.append(ends[end][name]["top"] + used[end][name])
            used[end][name] += row["trials"] * scale
        for step in STEPS:
            top = tops[0] + (tops[1] - tops[0]) * step * step * (3 - 2 * step)
            bands.append(
                {
                    "band": number,
                    "way": row["way"],
                    "x": LEFT + BAR + (RIGHT - LEFT - 2 * BAR) * step,
                    "y": round(top, 1),
                    "y2": round(top + row["trials"] * scale, 1),
                }
            )
    ways = [way for way in COLOURS if any(row["way"] == way for row in rows)]
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, WIDTH], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[height, -24], nice=False), axis=None)
    scale_of = alt.Scale(domain=ways, range=[COLOURS[way] for way in ways])
    legend = alt.Legend(symbolType="square", symbolSize=160, symbolStrokeWidth=1)
    flow = (
        alt.Chart(alt.Data(values=bands), width=WIDTH, height=height + 24)
        # The edge keeps a band of one trial among thousands to be seen.
        .mark_area(fillOpacity=0.45, interpolate="monotone", strokeWidth=1)
        .encode(
            x=x,
            y=y,
            y2="y2:Q",
            fill=alt.Fill("way:N", title=None, scale=scale_of, legend=legend),
            stroke=alt.Stroke("way:N", title=None, scale=scale_of, legend=legend),
            detail="band:N",
        )
    )
    layers: list[Any] = [flow]
    for end, at, title in zip(ENDS, (LEFT, RIGHT), ("left", "right"), strict=True):
        align: Literal["left", "right"] = "right" if end == "from" else "left"
        towards = -1 if end == "from" else 1
        marks = [
            {
                "x": at, "x2": at - towards * BAR, "y": place["top"], "y2": place["top"] + place["tall"],
                "mid": place["top"] + place["tall"] / 2, "label": f"{name}: {place['trials']:,}",
            }
            for name, place in ends[end].items()
        ]  # fmt: skip
        side = alt.Chart(alt.Data(values=marks))
        layers += [
            side.mark_rect(fill=TEXT).encode(x=x, x2="x2:Q", y=y, y2="y2:Q"),
            side.mark_text(align=align, dx=6 * towards, limit=170).encode(
                x=x, y=alt.Y("mid:Q", axis=None), text="label:N"
            ),
            alt.Chart(alt.Data(values=[{"x": at, "y": -14, "label": options[title]}]))
            .mark_text(align=align, dx=6 * towards, fill=QUIET, limit=170)
            .encode(x=x, y=y, text="label:N"),
        ]
    return alt.layer(*layers)


def _stacked(rows: list[dict[str, Any]], end: str, scale: float) -> dict[str, dict[str, Any]]:
    """The ends of one side from above, each with its trials and its place in pixels."""
    sums: dict[str, int] = {}
    for row in rows:
        sums[row[end]] = sums.get(row[end], 0) + row["trials"]
    found, at = {}, 0.0
    for name, trials in sums.items():
        tall = trials * scale
        slot = max(tall, LINE - 4) + 4
        found[name] = {"trials": trials, "top": round(at + (slot - 4 - tall) / 2, 1), "tall": tall, "stop": at + slot}
        at += slot
    return found
