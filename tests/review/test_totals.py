"""Bounds of a total: the published one, other people's formula, and every small world counted through."""

from __future__ import annotations

import itertools
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from regrade.review.totals import TAIL, Part, at_least, at_most


@st.composite
def parts(draw, most=400):
    size = draw(st.integers(1, most))
    drawn = draw(st.integers(1, size))
    least = 0
    return Part(size, drawn, draw(st.integers(least, drawn)))


def test_45_of_50_of_477():
    part = Part(477, 50, 45)
    assert (at_least([part]), at_most([part])) == (376, 459)


def test_one_trial_more_moves_both_bounds():
    bounds = [(at_least([Part(477, 50, k)]), at_most([Part(477, 50, k)])) for k in (44, 45, 46)]
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(bounds))
    assert at_least([Part(478, 50, 45)]) == 377


@given(parts())
def test_of_one_stratum_they_are_where_the_tails_of_scipy_are(part):
    size, drawn, found = part
    low, high = at_least([part]), at_most([part])
    possible = range(found, size - drawn + found + 1)
    assert low == next(m for m in possible if hypergeom.sf(found - 1, size, m, drawn) > TAIL * (1 + 1e-9))
    assert high == next(m for m in reversed(possible) if hypergeom.cdf(found, size, m, drawn) > TAIL * (1 + 1e-9))


@given(st.lists(parts(), min_size=1, max_size=4))
def test_they_hold_what_was_found_and_what_may_be(several):
    low, high = at_least(several), at_most(several)
    found = sum(part.found for part in several)
    assert found <= low <= high <= found + sum(part.size - part.drawn for part in several)


@given(st.lists(parts(), min_size=1, max_size=4))
def test_what_has_it_and_what_has_not_are_bounded_alike(several):
    others = [part._replace(found=part.drawn - part.found) for part in several]
    assert at_least(several) + at_most(others) == sum(part.size for part in several)


def test_what_was_drawn_whole_is_known():
    assert at_least([Part(9, 9, 4)]) == at_most([Part(9, 9, 4)]) == 4
    alone = Part(477, 50, 45)
    assert at_least([Part(9, 9, 4), alone]) == 4 + at_least([alone])
    assert at_most([Part(9, 9, 4), alone]) == 4 + at_most([alone])


def test_nothing_found_bounds_nothing_from_below_and_all_found_nothing_from_above():
    parts = [Part(40, 4, 0), Part(90, 8, 0)]
    assert at_least(parts) == 0 and at_most(parts) < 130


def test_strata_of_one_kind_cost_little():
    """Twelve strata of which everything drawn has it: as 48 of 48 with replacement would say, not as twelve times 4."""
    low = at_least([Part(40, 4, 4)] * 12)
    assert TAIL ** (1 / 48) * 480 - 1 <= low <= TAIL ** (1 / 48) * 480 + 1


def chance(size: int, having: int, drawn: int, found: int) -> float:
    return comb(having, found) * comb(size - having, drawn - found) / comb(size, drawn)


@pytest.mark.parametrize(
    "shape", [((9, 4),), ((8, 3), (6, 3)), ((12, 2), (5, 3)), ((6, 2), (5, 2), (4, 2)), ((20, 3), (4, 3))], ids=str
)
def test_in_every_world_of_a_shape_each_bound_is_wrong_with_a_chance_of_at_most_its_tail(shape):
    """Both bounds of every draw, against every number that each stratum may hold, by exact chances."""
    draws = list(itertools.product(*(range(drawn + 1) for _, drawn in shape)))
    bounds = {}
    for draw in draws:
        several = [Part(size, drawn, found) for (size, drawn), found in zip(shape, draw, strict=True)]
        bounds[draw] = at_least(several, 0.1), at_most(several, 0.1)
    for truth in itertools.product(*(range(size + 1) for size, _ in shape)):
        over = under = 0.0
        for draw, (low, high) in bounds.items():
            p = 1.0
            for (size, drawn), having, found in zip(shape, truth, draw, strict=True):
                p *= chance(size, having, drawn, found)
            over += p * (low > sum(truth))
            under += p * (high < sum(truth))
        assert over <= 0.1 + 1e-12 and under <= 0.1 + 1e-12, truth
