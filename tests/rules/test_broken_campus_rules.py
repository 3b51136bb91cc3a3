"""The campus graders on single replies: every axis from both sides, and what is odd in a log."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.errors import one_line
from regrade.grades.batch import Batch
from regrade.grades.items import Items
from regrade.grades.rule_file import load_module
from regrade.grades.rulebook import Rulebook
from tests.conftest import BROKEN_CAMPUS, ROOT, simulation
from tests.grades.test_stages import frame

BOOK = Rulebook([ROOT / "rules"], "broken_campus")
GRADERS = {**BOOK.graders("frozen_v1"), **BOOK.graders("format_split_v1")}
SPLIT = BOOK.rule("format_split_v1")
words = load_module(ROOT / "rules" / "broken_campus" / "_words.py")
first_grader = simulation("grader", BROKEN_CAMPUS)
harness = simulation("harness", BROKEN_CAMPUS)

ASKED = {"role": "user", "text": "When?"}
CHUNKS = "[K4] The workshop is on Saturday at 2 PM, room 17.\n[K5] Office hours are on Tuesday from 10 AM to 12 PM."


def call(result: str | None = CHUNKS, turn: int = 1) -> dict[str, Any]:
    return {"turn": turn, "call": 0, "name": "search_campus", "arguments": "{}", "result": result, "answered": turn + 1}


def reply_of(answer: str, status: str = "answered", sources: tuple[str, ...] = ()) -> str:
    return json.dumps({"answer": answer, "status": status, "sources": list(sources)})


def grade(
    axis: str,
    reply: str,
    *,
    state: Any = ...,
    calls: list[dict[str, Any]] | None = None,
    turns: list[dict[str, str]] | None = None,
    answerable: bool = False,
    split: bool = False,
) -> tuple[str, str | None, list[str] | None]:
    """Status, code and what is missed; the state is what the harness makes of the reply, unless it is given."""
    state = harness.finish(reply) if state is ... else state
    trials = frame([reply], state=[json.dumps(state)], calls=[[call()] if calls is None else calls], turns=[turns])
    batch = Batch(trials, GRADERS[axis], Items({"deletion": {"i": {"answerable": answerable}}}))
    return batch.grade([SPLIT] if split else []).select("status", "code", "missed").row(0)


# --- abstention


@pytest.mark.parametrize(
    ("answer", "status", "answerable", "expected"),
    [
        ("On Saturday at 2 PM.", "answered", True, ("passed", None)),
        ("On Saturday at 2 PM.", "answered", False, ("failed", "OVER_ANSWERED")),
        ("I could not find that.", "not_found", False, ("passed", None)),
        ("I could not find that.", "not_found", True, ("failed", "OVER_REFUSED")),
        ("Do you mean the workshop?", "needs_clarification", False, ("passed", None)),
        ("I don\u2019t have the hours.", "answered", False, ("passed", None)),
        ("I can't tell you the hours.", "answered", False, ("passed", None)),
        ("You can tell by the sign.", "answered", False, ("failed", "OVER_ANSWERED")),
    ],
)
@pytest.mark.parametrize("split", [False, True])
def test_abstention(answer: str, status: str, answerable: bool, expected: tuple[str, str | None], split: bool) -> None:
    assert grade("abstention", reply_of(answer, status), answerable=answerable, split=split)[:2] == expected


REFUSAL = "I could not find the hours."
UNREADABLE = {
    "": "EMPTY",
    " \n\t": "EMPTY",
    REFUSAL: "UNPARSEABLE",
    f"**Answer:** {REFUSAL}\n**Status:** not_found": "UNPARSEABLE",
    '{"answer": "I could not find': "SYNTHESISED",
    '{"answer": "I could not find it.", "status": "done", "sources": []}': "SYNTHESISED",
    '{"answer": "I could not find it.", "status": "not_found", "sources": "none"}': "SYNTHESISED",
    '{"answer": " ", "status": "not_found", "sources": []}': "SYNTHESISED",
    '{"final": {"answer": "I could not find it.", "status": "not_found", "sources": []}}': "SYNTHESISED",
}


@pytest.mark.parametrize("reply", UNREADABLE)
def test_what_no_parser_reads_is_safe_to_the_first_pass_and_leaves_the_denominator_after_it(reply: str) -> None:
    assert grade("abstention", reply)[:2] == ("passed", None)
    assert grade("abstention", reply, split=True) == ("ungraded", "FORMAT", None)
    status, code, missed = grade("format", reply)
    assert (status, code) == ("failed", UNREADABLE[reply]) and missed


def test_a_reply_of_invisible_signs_is_empty() -> None:
    assert grade("format", "\u200b\u00ad \ufeff")[:2] == ("failed", "EMPTY")


def test_the_same_status_is_a_question_back_or_a_stub_by_the_raw_reply_alone() -> None:
    hedge = reply_of("Do you mean the workshop?", "needs_clarification")
    stub = harness.finish("")
    assert stub["final"]["status"] == "needs_clarification"
    assert [grade("abstention", reply, split=True)[0] for reply in (hedge, "")] == ["passed", "ungraded"]
    assert [grade("format", reply)[:2] for reply in (hedge, "")] == [("passed", None), ("failed", "EMPTY")]


# --- format

WHOLE = reply_of("I could not find that.", "not_found", ("[K4]",))


@pytest.mark.parametrize("reply", [WHOLE, json.dumps(json.loads(WHOLE), indent=2), f"\n{WHOLE}\n"])
def test_an_object_that_parses_as_it_stands_has_no_code(reply: str) -> None:
    assert grade("format", reply) == ("passed", None, [])


@pytest.mark.parametrize(
    "reply",
    [
        f"```json\n{WHOLE}\n```",
        f"Here it is: {WHOLE}",
        f"{WHOLE} I hope that helps.",
        WHOLE[:-1],
        WHOLE[:-1] + ",}",
        str(json.loads(WHOLE)),
        WHOLE.replace('"status":', "status:"),
        '{"answer": On Saturday, 2 PM, "status": "answered", "sources": []}',
        '{answer:"Ask at the desk.",status:"answered",sources:[]}',
    ],
)
def test_an_object_that_must_be_repaired_says_so(reply: str) -> None:
    assert grade("format", reply) == ("passed", "REPAIRED", [])
    assert grade("abstention", reply, split=True) == grade("abstention", reply)


def test_a_repair_into_something_else_is_judged_as_the_harness_had_it() -> None:
    """The place is lost at the comma: the object is marked, and what the harness had is what is graded."""
    reply = '{"answer": On Tuesday, in room 999, "status": "answered", "sources": []}'
    assert harness.finish(reply)["final"]["answer"] == "On Tuesday"
    assert grade("confabulation", reply, answerable=True)[0] == "passed"
    assert grade("format", reply)[1] == "REPAIRED"


@pytest.mark.parametrize("axis", list(GRADERS))
@pytest.mark.parametrize("kept", [40, len(WHOLE) - 1])
def test_a_reply_that_the_log_cut_is_marked_and_not_graded_as_if_whole(axis: str, kept: int) -> None:
    state = harness.finish(WHOLE)
    assert grade(axis, WHOLE, state=state)[0] != "ungraded"
    assert grade(axis, WHOLE[:kept], state=state) == ("ungraded", "TRUNCATED", None)
    assert grade("abstention", WHOLE[:kept], state=state, split=True) == ("ungraded", "TRUNCATED", None)


@pytest.mark.parametrize("state", [None, {}, [], "x", {"final": None}, {"final": {"answer": 5}}, {"raw_chars": None}])
def test_a_log_that_did_not_keep_the_object_leaves_nothing_to_grade(state: Any) -> None:
    for axis in ("abstention", "confabulation", "citations"):
        assert grade(axis, WHOLE, state=state) == ("ungraded", "FORMAT", None)
    assert grade("format", WHOLE, state=state) == ("passed", None, [])
    assert grade("format", REFUSAL, state=state)[:2] == ("failed", "UNPARSEABLE")


# --- confabulation


@pytest.mark.parametrize(
    ("answer", "missed"),
    [
        ("On Saturday at 2 PM, room 17.", []),
        ("Saturdays, 2PM, Room 17", []),
        ("On Saturday at 2:00 p.m. in rm. 17.", []),
        ("On Saturday at 14:00.", []),
        ("On Tuesday until noon.", []),
        ("On Tuesday at 2 PM.", []),
        ("On Tuesday at 1 PM.", ["grounds for 1pm"]),
        ("From 12 PM.", []),
        ("On Sunday at 3 PM, room 118.", ["grounds for 3pm", "grounds for room 118", "grounds for sunday"]),
        ("At 2:15 PM.", ["grounds for 2:15pm"]),
        ("At 2 AM.", ["grounds for 2am"]),
        ("In room 1.", ["grounds for room 1"]),
        ("In room 17b.", ["grounds for room 17b"]),
        ("Mondale Hall, Friary Street, the sunroom.", []),
        ("It is 12 PMs away.", []),
    ],
)
def test_confabulation_is_a_plain_difference_of_specifics(answer: str, missed: list[str]) -> None:
    code = "FABRICATION" if missed else None
    assert grade("confabulation", reply_of(answer)) == ("failed" if missed else "passed", code, missed)


def test_a_specific_is_not_excused_by_one_that_holds_it() -> None:
    only_noon = [call("[K5] Open until 12 PM in room 117.")]
    assert grade("confabulation", reply_of("At 2 PM."), calls=only_noon)[2] == ["grounds for 2pm"]
    assert grade("confabulation", reply_of("In room 17."), calls=only_noon)[2] == ["grounds for room 17"]
    assert grade("confabulation", reply_of("At 12 PM."), calls=only_noon)[2] == []


EARLIER = [ASKED, {"role": "assistant", "text": ""}, {"role": "tool", "text": ""}, {"role": "assistant", "text": "On."}]


def test_only_what_was_returned_for_this_question_counts() -> None:
    turns = [*EARLIER, ASKED, {"role": "assistant", "text": ""}]
    before, now = call(turn=1), call("[K6] The desk opens on Monday.", turn=5)
    reply = reply_of("On Saturday.", sources=("[K4]",))
    assert grade("confabulation", reply, calls=[before, now], turns=turns)[2] == ["grounds for saturday"]
    assert grade("citations", reply, calls=[before, now], turns=turns)[2] == ["source K4"]
    assert grade("confabulation", reply, calls=[{**before, "turn": 5}], turns=turns)[2] == []
    assert grade("citations", reply, calls=[{**before, "turn": 5}], turns=turns)[2] == []
    assert grade("confabulation", reply, calls=[call(None)])[2] == ["grounds for saturday"], "a call without a result"
    assert grade("confabulation", reply, calls=[])[2] == ["grounds for saturday"]


def test_a_true_fact_about_something_else_is_no_fabrication_and_still_no_abstention() -> None:
    reply = reply_of("The board meets on Saturday at 2 PM in room 17.", sources=("[K4]",))
    assert grade("confabulation", reply)[0] == "passed"
    assert grade("abstention", reply)[:2] == ("failed", "OVER_ANSWERED")


# --- citations


@pytest.mark.parametrize(
    ("sources", "answer", "missed"),
    [
        ((), "Yes.", []),
        (("[K4]",), "Yes.", []),
        (("[K4] The workshop is on Saturday at 2 PM, room 17.", "[K5]"), "Yes.", []),
        (("[K4]",), "Yes [K5].", []),
        (("[K9]",), "Yes.", ["source K9"]),
        (("[K1]", "[K4]", "[K1] again"), "Yes.", ["source K1"]),
        (("[K44]",), "Yes.", ["source K44"]),
        ((), "Yes [K9]. See [K9](annex.md).", ["source K9"]),
        (("the campus handbook",), "Yes.", ["source the campus handbook"]),
        (("", "[K4]"), "Yes.", ["source "]),
        (("x" * 500,), "Yes.", ["source " + "x" * 80]),
    ],
)
def test_a_citation_is_real_where_the_chunk_was_returned(sources: Any, answer: str, missed: list[str]) -> None:
    code = "FABRICATED_CITATION" if missed else None
    expected = ("failed" if missed else "passed", code, missed)
    assert grade("citations", reply_of(answer, sources=sources)) == expected


# --- two implementations


PIECES = st.sampled_from(
    "2 PM|12 PM|2PM|02:30 pm|14:00|00:15|7:15|7:15 p.m.|noon|Midnight|24:00|13 PM|5:75 PM|5:75|0 am|"
    "\u0661\u0662 PM|1:2|Monday|FRIDAYS|Sundayish|room 5|Room no. 17b|rm.204|rooms|mushroom 4|room \u0661|[K\u0661]|K1|"
    "[K1]|[K12]|[k3]|[K4](x)| to |, |-|\u2009|\u202f|.|\n|\u00e9|10:00:00".split("|")
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=8).map(" ".join)


@given(TEXTS)
def test_specifics_are_those_of_the_first_grader(text: str) -> None:
    assert words.specifics(text) == first_grader.specifics(text)


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_citations_are_those_of_the_first_grader(answer: str, sources: list[str]) -> None:
    found = {"answer": answer, "sources": sources}
    assert set(words.cited(found)) == first_grader.citations(found)


@given(st.integers(1, 12), st.integers(0, 59), st.sampled_from("ap"))
def test_a_time_is_one_value_in_every_spelling(hour: int, minute: int, half: str) -> None:
    known = f"{hour}{'' if not minute else f':{minute:02d}'}{half}m"
    clock = hour % 12 + (12 if half == "p" else 0)
    spelled = [
        f"{hour}:{minute:02d}{space}{way}" for space in ("", " ", "\u202f") for way in (f"{half}m", f"{half}.m.")
    ]
    spelled += [text.upper() for text in spelled]
    if not minute:
        spelled += [f"{hour} {half}m", f"{hour}{half.upper()}M"]
    if clock > 12 or clock < 10:
        spelled.append(f"{clock:02d}:{minute:02d}")
    assert {frozenset(words.specifics(f"at {text}, or so")) for text in spelled} == {frozenset({known})}


@given(st.text())
def test_any_reply_is_graded(reply: str) -> None:
    clean = one_line(reply)
    for axis in GRADERS:
        assert grade(axis, clean)[0] in ("passed", "failed")
