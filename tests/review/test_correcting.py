"""Pass rates without the grader's errors, and when they are not shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from regrade.review.correcting import ASSUMPTION, both_sides, check_assumption, corrected
from regrade.review.estimates import Label, Labels
from tests.review.coverage import graded
from tests.review.test_estimates import FAIL, PASS, labelled

HALVES = st.integers(0, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(HALVES, HALVES)
def test_the_chance_is_that_of_fisher(mine, rest):
    table = [[mine[0], mine[1] - mine[0]], [rest[0], rest[1] - rest[0]]]
    assume(mine[1] and rest[1])
    assert both_sides([(mine, rest)]) == pytest.approx(scipy_stats.fisher_exact(table).pvalue, abs=1e-9)


@given(HALVES, HALVES)
def test_a_cell_that_has_only_one_half_tells_nothing(mine, rest):
    assert both_sides([(mine, rest), ((3, 5), (0, 0))]) == pytest.approx(both_sides([(mine, rest)]), abs=1e-9)


def test_cells_are_compared_each_within_itself():
    """The errors and the lineage are in one cell: it looks unlike the others over both, and not within each."""
    assert both_sides([((4, 8), (4, 8)), ((0, 0), (0, 40))]) == pytest.approx(1)
    assert both_sides([((4, 8), (4, 48))]) < 0.05


def spread_out(rows: list[Label], lineages: int = 4) -> list[Label]:
    """The trials of each stratum in turn over some lineages, a configuration each."""
    return [replace(row, lineage=f"l{k % lineages}", configuration=f"c{k % lineages}") for k, row in enumerate(rows)]


ALIKE = spread_out(
    [
        *labelled("fail_to_pass", [PASS] * 36 + [FAIL] * 4, 200),
        *labelled("both_passed", [PASS] * 116 + [FAIL] * 4, 1000),
        *labelled("both_failed", [FAIL] * 76 + [PASS] * 4, 400),
    ]
)
PASSES = {f"c{k}": (250 - 10 * k, 400) for k in range(4)}
LINEAGES = {f"c{k}": f"l{k}" for k in range(4)}


def shown(rows: list[Label], passes=PASSES, lineages=LINEAGES, grader="frozen"):
    return corrected(Labels(rows), graded(rows, grader), passes, lineages)


def test_rogan_and_gladen():
    found = shown(ALIKE)
    assert found["undefined"] is None and found["assumption"] == ASSUMPTION
    penalty = (180 + 20) / (180 + 20 + 1000 * 116 / 120)
    credit = (1000 * 4 / 120) / (1000 * 4 / 120 + 20 + 380)
    c0 = found["configurations"]["c0"]
    assert (c0["passed"], c0["n"], c0["rate"]) == (250, 400, 0.625)
    assert c0["corrected"] == pytest.approx((0.625 - credit) / (1 - penalty - credit), abs=1e-9)
    assert c0["interval"]["low"] < c0["corrected"] < c0["interval"]["high"]


def test_one_pass_more_moves_it():
    more = shown(ALIKE, {**PASSES, "c0": (251, 400)})["configurations"]
    assert more["c0"]["corrected"] > shown(ALIKE)["configurations"]["c0"]["corrected"]
    assert more["c1"] == shown(ALIKE)["configurations"]["c1"]


def test_a_grader_without_errors_corrects_nothing():
    rows = spread_out([*labelled("both_passed", [PASS] * 60, 60), *labelled("both_failed", [FAIL] * 60, 60)])
    found = shown(rows)["configurations"]["c0"]
    assert found["corrected"] == found["interval"]["low"] == found["interval"]["high"] == 0.625


def test_where_a_lineage_has_other_errors_nothing_is_shown():
    rows = [replace(row, lineage="l0") if row.label == PASS and row.frozen == FAIL else row for row in ALIKE]
    found = shown(rows)
    assert found["check"]["refuted"] and found["check"]["least"]["lineage"] == "l0"
    assert found["configurations"] == {}
    assert found["undefined"].startswith("the assumption does not hold: false penalty ")
    assert "for the lineage l0" in found["undefined"]


def test_the_comparison_is_of_all_lineages():
    check = check_assumption(Labels(ALIKE), graded(ALIKE, "frozen"))
    least = check["least"]
    assert check["checked"] == ["l0", "l1", "l2", "l3"] and not check["refuted"]
    assert least["n"] + least["other_n"] in (156, 84)
    assert 0.05 < check["chance"] <= 1


def test_the_chance_is_for_all_comparisons_together():
    """One lineage has seven false penalties of the others, which is unlikely of it alone and less so of any of four."""
    rows = [
        replace(row, lineage="l0") if "fail_to_pass/000" <= row.trial < "fail_to_pass/010" else row for row in ALIKE
    ]
    check = check_assumption(Labels(rows), graded(rows, "frozen"))
    least = check["least"]
    alone = both_sides([((least["errors"], least["n"]), (least["other_errors"], least["other_n"]))])
    assert 0.01 < alone < 0.05 < check["chance"] < 1
    assert check["chance"] == pytest.approx(8 * alone, abs=1e-9)


def test_where_the_sample_cannot_check_it_nothing_is_shown():
    found = shown([replace(row, lineage="l0") for row in ALIKE])
    assert (
        found["undefined"].startswith("the assumption cannot be checked: 0 of 1 lineages")
        and not found["configurations"]
    )


def test_one_lineage_that_can_be_compared_is_too_few_and_is_one():
    few = {f"both_passed/{k:03}" for k in range(3)} | {f"both_failed/{k:03}" for k in range(3)}
    found = shown([replace(row, lineage="few" if row.trial in few else "l0") for row in ALIKE])
    assert "1 of 2 lineages has 5 labelled trials" in found["undefined"]


def test_a_draw_that_is_by_lineage_compares_nothing():
    """Each lineage has chances of its own to be drawn, so that what is drawn of two cannot be held side by side."""
    rows = [
        *(
            replace(row, lineage=name, configuration=f"c{name[1]}")
            for name in ("l0", "l1", "l2")
            for move, said, size in (("both_passed", [PASS] * 28 + [FAIL] * 2, 300), ("both_failed", [FAIL] * 20, 90))
            for row in labelled(move, said, size, name)
        )
    ]
    found = shown(rows)
    assert found["check"]["checked"] == [] and "0 of 3 lineages" in found["undefined"]
    by_code = [replace(row, stratum=row.stratum.replace("family", "code")) for row in rows]
    assert shown(by_code)["undefined"] is None
    together = [replace(row, stratum=row.move, probability=0.1) for row in rows if row.move == "both_passed"]
    together += [replace(row, stratum=row.move, probability=60 / 270) for row in rows if row.move == "both_failed"]
    assert shown(together)["undefined"] is None


def test_a_draw_by_code_with_unequal_chances_compares_nothing():
    """The code tells which fault it was: where each has its own chance, lineages look unlike that are not."""
    a = spread_out(labelled("both_failed", [FAIL] * 40 + [PASS] * 8, 60, "A"))
    b = spread_out(labelled("both_failed", [FAIL] * 46 + [PASS] * 2, 600, "B"))
    passed = spread_out(labelled("both_passed", [PASS] * 56 + [FAIL] * 4, 300))
    by_code = [replace(row, stratum=row.stratum.replace("family", "code")) for row in (*a, *b)]
    found = shown([*passed, *by_code])
    reason = "the draw is by code with unequal chances, so that the counts of lineages cannot be compared"
    assert found["undefined"] == f"the assumption cannot be checked: {reason}" and found["configurations"] == {}
    assert found["check"]["chance"] is None and not found["check"]["refuted"]
    equal = [replace(row, probability=48 / 600) for row in by_code]
    assert shown([*passed, *equal])["undefined"] is None
    # Cells are compared each within itself, and may have chances of their own.
    assert shown([*passed, *a, *b])["check"]["undefined"] is None


def least_and_most(size: int, drawn: int, found: int, tail: float) -> tuple[int, int]:
    """The counts under which a draw with what was found, or more of it on the one side, is no rarer than the tail."""
    having = range(found, size - drawn + found + 1)
    return (
        min(k for k in having if scipy_stats.hypergeom.sf(found - 1, size, k, drawn) > tail),
        max(k for k in having if scipy_stats.hypergeom.cdf(found, size, k, drawn) > tail),
    )


def test_the_bounds_of_a_corrected_rate():
    """a, b and what falls on a configuration by chance: each a third of the chance; each error in two halves of it."""
    rows = spread_out(
        [
            *labelled("both_passed", [PASS] * 116 + [FAIL] * 4, 1000),
            *labelled("both_failed", [FAIL] * 76 + [PASS] * 4, 400),
        ]
    )
    sixth = 0.05 / 2 / 3 / 2

    def ends(wrong: tuple[int, int, int], right: tuple[int, int, int]) -> tuple[float, float]:
        (few, many), (little, much) = least_and_most(*wrong, sixth), least_and_most(*right, sixth)
        return few / (few + much), many / (many + little)

    z, expected = scipy_stats.norm.ppf(1 - 0.05 / 2 / 3), []
    for a in ends((400, 80, 4), (1000, 120, 116)):
        for b in ends((1000, 120, 4), (400, 80, 76)):
            truth = min(1, max(0, (0.625 - b) / (1 - a - b)))
            off = z * ((truth * a * (1 - a) + (1 - truth) * b * (1 - b)) / 400) ** 0.5
            expected += [(0.625 + way * off - b) / (1 - a - b) for way in (-1, 1)]
    interval = shown(rows)["configurations"]["c0"]["interval"]
    assert (interval["low"], interval["high"]) == pytest.approx((min(expected), max(expected)), abs=1e-8)


def test_a_lineage_with_too_few_labels_is_not_shown():
    rare = [
        replace(row, lineage="rare") if row.trial in ("both_passed/000", "both_failed/000") else row for row in ALIKE
    ]
    found = shown(rare, {**PASSES, "r": (30, 60)}, {**LINEAGES, "r": "rare"})
    assert found["configurations"]["r"]["corrected"] is None
    assert "too few labels of its lineage" in found["configurations"]["r"]["interval"]["undefined"]
    assert found["configurations"]["c0"]["corrected"] is not None


def test_a_grader_that_may_err_half_the_time_tells_nothing():
    rows = spread_out(
        [
            *labelled("fail_to_pass", [PASS] * 40, 1000),
            *labelled("both_passed", [PASS] * 20 + [FAIL] * 20, 1000),
            *labelled("both_failed", [FAIL] * 40, 400),
        ]
    )
    found = shown(rows)["configurations"]["c0"]
    assert found["corrected"] is None and "tell nothing" in found["interval"]["undefined"]


def test_without_a_trial_of_one_truth_there_is_no_rate():
    rows = spread_out(labelled("both_passed", [PASS] * 60, 600))
    assert shown(rows)["undefined"] == "no labelled trial should have failed"
