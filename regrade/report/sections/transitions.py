"""Transitions: from which status and code to which the trials go under each candidate."""

from __future__ import annotations

from typing import Any

from regrade.report.charts import Chart, identifier
from regrade.report.grade_moves import bands, grade_of, grade_sums, most_common
from regrade.report.page import Grade, Page, change_of, direction_of, plural

ROWS, COLUMNS = 40, 12
"""Grades down and across a matrix at most, those of most trials; what the others have stands under them as one."""
BANDS = 30
"""Bands of a flow chart at most, the widest."""
OPEN = 6
"""Candidates that are open, declared ones."""
OTHERS: Grade = ("others", None)


def transitions(page: Page) -> dict[str, Any] | None:
    """Matrices of moved grades by candidate and tier, and a flow chart of each declared one."""
    axes: dict[str, Any] = {}
    charts: dict[str, Chart] = {}
    for axis, block in page.summary["axes"].items():
        if block["frozen"]["kind"] == "none":
            continue
        opened = page.corpus.declared(block["candidates"])[:OPEN]
        found = {
            name: {
                "open": name in opened,
                "tiers": {tier: _matrix(counts, block["tiers"][tier]) for tier, counts in candidate["tiers"].items()},
            }
            for name, candidate in block["candidates"].items()
        }
        if found:
            rest = [name for name in found if name not in opened]
            axes[axis] = {name: found[name] for name in (*opened, *rest)}
        if axis == page.corpus.axis:
            drawn = [name for name in opened if block["candidates"][name]["tiers"][page.widest]["transitions"]]
            charts |= {name: _flow(page, axis, name) for name in drawn}
    if not axes:
        return None
    return {"title": "Code transitions", "axes": axes, "charts": charts, "widest": page.widest}


def _matrix(counts: dict[str, Any], frozen: dict[str, Any]) -> dict[str, Any]:
    """The moved trials of a tier, from a frozen grade down to a candidate's across, with their sums."""
    moves = counts["transitions"]
    down, across = grade_sums(moves, "from"), grade_sums(moves, "to")
    rows, columns = most_common(down, ROWS), most_common(across, COLUMNS)
    cells: dict[tuple[Grade, Grade], int] = {}
    for move in moves:
        old, new = grade_of(move["from"]), grade_of(move["to"])
        key = (old if old in rows else OTHERS, new if new in columns else OTHERS)
        cells[key] = cells.get(key, 0) + move["trials"]
    heads = [*columns, *([OTHERS] if len(across) > len(columns) else [])]
    whole = {grade_of(each["grade"]): each["trials"] for each in frozen["grades"]}
    return {
        "columns": heads,
        "rows": [
            {
                "grade": row,
                "cells": [(cells.get((row, column)), *_view(row, column)) for column in heads],
                "moved": sum(cells.get((row, column), 0) for column in heads),
                "frozen": whole.get(row),
            }
            for row in [*rows, *([OTHERS] if len(down) > len(rows) else [])]
        ],
        "totals": [sum(n for (_, at), n in cells.items() if at == column) for column in heads],
        "moved": sum(cells.values()),
        "counts": counts,
    }


def _view(old: Grade, new: Grade) -> tuple[str, str | None]:
    """How the trials of a cell are searched: their direction and change; no direction where they are no search."""
    return ("", None) if OTHERS in (old, new) else (direction_of(old[0], new[0]), change_of(old, new))


def _flow(page: Page, axis: str, name: str) -> Chart:
    counts = page.summary["axes"][axis]["candidates"][name]["tiers"][page.widest]
    moves = counts["transitions"]
    rows = bands(moves, BANDS)
    told = [
        f"{plural(counts[way]['trials'], 'trial')} {text}"
        for way, text in (("fail_to_pass", "from fail to pass"), ("pass_to_fail", "from pass to fail"))
    ]
    told += [
        f"{counts[way]['trials']:,} {way.replace('_', ' ')}"
        for way in ("to_ungraded", "from_ungraded")
        if counts[way]["trials"]
    ]
    cut = f"; of {len(moves)} bands the {len(rows)} widest are drawn" if len(rows) < len(moves) else ""
    recodes = f", and recodes {counts['recoded']:,}" if counts["recoded"] else ""
    return Chart(
        kind="flow",
        name=f"flow_{identifier(axis, name)}",
        title=f"{name} moves {', '.join(told)}{page.bound(axis, name)}{recodes};"
        f" {counts['unmoved']:,} of {counts['trials']:,} trials in the tier {page.widest} do not move and are not"
        f" drawn{cut}",
        text=f"Bands from the frozen grade on the left to the grade under {name} on the right, as wide as the trials.",
        columns=("from", "to", "trials", "way"),
        rows=rows,
        headings=("Frozen grade", f"Under {name}", "Trials", "Move"),
        options={"left": "Frozen", "right": f"Under {name}"},
    )
