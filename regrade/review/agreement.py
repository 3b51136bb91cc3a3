"""Agreement between reviewers: raw, Cohen's kappa, Krippendorff's alpha, Gwet's AC1.

The labels of each trial are exact. An interval is over other trials drawn in the same way and labelled by the same
reviewers, with trials as what was drawn; it says nothing of other reviewers. `unclear` is a label like the others.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from regrade.flips.labels import LABELS
from regrade.flips.stats import DECIMALS, Interval, normal_quantile, t_quantile, undefined, wilson

Labels = Mapping[str, Mapping[str, str]]
"""Trial to reviewer to label, of the trials that have one."""
Counts = tuple[int, ...]
"""How often each of LABELS was given to one trial."""
Patterns = Mapping[Counts, int]
"""How many trials have which counts."""


class Coefficient(NamedTuple):
    """A coefficient of agreement, or why there is none."""

    value: float | None
    interval: Interval
    undefined: str | None = None


class Pair(NamedTuple):
    """Two reviewers on the trials that both labelled."""

    reviewers: tuple[str, str]
    trials: int
    agree: int
    table: tuple[tuple[int, ...], ...]
    """Trials by the label of the first (rows) and of the second (columns), both in the order of LABELS."""
    kappa: Coefficient


class Agreement(NamedTuple):
    """How far the reviewers of a sample agree."""

    trials: int
    """With a label."""
    compared: int
    """With two labels or more; `agree` and `disagree` add up to it."""
    agree: int
    """Of those compared, the trials whose labels are all the same."""
    raw: Coefficient
    """`agree` over `compared`."""
    alpha: Coefficient
    ac1: Coefficient
    marginals: dict[str, dict[str, int]]
    """Reviewer to label to trials; every label has its place."""
    pairs: tuple[Pair, ...]

    @property
    def disagree(self) -> int:
        """Trials with two labels or more that are not all the same."""
        return self.compared - self.agree


def measure_agreement(labels: Labels, reviewers: Sequence[str]) -> Agreement:
    """Measure how far reviewers agree; a trial without a reviewer's label is left out where that label is needed.

    Args:
        labels: the labels, each one of LABELS.
        reviewers: those of the sample, in the order in which they are told.
    """
    given = {trial: by for trial, by in labels.items() if by}
    patterns = Counter(tuple([*by.values()].count(label) for label in LABELS) for by in given.values())
    compared = {counts: n for counts, n in patterns.items() if sum(counts) > 1}
    total = sum(compared.values())
    agree = sum(n for counts, n in compared.items() if max(counts) == sum(counts))
    raw = Coefficient(agree / total, wilson(agree, total)) if total else _none(NO_PAIR)
    marginals = {
        name: {label: sum(by.get(name) == label for by in given.values()) for label in LABELS} for name in reviewers
    }
    pairs = tuple(_pair(given, one, other) for one, other in combinations(reviewers, 2))
    return Agreement(len(given), total, agree, raw, alpha(patterns), ac1(patterns), marginals, pairs)


def _pair(labels: Labels, one: str, other: str) -> Pair:
    both = Counter((by[one], by[other]) for by in labels.values() if one in by and other in by)
    table = tuple(tuple(both[row, column] for column in LABELS) for row in LABELS)
    agree = sum(table[at][at] for at in range(len(LABELS)))
    return Pair((one, other), sum(both.values()), agree, table, kappa(table))


NO_PAIR = "no trial has labels of two reviewers"
ONE_LABEL = "every label is the same, so that chance would agree as often"
NO_SPREAD = "the trials show no spread"


def kappa(table: Sequence[Sequence[int]]) -> Coefficient:
    """Cohen's kappa of two reviewers (Cohen 1960), its variance that of Fleiss, Cohen and Everitt (1969).

    Args:
        table: trials by the label of one (rows) and of the other (columns), square.
    """
    n = sum(map(sum, table))
    if not n:
        return _none(NO_PAIR)
    labels = range(len(table))
    p = [[Fraction(count, n) for count in row] for row in table]
    rows, columns = [sum(row) for row in p], [sum(p[i][j] for i in labels) for j in labels]
    observed = sum((p[i][i] for i in labels), Fraction(0))
    chance = sum((rows[i] * columns[i] for i in labels), Fraction(0))
    if chance == 1:
        return _none(ONE_LABEL)
    value = (observed - chance) / (1 - chance)
    same = sum(p[i][i] * (1 - (rows[i] + columns[i]) * (1 - value)) ** 2 for i in labels)
    apart = sum(p[i][j] * (columns[i] + rows[j]) ** 2 for i in labels for j in labels if i != j)
    spread = same + (1 - value) ** 2 * apart - (value - chance * (1 - value)) ** 2
    return _around(value, spread / (n * (1 - chance) ** 2), lambda: normal_quantile())


def ac1(patterns: Patterns) -> Coefficient:
    """Gwet's AC1, its variance by linearisation with Student's t on one less than the trials (Gwet 2008).

    Chance agreement is that of as many labels as a reviewer may give, used or not, so that a label nobody gave does
    not move it. A trial with one label counts for the shares of the labels alone.

    Args:
        patterns: how many trials have which counts of the labels.
    """
    trials = {counts: k for counts, k in patterns.items() if sum(counts)}
    n, compared = sum(trials.values()), sum(k for counts, k in trials.items() if sum(counts) > 1)
    if not compared:
        return _none(NO_PAIR)
    q = len(next(iter(trials)))
    share = [_mean({counts: Fraction(counts[at], sum(counts)) for counts in trials}, trials) for at in range(q)]
    chances = {
        counts: sum((c * (1 - s) for c, s in zip(counts, share, strict=True)), Fraction(0)) / (sum(counts) * (q - 1))
        for counts in trials
    }
    chance = _mean(chances, trials)
    seen = {counts: Fraction(n, compared) * _matching(counts) for counts in trials}
    value = (_mean(seen, trials) - chance) / (1 - chance)
    parts = {
        counts: (seen[counts] - (Fraction(n, compared) * chance if sum(counts) > 1 else 0)) / (1 - chance)
        - 2 * (1 - value) * (chances[counts] - chance) / (1 - chance)
        for counts in trials
    }
    return _linearised(value, parts, value, trials)


def alpha(patterns: Patterns) -> Coefficient:
    """Krippendorff's alpha for nominal labels, some missing (Krippendorff 1970; 2004, 11.3).

    Its variance is by linearisation, the labels of a trial in pairs, with Student's t on one less than the trials
    (Gwet, Handbook of Inter-Rater Reliability); a trial with one label tells nothing and is left out.

    Args:
        patterns: how many trials have which counts of the labels.
    """
    trials = {counts: k for counts, k in patterns.items() if sum(counts) > 1}
    if not trials:
        return _none(NO_PAIR)
    n, given = sum(trials.values()), sum(sum(counts) * k for counts, k in trials.items())
    usual = Fraction(given, n)
    share = [Fraction(sum(c[at] * k for c, k in trials.items()), given) for at in range(len(next(iter(trials))))]
    chance = sum((s * s for s in share), Fraction(0))
    if chance == 1:
        return _none(ONE_LABEL)
    seen = {counts: _matching(counts) * sum(counts) / usual for counts in trials}
    observed = _mean(seen, trials)
    # A label is not compared with itself: what alpha corrects for small samples, and its variance leaves out.
    value = (observed + (1 - observed) / given - chance) / (1 - chance)
    plain = (observed - chance) / (1 - chance)
    parts = {}
    for counts in trials:
        more = (sum(counts) - usual) / usual
        by_chance = sum((c * s for c, s in zip(counts, share, strict=True)), Fraction(0)) / usual - chance * more
        parts[counts] = (seen[counts] - observed * more - chance - 2 * (1 - plain) * (by_chance - chance)) / (
            1 - chance
        )
    return _linearised(value, parts, plain, trials)


def _matching(counts: Counts) -> Fraction:
    """The share of pairs of a trial's labels that are the same; zero for one label."""
    given = sum(counts)
    return Fraction(sum(c * (c - 1) for c in counts), given * (given - 1)) if given > 1 else Fraction(0)


