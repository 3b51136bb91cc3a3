"""Totals: how many trials of a frame have something, as far as a draw from each of its strata tells.

Only what was not drawn is uncertain, so nothing is assumed of how trials came about or hang together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from regrade.flips.stats import LEVEL

TAIL = (1 - LEVEL) / 2
"""Chance that one bound is on the wrong side of the truth, at most."""
STEPS = 20
"""Of a golden section; a bound is valid wherever it stops, and only less sharp where it stops early."""


class Part(NamedTuple):
    """One stratum: its trials, those drawn from it without replacement, and those drawn that have what is counted."""

    size: int
    drawn: int
    found: int


def at_least(parts: Sequence[Part], tail: float = TAIL) -> int:
    """Lower bound of how many trials of all strata have it, wrong with a chance of at most `tail`.

    A stratum drawn whole is known. Of a single other one the bound is exact: the smallest count under which a draw
    with as many as were found, or more, has a chance over `tail`. Of several it is Chernoff's on the weighted sum,
    under the most unfavourable split over the strata (Hoeffding 1963: a draw without replacement has no heavier tail
    than one with it), which is wider than an exact one would be.
    """
    known = sum(part.found for part in parts if part.drawn == part.size)
    open_parts = [part for part in parts if part.drawn < part.size]
    drawn = [part for part in open_parts if part.drawn]
    found = sum(part.found for part in drawn)
    if not found:
        return known
    if len(drawn) == 1:
        return known + _exact(drawn[0], tail)
    return known + max(found, math.ceil(_chernoff(tuple(sorted(drawn)), tail) - 1e-6))


def at_most(parts: Sequence[Part], tail: float = TAIL) -> int:
    """Upper bound of the same, from the lower bound of those that do not have it."""
    without = [Part(part.size, part.drawn, part.drawn - part.found) for part in parts]
    return sum(part.size for part in parts) - at_least(without, tail)


@cache
def _exact(part: Part, tail: float) -> int:
    low, high = part.found, part.size - part.drawn + part.found
    while low < high:
        middle = (low + high) // 2
        if chance_of_more(part.size, middle, part.drawn, part.found) > tail:
            high = middle
        else:
            low = middle + 1
    return low


def chance_of_more(size: int, having: int, drawn: int, found: int) -> float:
    """Chance that `drawn` of `size` trials, of which `having` have it, show at least `found` (hypergeometric)."""
    least, most = max(0, drawn + having - size), min(drawn, having)
    terms = range(max(found, least), most + 1)
    return math.fsum(math.exp(log_chance(size, having, drawn, k)) for k in terms)


def log_chance(size: int, having: int, drawn: int, found: int) -> float:
    """Logarithm of the chance of exactly `found`, which must be possible."""
    return _choose(having, found) + _choose(size - having, drawn - found) - _choose(size, drawn)


def _choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


@cache
def _chernoff(parts: tuple[Part, ...], tail: float) -> float:
    """Lower bound of the total: a total under it gives the weighted sum of what was found a chance of at most `tail`.

    For every a, b > 0 and every split of a total M over the strata, with weights w = size / drawn and shares q,
    log P(sum w x >= t) <= -a t + sum n log(1 + q (exp(a w) - 1)) <= -a t + b M + sum n G(a w, b w), where
    G(u, v) = max over q of log(1 + q (exp(u) - 1)) - v q. So each pair gives a bound, and the best one is taken:
    the numerator is concave in a and b together, which makes the quotient have one top.
    """
    weights = [part.size / part.drawn for part in parts]
    sum_found = math.fsum(weight * part.found for weight, part in zip(weights, parts, strict=True))
    widest = max(weights)

    def bound(log_a: float, log_b: float) -> float:
        a, b = math.exp(log_a) / widest, math.exp(log_b) / widest
        slack = math.fsum(part.drawn * _g(a * w, b * w) for w, part in zip(weights, parts, strict=True))
        return (math.log(tail) + a * sum_found - slack) / b

    def best(log_b: float) -> float:
        return _top(lambda log_a: bound(log_a, log_b), -12.0, 6.0)

    return _top(best, -6.0, 12.0)


def _g(u: float, v: float) -> float:
    rise = math.expm1(u)
    q = min(1.0, max(0.0, 1 / v - 1 / rise))
    return math.log1p(q * rise) - v * q


def _top(value: Callable[[float], float], low: float, high: float) -> float:
    """The greatest value met in a golden section of a function with one top."""
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = value(left), value(right)
    top = max(at_left, at_right)
    for _ in range(STEPS):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = value(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = value(left)
        top = max(top, at_left, at_right)
    return top
