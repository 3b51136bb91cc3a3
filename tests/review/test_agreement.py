"""Agreement coefficients against irrCAC, krippendorff, scikit-learn and statsmodels, and what they cannot say."""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from collections.abc import Mapping

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from regrade.flips.labels import LABELS
from regrade.review.agreement import NO_PAIR, NO_SPREAD, ONE_LABEL, Coefficient, ac1, alpha, kappa, measure_agreement
from tests.review import irrcac

RECORDED = json.loads(irrcac.FILE.read_text(encoding="utf-8"))


def labels_of(rows: list[list[str | None]]) -> dict[str, dict[str, str]]:
    return {f"t{at:03}": {f"r{who}": label for who, label in enumerate(row) if label} for at, row in enumerate(rows)}


def patterns(rows: list[list[str | None]]) -> Mapping[tuple[int, ...], int]:
    return Counter(tuple(row.count(label) for label in LABELS) for row in rows)


def bounds(found: Coefficient) -> tuple[float, float]:
    low, high, reason = found.interval
    assert low is not None and high is not None and reason is None
    return low, high


def test_ac1_is_that_of_irrcac() -> None:
    spread = 0
    for name, rows in irrcac.tables():
        value, error, *sides = RECORDED[name]["ac1"]
        found = ac1(patterns(rows))
        assert found.value == pytest.approx(value, abs=1e-7)
        if error > 1e-8:
            assert bounds(found) == pytest.approx((max(sides[0], -1), sides[1]), abs=1e-7)
            spread += 1
        else:
            assert found.interval.undefined == NO_SPREAD
    assert spread > 150


def test_alpha_is_that_of_krippendorff_and_irrcac() -> None:
    spread = 0
    for name, rows in irrcac.tables():
        found = alpha(patterns(rows))
        columns = [
            [math.nan if label is None else LABELS.index(label) for label in by] for by in zip(*rows, strict=True)
        ]
        theirs = krippendorff.alpha(columns, value_domain=[0, 1, 2], level_of_measurement="nominal")
        assert found.value == pytest.approx(float(theirs), abs=1e-12)
        value, error, *sides = RECORDED[name]["alpha"]
        assert found.value == pytest.approx(value, abs=1e-7)
        if error > 1e-8:
            held = irrcac.compared(rows)
            uneven = len({sum(label is not None for label in row) for row in held}) > 1
            # Where trials have unequal numbers of labels irrCAC puts the corrected agreement for the plain one, which
            # matters in small tables; the test of the derivatives decides.
            if not uneven or len(held) > 20:
                near = 0.02 if uneven else 1e-7
                assert bounds(found) == pytest.approx((max(-1.0, sides[0]), sides[1]), abs=near)
            spread += 1
        else:
            assert found.interval.undefined == NO_SPREAD
    assert spread > 150


def test_what_is_recorded_is_what_irrcac_says() -> None:
    pytest.importorskip("irrCAC", reason="irrCAC asks for a SciPy of the past, and is not here")
    names = sorted(RECORDED)[::15]
    tables = dict(irrcac.tables())
    assert tables.keys() == RECORDED.keys()
    for name in names:
        for which, numbers in irrcac.said(tables[name]).items():
            assert numbers == pytest.approx(RECORDED[name][which], abs=1e-8)


def plain_alpha(rows: list[list[str | None]], weights: list[float]) -> float:
    """Alpha without its correction for small samples, trials weighted; written another way than in the package."""
    total, chance, apart = 0.0, dict.fromkeys(LABELS, 0.0), 0.0
    for row, weight in zip(rows, weights, strict=True):
        said = [label for label in row if label]
        if len(said) < 2:
            continue
        total += weight * len(said)
        for label in said:
            chance[label] += weight
        differ = sum(a != b for at, a in enumerate(said) for b in said[:at]) * 2
        apart += weight * differ / (len(said) - 1)
    expected = 1 - sum((c / total) ** 2 for c in chance.values())
    return 1 - (apart / total) / expected


def test_the_variance_of_alpha_is_that_of_its_derivatives() -> None:
    step = 1e-5
    for name, table in irrcac.tables():
        rows = irrcac.compared(table)
        found = alpha(patterns(rows))
        if not name.startswith(("3/0.3/1", "5/0.3/1")) or found.interval.undefined:
            continue
        n, squares = len(rows), 0.0
        for at in range(n):
            more, less = ([1.0 + sign * step * (at == other) for other in range(n)] for sign in (1, -1))
            squares += ((plain_alpha(rows, more) - plain_alpha(rows, less)) / (2 * step)) ** 2
        error = math.sqrt(squares * n / (n - 1))
        half = t.ppf(0.975, n - 1) * error
        assert found.value is not None
        low, high = max(-1, found.value - half), min(1, found.value + half)
        assert bounds(found) == pytest.approx((low, high), abs=1e-6)


