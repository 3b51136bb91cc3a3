"""Beyond the corpus: by lineage and by item against other people's formulas, and what cannot be had."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from regrade.flips import stats
from regrade.review.clusters import Seen, beyond, effective_number, mean_interval

RATES = st.lists(st.fractions(0, 1, max_denominator=9), min_size=5, max_size=30)
GROUPS = st.lists(
    st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=12
)


@given(RATES)
def test_the_mean_of_lineages_is_that_of_students_t(rates):
    assume(len(set(rates)) > 1)
    low, high, reason = mean_interval(rates)
    numbers = [float(rate) for rate in rates]
    expected = scipy_stats.t.interval(0.95, len(rates) - 1, np.mean(numbers), scipy_stats.sem(numbers))
    assert reason is None
    assert (low, high) == pytest.approx((max(0, expected[0]), min(1, expected[1])), abs=1e-9)


@pytest.mark.parametrize("g", range(5))
def test_under_five_lineages_it_is_undefined(g):
    low, high, reason = mean_interval([Fraction(k, 9) for k in range(g)])
    assert low is high is None and "lineage" in reason and "takes 5" in reason


def test_lineages_that_are_all_alike_are_bounded_by_the_rule_of_three():
    assert mean_interval([Fraction(9, 10)] * 6)[:2] == pytest.approx((0.45, 0.95))


def seen(*lineages, weight=Fraction(1)):
    """`(counted, all)` of each lineage, every trial of another item."""
    rows = []
    for name, (count, n) in enumerate(lineages):
        rows += [Seen(k < count, weight, f"l{name}", f"i{len(rows) + k}", f"c{name}", True) for k in range(n)]
    return rows


def test_a_lineage_of_many_trials_counts_as_one():
    found = beyond(seen((0, 40), (1, 1), (1, 1), (1, 1), (1, 1)), ())["by_lineage"]
    assert (found["lineages"], found["rate"]) == (5, 0.8)
    one_more = beyond(seen((1, 40), (1, 1), (1, 1), (1, 1), (1, 1)), ())["by_lineage"]
    assert one_more["rate"] == pytest.approx((1 / 40 + 4) / 5)


def test_few_lineages_are_warned_of():
    assert beyond(seen(*[(1, 2)] * 4), ())["by_lineage"]["warning"] is None
    assert "19 lineages" in beyond(seen(*[(1, 2)] * 19), ())["by_lineage"]["warning"]
    assert beyond(seen(*[(1, 2)] * 20), ())["by_lineage"]["warning"] is None


def test_trials_count_by_inclusion_probability():
    rows = [*seen((3, 3)), *seen((0, 3), weight=Fraction(9))]
    assert beyond(rows, ())["by_item"]["rate"] == 0.1
    assert beyond(rows, ())["by_lineage"]["rate"] == 0.1


def test_by_item_it_is_the_interval_of_items():
    rows = [Seen(k % 3 > 0, Fraction(7, 2), f"l{k % 5}", f"i{k % 4}", f"c{k}", True) for k in range(23)]
    items = {}
    for row in rows:
        part, whole = items.get(row.item, (0, 0))
        items[row.item] = part + row.counted, whole + 1
    assert beyond(rows, ())["by_item"]["interval"] == stats.item_interval(items.values(), rate=True)._asdict()


def test_nothing_seen_is_undefined():
    found = beyond([], ())
    assert found["by_lineage"]["rate"] is found["by_item"]["rate"] is None
    assert (
        found["by_lineage"]["interval"]["undefined"] == "there is no lineage, and the spread between lineages takes 5"
    )


def test_lineages_that_are_not_known_are_said_and_none_known_is_undefined():
    rows = seen(*[(1, 2)] * 20)
    some = [row._replace(known=row.configuration not in ("c3", "c8")) for row in rows]
    found = beyond(some, ())["by_lineage"]
    assert (found["unknown"], found["configurations"]) == (2, 20)
    assert found["warning"].startswith("The lineage of 2 of 20 configurations is not known: ")
    assert found["interval"] == beyond(rows, ())["by_lineage"]["interval"]
    none = beyond([row._replace(known=False) for row in rows], ())
    told = "the lineage of 20 of 20 configurations is not known"
    assert none["by_lineage"]["interval"]["undefined"] == none["effective"]["lineage"]["undefined"] == told
    assert none["by_lineage"]["rate"] is none["by_lineage"]["warning"] is none["effective"]["lineage"]["least"] is None
    assert none["by_item"] == beyond(rows, ())["by_item"]


def test_lineages_of_the_frame_that_were_not_seen_are_counted():
    found = beyond(seen((1, 2), (1, 2)), ["l0", "l1", "l2"])["by_lineage"]
    assert (found["lineages"], found["frame"]) == (2, 3)


@given(GROUPS)
def test_the_correlation_is_that_of_the_analysis_of_variance(groups):
    n, found = sum(size for _, size in groups), sum(count for count, _ in groups)
    told = effective_number(groups)
    if found in (0, n):
        assert told["n"] is None and "alike" in told["undefined"]
        return
    if n == len(groups):
        assert told["n"] == n
        return
    values = [[1.0] * count + [0.0] * (size - count) for count, size in groups]
    inside = sum(np.var(each) * len(each) for each in values)
    usual = (n - sum(size**2 for _, size in groups) / n) / (len(groups) - 1)
    expected = 1.0
    if inside:
        f = scipy_stats.f_oneway(*values).statistic if n > len(groups) else 1.0
        expected = max(0.0, (f - 1) / (f - 1 + usual))
    assert told["least"] <= told["n"] + 1e-9 and told["n"] <= n
    assert told["correlation"] == pytest.approx(expected, abs=1e-8)
    mean_size = sum(size**2 for _, size in groups) / n
    assert told["n"] == pytest.approx(n / (1 + (mean_size - 1) * expected), abs=1e-6)


def test_labels_that_repeat_within_a_group_count_once():
    assert effective_number([(4, 4), (0, 4), (4, 4), (0, 4)])["n"] == 4
    assert effective_number([(2, 4), (2, 4), (2, 4), (2, 4)])["n"] == 16
    assert effective_number([(3, 9)])["undefined"].startswith("there is one group")


def test_the_least_that_labels_are_worth_is_a_group_each():
    assert effective_number([(1, 4), (2, 4), (3, 4)])["least"] == 3
    assert effective_number([(11, 11), (4, 4), (1, 1)])["least"] == round(256 / 138, 10)
    assert effective_number([]) == {
        "n": None, "least": None, "correlation": None, "undefined": "no trial has a label"
    }  # fmt: skip


def coverage(g: int, draws: int) -> float:
    """How often the mean of `g` lineages holds the truth, their rates being normal, for which t is exact."""
    rng = np.random.default_rng(7)
    held = 0
    for rates in rng.normal(0.5, 0.05, (draws, g)):
        low, high, _ = mean_interval([Fraction(round(rate * 10**6), 10**6) for rate in rates])
        held += low <= 0.5 <= high
    return held / draws


OFF = 4 * (0.05 * 0.95 / 10_000) ** 0.5
"""Four times what chance does to a coverage of 95% in 10,000 draws."""


def test_one_less_than_the_lineages_is_the_number_of_degrees_of_freedom():
    assert abs(coverage(5, 10_000) - 0.95) < OFF


@pytest.mark.parametrize("more", [1, 45, -1])
def test_a_wrong_degree_of_freedom_is_found(monkeypatch, more):
    right = stats.t_quantile
    monkeypatch.setattr(stats, "t_quantile", lambda freedom: right(freedom + more))
    assert abs(coverage(5, 10_000) - 0.95) > OFF
