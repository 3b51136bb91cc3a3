"""Stats: intervals for a rate and for a gap between two, what they cannot be had for, and the test of signs.

Counts are exact for the corpus that they are of and have no interval. One at the level of trials reaches to other
trials of the same items, if trials are independent; one at the level of items reaches to other items like these,
and lets the trials of an item depend on one another in any way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

LEVEL = 0.95
"""Confidence of every interval, both sides."""
DECIMALS = 10
"""Of a bound, so that the last bits of a library's quantile do not show."""

Number = int | float
Pair = tuple[Number, Number]
"""A part and its whole: of one item, the trials counted and all its trials, or two measures of them. Or two bounds."""


class Interval(NamedTuple):
    """Two bounds, or why there are none."""

    low: float | None
    high: float | None
    undefined: str | None = None

    @property
    def excludes_zero(self) -> bool:
        """Whether it is defined and lies on one side of zero."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    def within(self, bounds: Pair) -> Interval:
        """The part of it that lies within bounds."""
        if self.low is None or self.high is None:
            return self
        return Interval(max(self.low, bounds[0]), min(self.high, bounds[1]))


def undefined(reason: str) -> Interval:
    """No interval."""
    return Interval(None, None, reason)


def wilson(count: int, n: int) -> Interval:
    """Wilson's score interval for `count` of `n` independent trials (Wilson 1927)."""
    if n == 0:
        return undefined("there is no trial")
    z = normal_quantile()
    rate, weight = count / n, 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / weight
    half = z / weight * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return Interval(
        0.0 if count == 0 else round(centre - half, DECIMALS), 1.0 if count == n else round(centre + half, DECIMALS)
    )


def ceiling(count: Number, n: int) -> float | None:
    """What a zero of `n` independent trials or items may stand for, 3/n at most 1 (the rule of three), else None."""
    return min(1.0, 3 / n) if n and not count else None


def sign_test(one: int, other: int) -> float:
    """The exact two-sided p of a split of `one` and `other` where each case is as likely to fall to either.

    Of the trials that one of two configurations alone passes it is McNemar's exact test. It is twice the chance of the
    smaller count or fewer, at most 1.
    """
    n, chance, ways = one + other, 0, 1
    for k in range(min(one, other) + 1):
        chance += ways
        ways = ways * (n - k) // (k + 1)
    return min(1.0, 2 * chance / (1 << n))


def item_interval(items: Iterable[Pair], *, rate: bool) -> Interval:
    """Interval of the sum of parts over the sum of wholes, items being what was drawn.

    The variance is that of a ratio between clusters, by linearisation, with Student's t on one less than the number of
    items (Cochran, Sampling Techniques, 6.2 and 9A). Items that show no spread have no variance: of a rate, the rule
    of three then bounds the share of other items that may behave otherwise.

    Args:
        items: part and whole of each item; one whose whole is zero tells nothing and is left out.
        rate: the part is some of the whole, so that the bounds are within 0 and 1.
    """
    pairs = [pair for pair in items if pair[1]]
    k = len(pairs)
    part, whole = sum(y for y, _ in pairs), sum(x for _, x in pairs)
    if k < 2 or not whole:
        return undefined(_too_few(k))
    # Whole numbers stay whole until the last division, so that no spread is exactly none.
    squares = sum((y * whole - part * x) ** 2 for y, x in pairs)
    return around(part / whole, k / (k - 1) * (squares / whole**4), k, (0.0, 1.0) if rate else None)


def gap_interval(one: Mapping[str, Pair], other: Mapping[str, Pair], *, rate: bool) -> Interval:
    """Interval of the rate of `one` less that of `other`, paired over items, as `item_interval` makes it.

    Args:
        one: part and whole by item; both rates are of sums over the items.
        other: the same of the other configuration. An item that only one of them has counts as an item.
        rate: as in `item_interval`; the bounds are within -1 and 1.
    """
    items = sorted({item for pairs in (one, other) for item, (_, whole) in pairs.items() if whole})
    a, b = ([pairs.get(item, (0, 0)) for item in items] for pairs in (one, other))
    (part_a, whole_a), (part_b, whole_b) = ((sum(y for y, _ in pairs), sum(x for _, x in pairs)) for pairs in (a, b))
    k = len(items)
    if k < 2 or not whole_a or not whole_b:
        return undefined(_too_few(k) if k < 2 else "one of the two has no trial")
    squares = sum(
        ((ya * whole_a - part_a * xa) * whole_b**2 - (yb * whole_b - part_b * xb) * whole_a**2) ** 2
        for (ya, xa), (yb, xb) in zip(a, b, strict=True)
    )
    gap = part_a / whole_a - part_b / whole_b
    return around(gap, k / (k - 1) * (squares / (whole_a * whole_b) ** 4), k, (-1.0, 1.0) if rate else None)


def around(estimate: float, variance: float, k: int, bounds: tuple[float, float] | None) -> Interval:
    """The interval around an estimate from `k` items or other clusters, with Student's t on one less.

    Without a variance the rule of three bounds the share of other clusters that may behave otherwise.
    """
    if variance:
        half = t_quantile(k - 1) * math.sqrt(variance)
        low, high = estimate - half, estimate + half
        if bounds:
            low, high = max(low, bounds[0]), min(high, bounds[1])
    elif bounds is None:
        return undefined(f"the {k} items show no spread")
    else:
        other = min(1.0, 3 / k)
        low, high = estimate - other * (estimate - bounds[0]), estimate + other * (bounds[1] - estimate)
    return Interval(round(low, DECIMALS), round(high, DECIMALS))


def _too_few(k: int) -> str:
    return f"there {'is 1 item' if k == 1 else 'is no item'}, and the spread between items takes two"


@cache
def normal_quantile() -> float:
    """The normal distribution's at LEVEL, both sides."""
    # Loaded where an interval is wanted: most corpora have no metric, and it takes a while.
    from scipy.special import ndtri

    return float(ndtri((1 + LEVEL) / 2))


@cache
def t_quantile(freedom: int) -> float:
    """Student's t at LEVEL, both sides, of so many degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + LEVEL) / 2))
