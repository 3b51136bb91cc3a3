"""Correcting: pass rates without the grader's errors, if it errs alike on every configuration.

That is an assumption. It is tested by lineage, and where the sample contradicts it or cannot check it nothing is shown.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from regrade.flips.stats import DECIMALS, LEVEL, Interval, undefined
from regrade.review.estimates import FAILED, PASSED, Grades, Label, Labels, error_rates
from regrade.review.totals import TAIL, log_chance

ASSUMPTION = (
    "The grader errs alike on every configuration: a trial that should pass is failed, and one that should fail is"
    " passed, with the same chance whichever made it."
)
CHECKED = 5
"""Labelled trials of each truth that a lineage needs: of an error that hits every second one, 31 of 32 show it."""
KINDS = {"false_penalty": (PASSED, FAILED), "false_credit": (FAILED, PASSED)}
"""What should be, and what an error says."""


def check_assumption(labels: Labels, grades: Grades) -> dict[str, Any]:
    """Compare each lineage's errors with those of all others.

    If the assumption holds for both graders that the draw is by, the moves of the trials of one truth are as shuffled
    among lineages, whatever the chance of each move to be drawn; so counts are compared as they were drawn, within
    cells of what else the draw is by, the frozen code aside; where it makes the chance to be drawn unequal within a
    move and cell, they cannot be. The chance is Fisher's, both sides, times the number of
    comparisons (Bonferroni).

    Returns:
        `checked`: the lineages with at least CHECKED labelled trials of each truth, in cells that others are in;
        `chance`: the smallest chance of any, at most 1; `least`: `{kind, lineage, errors, n, other_errors, other_n}`
        of that one; `refuted`: the chance is below 1 - LEVEL; `undefined`: why it cannot be checked, or null.
    """
    graded = grades.graded(labels.all)
    weights: dict[tuple[str | None, str], set[Fraction]] = {}
    for each in graded:
        weights.setdefault((each.move, each.cell), set()).add(labels.weight(each))
    unequal = any(len(each) > 1 for each in weights.values())
    lineages = sorted({each.of_lineage for each in graded})
    found: list[tuple[float, dict[str, Any]]] = []
    compared: dict[str, list[int]] = {name: [] for name in lineages}
    for kind, (truth, error) in KINDS.items():
        rows = [each for each in graded if each.label == truth]
        for name in lineages:
            cells = _cells(rows, grades, name, error)
            errors, n = (sum(mine[k] for mine, _ in cells) for k in (0, 1))
            other_errors, other_n = (sum(others[k] for _, others in cells) for k in (0, 1))
            compared[name].append(n)
            told = {"errors": errors, "n": n, "other_errors": other_errors, "other_n": other_n}
            found.append((both_sides(cells), {"kind": kind, "lineage": name, **told}))
    checked = [name for name in lineages if min(compared[name]) >= CHECKED]
    none = {"checked": checked, "chance": None, "least": None, "refuted": False}
    if unequal:
        reason = "the draw is by code with unequal chances, so that the counts of lineages cannot be compared"
        return {**none, "undefined": reason}
    if len(checked) < 2:
        return {
            **none,
            "undefined": f"{len(checked)} of {len(lineages)} lineages {'has' if checked else 'have'} {CHECKED} labelled"
            " trials that should pass"
            f" and {CHECKED} that should fail beside those of others, and a comparison takes two",
        }
    chance, least = min(found, key=lambda each: each[0])
    chance = min(1.0, chance * len(found))
    return {
        **none,
        "chance": round(chance, DECIMALS),
        "least": least,
        "refuted": chance < 1 - LEVEL,
        "undefined": None,
    }


Half = tuple[int, int]
"""Errors and trials."""


def _cells(rows: Sequence[Label], grades: Grades, name: str, error: str) -> list[tuple[Half, Half]]:
    """Of a lineage and of all others, in each cell that has both."""
    cells: dict[str, list[list[int]]] = {}
    for each in rows:
        cell = cells.setdefault(each.cell, [[0, 0], [0, 0]])[each.of_lineage != name]
        cell[0] += grades.of(each) == error
        cell[1] += 1
    return [((a, n), (b, m)) for (a, n), (b, m) in cells.values() if n and m]


def both_sides(cells: Sequence[tuple[Half, Half]]) -> float:
    """Chance of a count of errors as unlikely as the first halves', their totals within each cell given."""
    chances, seen = {0: 1.0}, 0
    for (errors, n), (other_errors, other_n) in cells:
        size, having = n + other_n, errors + other_errors
        seen += errors
        mine = {
            k: math.exp(log_chance(size, having, n, k)) for k in range(max(0, n + having - size), min(n, having) + 1)
        }
        sums: dict[int, float] = {}
        for (so_far, chance), (k, more) in itertools.product(chances.items(), mine.items()):
            sums[so_far + k] = sums.get(so_far + k, 0.0) + chance * more
        chances = sums
    # Equally likely counts differ in their last bits.
    return min(1.0, math.fsum(chance for chance in chances.values() if chance <= chances[seen] * (1 + 1e-7)))


