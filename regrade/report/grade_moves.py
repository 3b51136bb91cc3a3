"""Moves between grades as matrices and flow charts show them: which grades, in what order, by which bands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from regrade.report.page import Grade

STATUSES = ("passed", "failed", "ungraded", "none")
WAYS = {
    ("failed", "passed"): "fail to pass",
    ("passed", "failed"): "pass to fail",
    ("passed", "ungraded"): "to ungraded",
    ("failed", "ungraded"): "to ungraded",
    ("ungraded", "passed"): "from ungraded",
    ("ungraded", "failed"): "from ungraded",
}
NEW = "newly graded"


def grade_of(pair: Sequence[Any]) -> Grade:
    """Status and code, as a transition of a summary holds them."""
    return (pair[0], pair[1])


def grade_sums(moves: Iterable[Mapping[str, Any]], end: str) -> dict[Grade, int]:
    """How many trials stand at each grade of one end of the moves, `from` or `to`."""
    sums: dict[Grade, int] = {}
    for move in moves:
        sums[grade_of(move[end])] = sums.get(grade_of(move[end]), 0) + move["trials"]
    return sums


def most_common(sums: Mapping[Grade, int], most: int) -> list[Grade]:
    """The grades of most trials, those of a status together."""
    kept = sorted(sums, key=lambda grade: (-sums[grade], grade[0], grade[1] or ""))[:most]
    return sorted(kept, key=lambda grade: (STATUSES.index(grade[0]), -sums[grade], grade[1] or ""))


def bands(moves: Sequence[Mapping[str, Any]], most: int) -> list[tuple[str, str, int, str]]:
    """The rows of a flow chart, at most `most`, the widest: from, to, trials and the way that they move."""
    down, across = (most_common(grade_sums(moves, end), len(moves)) for end in ("from", "to"))
    shown = sorted(moves, key=lambda move: -move["trials"])[:most]
    shown.sort(key=lambda move: (down.index(grade_of(move["from"])), across.index(grade_of(move["to"]))))
    return [(_text(m["from"]), _text(m["to"]), m["trials"], _way(m["from"][0], m["to"][0])) for m in shown]


def _way(old: str, new: str) -> str:
    return "recoded" if old == new else WAYS.get((old, new), NEW)


def _text(grade: Sequence[Any]) -> str:
    return f"{grade[0]} {grade[1]}" if grade[1] else str(grade[0])
