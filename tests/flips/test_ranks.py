"""Ranks: places by pass rate, ties, moves, ranges over sets of rules; and pairs under one grader."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar

from regrade.errors import StoreError
from regrade.files.corpus import CandidateSpec, Tier
from regrade.flips.ranks import rank_counts
from regrade.flips.stats import sign_test
from regrade.flips.tallies import tally
from regrade.grades.rule_sets import FACT
from tests.flips.flip_store import Attempt, as_json, attempt, axes_summary, corpus, insert, store

TIERS = (Tier("most", 0.5),)


def trials(name: str, passed: int, failed: int, up: int = 0, down: int = 0, ungraded: int = 0) -> list[Attempt]:
    """Trials of a configuration; under v2 `up` failed ones pass, `down` passed ones fail, `ungraded` are not graded."""
    old = ["passed"] * passed + ["failed"] * failed
    new = ["failed"] * down + ["passed"] * (passed - down + up) + ["failed"] * (failed - up)
    new = ["ungraded"] * ungraded + new[ungraded:]
    return [attempt(name, f"i{at}", 0, was, v2=now) for at, (was, now) in enumerate(zip(old, new, strict=True))]


def of(attempts: Iterable[Attempt], tier: str = "all", **more: Any) -> dict[str, Any]:
    whole = as_json(axes_summary(store(attempts, **more), corpus(tiers=TIERS)))["pass"]["ranks"]
    return whole["tiers"][tier] if tier else whole


FIVE = [*trials("a", 3, 1), *trials("b", 6, 2), *trials("c", 2, 2, up=2), *trials("d", 1, 3), *trials("e", 0, 2, up=1)]


def ranked(tier: dict[str, Any]) -> dict[str, Any]:
    return {name: (r["rank"], r["tied"], r["candidates"].get("v2")) for name, r in tier["configurations"].items()}


def test_equal_rates_share_a_rank_whatever_they_are_of() -> None:
    tier = of(FIVE)
    assert ranked(tier) == {"a": (1, 2, 2), "b": (1, 2, 2), "c": (3, 1, 1), "d": (4, 1, 5), "e": (5, 1, 4)}
    assert (tier["ranked"], tier["first"]) == (5, 2)
    assert tier["candidates"]["v2"] == {
        "moved": 5, "up": 2, "down": 3, "unranked": 0, "largest": {"configuration": "c", "from": 3, "to": 1},
        "first": 1, "leader_changes": True,
    }  # fmt: skip


def test_a_tier_is_ranked_by_itself_and_its_members_are_those_of_the_frozen_grades() -> None:
    assert ranked(of(FIVE, "most")) == {"a": (1, 2, 2), "b": (1, 2, 2), "c": (3, 1, 1)}


def test_one_trial_moves_a_rank_by_one() -> None:
    before = ranked(of([*trials("a", 2, 2), *trials("b", 1, 3), *trials("c", 0, 4)]))
    after = ranked(of([*trials("a", 2, 2), *trials("b", 1, 3), *trials("c", 0, 4, up=1)]))
    assert before["c"] == (3, 1, None) and after["c"] == (3, 1, 2)
    assert {name: after[name] for name in "ab"} == {name: before[name] for name in "ab"}


def test_passes_under_a_candidate_stand_where_they_are_others_than_the_frozen_ones() -> None:
    def passed(up: int) -> Any:
        attempts = [*trials("a", 2, 2), *trials("c", 0, 4, up=up), attempt("z", "i0", 0, "passed", v2="ungraded")]
        return as_json(axes_summary(store(attempts), corpus()))["pass"]["ranks"]["passed"]

    assert passed(1) == {"c": {"v2": [1, 4]}, "z": {"v2": [0, 0]}}
    assert passed(2)["c"] == {"v2": [2, 4]}


def test_who_has_no_graded_trial_has_no_rank() -> None:
    tier = of([*trials("a", 1, 1), *trials("b", 1, 0, ungraded=1), attempt("z", "i0", 0, "ungraded", v2="passed")])
    assert ranked(tier) == {"b": (1, 1, None), "a": (2, 1, None), "z": (None, 0, 1)}
    assert "v2" in tier["configurations"]["b"]["candidates"]
    assert tier["candidates"]["v2"]["unranked"] == 1 and tier["ranked"] == 2


def test_nobody_has_a_rank_on_an_axis_that_the_frozen_grader_never_had() -> None:
    attempts = [Attempt("a", "i", "0", {"pass": {"frozen": "passed"}, "fresh": {"v2": "passed"}})]
    found = as_json(axes_summary(store(attempts, kinds={"fresh": "none"}), corpus()))
    assert found["fresh"]["ranks"]["undefined"] == "the frozen grader has no such axis"
    assert found["pass"]["ranks"]["undefined"] is None


RULES = ["one_v1", "two_v1", "three_v1"]


def with_sets(con: duckdb.DuckDBPyConnection, rows: Iterable[tuple[str, list[str], list[str], str, int]]) -> None:
    insert(con, "meta", [{"key": FACT, "value": json.dumps({"pass": {"rules": RULES, "undefined": None}})}])
    names = ("configuration", "with_rules", "without_rules", "status", "trials")
    insert(con, "rule_sets", ({"axis": "pass", **dict(zip(names, row, strict=True))} for row in rows))
    rejected = {"rule": "three_v1", "decision": "rejected", "locked": True, "fingerprint": "f"}
    insert(con, "rules", [{**rejected, "must_flip": [], "must_hold": []}])


CONDITIONS = st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=3)
PARTS = st.lists(st.tuples(st.sampled_from("abcd"), CONDITIONS, st.integers(1, 3)), max_size=6)


@settings(max_examples=8)
@given(PARTS)
def test_ranges_are_those_of_all_sets_of_rules(parts: list[tuple[str, list[int], int]]) -> None:
    """Each condition parts some failed trials of a configuration: passed where it holds, failed where it does not."""
    attempts = [a for name in "abcd" for a in (attempt(name, "i", 0, "passed"), attempt(name, "i", 1, "failed"))]
    con = store(attempts)
    rows: list[tuple[str, list[str], list[str], str, int]] = [
        (name, [], [], status, 1) for name in "abcd" for status in ("passed", "failed")
    ]
    for name, condition, count in parts:
        rows += conditioned(name, condition, count)
    con.execute("delete from meta")
    with_sets(con, merged(rows))
    tally(con)
    con.execute("insert into tiers select 'all', configuration from configurations")
    found = rank_counts(con, "pass", [], ["all"], new=False)
    for rejected, key in ((set(), "range"), ({"three_v1"}, "kept_range")):
        places: dict[str, list[int]] = {name: [] for name in "abcd"}
        for some in (set(s) for size in range(4) for s in itertools.combinations(RULES, size)):
            if not some & rejected:
                rates = {name: rate(rows, name, some) for name in "abcd"}
                for name, own in rates.items():
                    places[name].append(1 + sum(other > own for other in rates.values()))
        expected = {name: [min(of_name), max(of_name)] for name, of_name in places.items()}
        assert {name: r[key] for name, r in found["tiers"]["all"]["configurations"].items()} == expected
        assert found["tiers"]["all"][key] == {
            "steady": sum(best == worst for best, worst in expected.values()),
            "may_lead": sum(best == 1 for best, _ in expected.values()),
        }
    assert (found["sets"], found["kept_sets"], found["rejected"]) == (8, 4, ["three_v1"])


def conditioned(name: str, condition: list[int], count: int) -> list[tuple[str, list[str], list[str], str, int]]:
    """Rows that part trials: all of the condition's rules in and out as it says, else as frozen."""
    rows, taken, left = [], list[str](), list[str]()
    for rule, wanted in zip(RULES, condition, strict=True):
        if wanted:
            # The sets that miss the condition at this rule for the first time.
            missed = (taken, [*left, rule]) if wanted > 0 else ([*taken, rule], left)
            rows.append((name, *missed, "failed", count))
            taken, left = ([*taken, rule], left) if wanted > 0 else (taken, [*left, rule])
    return [*rows, (name, taken, left, "passed", count)]


