"""The cases of a rule: how each is run, listed, and refused where it cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from regrade.errors import RuleError
from regrade.grades.cases import Outcome, check_cases
from regrade.grades.listing import describe_rule, list_rules
from regrade.grades.rulebook import Rulebook
from tests.grades.plain_grader import STAGES

RULE = '''"""Take the value after the last equals sign.

What it changes: x.
Why: x.
Evidence: x.
What it cannot show: x.
"""
from regrade.grades import text

AXIS, DECISION = "pass", "proposed"


def read(trial, base):
    return text.first_of(text.number_after_last_equals(trial.answer), base(trial))


'''
GRADER = (
    '"""The grader."""\n'
    + STAGES
    + """

GRADER = {"pass": {"units": Stages(extract, read, check, code)}}
"""
)
FLIP: dict[str, Any] = {"gold": {"answer": "7"}, "family": "units", "reply": "3=7", "to": "passed"}
HOLD: dict[str, Any] = {"gold": {"answer": "7"}, "family": "units", "reply": "3=9", "status": "failed"}


def book(folder: Path, flip: list[Any], hold: list[Any], grader: str | None = GRADER) -> Rulebook:
    (folder / "bench").mkdir(exist_ok=True)
    (folder / "bench" / "equals_v1.py").write_text(f"{RULE}MUST_FLIP = {flip!r}\nMUST_HOLD = {hold!r}\n")
    if grader:
        (folder / "bench" / "frozen_v1.py").write_text(grader)
    return Rulebook([folder], "bench")


def outcomes(folder: Path, flip: list[Any], hold: list[Any]) -> list[Outcome]:
    return check_cases(book(folder, flip, hold), "equals_v1")


def without(case: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in case.items() if k != key}


def test_cases_on_both_sides_are_right_or_say_what_was_expected(tmp_path: Path) -> None:
    flip, hold = outcomes(tmp_path, [FLIP], [HOLD])
    assert (flip.kind, flip.before, flip.after, flip.right) == (
        "must flip", ("failed", "WRONG"), ("passed", None), True,
    )  # fmt: skip
    assert (hold.kind, hold.before, hold.after, hold.right) == (
        "must hold", ("failed", "WRONG"), ("failed", "WRONG"), True,
    )  # fmt: skip
    flip, hold = outcomes(tmp_path, [{**FLIP, "reply": "3=9"}], [{**HOLD, "reply": "3=7", "code": "WRONG"}])
    assert (flip.right, flip.expected) == (False, "to become passed")
    assert (hold.right, hold.expected) == (False, "to stay failed WRONG")


def test_a_code_counts_only_where_the_case_names_it(tmp_path: Path) -> None:
    right = [o.right for o in outcomes(tmp_path, [], [HOLD, {**HOLD, "code": "WRONG"}, {**HOLD, "code": "OTHER"}])]
    assert right == [True, True, False]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (without(FLIP, "to"), "the key 'to' is missing"),
        ({**without(FLIP, "to"), "status": "passed"}, "the key 'to' is missing"),
        ({**FLIP, "to": "pased"}, "'to' is 'pased', which is no status. Did you mean 'passed'?"),
        ({**FLIP, "to": None}, "'to' is None, which is no status"),
        ({**FLIP, "to": ["passed"]}, "'to' is ['passed'], which is no status"),
        ({**FLIP, "frozen": "fail"}, "'frozen' is 'fail', which is no status. Did you mean 'failed'?"),
        ({**FLIP, "replie": "x"}, "unknown key 'replie'. Did you mean 'reply'?"),
        ({**FLIP, "reply": 3}, "'reply' is 3, expected a text"),
        ({**FLIP, "item": 3}, "'item' is 3, expected a text"),
        ({**FLIP, "family": ["units"]}, "'family' is ['units'], expected a text"),
        ({**FLIP, "code": 3}, "'code' is 3, expected a text"),
        ({**FLIP, "turns": "x"}, "'turns' is 'x', expected a list"),
        ({**FLIP, "turns": ["x"]}, "turn 1 is 'x', expected an object"),
        ({**FLIP, "turns": [{"role": "user"}, {"text": "x"}]}, "turn 2 has no 'role': found {'text': 'x'}"),
        ({**FLIP, "turns": [{"role": "user", "text": None}]}, "turn 1: 'text' is None, expected a text"),
        ({**FLIP, "turns": [{"role": "user", "calls": [{}]}]}, "call 1 has no 'name': found {}"),
        ({**FLIP, "calls": [{"arguments": {}}]}, "call 1 has no 'name': found {'arguments': {}}"),
        ({**FLIP, "calls": {"name": "f"}}, "'calls' is {'name': 'f'}, expected a list"),
        ({**FLIP, "calls": [{"name": "f", "result": 3}]}, "call 1: 'result' is 3, expected a text"),
        (without(FLIP, "family"), "frozen_v1 does not cover the family None. Say \"family\": 'units'"),
    ],
)
def test_a_case_that_cannot_be_read_says_which_and_why(tmp_path: Path, case: dict[str, Any], message: str) -> None:
    with pytest.raises(RuleError) as raised:
        outcomes(tmp_path, [FLIP, case], [])
    assert str(raised.value).startswith("equals_v1, case 2 that must flip: ")
    assert message in str(raised.value) and "\n" not in str(raised.value)


def test_a_case_that_must_hold_names_its_status(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="case 1 that must hold: the key 'status' is missing"):
        outcomes(tmp_path, [], [without(HOLD, "status")])
    with pytest.raises(RuleError, match=r"case 2 that must hold: 'status' is 'fialed'.*Did you mean 'failed'"):
        outcomes(tmp_path, [], [HOLD, {**HOLD, "status": "fialed"}])


def test_every_shape_of_a_case_is_run(tmp_path: Path) -> None:
    call = {"name": "f", "arguments": {"a": 1}, "result": None}
    turns = [{"role": "user", "text": "?"}, {"role": "assistant", "text": "3=7", "calls": [call, {"name": "g"}]}]
    cases = [
        {**without(FLIP, "reply"), "turns": turns},
        {**FLIP, "calls": [{"name": "f", "arguments": "not json"}], "state": {"a": [1, None]}, "item": "q"},
        {**FLIP, "turns": None, "code": None},
    ]
    assert [o.right for o in outcomes(tmp_path, cases, [])] == [True, True, True]


def test_a_carried_grade_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"case 1 that must flip: the grade is carried.*\"frozen\": \"failed\""):
        check_cases(book(tmp_path, [FLIP], [], None), "equals_v1")
    told = book(tmp_path, [{**FLIP, "frozen": "failed"}], [{**HOLD, "frozen": "failed"}], None)
    assert all(o.right for o in check_cases(told, "equals_v1"))


def test_a_listing_says_in_words_what_a_case_gave(tmp_path: Path) -> None:
    book(tmp_path, [FLIP], [{**HOLD, "reply": "3=7"}])
    listed = list_rules([tmp_path], "bench", check=True)
    described = describe_rule([tmp_path], "equals_v1", check=True)
    assert [r["rule"] for r in listed] == ["equals_v1"]
    assert listed[0]["cases"] == described["cases"]
    assert listed[0]["cases_hold"] is described["cases_hold"] is False
    assert described["cases"] == [
        {"kind": "must flip", "number": 1, "expected": "to become passed", "before": "failed WRONG", "after": "passed",
         "right": True},
        {"kind": "must hold", "number": 1, "expected": "to stay failed", "before": "failed WRONG", "after": "passed",
         "right": False},
    ]  # fmt: skip


@pytest.mark.parametrize(("flip", "hold"), [([FLIP], []), ([], [HOLD]), ([FLIP], [HOLD])])
def test_a_rule_holds_when_it_has_cases_on_both_sides(tmp_path: Path, flip: list[Any], hold: list[Any]) -> None:
    book(tmp_path, flip, hold)
    assert describe_rule([tmp_path], "equals_v1", check=True)["cases_hold"] is bool(flip and hold)
    assert "cases" not in describe_rule([tmp_path], "equals_v1")
