"""What a person is told of metrics and bands: all of them together, for the frozen grader and what differs from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType

from regrade.report.console import line, table
from regrade.report.rates import (
    Under,
    band_text,
    by_candidate,
    configurations_of,
    declared,
    gap_tables,
    panel_text,
    panels_of,
    percent,
    record_text,
)

ROWS = 20
"""Configurations in a table; the report has the others."""


def rate_lines(axes: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Tables of the metrics and of the bands, and a line for each metric on who leads and which gaps are supported.

    Args:
        axes: `axes` of the summary.
    """
    panels = panels_of(axes)
    for under in by_candidate(declared(axes, "metrics")):
        yield line("")
        yield _metric_table(under, panels)
        for name, block in under.blocks.items():
            for over, compared in gap_tables(block):
                yield line(_leader(name, over, compared))
    for under in by_candidate(declared(axes, "bands")):
        yield line("")
        yield _band_table(under, panels)
    rates = any(block[kind] for block in axes.values() for kind in ("metrics", "bands"))
    for name, panel in panels.items() if rates else ():
        yield line(f"Panel {panel_text(name, panel)}")


def _metric_table(under: Under, panels: Mapping[str, Any]) -> RenderableType:
    configurations = configurations_of(under)
    rows = [
        [name, *(record_text(block and block["configurations"].get(name)) for block in under.blocks.values())]
        for name in configurations[:ROWS]
    ]
    rows += [
        [f"{name} (pooled)", *(record_text(block and block["panels"][name]) for block in under.blocks.values())]
        for name in panels
    ]
    return table(f"Metrics under {_who(under, configurations)}", ["configuration", *under.blocks], rows)


def _band_table(under: Under, panels: Mapping[str, Any]) -> RenderableType:
    configurations = configurations_of(under)
    rows = [
        [name, *(_told(block and block["configurations"].get(name)) for block in under.blocks.values())]
        for name in configurations[:ROWS]
    ]
    rows += [
        [f"{name} (pooled)", *(_told(block and block["panels"][name]) for block in under.blocks.values())]
        for name in panels
    ]
    title = f"Verdicts that moved between repeats, under {_who(under, configurations)}"
    return table(title, ["configuration", *under.blocks], rows)


def _who(under: Under, configurations: list[str]) -> str:
    more = len(configurations) - ROWS
    return f"{', '.join(under.names)}{f'; {more:,} more configurations in the report' if more > 0 else ''}"


def _told(record: Mapping[str, Any] | None) -> str:
    form = f"; form moved {record['form_moved']:,}" if record and record["repeats"] else ""
    return f"{band_text(record)}{form}"


def _leader(name: str, over: str, compared: Mapping[str, Any]) -> str:
    called = [gap["called"] for gap in compared["gaps"].values()]
    counted = ", ".join(
        f"{called.count(each):,} {words}"
        for each, words in (("supported", "supported"), ("suggestive", "suggestive"), (None, "level"))
        if called.count(each)
    )
    nearest = min((gap["gap"] for gap in compared["gaps"].values()), default=0.0)
    return f"{name}, {over}: {compared['leader']} leads, the next {percent(nearest)[:-1]} points behind; gaps {counted}"