def _mean(values: Mapping[Counts, Fraction], trials: Patterns) -> Fraction:
    return sum((values[counts] * k for counts, k in trials.items()), Fraction(0)) / sum(trials.values())


def _linearised(value: Fraction, parts: Mapping[Counts, Fraction], centre: Fraction, trials: Patterns) -> Coefficient:
    """A coefficient whose trials have these linearised parts around a centre."""
    n = sum(trials.values())
    if n < 2:
        return Coefficient(float(value), undefined("there is 1 trial, and the spread between trials takes two"))
    squares = sum(((parts[counts] - centre) ** 2 * k for counts, k in trials.items()), Fraction(0))
    return _around(value, squares / (n * (n - 1)), lambda: t_quantile(n - 1))


def _around(value: Fraction, variance: Fraction, quantile: Callable[[], float]) -> Coefficient:
    # Exact, so that no spread is exactly none: an interval of no width would say that nothing can be otherwise.
    if not variance:
        return Coefficient(float(value), undefined(NO_SPREAD))
    half = quantile() * math.sqrt(variance)
    low, high = max(-1.0, float(value) - half), min(1.0, float(value) + half)
    return Coefficient(float(value), Interval(round(low, DECIMALS), round(high, DECIMALS)))


def _none(reason: str) -> Coefficient:
    return Coefficient(None, undefined(reason), reason)
