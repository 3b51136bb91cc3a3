"""What a person is told of metrics and bands: all of them together, for the frozen grader and what differs from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType

from regrade.report.console import line, table
from regrade.report.page import plural
from regrade.report.rates import (
    Under,
    band_text,
    by_candidate,
    configurations_of,
    declared,
    panel_text,
    panels_of,
    record_text,
)

ROWS = 20
"""Configurations in a table; the report has the others."""
LEADERS = ["metric", "arm", "trials", "who leads", "points to the next", "gaps supported", "suggestive"]


def rate_lines(axes: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Tables of the metrics, of who leads on each and which gaps are supported, and of the bands.

    Under a candidate only what differs from the first table, that of the frozen grader, is shown.

    Args:
        axes: `axes` of the summary.
    """
    panels = panels_of(axes)
    groups = by_candidate(declared(axes, "metrics"))
    first_rows, first_leaders = (_metric_rows(groups[0], panels), _leaders(groups[0])) if groups else ([], [])
    for under in groups:
        first = under is groups[0]
        told = f"under {', '.join(under.names)}{'' if first else ', where that differs'}"
        yield line("")
        rows = [row for row in _metric_rows(under, panels) if first or row not in first_rows]
        yield _table(f"Metrics {told}", ["configuration", *under.blocks], rows)
        if leaders := [row for row in _leaders(under) if first or row not in first_leaders]:
            yield line("")
            yield table(f"Leaders {told}", LEADERS, leaders, left=4)
    bands = by_candidate(declared(axes, "bands"))
    if bands:
        yield line("")
        yield from _band_lines(bands, panels)
    for name, panel in panels.items() if groups or bands else ():
        yield line(f"Panel {panel_text(name, panel)}")


def _table(title: str, columns: list[str], rows: Sequence[list[str]]) -> RenderableType:
    more = len(rows) - ROWS
    return table(f"{title}{f'; {more:,} more rows in the report' if more > 0 else ''}", columns, rows[:ROWS])


def _metric_rows(under: Under, panels: Mapping[str, Any]) -> list[list[str]]:
    rows = [
        [name, *(record_text(block and block["configurations"].get(name)) for block in under.blocks.values())]
        for name in configurations_of(under)
    ]
    pooled = [
        [f"{name} (pooled)", *(record_text(block and block["panels"][name]) for block in under.blocks.values())]
        for name in panels
    ]
    return [*pooled, *rows]


def _band_lines(groups: Sequence[Under], panels: Mapping[str, Any]) -> Iterator[RenderableType]:
    """All bands under all candidates, since there is one figure in a cell; who has no repeat is counted."""
    columns = {
        f"{name}: {', '.join(under.names)}": block
        for under in groups
        for name, block in under.blocks.items()
        if block is not None
    }
    records = {f"{name} (pooled)": [block["panels"][name] for block in columns.values()] for name in panels} | {
        name: [block["configurations"].get(name) for block in columns.values()]
        for name in sorted({name for block in columns.values() for name in block["configurations"]})
    }
    rows = [
        [name, *map(_told, found)] for name, found in records.items() if any(each and each["repeats"] for each in found)
    ]
    if rows:
        yield _table("Verdicts that moved between repeats", ["configuration", *columns], rows)
    if without := len(records) - len(rows):
        yield line(f"No repeats: {plural(without, 'row')}; no item there has a second trial")


def _told(record: Mapping[str, Any] | None) -> str:
    form = f"; form moved {record['form_moved']:,}" if record and record["repeats"] else ""
    return f"{band_text(record)}{form}"


def _leaders(under: Under) -> list[list[str]]:
    """A row for each metric, arm and denominator: who leads, how far behind the next is, how the gaps are called."""
    return [
        [name, compared["arm"] or "", words, *_leader(compared[over])]
        for name, block in under.blocks.items()
        for compared in (block["gaps"] if block else [])
        for over, words in (("of_graded", "graded"), ("of_all", "all"))
        if compared[over]
    ]


def _leader(compared: Mapping[str, Any]) -> list[str]:
    called = [gap["called"] for gap in compared["gaps"].values()]
    level = called.count(None)
    counts = [f"{called.count(word):,}" for word in ("supported", "suggestive")]
    if level == len(called):
        return [f"all {level + 1:,} level", "", *counts]
    leads = f"{compared['leader']} and {plural(level, 'other')}" if level else compared["leader"]
    nearest = min(gap["gap"] for gap in compared["gaps"].values() if gap["called"])
    return [leads, f"{100 * nearest:.2f}", *counts]
