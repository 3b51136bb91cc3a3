"""Pairs of a diff: one candidate of A beside one of B, as a matrix and as charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regrade.flips.diff import SIDES
from regrade.report.charts import Chart
from regrade.report.grade_moves import bands, grade_sums, most_common
from regrade.report.page import plural

MOST = 30
"""Bars, or bands, of a chart at most."""
ROWS, COLUMNS = 40, 12
"""Grades down and across a matrix at most, those of most cells."""
WAYS = {"fail_to_pass": "fail to pass", "pass_to_fail": "pass to fail"}

Block = Mapping[str, Any]


def pair_name(block: Block) -> str:
    """The candidate, or both where they are not of one name."""
    one, other = (str(block[side]["candidate"]) for side in SIDES)
    return one if one == other else f"{one} \u2192 {other}"


def transition_matrix(block: Block) -> dict[str, Any]:
    """The changed cells of a pair by their grade in A, down, and in B, across.

    Returns:
        `columns`: grades; `rows`: (grade, a spread or None for each column); `left_out`: transitions that have no
        place in it, since their grades are those of fewest cells.
    """
    moves = block["transitions"]
    rows, columns = (most_common(grade_sums(moves, end), most) for end, most in (("from", ROWS), ("to", COLUMNS)))
    cells = {(tuple(move["from"]), tuple(move["to"])): move for move in moves}
    shown = [(row, [cells.get((row, column)) for column in columns]) for row in rows]
    placed = sum(cell is not None for _, line in shown for cell in line)
    return {"columns": columns, "rows": shown, "left_out": len(moves) - placed}


def pair_charts(compared: Sequence[Block]) -> dict[str, Chart]:
    """Flips both ways of each pair, or of each item where there is one pair; where the first one's go."""
    moving = [block for block in compared if block["transitions"]]
    if not moving:
        return {}
    flipping = [block for block in moving if any(block[way]["trials"] for way in WAYS)]
    charts = {}
    if flipping:
        charts["flips"] = _pairs(flipping, len(compared)) if len(compared) > 1 else _items(flipping[0])
    charts["flow"] = _flow(next(iter(flipping or moving)))
    return charts


def _pairs(flipping: Sequence[Block], compared: int) -> Chart:
    ordered = sorted(flipping, key=lambda block: -_flips(block))
    most = ordered[0]
    rows = [(f"{block['axis']}, {pair_name(block)}", *_ways(block)) for block in ordered[:MOST]]
    return Chart(
        kind="flips",
        name="pairs",
        title=f"Of {compared} pairs {len(flipping)} flip; most {pair_name(most)} on {most['axis']}: {_told(most)}"
        f"{_of(most)}{_cut(len(flipping), 'pairs')}",
        text="Bars of each pair: to the right fail to pass, to the left pass to fail.",
        columns=("candidate", "up", "down"),
        rows=rows,
        headings=("Pair", "Fail to pass", "Pass to fail"),
        options={"axis": "Cells that flip from A to B"},
    )


def _items(block: Block) -> Chart:
    groups = [group for group in block["by"]["item"] if any(way in group for way in WAYS)]
    rows = [(group["name"], *_ways(group)) for group in groups[:MOST]]
    return Chart(
        kind="flips",
        name="items",
        title=f"Flips come from {plural(len(groups), 'item')}: {_told(block)}{_of(block)}{_cut(len(groups), 'items')}",
        text="Bars of each item: to the right fail to pass, to the left pass to fail.",
        columns=("candidate", "up", "down"),
        rows=rows,
        headings=("Item", "Fail to pass", "Pass to fail"),
        options={"axis": "Cells that flip from A to B"},
    )


def _flow(block: Block) -> Chart:
    moves = block["transitions"]
    recoded = f"{block['recoded']['trials']:,} recoded"
    return Chart(
        kind="flow",
        name="flow",
        title=f"{pair_name(block)} on {block['axis']}: {_told(block)}, {recoded}{_of(block)};"
        f" the {block['same']['trials']:,} that stay the same are not drawn{_cut(len(moves), 'bands')}",
        text="Bands from the grade in A on the left to the grade in B on the right, as wide as the cells.",
        columns=("from", "to", "trials", "way"),
        rows=bands(moves, MOST),
        headings=("In A", "In B", "Cells", "Change"),
        options={"left": "A", "right": "B"},
    )


def _ways(counts: Block) -> tuple[int, ...]:
    return tuple(counts[way]["trials"] if way in counts else 0 for way in WAYS)


def _flips(block: Block) -> int:
    return sum(_ways(block))


def _told(block: Block) -> str:
    up, down = _ways(block)
    return f"{plural(up, 'cell')} from fail to pass, {down:,} from pass to fail"


def _of(block: Block) -> str:
    return f", of {block['a']['cells']:,} in A and {block['b']['cells']:,} in B"


def _cut(number: int, what: str) -> str:
    return f"; of {number:,} {what} the {MOST} of most cells are drawn" if number > MOST else ""
