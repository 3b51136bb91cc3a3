"""What the flips of each candidate come to wherever a tier's limit is set: steps over every limit."""

from __future__ import annotations

from typing import Any

import altair as alt

from regrade.report.drawing.ink import BLUE, GOLD, GREEN, ORANGE, QUIET, TEXT, Drawn

COLOURS = (BLUE, ORANGE, GREEN, GOLD, TEXT, QUIET)
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [12, 4], [1, 4])
"""With the colours, one of each a line."""
WIDTH = 560
PANELS = (("up", "failed", "Fail to pass, of failed", 170), ("down", "passed", "Pass to fail, of passed", 110))


def draw(rows: list[dict[str, Any]], options: dict[str, Any]) -> Drawn:
    """Draw the share of failed trials that flip, that of passed ones, and the configurations, over the limit.

    Args:
        rows: by rising `limit` (0 to 1), each holding down to the one before: `configurations`, `failed`, `passed`,
            and of the candidate at each place `up_0`, `down_0`, ...: trials.
        options: `candidates`: their names, as many as there are COLOURS at most. `tiers` and `limits`: the declared
            ones.
    """
    held = [{**rows[0], "limit": 0.0}, *rows] if rows[0]["limit"] else rows
    x = alt.X("limit:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=None)
    names = options["candidates"]
    legend = alt.Legend(symbolType="stroke", symbolSize=900)
    encoded = {
        key: of("candidate:N", title=None, sort=None, scale=alt.Scale(domain=names, range=list(each)), legend=legend)
        for key, of, each in (("color", alt.Color, COLOURS), ("strokeDash", alt.StrokeDash, DASHES))
    }
    limits = [{"limit": at, "tier": name} for name, at in zip(options["tiers"], options["limits"], strict=True)]
    rules = alt.Chart(alt.Data(values=limits), width=WIDTH)
    rule = rules.mark_rule(stroke=TEXT, strokeDash=[4, 4]).encode(x=x)
    panels: list[Any] = []
    for way, of, title, height in PANELS:
        lines = {
            name: [(row["limit"], row[f"{way}_{number}"] / row[of] if row[of] else None) for row in held]
            for number, name in enumerate(names)
        }
        finest = max(each for line in lines.values() for _, each in line if each is not None) / height / 2
        shares = [
            {"limit": limit, "candidate": name, "share": each}
            for name, line in lines.items()
            for limit, each in _seen(line, finest)
        ]
        share = alt.Y("share:Q", title=title, axis=alt.Axis(format="~%", tickCount=4))
        drawn = alt.Chart(alt.Data(values=shares), width=WIDTH, height=height).mark_line(interpolate="step-before")
        panels.append(alt.layer(drawn.encode(x=x, y=share, **encoded), rule))
    under = alt.X(
        "limit:Q",
        title="Limit: the frozen pass rate that a configuration must have",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(format="~%", tickCount=10),
    )
    count = alt.Y("configurations:Q", title="Configurations", stack=None, axis=alt.Axis(tickCount=3, tickMinStep=1))
    numbers = [{"limit": row["limit"], "configurations": row["configurations"]} for row in held]
    area = alt.Chart(alt.Data(values=numbers), width=WIDTH, height=90).mark_area(
        interpolate="step-before", fill=QUIET, fillOpacity=0.35
    )
    panels.append(alt.layer(area.encode(x=under, y=count), rule))
    if limits:
        told = rules.mark_text(align="center", dy=-7, limit=120).encode(x=x, y=alt.value(0), text="tier:N")
        panels[0] = alt.layer(panels[0], told)
    whole: Drawn = alt.vconcat(*panels, spacing=14).resolve_scale(y="independent")
    return whole


def _seen(line: list[tuple[float, float | None]], finest: float) -> list[tuple[float, float | None]]:
    """The steps of a line that are seen: of those that differ by less than half a pixel the last."""
    kept: list[tuple[float, float | None]] = []
    for limit, share in line[::-1]:
        after = kept[-1][1] if kept else None
        same = share is after if share is None or after is None else abs(share - after) < max(finest, 1e-9)
        if not kept or not same or limit == 0:
            kept.append((limit, share))
    return kept[::-1]