def test_kappa_is_that_of_scikit_learn_and_statsmodels() -> None:
    compared = 0
    for seed in range(200):
        rows = irrcac.drawn(seed, 2, 0.1 * (seed % 3))
        [pair] = measure_agreement(labels_of(rows), ["r0", "r1"]).pairs
        both = [row for row in rows if None not in row]
        assert pair.trials == len(both)
        if not both or len({label for row in both for label in row}) < 2:
            assert pair.kappa.undefined in (NO_PAIR, ONE_LABEL)
            continue
        found = pair.kappa
        assert found.value == pytest.approx(cohen_kappa_score(*zip(*both, strict=True)), abs=1e-12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            oracle = cohens_kappa(np.array(pair.table))
            low, high = max(-1, oracle.kappa_low), min(1, oracle.kappa_upp)
        assert found.value == pytest.approx(oracle.kappa, abs=1e-12)
        if oracle.var_kappa > 1e-12:
            assert bounds(found) == pytest.approx((low, high), abs=1e-9)
            compared += 1
        else:
            assert found.interval.undefined == NO_SPREAD
    assert compared > 100


def test_raw_agreement_is_the_trials_whose_labels_are_the_same() -> None:
    for seed in range(60):
        rows = irrcac.drawn(seed, 3, 0.3)
        found = measure_agreement(labels_of(rows), ["r0", "r1", "r2"])
        said = [[label for label in row if label] for row in rows]
        compared = [row for row in said if len(row) > 1]
        assert found.trials == sum(bool(row) for row in said)
        assert (found.compared, found.agree) == (len(compared), sum(len(set(row)) == 1 for row in compared))
        assert found.agree + found.disagree == found.compared
        assert sum(sum(by.values()) for by in found.marginals.values()) == sum(map(len, said))


def test_one_label_throughout_leaves_kappa_and_alpha_undefined() -> None:
    found = measure_agreement({f"t{n}": {"a": "passed", "b": "passed"} for n in range(9)}, ["a", "b"])
    assert (found.raw.value, found.alpha.value, found.pairs[0].kappa.value) == (1, None, None)
    assert found.alpha.undefined == found.pairs[0].kappa.undefined == ONE_LABEL
    assert found.ac1.value == 1 and found.ac1.interval.undefined == NO_SPREAD
    low, _ = bounds(found.raw)
    assert 0 < low < 1, "nine trials that agree do not say that all would"


def test_full_agreement_on_several_labels_has_no_interval_of_no_width() -> None:
    found = measure_agreement({f"t{n}": dict.fromkeys("ab", LABELS[n % 3]) for n in range(9)}, ["a", "b"])
    for each in (found.alpha, found.ac1, found.pairs[0].kappa):
        assert (each.value, each.interval.undefined) == (1, NO_SPREAD)


def test_nothing_to_compare_is_undefined_and_says_why() -> None:
    for labels in ({}, {"t1": {}}, {"t1": {"a": "passed"}, "t2": {"b": "failed"}}):
        found = measure_agreement(labels, ["a", "b"])
        assert found.compared == 0
        for each in (found.raw, found.alpha, found.ac1, found.pairs[0].kappa):
            assert (each.value, each.undefined, each.interval.undefined) == (None, NO_PAIR, NO_PAIR)


def test_one_trial_has_coefficients_and_no_interval() -> None:
    found = measure_agreement({"t1": {"a": "passed", "b": "failed"}}, ["a", "b"])
    assert (found.raw.value, found.alpha.value) == (0, 0)
    for each in (found.alpha, found.ac1):
        assert each.interval.low is None and "1 trial" in str(each.interval.undefined)


def test_unclear_is_a_label_like_the_others() -> None:
    said = {"t1": {"a": "passed", "b": "unclear"}, "t2": {"a": "unclear", "b": "unclear"}}
    found = measure_agreement(said, ["a", "b"])
    assert (found.compared, found.agree, found.marginals["b"]["unclear"]) == (2, 1, 2)


def test_a_label_that_nobody_gave_moves_nothing() -> None:
    without = [["passed", "passed"]] * 7 + [["failed", "failed"], ["passed", "failed"]]
    assert kappa([[7, 1], [0, 1]]) == kappa([[7, 1, 0], [0, 1, 0], [0, 0, 0]])
    assert alpha({(2, 0): 7, (0, 2): 1, (1, 1): 1}) == alpha(patterns(without))


def test_49_of_50() -> None:
    """The published row: one disagreement, on the label that is rare."""
    rows = {f"t{n:02}": dict.fromkeys(("r1", "r2"), "passed" if n < 45 else "failed") for n in range(50)}
    rows["t49"] = {"r1": "failed", "r2": "passed"}
    found = measure_agreement(rows, ["r1", "r2"])
    assert (found.compared, found.agree, found.disagree) == (50, 49, 1)
    assert found.raw.value == 0.98
    assert found.pairs[0].table == ((45, 0, 0), (1, 4, 0), (0, 0, 0))
    assert found.pairs[0].kappa.value == pytest.approx(
        (0.98 - (0.9 * 0.92 + 0.1 * 0.08)) / (1 - (0.9 * 0.92 + 0.1 * 0.08))
    )
    rows["t00"] = {"r1": "failed", "r2": "passed"}
    assert measure_agreement(rows, ["r1", "r2"]).agree == 48


counts = st.dictionaries(st.tuples(*[st.integers(0, 3)] * 3), st.integers(1, 9), min_size=1, max_size=6)


@given(counts)
def test_every_table_has_bounds_in_order_or_a_reason(given_counts: dict[tuple[int, ...], int]) -> None:
    for found in (ac1(given_counts), alpha(given_counts)):
        low, high, reason = found.interval
        if found.value is None:
            assert found.undefined and reason
        elif low is None or high is None:
            assert reason and -1 <= found.value <= 1
        else:
            assert -1 <= low <= found.value <= high <= 1
