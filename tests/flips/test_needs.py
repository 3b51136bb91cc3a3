"""Needs: the smallest sets of rules that moves rest on sum to the candidate's counts."""

import pytest

from regrade.errors import StoreError
from regrade.files.corpus import Tier
from tests.flips.flip_store import as_json, attempt, axes_summary, corpus, store

MOVES = [
    ("a", "failed:A", "passed", ["one_v1"]),
    ("a", "failed:A", "passed", ["one_v1", "two_v1"]),
    ("a", "passed", "failed", ["two_v1"]),
    ("b", "failed:A", "passed", ["one_v1", "two_v1"]),
    ("b", "failed:A", "failed:B", ["one_v1"]),
    ("b", "failed", "ungraded", ["two_v1"]),
    ("b", "ungraded", "passed", []),
    ("b", "passed", "passed", None),
]


def needs(moves, tier="all"):
    con = store([attempt(name, f"i{n}", 0, old, both=new) for n, (name, old, new, _) in enumerate(moves)])
    con.execute("update candidates set rules = ['one_v1', 'two_v1']")
    con.execute("update grades set decided_by = null")
    for n, (_, _, _, rules) in enumerate(moves):
        con.execute(
            "update grades set decided_by = $1 where candidate = 'both' and trial_id like $2", [rules, f"%/i{n}/0"]
        )
    axis = as_json(axes_summary(con, corpus(tiers=(Tier("half", 0.5),))))["pass"]
    return axis["candidates"]["both"]["tiers"][tier]["needs"]


def counts(found):
    ways = ("fail_to_pass", "pass_to_fail", "to_ungraded", "from_ungraded")
    return {tuple(need["rules"]): (*(need[way]["trials"] for way in ways), need["recoded"]) for need in found}


def test_each_move_stands_under_its_set_smaller_sets_first():
    found = needs(MOVES)
    assert list(counts(found).items()) == [
        ((), (0, 0, 0, 1, 0)),
        (("one_v1",), (1, 0, 0, 0, 1)),
        (("two_v1",), (0, 1, 1, 0, 0)),
        (("one_v1", "two_v1"), (2, 0, 0, 0, 0)),
    ]
    assert found[3]["fail_to_pass"] == {"trials": 2, "items": 2, "configurations": 2, "weights": 2, "lineages": 2}
    assert needs(MOVES, "half") == [], "nobody passed half"


def test_a_trial_that_needs_another_set_moves_both_figures_by_one():
    moved = [*MOVES[:1], ("a", "failed:A", "passed", ["two_v1"]), *MOVES[2:]]
    before, after = counts(needs(MOVES)), counts(needs(moved))
    assert after["two_v1",][0] == before["two_v1",][0] + 1
    assert after["one_v1", "two_v1"][0] == before["one_v1", "two_v1"][0] - 1
    assert after["one_v1",] == before["one_v1",]


def test_a_move_that_no_rule_decides_is_a_damaged_store():
    with pytest.raises(StoreError, match=r"flips of candidate both .* by the rules that they need"):
        needs([*MOVES[:1], ("a", "failed", "passed", None)])
