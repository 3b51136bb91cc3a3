"""Intervals against those of other people's formulas, and what has none."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from regrade.flips.stats import Interval, ceiling, gap_interval, item_interval, wilson

COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
TRIALS = 4
PARTS = st.lists(st.integers(0, TRIALS), min_size=2, max_size=40)
"""Counted trials of each item, of `TRIALS` each: then the ratio of sums is the mean of the items' rates."""


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [(19, 19, 83, 100), (17, 25, 48, 83), (16, 25, 45, 80), (19, 25, 57, 89), (0, 24, 0, 14), (37, 60, 49, 73)],
)
def test_wilson_rounds_as_published(count, n, low, high):
    interval = wilson(count, n)
    assert (round(100 * interval.low), round(100 * interval.high)) == (low, high)


@given(COUNTS)
def test_wilson_is_that_of_scipy(pair):
    count, n = pair
    expected = scipy_stats.binomtest(count, n).proportion_ci(confidence_level=0.95, method="wilson")
    assert wilson(count, n)[:2] == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(COUNTS)
def test_wilson_holds_the_rate_and_stays_within_its_bounds(pair):
    count, n = pair
    low, high, reason = wilson(count, n)
    assert 0 <= low <= count / n <= high <= 1 and reason is None
    assert wilson(n - count, n)[:2] == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_one_trial_more_moves_it():
    assert wilson(17, 25) != wilson(18, 25) and wilson(17, 25) != wilson(17, 26)


def test_nothing_has_no_interval_and_no_ceiling():
    assert wilson(0, 0) == Interval(None, None, "there is no trial")
    assert not wilson(0, 0).excludes_zero
    assert ceiling(0, 0) is None


def test_the_rule_of_three():
    assert [ceiling(0, n) for n in (24, 60, 48, 2)] == [0.125, 0.05, 0.0625, 1.0]
    assert ceiling(1, 24) is None


@given(PARTS)
def test_the_interval_of_equal_items_is_students(parts):
    rates = [part / TRIALS for part in parts]
    found = item_interval([(part, TRIALS) for part in parts], rate=False)
    if len(set(parts)) == 1:
        assert found == Interval(None, None, f"the {len(parts)} items show no spread")
        return
    expected = scipy_stats.ttest_1samp(rates, 0).confidence_interval(0.95)
    assert found[:2] == pytest.approx((expected.low, expected.high), abs=1e-9)
    clipped = item_interval([(part, TRIALS) for part in parts], rate=True)
    assert clipped[:2] == pytest.approx((max(0, expected.low), min(1, expected.high)), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, TRIALS), st.integers(0, TRIALS)), min_size=2, max_size=40))
def test_the_gap_of_equal_items_is_that_of_the_paired_test(pairs):
    one = {str(place): (part, TRIALS) for place, (part, _) in enumerate(pairs)}
    other = {str(place): (part, TRIALS) for place, (_, part) in enumerate(pairs)}
    found = gap_interval(one, other, rate=False)
    if len({a - b for a, b in pairs}) == 1:
        assert found.undefined
        return
    expected = scipy_stats.ttest_rel(*zip(*pairs, strict=True)).confidence_interval(0.95)
    assert found[:2] == pytest.approx((expected.low / TRIALS, expected.high / TRIALS), abs=1e-9)
    turned = gap_interval(other, one, rate=False)
    assert turned[:2] == pytest.approx((-found.high, -found.low), abs=1e-9)


UNEQUAL = st.lists(
    st.integers(0, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=12
)


@given(UNEQUAL)
def test_the_interval_of_unequal_items_is_that_of_a_ratio_between_clusters(pairs):
    found = item_interval(pairs, rate=False)
    held = [(Fraction(y), Fraction(x)) for y, x in pairs if x]
    if len(held) < 2:
        assert found.undefined and "takes two" in found.undefined
        return
    k, whole = len(held), sum(x for _, x in held)
    ratio = sum(y for y, _ in held) / whole
    residuals = [y - ratio * x for y, x in held]
    variance = sum(r * r for r in residuals) / (k - 1) / k / (whole / k) ** 2
    if not variance:
        assert found.undefined == f"the {k} items show no spread"
        return
    half = scipy_stats.t.ppf(0.975, k - 1) * math.sqrt(variance)
    assert found[:2] == pytest.approx((float(ratio) - half, float(ratio) + half), abs=1e-9)
    assert item_interval([*pairs, (0, 0)], rate=False) == found


def test_trials_that_repeat_each_other_do_not_narrow_the_interval():
    once = item_interval([(0, 1), (1, 1), (1, 1), (1, 1)], rate=True)
    often = item_interval([(0, 50), (50, 50), (50, 50), (50, 50)], rate=True)
    assert once == often
    narrow = wilson(150, 200)
    assert often.high - often.low > narrow.high - narrow.low


def test_items_without_spread_are_bounded_by_the_rule_of_three_over_items():
    assert item_interval([(5, 5)] * 5, rate=True)[:2] == (0.4, 1.0)
    assert item_interval([(0, 5)] * 60, rate=True)[:2] == (0.0, 0.05)
    always, never = ({str(i): (part, 5) for i in range(60)} for part in (5, 0))
    assert gap_interval(always, never, rate=True)[:2] == (0.9, 1.0)
    assert gap_interval(always, never, rate=True).excludes_zero
    few = [{item: pair for item, pair in all_of.items() if int(item) < 5} for all_of in (always, never)]
    assert gap_interval(*few, rate=True)[:2] == (-0.2, 1.0)
    assert not gap_interval(*few, rate=True).excludes_zero


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ([], "there is no item, and the spread between items takes two"),
        ([(1, 5)], "there is 1 item, and the spread between items takes two"),
        ([(1, 5), (0, 0)], "there is 1 item, and the spread between items takes two"),
    ],
)
def test_under_two_items_there_is_no_interval(pairs, reason):
    assert item_interval(pairs, rate=True) == Interval(None, None, reason)
    by_item = {str(i): pair for i, pair in enumerate(pairs)}
    assert gap_interval(by_item, by_item, rate=True) == Interval(None, None, reason)


def test_a_gap_to_nothing_is_undefined():
    assert gap_interval({"a": (1, 2), "b": (2, 2)}, {}, rate=True).undefined == "one of the two has no trial"


def test_an_item_that_one_of_the_two_lacks_counts_still():
    one, other = {"a": (1, 2), "b": (2, 2), "c": (0, 2)}, {"a": (0, 2), "b": (1, 2)}
    assert gap_interval(one, other, rate=False) != gap_interval({item: one[item] for item in "ab"}, other, rate=False)


@given(UNEQUAL, UNEQUAL)
def test_bounds_of_rates_stay_in_range(one, other):
    pairs = [{str(i): pair for i, pair in enumerate(each)} for each in (one, other)]
    for interval, least in ((item_interval(one, rate=True), 0), (gap_interval(*pairs, rate=True), -1)):
        assert interval.undefined or least <= interval.low <= interval.high <= 1
