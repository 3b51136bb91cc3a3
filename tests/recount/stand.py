"""Whether a number of a page stands in what its section may show: as it is, or as a share of one in another."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations
from typing import Any

from tests.recount.page import NUMBER, Texts, Unit

ALWAYS = ("corpus", "axes.*.tiers", "axes.*.parity")
SECTIONS: dict[str, tuple[str, ...]] = {
    "header": (),
    "answer": ("axes.*.candidates", "axes.*.breakdowns.*.lineage", "axes.*.metrics", "axes.*.ranks", "samples"),
    "limits": ("axes.*.candidates", "axes.*.breakdowns.*.lineage", "samples"),
    "integrity": ("axes.*.gains", "versions"),
    "tiers": ("axes.*.cutoffs", "axes.*.curve", "axes.*.tier_changes"),
    "candidates": ("axes.*.candidates",),
    "needs": ("axes.*.candidates",),
    "transitions": ("axes.*.candidates",),
    "metrics": ("axes.*.metrics", "axes.*.panels"),
    "bands": ("axes.*.bands", "axes.*.panels"),
    "breakdowns": ("axes.*.items", "axes.*.families", "axes.*.breakdowns", "axes.*.gains"),
    "beyond": ("axes.*.beyond", "axes.*.candidates"),
    "partitions": ("axes.*.partitions",),
    "ranks": ("axes.*.ranks",),
    "items": ("axes.*.items", "axes.*.item_lists", "axes.*.item_matrix", "axes.*.probes"),
    "probes": ("axes.*.probes", "axes.*.idle_passes"),
    "rules": ("rules",),
    "review": ("samples",),
    "evidence": ("axes.*.candidates",),
}
"""What of the summary each section may show, beside `ALWAYS`."""

WORDS = re.compile(
    "at 95%|95% intervals?|over 90% identical|"  # the level of an interval; above what replies are called identical
    # A method's name; how many rows the page's script shows at once; the label of a kind of move.
    r"up to 3 divided by their number|the rule of three: after 30 alike, up to 10%|Show 100 more|Kind [\\d,]+"
)
"""Words whose numbers are no figures of a corpus: what the product holds for all of them."""
LENGTH = re.compile(
    r"(?::| of) ([\d,]+) rows?(?:; [\d,]+ more are as under the frozen grader)?$|"
    r"^Verdicts that moved: ([\d,]+)$|, ([\d,]+) of [\d,]+ shown$"
)
"""What says how many rows the next table has."""


class Known:
    """The numbers of some parts of a summary: those that stand there, and how long its lists and tables are."""

    def __init__(self, parts: Collection[Any]) -> None:
        self.whole: set[int] = set()
        self.floats: set[float] = set()
        self._said: list[str] = []
        for part in parts:
            self._take(part)
        self.said = "\n".join(self._said)

    def _take(self, part: Any) -> None:
        if isinstance(part, dict | list):
            self.whole.add(len(part))
            for each in part.values() if isinstance(part, dict) else part:
                self._take(each)
            if isinstance(part, dict):
                self._said += map(str, part)
                self.whole |= set(_sums(part))
        elif isinstance(part, bool) or part is None:
            return
        elif isinstance(part, int):
            self.whole.add(part)
        elif isinstance(part, float):
            self.floats.add(part)
            if part.is_integer():
                self.whole.add(int(part))
        else:
            self._said.append(str(part))

    def holds(self, number: str, beside: Collection[int]) -> bool:
        """Whether a number stands here, rounded as it is shown; of a percentage, a share in a number beside it too."""
        if number.startswith("< "):
            return any(0 <= known < float(number[2:]) for known in self.floats)
        bare = number.replace(",", "").replace("\u2212", "-").lstrip("+")
        value = bare.removesuffix(" points").rstrip("%")
        digits = len(value.partition(".")[2])
        scale = 100 if number.endswith(("%", "points")) else 1
        if not digits and scale == 1:
            return abs(int(value)) in self.whole or int(value) in self.whole or self._quoted(value)
        if any(f"{scale * known:.{digits}f}" == value for known in self.floats):
            return True
        if scale == 1:
            return self._quoted(value)
        half = 0.51 * 10.0**-digits
        return any(
            part in self.whole and f"{100 * part / whole:.{digits}f}" == value
            for whole in beside
            for part in range(int((float(value) - half) * whole / 100), int((float(value) + half) * whole / 100) + 2)
            if whole
        )

    def _quoted(self, value: str) -> bool:
        """Whether a text of the summary has it: a reason or a warning says numbers."""
        return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.]|\.\d)", self.said) is not None


def _sums(block: dict[str, Any]) -> Iterator[int]:
    """What a sentence may add up: graded trials, and moved ones."""
    for one, other, sign in (("passed", "failed", 1), ("trials", "unmoved", -1)):
        if isinstance(block.get(one), int) and isinstance(block.get(other), int):
            yield block[one] + sign * block[other]


def _parts(summary: Any, path: str) -> Iterator[Any]:
    head, _, rest = path.partition(".")
    if not path:
        yield summary
    elif head == "*":
        for each in summary.values():
            yield from _parts(each, rest)
    elif head in summary:
        yield from _parts(summary[head], rest)


def strings(part: Any) -> Iterator[str]:
    """Every key and text of a tree."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield str(key)
            yield from strings(value)
    elif isinstance(part, list):
        for value in part:
            yield from strings(value)
    elif isinstance(part, str):
        yield part


