"""What the labels of a sample come to: upheld flips, and a grader's errors both ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.errors import RegradeError
from regrade.flips.samples import MOVES
from regrade.review.draw import canonical, read_stratum
from regrade.review.estimates import Grades, Label, Labels, error_rates, upheld
from regrade.review.totals import TAIL, Part, at_least, at_most
from tests.review.corpora import MOVE_NAMES, Planted, World, draw
from tests.review.coverage import graded, labels

SOME = (3, 2, 1, 1, 1, 1)


def labelled(move: str, said: Sequence[str | None], size: int, by: str = "") -> list[Label]:
    """Drawn trials of one stratum of `size`, a configuration and an item for every tenth."""
    frozen, candidate = MOVES[move]
    stratum = move + (f', family = "{by}"' if by else "")
    return [
        Label(
            f"{stratum}/{k:03}", stratum, len(said) / size, frozen, candidate, label, f"c{k % 10}", None,
            f"l{k % 7}", f"i{k % 6}",
        )
        for k, label in enumerate(said)
    ]  # fmt: skip


PASS, FAIL = "passed", "failed"
PUBLISHED = labelled("fail_to_pass", [PASS] * 45 + [FAIL] * 5, 477)


def flips(rows: Sequence[Label]) -> dict:
    return upheld(Labels(rows))["fail_to_pass"]


def test_45_of_50_of_477():
    found = flips(PUBLISHED)
    assert (found["frame"], found["drawn"], found["upheld"], found["open"], found["share"]) == (477, 50, 45, 0, 0.9)
    assert found["in_corpus"] == {"low": 376, "high": 459, "undefined": None}


def test_the_two_estimates_are_of_different_things():
    """What the lineages are moves what is beyond the corpus, and nothing in it."""
    one = [replace(row, lineage="l0") for row in PUBLISHED]
    assert flips(one)["in_corpus"] == flips(PUBLISHED)["in_corpus"]
    assert flips(one)["beyond"]["by_lineage"]["interval"]["undefined"].startswith("there is 1 lineage")
    assert flips(PUBLISHED)["beyond"]["by_lineage"]["lineages"] == 7


def test_one_label_moves_each_figure():
    other = [replace(row, label=FAIL) if row.trial.endswith("044") else row for row in PUBLISHED]
    assert flips(other)["upheld"] == 44
    assert flips(other)["in_corpus"]["low"] < 376 and flips(other)["in_corpus"]["high"] < 459


def test_an_open_trial_may_be_either_and_an_unclear_one_is_not_upheld():
    a_few = [replace(row, label=None) if row.trial.endswith(("000", "001")) else row for row in PUBLISHED]
    found = flips(a_few)
    assert (found["upheld"], found["open"], found["share"]) == (43, 2, None)
    fewer = flips(labelled("fail_to_pass", [PASS] * 43 + [FAIL] * 7, 477))["in_corpus"]
    assert found["in_corpus"] == {"low": fewer["low"], "high": 459, "undefined": None}
    unclear = [replace(row, label="unclear") if row.label == FAIL else row for row in PUBLISHED]
    assert flips(unclear) == flips(PUBLISHED)


def test_while_a_drawn_trial_is_open_nothing_is_said_but_of_this_corpus():
    """The open ones are those that reviewers differ on: the settled are no draw of all."""
    reason = "1 of 50 drawn trials are not settled; have them labelled or ruled on first"
    found = flips([replace(PUBLISHED[0], label=None), *PUBLISHED[1:]])
    beyond = found["beyond"]
    for each in (beyond["by_lineage"], beyond["by_item"]):
        assert each["rate"] is None and each["interval"] == {"low": None, "high": None, "undefined": reason}
    assert beyond["effective"]["lineage"] == beyond["effective"]["item"]
    assert beyond["effective"]["item"] == {"n": None, "least": None, "correlation": None, "undefined": reason}
    rows = [*labelled("fail_to_pass", [PASS] * 9 + [None], 10), *labelled("both_passed", [PASS] * 20, 20)]
    assert upheld(Labels(rows))["both_passed"] == upheld(Labels(rows[10:]))["both_passed"]
    penalty = error_rates(Labels(rows), graded(rows, "frozen"))["false_penalty"]
    assert (penalty["count"], penalty["n"], penalty["open"], penalty["unclear"], penalty["rate"]) == (9, 29, 1, 0, None)
    assert penalty["in_corpus"] == {"low": round(9 / 29, 10), "high": round(10 / 30, 10), "undefined": None}
    assert penalty["undefined"] == penalty["beyond"]["by_item"]["interval"]["undefined"] == reason.replace("50", "30")


def test_without_a_label_nothing_is_said():
    found = flips([replace(row, label=None) for row in PUBLISHED])
    assert found["share"] is None and found["in_corpus"]["undefined"] == "no trial of it has a label"
    assert found["beyond"]["by_lineage"]["rate"] is None


@pytest.mark.parametrize("lineage", [None, ""])
def test_where_a_lineage_is_not_known_the_weights_or_the_configuration_stand_for_it(lineage):
    rows = [
        replace(row, lineage=row.lineage if row.configuration == "c9" else lineage, weights="w" if k % 10 < 5 else None)
        for k, row in enumerate(PUBLISHED)
    ]
    found = flips(rows)["beyond"]["by_lineage"]
    known = {row.lineage for row in rows if row.lineage}
    assert (found["lineages"], found["unknown"], found["configurations"]) == (5 + len(known), 9, 10)
    assert "The lineage of 9 of 10 configurations is not known" in found["warning"]
    none = flips([replace(row, lineage=lineage) for row in rows])["beyond"]["by_lineage"]["interval"]
    assert none["undefined"] == "the lineage of 10 of 10 configurations is not known"


def test_the_lineages_of_the_frame_are_told_beside_those_drawn():
    lineages = {"fail_to_pass": {"l0", "l7", "l8"}, "both_passed": {"l9"}}
    found = upheld(Labels(PUBLISHED, lineages))["fail_to_pass"]["beyond"]["by_lineage"]
    assert (found["lineages"], found["frame"]) == (7, 9)


def test_of_a_pass_that_became_a_failure_a_label_of_failed_upholds_it():
    rows = labelled("pass_to_fail", [FAIL] * 9 + [PASS], 40)
    assert upheld(Labels(rows))["pass_to_fail"]["upheld"] == 9


def test_each_move_has_its_own():
    rows = [*PUBLISHED, *labelled("both_passed", [PASS] * 20, 900)]
    found = upheld(Labels(rows))
    assert list(found) == ["fail_to_pass", "both_passed"] and found["fail_to_pass"] == flips(PUBLISHED)


def test_strata_count_by_their_size():
    rows = [*labelled("fail_to_pass", [PASS] * 10, 90, "a"), *labelled("fail_to_pass", [FAIL] * 10, 10, "b")]
    found = flips(rows)
    assert (found["frame"], found["share"]) == (100, 0.9)
    assert found["in_corpus"]["low"] >= 10 and found["in_corpus"]["high"] == 90


BY = st.dictionaries(
    st.sampled_from(["family", "weights", "gold.kind", "extra.a b"]),
    st.none() | st.booleans() | st.integers() | st.text(),
)


@given(BY, st.none() | st.text())
def test_what_a_stratum_is_by_is_read_from_its_name(by, code):
    """The name is as a draw writes it; the code is what a grader says, and no part of the cell."""
    name = ", ".join(["fail_to_pass", *(f"{key} = {canonical(value)}" for key, value in {**by, "code": code}.items())])
    assert read_stratum(name) == ("fail_to_pass", {**by, "code": code})
    assert replace(PUBLISHED[0], stratum=name).cell == canonical(by)
    assert read_stratum("both_passed") == ("both_passed", {})


@pytest.mark.parametrize(
    "rows",
    [
        [replace(PUBLISHED[0], probability=0.5), *PUBLISHED[1:]],
        [replace(row, probability=0.3) for row in PUBLISHED[:1]],
        [replace(row, probability=0.0) for row in PUBLISHED],
        [replace(PUBLISHED[0], frozen="passed"), *PUBLISHED[1:]],
    ],
)
def test_what_is_no_draw_is_refused(rows):
    with pytest.raises(RegradeError, match="'fail_to_pass' was not drawn from the trials of one move"):
        Labels(rows)


BALANCED = [
    *labelled("fail_to_pass", [PASS] * 18 + [FAIL] * 2, 200),
    *labelled("pass_to_fail", [FAIL] * 6, 6),
    *labelled("both_passed", [PASS] * 19 + [FAIL], 1000),
    *labelled("both_failed", [FAIL] * 15 + [PASS] * 5, 400),
]


def test_errors_are_by_inclusion_probability():
    rates = error_rates(Labels(BALANCED), graded(BALANCED, "frozen"))
    penalty, credit = rates["false_penalty"], rates["false_credit"]
    # That should pass: 180 + 100 that it failed, 950 that it passed. That should fail: 6 + 50 passed, 20 + 300 failed.
    assert (penalty["count"], penalty["n"], penalty["rate"]) == (23, 42, round(280 / 1230, 10))
    assert (credit["count"], credit["n"], credit["rate"]) == (7, 24, round(56 / 376, 10))
    rates = error_rates(Labels(BALANCED), graded(BALANCED, "candidate"))
    assert rates["false_penalty"]["rate"] == round(100 / 1230, 10)
    assert rates["false_credit"]["rate"] == round(70 / 376, 10)


def test_intervals_hold_the_rate():
    for grader in ("frozen", "candidate"):
        for rate in error_rates(Labels(BALANCED), graded(BALANCED, grader)).values():
            assert rate["in_corpus"]["low"] < rate["rate"] < rate["in_corpus"]["high"]
            assert rate["beyond"]["by_lineage"]["warning"].startswith("Rough: ")


def test_errors_and_the_rest_are_bounded_apart_each_at_half_the_tail():
    penalty = error_rates(Labels(BALANCED), graded(BALANCED, "frozen"))["false_penalty"]["in_corpus"]
    wrong, right = [Part(200, 20, 18), Part(400, 20, 5)], [Part(6, 6, 0), Part(1000, 20, 19)]
    few, many = at_least(wrong, TAIL / 2), at_most(wrong, TAIL / 2)
    little, much = at_least(right, TAIL / 2), at_most(right, TAIL / 2)
    assert (penalty["low"], penalty["high"]) == (round(few / (few + much), 10), round(many / (many + little), 10))


def test_of_a_frame_drawn_whole_the_rate_is_known():
    rows = [*labelled("fail_to_pass", [PASS] * 5 + [FAIL], 6), *labelled("both_passed", [PASS] * 10 + [FAIL], 11)]
    rate = error_rates(Labels(rows), graded(rows, "frozen"))["false_penalty"]
    assert rate["in_corpus"] == {"low": round(1 / 3, 10), "high": round(1 / 3, 10), "undefined": None}
    rows[0] = replace(rows[0], label="unclear")
    rate = error_rates(Labels(rows), graded(rows, "frozen"))["false_penalty"]
    assert (rate["n"], rate["open"], rate["unclear"], rate["rate"]) == (14, 0, 1, round(4 / 14, 10))
    assert rate["in_corpus"] == {"low": round(4 / 14, 10), "high": round(5 / 15, 10), "undefined": None}


def test_a_grader_that_the_draw_was_not_by_is_judged_on_the_same_labels():
    """One that passes everything errs in no penalty and in every credit, and what it did not grade is left out."""
    everywhere = dict.fromkeys(MOVES, ["passed", "ungraded"])
    says = {row.trial: "passed" for row in BALANCED}
    rates = error_rates(Labels(BALANCED), Grades(says, everywhere))
    assert (rates["false_penalty"]["rate"], rates["false_credit"]["rate"]) == (0.0, 1.0)
    says = {row.trial: "ungraded" if row.label == FAIL else "passed" for row in BALANCED}
    rates = error_rates(Labels(BALANCED), Grades(says, everywhere))
    assert rates["false_credit"]["n"] == 0
    assert rates["false_credit"]["in_corpus"]["undefined"] == "no labelled trial should have failed"


def test_the_order_of_the_labels_is_nothing():
    assert upheld(Labels(BALANCED[::-1])) == upheld(Labels(BALANCED))


def test_over_many_draws_the_rates_are_those_of_the_corpus():
    rng = np.random.default_rng(3)
    world = World(rng, Planted(), SOME)
    moves = world.move()
    strata = {move: np.flatnonzero(moves == k) for k, move in enumerate(MOVE_NAMES)}
    found = []
    for _ in range(50):
        rows = labels(world, draw(rng, strata, dict.fromkeys(strata, 40)))
        rates = error_rates(Labels(rows), graded(rows, "frozen"))
        found.append([rates[kind]["rate"] for kind in ("false_penalty", "false_credit")])
    truth = [np.mean(~world.frozen[world.truth]), np.mean(world.frozen[~world.truth])]
    assert np.mean(found, axis=0) == pytest.approx(truth, abs=0.03)
