"""Cut-offs: a row for every limit that anything turns on, and who would change tier under each candidate."""

import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.files.corpus import CandidateSpec, Tier
from regrade.flips.cutoffs import curve, cutoffs, steps
from regrade.flips.tallies import tally
from regrade.flips.tier_changes import tier_changes
from regrade.flips.tiers import PassCount, pass_counts, reaching
from tests.flips.flip_store import as_json, attempt, axes_summary, corpus, store

COUNTED = st.dictionaries(
    st.sampled_from("abcdefgh"), st.builds(PassCount, st.integers(0, 40), st.integers(0, 40)), min_size=1
)


def gained(counts):
    """Every configuration flips a third of its failed trials, and one of its passed ones."""
    return {
        name: {
            "passed": passed,
            "failed": failed,
            "candidates": {"v2": {"fail_to_pass": failed // 3, "pass_to_fail": min(passed, 1)}} if failed else {},
        }
        for name, (passed, failed) in counts.items()
    }


@given(COUNTED, st.integers(1, 12), st.floats(0, 1))
def test_a_limit_anywhere_is_on_the_step_of_those_that_reach_it(counts, min_trials, limit):
    gains = gained(counts)
    every = steps(counts, gains, ["v2", "idle"], min_trials)
    [row] = cutoffs(Tier("t", limit, min_trials), every)
    members = [gains[name] for name in reaching(counts, limit, min_trials)]
    assert row["min_pass_rate"] == limit
    assert row["configurations"] == len(members)
    for status in ("failed", "passed"):
        assert row[status] == sum(member[status] for member in members)
    for way in ("fail_to_pass", "pass_to_fail"):
        flips = [m["candidates"].get("v2", {}).get(way, 0) for m in members]
        assert row["flips"]["v2"][way] == sum(flips)
        assert row["flips"]["idle"][way] == 0


@given(COUNTED, st.integers(1, 12))
def test_the_curve_has_a_row_for_each_rate_and_each_is_its_own_limit(counts, min_trials):
    rows = curve(steps(counts, gained(counts), ["v2"], min_trials), ["v2"])
    rates = {Fraction(p, p + f) for p, f in counts.values() if p + f >= min_trials}
    assert len(rows) == len(rates)
    for row, rate in zip(rows, sorted(rates), strict=True):
        at, above = row["min_pass_rate"], math.nextafter(math.nextafter(row["min_pass_rate"], 2), 2)
        assert len(reaching(counts, at, min_trials)) == row["configurations"]
        leaving = [name for name, (p, f) in counts.items() if p + f >= min_trials and Fraction(p, p + f) == rate]
        if above <= 1:
            assert len(reaching(counts, above, min_trials)) == row["configurations"] - len(leaving)


def trials(name, frozen, new):
    """Trials of a configuration, `p`, `f` or `u` each, under the frozen grader and a candidate."""
    status = {"p": "passed", "f": "failed", "u": "ungraded"}
    return [
        attempt(name, f"i{n}", 0, status[a], v2=status[b]) for n, (a, b) in enumerate(zip(frozen, new, strict=True))
    ]


TIERS = (Tier("strong", 0.75, min_trials=4), Tier("usable", 0.5, min_trials=4), Tier("any", 0.5))


def summarise(*held):
    con = store([each for group in held for each in group])
    return as_json(axes_summary(con, corpus(tiers=TIERS, candidates=(CandidateSpec("v2", ("v2_v1",)),))))["pass"]


def test_tier_changes_go_both_ways_and_say_where_the_number_of_trials_decides():
    axis = summarise(
        trials("rises", "ppff", "pppf"),
        trials("falls", "pppf", "ppff"),
        trials("stays", "pppppppf", "ppppppff"),
        trials("loses_a_trial", "pppf", "ppuf"),
        trials("has_too_few", "ppf", "pff"),
        trials("is_as_before", "pppp", "pppp"),
    )
    rows = axis["tier_changes"]["v2"]
    told = [(r["configuration"], r["from"], r["to"], r["by_trials"]) for r in rows]
    assert told == [
        ("rises", ["usable", "any"], ["strong", "usable", "any"], []),
        ("falls", ["strong", "usable", "any"], ["usable", "any"], []),
        ("has_too_few", ["any"], [], ["usable"]),
        ("loses_a_trial", ["strong", "usable", "any"], ["any"], ["usable"]),
    ]
    assert rows[0]["frozen"] == {"passed": 2, "failed": 2} and rows[0]["candidate"] == {"passed": 3, "failed": 1}
    assert rows[3]["candidate"] == {"passed": 2, "failed": 1}


def test_one_trial_more_changes_the_tier_and_its_rate_by_one():
    before = summarise(trials("a", "ppff", "ppff"))["tier_changes"]["v2"]
    after = summarise(trials("a", "ppff", "ppfp"))["tier_changes"]["v2"]
    assert before == []
    assert [(r["configuration"], r["candidate"]) for r in after] == [("a", {"passed": 3, "failed": 1})]


def test_tiers_that_ask_for_as_many_trials_share_a_curve():
    curves = summarise(trials("a", "ppff", "pppf"), trials("b", "p", "p"))["curve"]
    assert curves["all"]["rows"] == [
        {"min_pass_rate": 0.5, "configurations": 2, "failed": 2, "passed": 3,
         "flips": {"v2": {"fail_to_pass": 1, "pass_to_fail": 0}}},
        {"min_pass_rate": 1.0, "configurations": 1, "failed": 0, "passed": 1,
         "flips": {"v2": {"fail_to_pass": 0, "pass_to_fail": 0}}},
    ]  # fmt: skip
    assert [row["configurations"] for row in curves["strong"]["rows"]] == [1]
    assert curves["usable"] == {"min_trials": 4, "as": "strong"}
    assert curves["any"] == {"min_trials": 1, "as": "all"}


STATUSES = st.text("pfu", min_size=1, max_size=8)


@settings(max_examples=6)
@given(st.dictionaries(st.sampled_from("abcde"), STATUSES.flatmap(lambda s: st.tuples(
    st.just(s), st.text("pfu", min_size=len(s), max_size=len(s)))), min_size=1))  # fmt: skip
def test_whoever_is_in_other_tiers_under_the_candidate_is_listed(held):
    con = store([each for name, both in held.items() for each in trials(name, *both)])
    tally(con)
    rows = tier_changes(con, "pass", TIERS, pass_counts(con, "pass"), ["v2"])["v2"]
    counts = [
        {name: PassCount(both[side].count("p"), both[side].count("f")) for name, both in held.items()}
        for side in (0, 1)
    ]
    for tier in TIERS:
        old, new = (set(reaching(count, tier.min_pass_rate, tier.min_trials)) for count in counts)
        assert {r["configuration"] for r in rows if tier.name in r["to"] and tier.name not in r["from"]} == new - old
        assert {r["configuration"] for r in rows if tier.name in r["from"] and tier.name not in r["to"]} == old - new
