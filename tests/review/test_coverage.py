"""Coverage over 2,000 made-up corpora and draws, with planted faults and lineages of unlike sizes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.review.corpora import HARD, ITEMS, RUNS, Planted, World, logistic, logit
from tests.review.coverage import SPREADS, simulate

DRAWS = 2000
OFF = 3 * (0.05 * 0.95 / DRAWS) ** 0.5
"""Three times what chance does to a coverage of 95%."""


def test_the_planted_faults_are_in_the_corpora():
    rng = np.random.default_rng(5)
    alike = World(rng, Planted(of_lineage=0.0, of_item=0.0), (400,))
    assert len(alike.truth) == 400 * ITEMS * RUNS
    assert np.mean(~alike.frozen[alike.truth]) == pytest.approx(0.12, abs=0.01)
    assert np.mean(alike.frozen[~alike.truth]) == pytest.approx(0.08, abs=0.01)
    others = alike.others()
    assert (others.false_penalty, others.false_credit) == pytest.approx((0.12, 0.08), abs=1e-9)


def test_what_is_beyond_is_the_mean_of_other_lineages():
    rng = np.random.default_rng(6)
    world = World(rng, Planted(of_item=0.0), (1,) * 4000)
    others, flips = world.others(4000), world.move() == 0
    of = [world.lineage == k for k in range(4000)]
    penalties = [np.mean(~world.frozen[mine & world.truth]) for mine in of]
    assert np.mean(penalties) == pytest.approx(others.false_penalty, abs=0.01)
    upheld = [np.mean(world.truth[mine & flips]) for mine in of if (mine & flips).any()]
    assert np.mean(upheld) == pytest.approx(others.upheld, abs=0.02)


def test_what_is_beyond_by_item_is_the_rate_on_other_items():
    """Where faults do not depend on the item, it is that of these configurations' own faults."""
    rng = np.random.default_rng(8)
    world = World(rng, Planted(of_item=0.0), (2, 1, 1))
    own = logistic(logit(0.12) + world.on_configuration[0])
    passes = np.array([logistic(skill - rng.normal(0, HARD, 40_000)).mean() for skill in world.skill])
    wanted = (passes * own).sum() / passes.sum()
    assert world.other_items(40_000).false_penalty == pytest.approx(wanted, abs=0.005)
    mended = World(rng, Planted(broken=1e-9), (2, 1, 1)).other_items()
    assert mended.upheld == pytest.approx(1, abs=1e-6)


@pytest.fixture(scope="module")
def figures():
    return simulate(DRAWS)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_in_the_corpus_at_least_95_of_100_hold(figures):
    inside = {name: each for name, each in figures.items() if name.startswith("in corpus: ")}
    assert len(inside) == 8
    assert [name for name, each in inside.items() if each["n"] < DRAWS or each["held"] < 0.95] == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_beyond_it_the_interval_by_lineage_holds_more_often_than_the_naive_one(figures):
    for what in ("upheld", "false_penalty", "false_credit"):
        for lineages in (8, 17):
            beyond = figures[f"beyond: {what}, by lineage, {lineages} lineages"]["held"]
            naive = figures[f"naive: {what}, every trial independent, {lineages} lineages"]["held"]
            assert naive < 0.95 - OFF and naive < beyond, (what, lineages, naive, beyond)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_assumption_is_refuted_where_it_fails_and_seldom_where_it_holds(figures):
    refuted = [
        figures[f"assumption refuted, faults by lineage with a spread of {spread}"]["held"] for spread in SPREADS
    ]
    assert refuted == sorted(refuted) and refuted[0] < 0.05 + OFF and refuted[-1] > 0.95


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_beyond_it_the_interval_by_item_holds_as_often_as_is_said(figures):
    for what in ("upheld", "false_penalty", "false_credit"):
        for lineages in (8, 17):
            held = figures[f"beyond: {what}, by item, {lineages} lineages"]["held"]
            assert 0.85 < held < 0.99, (what, lineages, held)
