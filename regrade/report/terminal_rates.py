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
    gap_tables,
    panel_text,
    panels_of,
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
    bands = by_candidate(declared(axes, "bands"))
    if bands:
        yield line("")
        yield _band_table(bands, panels)
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
    title = f"Metrics under {', '.join(under.names)}{_more(configurations)}"
    return table(title, ["configuration", *under.blocks], rows)


def _band_table(groups: Sequence[Under], panels: Mapping[str, Any]) -> RenderableType:
    """All bands under all candidates: there is one figure in a cell."""
    columns = {
        f"{name}: {', '.join(under.names)}": block
        for under in groups
        for name, block in under.blocks.items()
        if block is not None
    }
    configurations = sorted({name for block in columns.values() for name in block["configurations"]})
    rows = [
        [name, *(_told(block["configurations"].get(name)) for block in columns.values())]
        for name in configurations[:ROWS]
    ]
    rows += [[f"{name} (pooled)", *(_told(block["panels"][name]) for block in columns.values())] for name in panels]
    return table(f"Verdicts that moved between repeats{_more(configurations)}", ["configuration", *columns], rows)


def _more(configurations: Sequence[str]) -> str:
    more = len(configurations) - ROWS
    return f"; {more:,} more configurations in the report" if more > 0 else ""


def _told(record: Mapping[str, Any] | None) -> str:
    form = f"; form moved {record['form_moved']:,}" if record and record["repeats"] else ""
    return f"{band_text(record)}{form}"


def _leader(name: str, over: str, compared: Mapping[str, Any]) -> str:
    gaps = compared["gaps"].values()
    level = sum(gap["called"] is None for gap in gaps)
    if level == len(gaps):
        return f"{name}, {over}: all {level + 1:,} configurations are level"
    counts = {word: sum(gap["called"] == word for gap in gaps) for word in ("supported", "suggestive")}
    told = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    beside = f" with {plural(level, 'other')} level" if level else ""
    nearest = min(gap["gap"] for gap in gaps if gap["called"])
    return (
        f"{name}, {over}: {compared['leader']} leads{beside}, the next {100 * nearest:.2f} points behind; gaps: {told}"
    )
