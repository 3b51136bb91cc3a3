"""Metrics: the declared rates side by side, with their denominators, intervals, gaps and splits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from regrade.files.rates import of_configuration
from regrade.flips.scopes import in_order, read_attributes
from regrade.grades.plan import FROZEN
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
    unseen_text,
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
        "unseen": [unseen_text(name, metric["unseen"]) for name, (_, metric) in found.items() if metric["unseen"]],
        "known": known,
        "columns": HEADINGS | {name: name for name in own if name not in HEADINGS},
        "panels": {name: panel_text(name, panel) for name, panel in panels.items()},
        "ratios": [name for name, (_, metric) in found.items() if metric["ratio"]],
        "groups": [_group(under, _frozen(groups, under), tuple(own), known, panels) for under in groups],
    }


def _frozen(groups: list[Under], under: Under) -> Under | None:
    """What stands under the frozen grader, where that is told apart from `under`."""
    return groups[0] if FROZEN in groups[0].names and under is not groups[0] else None


def _group(
    under: Under, frozen: Under | None, own: tuple[str, ...], known: Known, panels: Iterable[str]
) -> dict[str, Any]:
    """The figures of a group; what is as under `frozen` stands there, and is counted here in `alike`."""
    names = configurations_of(under)
    moved = [name for name in names if not _is_as(under, frozen, "configurations", name)]
    rows = in_order((*(known[name].get(each) for each in own), name) for name in moved)
    return {
        "names": under.names,
        "blocks": under.blocks,
        "total": len(rows),
        "alike": len(names) - len(moved),
        "configurations": [row[-1] for row in rows[:ROWS]],
        "panels": [name for name in panels if not _is_as(under, frozen, "panels", name)],
        "gaps": [(name, over, table) for name, block in under.blocks.items() for over, table in _gap_tables(block)],
        "splits": [_split(under, frozen, by) for by in _splits([under]) if not _of_configurations(by)],
    }


def _is_as(under: Under, frozen: Under | None, kind: str, name: str) -> bool:
    """Whether every metric has the record of a configuration or panel that it has under the frozen grader."""
    return frozen is not None and _records(under, kind, name) == _records(frozen, kind, name)


def _records(under: Under, kind: str, name: str) -> list[Any]:
    return [block and block[kind].get(name) for block in under.blocks.values()]


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


def _split(under: Under, frozen: Under | None, by: tuple[str, ...]) -> dict[str, Any]:
    """One split with every metric in it; rows that are as under `frozen` are counted in `alike`."""
    rows = _rows(under, by)
    known = {_place(row): row for row in _rows(frozen, by)} if frozen else {}
    moved = [row for row in rows if row != known.get(_place(row))]
    return {"by": by, "total": len(moved), "alike": len(rows) - len(moved), "rows": moved[:ROWS]}


def _place(row: tuple[Any, ...]) -> tuple[str, str]:
    """Values and configuration of a row, the first as text, since a list in a gold is no key."""
    return repr(row[0]), row[1]


def _rows(under: Under, by: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Values, configuration and a cell a metric.

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
    return [
        (
            value,
            name,
            [_cell(parts[repr(list(value))].get(metric), block, name) for metric, block in under.blocks.items()],
        )
        for value in in_order(values.values())
        for name in sorted({name for part in parts[repr(list(value))].values() for name in part["configurations"]})
    ]


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