def corrected(
    labels: Labels,
    grades: Grades,
    passes: Mapping[str, tuple[int, int]],
    lineages: Mapping[str, str],
) -> dict[str, Any]:
    """Pass rates of configurations, corrected with the error rates of all of them together.

    With a the false-penalty and b the false-credit rate, (passed - b) / (1 - a - b) (Rogan and Gladen 1978). The
    interval is for the configuration's own trials in this corpus: a, b and how many errors happen to fall on it are
    each bounded at a third of the chance.

    Args:
        labels: those of the sample.
        grades: the grader's.
        passes: configuration to the trials that the grader passed, and those it graded.
        lineages: configuration to its lineage.

    Returns:
        `{assumption, check, undefined, configurations}`: `check` as `check_assumption` gives it, null where a rate
        is undefined; by configuration `{passed, n, rate, corrected, interval}`, those of lineages that could not
        be checked undefined; none where `undefined` says why.
    """
    found: dict[str, Any] = {"assumption": ASSUMPTION, "check": None, "undefined": None, "configurations": {}}
    rates = error_rates(labels, grades, tail=TAIL / 3)
    for kind in KINDS:
        if reason := rates[kind]["undefined"]:
            return {**found, "undefined": reason}
    check = found["check"] = check_assumption(labels, grades)
    if check["undefined"]:
        return {**found, "undefined": f"the assumption cannot be checked: {check['undefined']}"}
    if check["refuted"]:
        return {**found, "undefined": f"the assumption does not hold: {_told(check['least'])}"}
    for name, (passed, n) in sorted(passes.items()):
        value: float | None = None
        if lineages[name] not in check["checked"]:
            interval = undefined(f"too few labels of its lineage, under {CHECKED} of a truth")
        else:
            value, interval = _correct(rates, passed, n)
        found["configurations"][name] = {
            "passed": passed,
            "n": n,
            "rate": round(passed / n, DECIMALS) if n else None,
            "corrected": value,
            "interval": interval._asdict(),
        }
    return found


def _correct(rates: Mapping[str, Any], passed: int, n: int) -> tuple[float | None, Interval]:
    if not n:
        return None, undefined("it has no graded trial")
    a, b = (rates[kind]["rate"] for kind in KINDS)
    bounds = [(rates[kind]["in_corpus"]["low"], rates[kind]["in_corpus"]["high"]) for kind in KINDS]
    if sum(high for _, high in bounds) >= 1:
        return None, undefined("the grader may err so often that its passes tell nothing")
    ends = [end for corner in itertools.product(*bounds) for end in _with_chance(passed / n, n, *corner)]
    value = _without_errors(passed / n, a, b)
    return _clipped(value), Interval(_clipped(min(ends)), _clipped(max(ends)))


def _with_chance(rate: float, n: int, a: float, b: float) -> tuple[float, float]:
    """What a configuration of `n` trials may be, if a and b are the chances of an error and some fall on it by chance.

    The ends over all a and b are taken to be where both are at an end.
    """
    truth = _clipped(_without_errors(rate, a, b))
    spread = math.sqrt((truth * a * (1 - a) + (1 - truth) * b * (1 - b)) / n)
    off = NormalDist().inv_cdf(1 - TAIL / 3) * spread
    return _without_errors(rate - off, a, b), _without_errors(rate + off, a, b)


def _without_errors(rate: float, a: float, b: float) -> float:
    return (rate - b) / (1 - a - b)


def _clipped(rate: float) -> float:
    return round(min(1.0, max(0.0, rate)), DECIMALS)


def _told(least: Mapping[str, Any]) -> str:
    return (
        f"{least['kind'].replace('_', ' ')} {least['errors']} of {least['n']} for the lineage {least['lineage']},"
        f" {least['other_errors']} of {least['other_n']} for the others"
    )
