"""Repeats compared with the first trial of their item."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.corpus import Band, Panel
from regrade.flips.folding import unfold
from regrade.tables.schema import KEPT
from tests.flips.flip_store import Attempt, as_json, attempt, axes_summary, corpus, store

VERDICTS = {"asserted": ("passed", "FABRICATION", "WRONG"), "abstained": ("ABSTAINED",), "malformed": ("MALFORMED",)}
BAND = Band("same", axis="pass", verdicts=VERDICTS)
CONFIGURATIONS = {"a": {"lineage": "blue"}, "b": {"lineage": "red"}}


def summed(attempts, band=BAND, *, values=None, replies=None, panels=(), **made):
    con = store(attempts, configurations=CONFIGURATIONS, **made)
    for trial_id, value in (values or {}).items():
        con.execute("update grades set value = ? where trial_id = ?", [value, trial_id])
    for trial_id, reply in (replies or {}).items():
        con.execute("update trials set reply = ? where trial_id = ?", [reply, trial_id])
    return as_json(axes_summary(con, corpus(bands=(band,), panels=panels)))["pass"]["bands"][band.name]


def frozen(*args, **options):
    return summed(*args, **options)["candidates"]["frozen"]["configurations"]


def trials(configuration, item, *grades):
    return [attempt(configuration, item, n, grade) for n, grade in enumerate(grades)]


def record(**figures):
    plain = dict(items=0, repeats=0, verdict_moved=0, form_moved=0, form_unknown=0, rate=None, ceiling=None,
                 undefined=None, moves=[])  # fmt: skip
    return {**plain, **figures}


def test_each_later_trial_is_compared_with_the_first():
    found = frozen([
        *trials("a", "i", "failed:FABRICATION", "passed:ABSTAINED", "failed:FABRICATION"),
        *trials("a", "j", "passed:ABSTAINED", "passed:MALFORMED", "passed:MALFORMED"),
        *trials("a", "k", "passed"),
    ])  # fmt: skip
    moves = [
        {"item": "i", "from": "asserted", "to": "abstained", "repeats": 1},
        {"item": "j", "from": "abstained", "to": "malformed", "repeats": 2},
    ]
    assert found == {"a": record(items=2, repeats=4, verdict_moved=3, rate=0.75, moves=moves)}


def test_a_grade_that_changes_within_its_verdict_moves_the_form():
    assert frozen([*trials("a", "i", "passed", "failed:WRONG"), *trials("a", "j", "passed", "passed")]) == {
        "a": record(items=2, repeats=2, form_moved=1, ceiling=1.0)
    }


def test_the_value_read_is_of_the_form():
    attempts = trials("a", "i", *["failed:FABRICATION"] * 3)
    values = {"a/i/0": '["x", "y"]', "a/i/1": '["x", "z", "y"]', "a/i/2": '["x", "y"]'}
    assert frozen(attempts, values=values)["a"]["form_moved"] == 1


def test_values_that_are_stored_cut_short_are_not_said_to_be_alike():
    attempts, long = trials("a", "i", *["failed:FABRICATION"] * 3), "x" * KEPT
    values = dict.fromkeys(("a/i/0", "a/i/1", "a/i/2"), long)
    replies = {"a/i/0": "x" * 300, "a/i/1": "x" * 301, "a/i/2": "x" * 300}
    found = frozen(attempts, values=values, replies=replies)["a"]
    assert (found["form_moved"], found["form_unknown"]) == (0, 1)


def test_without_verdicts_the_status_is_the_verdict():
    attempts = trials("a", "i", "passed:ABSTAINED", "passed:MALFORMED", "failed", "ungraded")
    found = frozen(attempts, Band("plain", axis="pass"))["a"]
    assert (found["repeats"], found["verdict_moved"], found["form_moved"]) == (3, 2, 1)
    assert [(move["from"], move["to"]) for move in found["moves"]] == [("passed", "failed"), ("passed", "ungraded")]


def test_a_zero_is_a_ceiling_and_never_a_rate():
    attempts = [a for n in range(24) for a in trials("a", f"i{n}", "passed", "passed")]
    assert frozen(attempts)["a"] == record(items=24, repeats=24, ceiling=0.125)
    moved = frozen([*attempts[:-1], attempt("a", "i23", 1, "passed:ABSTAINED")])["a"]
    assert (moved["verdict_moved"], moved["rate"], moved["ceiling"]) == (1, 1 / 24, None)


def test_without_repeats_there_is_neither():
    assert frozen(trials("a", "i", "passed")) == {"a": record(undefined="no item has a second trial")}


def test_a_panel_pools_repeats():
    attempts = [a for name in "ab" for n in range(24) for a in trials(name, f"i{n}", "passed", "passed")]
    attempts[-1] = attempt("b", "i23", 1, "passed:ABSTAINED")
    pooled = summed(attempts, panels=(Panel("two", ("a", "b")),))["candidates"]["frozen"]["panels"]["two"]
    assert (pooled["items"], pooled["repeats"], pooled["verdict_moved"], pooled["rate"]) == (48, 48, 1, 1 / 48)


def test_trials_are_in_order_of_their_number():
    grades = {"10": "passed", "2": "passed:ABSTAINED", "x": "passed:MALFORMED"}
    attempts = [Attempt("a", "i", trial, {"pass": {"frozen": grade}}) for trial, grade in grades.items()]
    assert [(m["from"], m["to"]) for m in frozen(attempts)["a"]["moves"]] == [
        ("abstained", "asserted"),
        ("abstained", "malformed"),
    ]


def test_only_its_items_are_compared():
    attempts = [*trials("a", "i", "passed", "failed"), *trials("a", "j", "passed", "failed")]
    golds = {"i": {"answerable": False}, "j": {"answerable": True}}
    band = Band("some", axis="pass", where={"answerable": False})
    assert frozen(attempts, band, golds=golds)["a"]["repeats"] == 1
    with pytest.raises(CorpusError, match="Did you mean 'answerable'"):
        frozen(attempts, Band("some", axis="pass", where={"answerabl": False}), golds=golds)
    with pytest.raises(CorpusError, match=r"answerable = \[\] asks for no value"):
        frozen(attempts, Band("some", axis="pass", where={"answerable": ()}), golds=golds)


def test_a_candidate_has_a_band_of_its_own():
    attempts = [
        attempt("a", "i", 0, "passed", lax="passed"),
        attempt("a", "i", 1, "passed:ABSTAINED", lax="passed"),
    ]
    found = unfold(summed(attempts)["candidates"])
    assert [found[name]["configurations"]["a"]["verdict_moved"] for name in ("frozen", "lax")] == [1, 0]


GRADES = st.sampled_from(["passed", "passed:ABSTAINED", "passed:MALFORMED", "failed:FABRICATION", "ungraded"])
KEYS = st.tuples(st.sampled_from("ab"), st.sampled_from("ij"), st.sampled_from("0123"))


@settings(max_examples=10)
@given(st.dictionaries(KEYS, GRADES, min_size=1))
def test_repeats_are_the_trials_less_one_an_item(grades):
    attempts = [Attempt(*key, {"pass": {"frozen": grade}}) for key, grade in grades.items()]
    for name, found in frozen(attempts).items():
        tried = {item for configuration, item, _ in grades if configuration == name}
        total = sum(configuration == name for configuration, _, _ in grades)
        assert found["repeats"] == total - len(tried)
        assert sum(move["repeats"] for move in found["moves"]) == found["verdict_moved"]
        assert found["verdict_moved"] + found["form_moved"] + found["form_unknown"] <= found["repeats"]
        assert [found[key] is not None for key in ("rate", "ceiling", "undefined")].count(True) == 1
