"""Shares beyond the corpus: by item, by lineage and by both against other people's formulas, and what cannot be had."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.regression.linear_model import OLS

from regrade.files.corpus import CandidateSpec, Tier
from regrade.flips.clusters import by_cluster, cluster_interval, two_way_interval
from tests.flips.flip_store import as_json, attempt, axes_summary, corpus, store

COUNTS = st.integers(1, 4).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
CELLS = st.dictionaries(st.tuples(st.sampled_from("ijklmno"), st.sampled_from("ABCDEFG")), COUNTS, min_size=12)
"""Trials counted and all of them, by item and lineage; some cells have none."""


def fitted(cells, sides):
    """The mean of all trials by least squares, its variance robust to clusters by these sides, and their numbers."""
    rows = [(hit < part, *key) for key, (part, whole) in sorted(cells.items()) for hit in range(whole)]
    values = np.array([hit for hit, *_ in rows], dtype=float)
    groups = [np.unique([key[side] for _, *key in rows], return_inverse=True)[1] for side in sides]
    kwds = {"groups": np.column_stack(groups).squeeze(), "use_correction": True}
    result = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds=kwds)
    return result.params[0], result.cov_params()[0, 0], min(len(set(group)) for group in groups)


def around(mean, variance, g):
    half = scipy_stats.t.ppf(0.975, g - 1) * variance**0.5
    return pytest.approx((max(0, mean - half), min(1, mean + half)), abs=1e-7)


@settings(max_examples=25)
@given(CELLS)
def test_one_way_and_two_way_are_those_of_statsmodels(cells):
    assume(len({part / whole for part, whole in cells.values()}) > 1)
    for side, noun in enumerate(("item", "lineage")):
        clusters = by_cluster(cells, side)
        low, high, reason = cluster_interval(clusters, noun)
        mean, variance, g = fitted(cells, [side])
        if g < 5:
            assert low is high is None and reason.endswith(f"the spread between {noun}s takes 5")
        elif variance > 1e-12:
            assert (low, high) == around(mean, variance, g)
    low, high, reason = two_way_interval(cells)
    mean, variance, g = fitted(cells, [0, 1])
    if g < 5:
        assert "takes 5" in reason
    elif variance > 1e-9:
        assert (low, high) == around(mean, max(variance, *(fitted(cells, [side])[1] for side in (0, 1))), g)
    elif variance < -1e-9:
        assert low is high is None and "cells of item and lineage" in reason


def test_a_two_way_variance_that_comes_out_negative_is_undefined():
    """Items and lineages are all alike, and only their cells differ."""
    cells = {(i, j): ((n + m) % 2, 1) for n, i in enumerate("abcdef") for m, j in enumerate("ABCDEF")}
    assert two_way_interval(cells).undefined.startswith("what cells of item and lineage vary by")
    assert two_way_interval({key: (1, 1) for key in cells})[:2] == (0.5, 1.0)
    assert two_way_interval({key: (0, 1) for key in cells})[:2] == (0.0, 0.5)


@pytest.mark.parametrize(("g", "told"), [(0, "there is no item"), (1, "there is 1 item"), (4, "there are 4 items")])
def test_under_five_clusters_it_is_undefined(g, told):
    low, high, reason = cluster_interval({str(n): (n % 2, 2) for n in range(g)}, "item")
    assert low is high is None and reason == f"{told}, and the spread between items takes 5"


ITEMS, NAMES = "ijklm", "abcdefg"


def grades():
    """Two trials of each of five items by each of seven configurations, which are of seven lineages or fewer."""
    held = {}
    for at, name in enumerate(NAMES):
        for number, item in enumerate(ITEMS):
            for n in range(2):
                flips = (at in (0, 2, 5)) != (number == 3) or (n and at == number)
                frozen, other = ("passed", "failed") if (at * number + n) % 4 == 0 else ("failed", "passed")
                held[name, item, n] = (frozen, other if flips else frozen)
    return held


def beyond_of(held):
    lineages = {"a": "one", "b": "one", "c": "two", "d": "three", "e": "four"}
    con = store(
        [attempt(*key, frozen, v2=new, aside=frozen) for key, (frozen, new) in held.items()],
        configurations={name: {"weights": f"w{name}", "lineage": lineages.get(name)} for name in NAMES},
    )
    declared = corpus(candidates=(CandidateSpec("v2", ("v2_v1",)),), tiers=(Tier("top", 1.0),))
    return as_json(axes_summary(con, declared))["pass"]["beyond"], lineages


def test_the_figures_are_those_of_the_trials():
    held = grades()
    found, lineages = beyond_of(held)
    assert list(found) == ["v2"], "only declared candidates"
    for way, status, to in (("fail_to_pass", "failed", "passed"), ("pass_to_fail", "passed", "failed")):
        share = found["v2"]["all"][way]
        of = {key: new for key, (frozen, new) in held.items() if frozen == status}
        assert (share["count"], share["n"]) == (sum(new == to for new in of.values()), len(of))
        cells = {}
        for (name, item, _), new in of.items():
            key = (item, lineages.get(name, f"w{name}"))
            part, whole = cells.get(key, (0, 0))
            cells[key] = (part + (new == to), whole + 1)
        for by, sides in (("by_item", [0]), ("by_lineage", [1]), ("two_way", [0, 1])):
            mean, variance, g = fitted(cells, sides)
            assert share[by]["clusters"] == g
            assert share["rate"] == pytest.approx(mean)
            if by == "two_way":
                assert variance > 0
                variance = max(variance, *(fitted(cells, [side])[1] for side in (0, 1)))
            if variance > 1e-12:
                assert (share[by]["interval"]["low"], share[by]["interval"]["high"]) == around(mean, variance, g)
        assert share["by_item"]["warning"] == "Rough: 5 items, fewer than 20."


def test_one_trial_more_moves_the_share_by_one():
    held = grades()
    key = next(key for key, (frozen, new) in held.items() if frozen == new == "failed")
    before, after = (beyond_of(each)[0]["v2"]["all"] for each in (held, {**held, key: ("failed", "passed")}))
    assert after["fail_to_pass"]["count"] == before["fail_to_pass"]["count"] + 1
    assert after["fail_to_pass"]["n"] == before["fail_to_pass"]["n"]
    assert after["pass_to_fail"] == before["pass_to_fail"]
    for by in ("by_item", "by_lineage", "two_way"):
        assert after["fail_to_pass"][by] != before["fail_to_pass"][by]


def test_without_a_trial_of_the_status_there_is_no_share():
    found, _ = beyond_of({("a", "i", 0): ("passed", "passed")})
    share = found["v2"]["top"]["fail_to_pass"]
    assert (share["count"], share["n"], share["rate"]) == (0, 0, None)
    for by in ("by_item", "by_lineage", "two_way"):
        assert share[by]["interval"]["undefined"] == "there is no failed trial"
    assert found["v2"]["top"]["pass_to_fail"]["by_item"]["interval"]["undefined"].startswith("there is 1 item,")
