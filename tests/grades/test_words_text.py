"""What the strict words of a text mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.grades import text
from regrade.grades.text import SPACE
from regrade.records import Span


def test_the_white_space_is_that_of_python():
    assert [c for c in map(chr, range(0x110000)) if c.isspace()] == list(SPACE)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("ANSWER: 5", "5"),
        ("a\nANSWER: 5\nb", "5"),
        ("ANSWER: 1\nANSWER: 2", "2"),
        ("ANSWER: 5\r\n", "5"),
        ("ANSWER:\u00a0 5 \x1c", "5"),
        ("ANSWER:", ""),
        ("ANSWER: 1\nANSWER: \r\n", ""),
        ("ANSWER: a ANSWER: b", "a ANSWER: b"),
        (" ANSWER: 5", None),
        ("answer: 5", None),
        ("so ANSWER: 5", None),
        ("x\rANSWER: 5", None),
        ("x\u2028ANSWER: 5", None),
        ("ANSWER : 5", None),
        ("", None),
    ],
)
def test_answer_line(reply, found):
    answer = text.answer_line(reply)
    assert (answer and answer.text) == found
    if answer:
        assert reply[answer.start : answer.stop] == answer.text


def test_an_empty_answer_stands_after_its_prefix():
    assert text.answer_line("é\nANSWER: \r\nz") == Span("", 9, 9)


@pytest.mark.parametrize(
    ("reply", "found"),
    [("a\nb", "b"), ("a\n b \r\n\n \t\n", "b"), ("a", "a"), ("a\u2028b", "a\u2028b"), (" \n\r\n", None), ("", None)],
)
def test_last_line(reply, found):
    line = text.last_line(reply)
    assert (line and line.text) == found
    if line:
        assert reply[line.start : line.stop] == line.text


@pytest.mark.parametrize(
    ("answer", "value", "place"),
    [
        ("3=7.0", "3", "3"),
        ("about 1,000 or so", "1000", "1,000"),
        ("1,234,567.50 F", "1234567.50", "1,234,567.50"),
        ("-4.5", "-4.5", "-4.5"),
        ("1,2", "1", "1"),
        ("1,000,5", "1000", "1,000"),
        ("1,0005", "1", "1"),
        ("1,000,0005", "1000", "1,000"),
        ("12345,678", "12345", "12345"),
        ("7. Then", "7", "7"),
        (".5", "5", "5"),
        ("s14-3", "14", "14"),
        ("--3", "-3", "-3"),
        ("\u22123", "3", "3"),
        ("\uff11 2", "2", "2"),
        ("0,000", "0000", "0,000"),
    ],
)
def test_first_number(answer, value, place):
    found = text.first_number(answer)
    assert found.text == value
    assert answer[found.start : found.stop] == place


@pytest.mark.parametrize("answer", ["", "none", "- , .", "\uff11"])
def test_no_number(answer):
    assert text.first_number(answer) is None
    assert text.last_number(answer) is None


def test_last_number():
    assert text.last_number("1 then 2,500 x") == Span("2500", 7, 12)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("3=7.0", "7.0"),
        ("a = 1 = -2,000 (3)", "-2000"),
        ("= x 4 y 5", "4"),
        ("7 =", None),
        ("7", None),
        ("1 = 2 = none", None),
    ],
)
def test_number_after_last_equals(answer, value):
    found = text.number_after_last_equals(answer)
    assert (found and found.text) == value
    assert text.number_after(answer, "=") == found


def test_after_a_marker():
    worked = "Q: 3?\nA: 5 so\nA: about $1,250\n"
    assert text.number_after(worked, "A:") == Span("1250", 24, 29)
    assert text.text_after_last(worked, "A:") == Span("about $1,250", 17, 29)
    assert text.text_after_last("A:", marker="A:") == Span("", 2, 2)
    assert text.text_after_last("none", "A:") is None
    assert text.number_after("none 3", "A:") is None


@pytest.mark.parametrize(
    ("answer", "asks"),
    [
        ("ASK", True),
        ("ASK: which one?", True),
        ("ASKED", False),
        ("ask", False),
        ("an ASK", False),
        ("ASK which", False),
    ],
)
def test_is_ask(answer, asks):
    assert text.is_ask(answer) is asks


@pytest.mark.parametrize(
    ("reply", "menu", "found"),
    [
        ("done\nCOMPLETE: 4", [r"COMPLETE: (?P<answer>\d+)"], "4"),
        ("done\nCOMPLETE: 4", [r"COMPLETE: \d+"], "COMPLETE: 4"),
        ("STALLED\n", [r"(?P<answer>X)|STALLED"], "STALLED"),
        ("a\nb 1", ["x", r"b (?P<answer>\d)"], "1"),
        ("COMPLETE: 4 more", [r"COMPLETE: \d+"], None),
        ("COMPLETE: 4\nthat is all", [r"COMPLETE: \d+"], None),
        ("x", [], None),
        ("x", None, None),
        ("", [""], None),
    ],
)
def test_matches_menu(reply, menu, found):
    span = text.matches_menu(reply, menu)
    assert (span and span.text) == found
    if span:
        assert reply[span.start : span.stop] == span.text


@pytest.mark.parametrize(
    ("value", "answer", "tolerance", "same"),
    [
        ("7", 7.0, None, True),
        ("7.0", 7, 0, True),
        ("1,000", 1000, None, True),
        ("0.3", 0.3, None, True),
        ("0.30000000000000004", 0.3, None, False),
        ("7.05", 7, "0.05", True),
        ("7.051", 7, 0.05, False),
        ("-7", 7, None, False),
        ("318", "18", None, False),
        ("1e2", "100", None, True),
        ("1" * 40, int("1" * 39 + "2"), None, False),
        ("1" * 40, int("1" * 39 + "2"), 0.5, False),
        ("seven", 7, None, False),
        ("7", "seven", None, False),
        ("7", None, None, False),
        ("7", True, None, False),
        ("1_0", 10, None, False),
        ("\uff17", 7, None, False),
        ("nan", float("nan"), None, False),
        ("inf", float("inf"), None, False),
        ("", 0, None, False),
    ],
)
def test_same_number(value, answer, tolerance, same):
    assert text.same_number(value, answer, tolerance) is same


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_equals_its_own_text(number):
    assert text.same_number(repr(number), number)


def test_same_text():
    assert text.same_text("a", "a") and text.same_text("", "")
    assert not text.same_text("a", "A") and not text.same_text("a ", "a")
    assert not text.same_text(None, None) and not text.same_text("None", None)