def merged(rows: list[Any]) -> list[Any]:
    found: dict[str, Any] = {}
    for name, taken, left, status, count in rows:
        key = json.dumps([name, taken, left, status])
        found[key] = (name, taken, left, status, found.get(key, (0,) * 5)[4] + count)
    return list(found.values())


def rate(rows: list[Any], name: str, rules: set[str]) -> Fraction:
    mine = [row for row in rows if row[0] == name and set(row[1]) <= rules and not set(row[2]) & rules]
    return Fraction(sum(r[4] for r in mine if r[3] == "passed"), sum(r[4] for r in mine))


def test_a_candidate_that_its_rules_count_otherwise_is_an_error() -> None:
    con = store([attempt("a", "i", 0, "failed", v2="passed")])
    con.execute("update candidates set rules = ['v2_v1']")
    with_sets(con, [("a", [], [], "failed", 1)])
    with pytest.raises(StoreError, match="v2"):
        axes_summary(con, corpus())


def test_without_the_sets_there_is_no_range_and_it_is_said_why() -> None:
    whole = of(FIVE, "")
    assert whole["sets"] is None and whole["range_undefined"] == "the sets of rules were not evaluated"


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_test_of_signs_is_the_exact_binomial_and_mcnemars(one: int, other: int) -> None:
    n = one + other
    expected = binomtest(one, n, 0.5).pvalue if n else 1.0
    assert sign_test(one, other) == sign_test(other, one) == pytest.approx(expected, abs=1e-14)
    assert sign_test(one, other) == pytest.approx(mcnemar([[5, one], [other, 5]], exact=True).pvalue, abs=1e-14)


