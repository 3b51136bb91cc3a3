"""Metrics: the declared rates side by side, with their denominators, intervals, gaps and splits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from regrade.files.rates import of_configuration
from regrade.flips.scopes import in_order, read_attributes
from regrade.report.page import Page
from regrade.report.rates import (
    Under,
    by_candidate,
    configurations_of,
    declared,
    gap_tables,
    meaning,
    panel_text,
    panels_of,
)

ROWS = 500
"""Rows of a table at most; the rest stand in summary.json."""
HEADINGS = {"lineage": "Lineage", "arm": "Arm"}
"""What stands beside each configuration, whatever the metrics are split by."""

Known = Mapping[str, Mapping[str, Any]]
"""By configuration, what it has of each name."""


def metrics(page: Page) -> dict[str, Any] | None:
    """Each metric's meaning, and under every candidate all of them by configuration, by panel and by split."""
    found = declared(page.summary["axes"], "metrics")
    if not found:
        return None
    panels = panels_of(page.summary["axes"])
    groups = by_candidate(found)
    known = read_attributes(page.con).configurations
    # A configuration has one value of what is its own: a split by it is a column and an order of the one table.
    own = dict.fromkeys(name for by in _splits(groups) if _of_configurations(by) for name in by)
    return {
        "title": "Metrics",
        "meanings": {name: meaning(axis, metric) for name, (axis, metric) in found.items()},
        "unseen": {name: metric["unseen"] for name, (_, metric) in found.items() if metric["unseen"]},
        "known": known,
        "columns": HEADINGS | {name: name for name in own if name not in HEADINGS},
        "panels": {name: panel_text(name, panel) for name, panel in panels.items()},
        "groups": [_group(under, tuple(own), known) for under in groups],
    }


def _group(under: Under, own: tuple[str, ...], known: Known) -> dict[str, Any]:
    rows = in_order((*(known[name].get(each) for each in own), name) for name in configurations_of(under))
    return {
        "names": under.names,
        "blocks": under.blocks,
        "total": len(rows),
        "configurations": [row[-1] for row in rows[:ROWS]],
        "gaps": [(name, over, table) for name, block in under.blocks.items() for over, table in _gap_tables(block)],
        "splits": [_split(under, by) for by in _splits([under]) if not _of_configurations(by)],
    }


def _splits(groups: list[Under]) -> list[tuple[str, ...]]:
    """What any metric is split by, in the order of declaration."""
    blocks = [block for under in groups for block in under.blocks.values() if block]
    return list(dict.fromkeys(tuple(split["by"]) for block in blocks for split in block["by"]))


def _of_configurations(by: tuple[str, ...]) -> bool:
    return all(map(of_configuration, by))


def _gap_tables(block: Mapping[str, Any] | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """The comparisons of a block, and those of its parts by what configurations have, where they are others."""
    shown = []
    for over, table in gap_tables(block):
        shown.append(table)
        yield over, table
    for split in block["by"] if block else []:
        if _of_configurations(tuple(split["by"])):
            for part in split["parts"]:
                for over, table in gap_tables(part):
                    if table not in shown:
                        shown.append(table)
                        yield f"{over}, {_named(split['by'], part['values'])}", table


def _named(names: list[str], values: list[Any]) -> str:
    return " and ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))


def _split(under: Under, by: tuple[str, ...]) -> dict[str, Any]:
    """One split with every metric in it: `rows` of values, configuration and a cell a metric.

    A cell is `(record, gap, over_all)`. Where a metric is not split so, or has no trial in a part, the record is the
    configuration's over all its items and `over_all` holds: a rate of silence never stands without one of answers.
    """
    parts: dict[str, dict[str, dict[str, Any]]] = {}
    values: dict[str, tuple[Any, ...]] = {}
    for metric, block in under.blocks.items():
        for split in block["by"] if block else []:
            for part in split["parts"] if tuple(split["by"]) == by else []:
                # As text, since a list in a gold is no key.
                key = repr(part["values"])
                values[key] = tuple(part["values"])
                parts.setdefault(key, {})[metric] = part
    rows = [
        (
            value,
            name,
            [_cell(parts[repr(list(value))].get(metric), block, name) for metric, block in under.blocks.items()],
        )
        for value in in_order(values.values())
        for name in sorted({name for part in parts[repr(list(value))].values() for name in part["configurations"]})
    ]
    return {"by": by, "total": len(rows), "rows": rows[:ROWS]}


def _cell(part: dict[str, Any] | None, block: dict[str, Any] | None, name: str) -> tuple[Any, Any, bool]:
    if part and name in part["configurations"]:
        return part["configurations"][name], _gap(part, name), False
    return (block["configurations"].get(name) if block else None), None, True


def _gap(part: dict[str, Any], configuration: str) -> dict[str, Any] | str | None:
    """A configuration's gap to the leader of its part and arm over graded trials, or that it is the leader."""
    for compared in (each["of_graded"] for each in part["gaps"] if each["of_graded"]):
        if configuration == compared["leader"]:
            return "leads"
        if configuration in compared["gaps"]:
            gap: dict[str, Any] = compared["gaps"][configuration]
            return gap
    return None