def homeless(
    text: str, summary: dict[str, Any], names: Collection[str] = (), stored: Mapping[str, Collection[Any]] | None = None
) -> Iterator[tuple[str, str, str]]:
    """The numbers of a page that stand nowhere: `(section, number, text)`.

    Args:
        text: the page.
        summary: its summary.
        names: names that the page may show besides those in the summary.
        stored: by section what it may show of a table of the store.
    """
    known: dict[str, Known] = {}
    texts = Texts(text, {*strings(summary), *names})
    units = texts.units
    # The last row of a table has its totals, a caption its denominators.
    totals = {unit.table: unit for unit in units if unit.table}
    captions = {unit.table: unit for unit in reversed(units) if unit.table}
    for unit in units:
        if unit.section not in known:
            paths = (*ALWAYS, *SECTIONS[unit.section])
            parts = [part for path in paths for part in _parts(summary, path)]
            known[unit.section] = Known([*parts, *(stored or {}).get(unit.section, ())])
        length = LENGTH.search(unit.text)
        if length and int(length[length.lastindex or 0].replace(",", "")) != texts.rows[unit.after or unit.table]:
            yield unit.section, length[0], unit.text
        yield from ((unit.section, number, unit.text) for number in _homeless(
            unit, known[unit.section], [of[unit.table] for of in (totals, captions) if unit.table]
        ))  # fmt: skip


def _row_sums(numbers: list[str]) -> set[str]:
    """What is the sum of all whole numbers that stand before it in its row."""
    found, total = set(), 0
    for number in numbers:
        if re.fullmatch(r"[\d,]+", number):
            if int(number.replace(",", "")) == total:
                found.add(number)
            total += int(number.replace(",", ""))
    return found


def _homeless(unit: Unit, known: Known, around: Collection[Unit]) -> Iterator[str]:
    numbers = NUMBER.findall(LENGTH.sub("", WORDS.sub("", unit.text)))
    near = [n for each in ([unit, *around]) for n in each.numbers]
    beside = {int(n.replace(",", "")) for n in near if re.fullmatch(r"\d[\d,]*", n)}
    beside |= {one + other for one, other in combinations(sorted(beside), 2)}
    for number in numbers:
        if not known.holds(number, beside) and not (unit.table and number in _row_sums(numbers)):
            yield number