PAIRED = (
    # item, trial, statuses of a, b under the frozen grader
    ("i1", 0, "passed", "failed"), ("i1", 1, "passed", "failed"), ("i1", 2, "failed", "passed"),
    ("i2", 0, "passed", "passed"), ("i2", 1, "passed", "failed"), ("i3", 0, "failed", "failed"),
    ("i3", 1, "passed", "ungraded"), ("i4", 0, "failed", "passed"), ("i5", 0, "passed", None),
)  # fmt: skip


def paired(rows: Iterable[tuple[str, int, str, str | None]], **more: Any) -> dict[str, Any]:
    attempts = [
        attempt(name, item, trial, status, v2="passed")
        for item, trial, *both in rows
        for name, status in zip("ab", both, strict=True)
        if status is not None
    ]
    found: dict[str, Any] = as_json(axes_summary(store(attempts), corpus(**more)))["pass"]["ranks"]["pairs"]
    return found


def test_the_first_is_held_against_the_next_on_what_they_share() -> None:
    assert paired(PAIRED)["frozen"] == [
        {
            "leader": "a", "other": "b", "shared": 7, "ungraded": 1, "leader_only": 3, "other_only": 2, "p": 1.0,
            "items": {"shared": 4, "leader": 2, "other": 1, "p": 1.0}, "undefined": None,
        }
    ]  # fmt: skip
    [one_more] = paired((*PAIRED, ("i2", 2, "passed", "failed")))["frozen"]
    assert (one_more["leader_only"], one_more["p"]) == (4, 0.6875)
    assert one_more["items"] == {"shared": 4, "leader": 2, "other": 1, "p": 1.0}


def test_each_declared_candidate_is_one_grader_more() -> None:
    pairs = paired(PAIRED, candidates=(CandidateSpec("v2", ("v2_v1",)),))
    assert list(pairs) == ["frozen", "v2"]
    assert (pairs["v2"][0]["shared"], pairs["v2"][0]["leader_only"], pairs["v2"][0]["p"]) == (8, 0, 1.0)


def test_who_share_no_trial_have_no_p() -> None:
    [pair] = paired([("i1", 0, "passed", None), ("i1", 1, None, "failed"), ("i2", 0, "ungraded", "passed")])["frozen"]  # type: ignore[list-item]
    assert pair["undefined"] == "they share no trial that both have graded"
    assert pair["p"] is None and pair["items"]["p"] is None and pair["ungraded"] == 1


def test_runs_keep_trials_of_one_number_apart() -> None:
    con = store([attempt("a", "i", 0, "passed"), attempt("a", "i", 1, "passed"), attempt("b", "i", 0, "failed")])
    con.execute("update trials set run = 'r1', trial = '0' where trial_id = 'a/i/1'")
    [pair] = as_json(axes_summary(con, corpus()))["pass"]["ranks"]["pairs"]["frozen"]
    assert (pair["shared"], pair["leader_only"]) == (1, 1)
