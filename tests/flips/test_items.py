"""Items: correlations against an independent computation, misses, lists and the matrix by hand."""

from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from regrade.audit import Audit
from regrade.files.corpus import Note, Tier
from regrade.flips.items import COLUMNS, ROWS, correlation
from tests.flips.flip_store import as_json, attempt, axes_summary, corpus, store

SHARES = st.integers(1, 6).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole)))


@given(st.lists(st.tuples(SHARES, SHARES), min_size=3, max_size=40))
def test_a_correlation_is_that_of_scipy(points: Any) -> None:
    item, others = ([part / whole for part, whole in axis] for axis in zip(*points, strict=True))
    found = correlation(item, others)
    if len({part * 60 // whole for part, whole in (point[0] for point in points)}) == 1:
        assert found.r is None and "its pass rate is the same" in str(found.undefined)
    elif len({part * 60 // whole for part, whole in (point[1] for point in points)}) == 1:
        assert found.r is None and "on the other items is the same" in str(found.undefined)
    else:
        assert found.r == pytest.approx(scipy_stats.pearsonr(item, others)[0], abs=1e-9)
        assert (found.configurations, found.undefined) == (len(points), None) and -1 <= found.r <= 1


def test_the_correlations_of_the_bundled_corpus_are_those_of_its_grades(
    tool_loop: Audit, tool_loop_store: duckdb.DuckDBPyConnection
) -> None:
    axis = tool_loop.summary["axes"]["pass"]
    names, items = list(axis["gains"]), list(axis["items"]["all"])
    passed, graded = (np.zeros((len(names), len(items))) for _ in range(2))
    for trial, status in tool_loop_store.execute("select trial_id, status from frozen_grades").fetchall():
        configuration, item = trial.split("/")[:2]
        at = names.index(configuration), items.index(item)
        passed[at] += status == "passed"
        graded[at] += status in ("passed", "failed")
    for tier, records in axis["items"].items():
        rows = [tier in axis["gains"][name]["tiers"] for name in names]
        for column, (item, record) in enumerate(records.items()):
            mine, all_mine = passed[rows], graded[rows]
            tried = (all_mine[:, column] > 0) & (all_mine.sum(axis=1) > all_mine[:, column])
            of_item = (mine[:, column] / np.where(all_mine[:, column], all_mine[:, column], 1))[tried]
            others = (mine.sum(axis=1) - mine[:, column])[tried] / (all_mine.sum(axis=1) - all_mine[:, column])[tried]
            found = record["correlation"]
            assert found["configurations"] == tried.sum()
            if np.ptp(of_item) == 0:
                assert found["r"] is None and found["undefined"]
            else:
                assert found["r"] == pytest.approx(np.corrcoef(of_item, others)[0, 1], abs=1e-9), (tier, item)


def test_the_bundled_corpus_comes_out_at_the_published_figures(tool_loop: Audit) -> None:
    axis = tool_loop.summary["axes"]["pass"]
    lists, records = axis["item_lists"]["strong"], axis["items"]["strong"]
    assert len(lists["never_failed"]) == 19 and len(records) == 48
    assert {kind: len(items) for kind, items in lists["proposed"].items()} == {"retire": 7, "canary": 3}
    assert len(lists["unproposed"]) == 9 and lists["proposed_yet_missed"] == lists["never_passed"] == []
    delete, unit = lists["missed_repeatedly"][:2]
    assert [(records[i]["failed"], records[i]["trials"], records[i]["codes"]) for i in (delete, unit)] == [
        (43, 66, {"FABRICATION": 43}),
        (25, 66, {"STALE_DATA": 25}),
    ]


def lay(**grades: str) -> list[Any]:
    """Trials written as `a_i="pf"`: configuration, item, and the grade of each trial by its first letter."""
    told = {"p": "passed", "f": "failed:WRONG", "u": "ungraded"}
    return [
        attempt(*name.split("_"), trial, told[letter])  # type: ignore[arg-type]
        for name, letters in grades.items()
        for trial, letter in enumerate(letters)
    ]


GRID = {
    "a_i": "ppp", "a_j": "ppp", "a_k": "ffp", "a_m": "pu",
    "b_i": "ppp", "b_j": "ppf", "b_k": "fff", "b_m": "pp",
    "c_i": "ppp", "c_j": "fff", "c_k": "ppp", "c_n": "f",
    "d_i": "pp", "d_j": "u", "d_n": "f",
}  # fmt: skip
CONFIGURATIONS = {"a": {"weights": "w", "lineage": "l"}, "b": {"weights": "w", "lineage": "l"}}
NOTES = (Note("i", "retire", "easy"), Note("j", "canary", "steady"), Note("k", "ambiguous", "?"))


def counted(grid: dict[str, str] = GRID, tiers: tuple[Tier, ...] = ()) -> Any:
    con = store(lay(**grid), configurations=CONFIGURATIONS)
    return as_json(axes_summary(con, corpus(notes=NOTES, tiers=tiers)))["pass"]


@pytest.fixture(scope="module")
def axis() -> Any:
    return counted()


def test_misses_are_repeated_from_the_second_on_or_where_one_trial_was_all(axis: Any) -> None:
    records = axis["items"]["all"]
    seen = {
        item: [
            tuple(r[key][of] for of in ("trials", "configurations", "weights", "lineages"))
            for key in ("missed", "repeated")
        ]
        for item, r in records.items()
    }
    assert seen == {
        "i": [(0, 0, 0, 0), (0, 0, 0, 0)],
        "j": [(4, 2, 2, 2), (3, 1, 1, 1)],
        "k": [(5, 2, 1, 1), (5, 2, 1, 1)],
        "m": [(0, 0, 0, 0), (0, 0, 0, 0)],
        "n": [(2, 2, 2, 2), (2, 2, 2, 2)],
    }
    assert all(r["missed"]["trials"] == r["failed"] for r in records.values())


def test_lists(axis: Any) -> None:
    lists = dict(axis["item_lists"]["all"])
    r = {item: record["correlation"]["r"] for item, record in axis["items"]["all"].items()}
    assert lists == {
        "never_failed": ["i"],  # m was not tried by all, and has an ungraded trial
        "proposed": {"retire": ["i"], "canary": []},
        "unproposed": [],
        "proposed_yet_missed": ["j"],
        "never_passed": ["n"],
        "missed_repeatedly": ["k", "n"],
        "correlated": 2,
        "negative": ["k", "j"],
    }
    assert r["k"] == pytest.approx(np.corrcoef([1 / 3, 0, 1], [7 / 7, 7 / 8, 3 / 7])[0, 1])


def test_a_correlation_that_cannot_be_had_says_why(axis: Any) -> None:
    found = {item: record["correlation"] for item, record in axis["items"]["all"].items()}
    assert found["i"]["undefined"] == "its pass rate is the same in all 4 configurations"
    assert (found["j"]["configurations"], found["j"]["undefined"]) == (3, None)  # d's only trial of it is ungraded
    assert found["n"]["undefined"] == "2 configurations have graded trials on it and on others; it takes 3"
    alike = counted({f"{name}_{item}": letters for name in "abc" for item, letters in (("x", "pf"), ("y", "pp"))})
    assert {r["correlation"]["r"] for r in alike["items"]["all"].values()} == {None}
    only = counted({"a_x": "p", "b_x": "f", "c_x": "p", "c_y": "f"})["items"]["all"]
    assert only["x"]["correlation"]["undefined"].startswith("1 configuration has graded trials on it and on others")
    flat = counted({"a_x": "p", "b_x": "f", "c_x": "p", "a_y": "f", "b_y": "f", "c_y": "f"})["items"]["all"]
    assert (
        flat["x"]["correlation"]["undefined"] == "the pass rate on the other items is the same in all 3 configurations"
    )


def test_one_more_failed_trial_moves_what_it_is_in_by_one() -> None:
    before, after = counted(), counted({**GRID, "a_j": "ppf"})
    old, new = before["items"]["all"], after["items"]["all"]
    for of in ("trials", "configurations"):
        assert new["j"]["missed"][of] == old["j"]["missed"][of] + 1
    assert new["j"]["repeated"] == old["j"]["repeated"]
    # The others move by what stands beside them alone.
    assert {key for item in old if item != "j" for key in old[item] if old[item][key] != new[item][key]} == {
        "correlation"
    }
    again = counted({**GRID, "a_j": "pff"})
    assert again["item_lists"]["all"]["missed_repeatedly"] == ["j", "k", "n"]


def test_the_matrix_tells_what_was_not_tried_from_what_never_passed(axis: Any) -> None:
    assert axis["item_matrix"] == {
        "tier": "all",
        "items": ["n", "k", "j", "i", "m"],
        "configurations": {
            "a": [None, "1/3", "3/3", "3/3", "1/1"],
            "b": [None, "0/3", "2/3", "3/3", "2/2"],
            "d": ["0/1", None, "0/0", "2/2", None],
            "c": ["0/1", "3/3", "0/3", "3/3", None],
        },
    }


def test_the_matrix_is_of_the_strongest_tier_and_keeps_the_strongest_and_the_hardest() -> None:
    tiers = (Tier("some", 0.2), Tier("top", 0.8))
    assert counted(tiers=tiers)["item_matrix"]["tier"] == "top"
    assert counted(tiers=(*tiers, Tier("perfect", 0.9)))["item_matrix"]["tier"] == "top", "nobody is perfect"
    assert counted(tiers=(Tier("perfect", 0.9),))["item_matrix"]["tier"] == "all"
    wide = {f"c{row:02}_i00": "p" for row in range(ROWS + 2)} | {f"c00_i{column:02}": "p" for column in range(40)}
    found = counted(wide)["item_matrix"]
    assert list(found["configurations"]) == [f"c{row:02}" for row in range(ROWS)]
    assert found["items"] == [f"i{column:02}" for column in range(COLUMNS)]
    assert found["configurations"]["c01"] == ["1/1", *[None] * (COLUMNS - 1)]
