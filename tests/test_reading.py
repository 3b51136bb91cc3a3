"""`regrade.read`: each kind of mistake that readers make, both sides."""

import json
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.errors import RuleError
from regrade.grades import lenient
from regrade.reading import READERS, read


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        # where a number begins and ends
        ("In all: 12,450 bolts", "12450"),
        ("The total is 96, and that is all, as far as I can tell.", "96"),
        ("So the area is 48 cm^2.", "48"),
        ("So the area is 48 cm2.", "48"),
        ("So the area is 48 cm\u00b2.", "48"),
        ("So the area is 48 $\\text{cm}^{2}$.", "48"),
        ("The volume is 27 m**3.", "27"),
        ("The speed is 9.8 m s^-2.", "9.8"),
        ("It is 1\u202f250\u202f000 in all.", "1250000"),
        ("It is 1'250 in all.", "1250"),
        ("Pick 1,2 or 7.", "7"),
        ("12 sheep and 3 goats make 15 animals. Sensor s14 agrees.", "15"),
        ("It holds 55g", "55"),
        ("That leaves 8 on the 3rd day.", "8"),
        ("She came in 3rd.", "3"),
        ("The total is 58 [2].", "58"),
        ("The total is 58 (see note [2]).", "58"),
        ("The weight is **42**.", "42"),
        ("1. First 4.\n2. Then 9.\n\nSo it is 13.", "13"),
        # what clings to a number
        ("They owe $61.00.", "61.00"),
        ("They owe \u20ac 61.50!", "61.50"),
        ("They owe 61,50 \u20ac.", "61.50"),
        ("They owe 1.250,00 \u20ac.", "1250.00"),
        ("They owe USD 30.", "30"),
        ("That makes 35%.", "35"),
        ("That makes 35 per cent.", "35"),
        ("It lost -$5.", "-5"),
        ("It lost $-5.", "-5"),
        # signs
        ("So it is -14", "-14"),
        ("So it is \u221214.", "-14"),
        ("So it is \u201314.", "-14"),
        ("20 - 6 = 14", "14"),
        ("20-6", "6"),
        ("Between 10-12", "12"),
        ("pages 10\u201312", "12"),
        ("Total\u201414", "14"),
        ("- 5 apples\n- 6 pears", "6"),
        ("x = - 5", "-5"),
        ("It is minus 5.", "-5"),
        ("+7", "7"),
        # other numerals
        ("You need 2\u00bd cups.", "2.5"),
        ("You need \u00be of it.", "0.75"),
        ("You need 2 1/2 cups.", "2.5"),
        ("She ate 3/4 of it.", "0.75"),
        ("So \uff11\uff12.\uff15 it is.", "12.5"),
        ("So \u0663\u0664 it is.", "34"),
        ("About 3.2e5 cells", "3.2e5"),
        ("About 3.2 \u00d7 10^5 cells", "3.2e5"),
        ("About 4 x 10\u207b\u00b3 m", "4e-3"),
        # invented continuation
        ("It is 18.\n\nQuestion: Tom has 4 and 5?\nAnswer: 9", "18"),
        ("It is 18.\nHuman: and 4 and 5?\nAssistant: 9", "18"),
        ("It is 18.\n\n**Problem 2:** 4 and 5?\n9", "18"),
        ("It is 18.<|im_end|>\n<|im_start|>user\n9", "18"),
        ("Question: what is 4 and 5?\nIt is 9.", "9"),
        ("I restate it:\nQuestion: what is 4 and 5?\nIt is 9.", "9"),
        # broken off
        ("There are 12 in 5.\n\nStep 2: Multiply the", None),
        ("There are 12 in 5.\n\nStep 2: ", None),
        ("1. There are 12 in 5.\n2.", None),
        ("So for the 12 bottles in each of the crates we now", None),
        ("There are 12 in 5.\n\n60.", "60"),
        ("There are 60 on the 5 shelves.\n\nStep 3", None),
        ("About 10^6 cells", "1e6"),
        ("There are 12 in 5.\n\n12 * ", None),
        ("There are 12 in 5.\n\nNow we want to know how many", None),
        ("There are 60.\n\nThat is the total before spares.", "60"),
        ("There are 60.\n\nDone", "60"),
        ("Step 2: 12 * 5 = 60", "60"),
        # thinking
        ("<think>\nmaybe 40\n</think>\nIt is 44.", "44"),
        ("maybe 40\n</think>\nIt is 44.", "44"),
        ("<think>\nmaybe 40", None),
        ("No digits here.", None),
        ("", None),
    ],
)
def test_last_number(reply, number):
    assert read("last_number", reply) == number


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("ANSWER: \u22126.5", "-6.5"),
        ("x\nANSWER: 2\u00bd", "2.5"),
        ("**ANSWER:** 17", "17"),
        ("**ANSWER: 17**", "17"),
        ("ANSWER: **17**", "17"),
        ("ANSWER: $17$", "17"),
        ("ANSWER: \\boxed{17}", "17"),
        ("> ANSWER: 17 pens", "17"),
        ("### Answer: 1,700", "1700"),
        ("ANSWER:\u00a017\u00a0", "17"),
        ("ANSWER: 17\r\n", "17"),
        ("ANSWER: STALLED\r\n", "STALLED"),
        ("ANSWER: COMPLETE: 4 files, 0 errors", "COMPLETE: 4 files, 0 errors"),
        ("ANSWER: 5 PM", "5 PM"),
        ("ANSWER: about 17", "17"),
        ("ANSWER: $12.50.", "12.50"),
        ("ANSWER: 35%", "35"),
        ("As in the example (ANSWER: 7) I go on.\nANSWER: 9", "9"),
        ("As in the example (ANSWER: 7) I go on.", None),
        ("<think>\nANSWER: 40\n</think>\nANSWER: 44", "44"),
        ("<think>\nANSWER: 40", None),
        ("ANSWER: 18\n\nQ: more?\nANSWER: 20", "18"),
        ("ANSWER:\n42", "42"),
        ("ANSWER:", None),
        ("It is 42.", None),
    ],
)
def test_answer_prefix(reply, answer):
    assert read("answer_prefix", reply) == answer


def test_the_gold_says_whether_a_number_is_wanted():
    assert read("answer_prefix", "ANSWER: room 64 it is", gold="64") == "64"
    assert read("answer_prefix", "ANSWER: 5 files", gold="5 files") == "5 files"


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("5=12.4", "12.4"),
        ("s14 = \u22123.2 C", "-3.2"),
        ("C(6,2) = 15 (pairs, 2 at a time)", "15"),
        ("7 units (n=3)", "7"),
        ("5 = 12.4 (unit = 5)", "12.4"),
        ("3 + 4 = 7 = 7.0", "7.0"),
        ("12.4", "12.4"),
        ("(5=12.4)", "12.4"),
        ("5 =", None),
        ("none", None),
    ],
)
def test_after_equals(answer, number):
    assert read("after_equals", f"Polled.\nANSWER: {answer}") == number


def test_last_line():
    assert read("last_line", "a\n\n COMPLETE: 4 \r\n\n") == "COMPLETE: 4"
    assert read("last_line", "<think>a") is None
    assert read("last_line", " \n") is None


@pytest.mark.parametrize(
    ("answer", "gold", "verdict"),
    [
        ("318", "18", "fail"),
        ("18.0", "18", "pass"),
        ("1,800", "1800", "pass"),
        ("27", "14, 27", "fail"),
        ("27 and 14", "14, 27", "pass"),
        ("14, 27, 30", "14, 27", "fail"),
        ("18 or 19", "18", "fail"),
        ("3=7.0", "7", "pass"),
        ("7 (2 spare)", "7", "pass"),
        ("-7", "7", "fail"),
        ("Stalled.", "STALLED", "pass"),
        ("not stalled", "stalled", "fail"),
        ("red", "red, blue", "fail"),
        ("blue, red", "red, blue", "pass"),
    ],
)
def test_compare(answer, gold, verdict):
    assert read("compare", f"Well.\nANSWER: {answer}", gold=gold) == verdict


def test_compare_without_an_answer_fails():
    assert read("compare", "<think>ANSWER: 7", gold="7") == "fail"
    assert read("compare", "", gold="7") == "fail"
    assert read("compare", "ANSWER: 7, 8", gold=[8, 7]) == "pass"


@pytest.mark.parametrize(
    ("reply", "stance"),
    [
        ("ANSWER: ASK: which file?", "ask"),
        ("I found two files.\nWhich one do you mean?", "ask"),
        ("Which one? I took the first and removed it.", "answered"),
        ("ANSWER: notes.txt\nIs there anything else?", "answered"),
        ("Removed it. Is there anything else I can help with?", "answered"),
        ("I can\u2019t find that file.", "refusal"),
        ("", "format_fail"),
        ("Maximum number of steps reached.", "format_fail"),
    ],
)
def test_ask(reply, stance):
    assert read("ask", reply) == stance


@pytest.mark.parametrize(
    ("reply", "stance"),
    [
        ("I don\u2019t have that on file.", "refusal"),
        ("The page [3] was not retrieved, so I cannot say.", "refusal"),
        ("Here you go:\n```\nprint('I cannot open it')\n```", "answered"),
        ("The desk opens at nine.", "answered"),
        (" \n", "format_fail"),
        ("<think>I cannot", "format_fail"),
        ("I ran out of steps before finishing.", "format_fail"),
    ],
)
def test_refusal(reply, stance):
    assert read("refusal", reply) == stance


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("The answer is (C). A and B fail.", "C"),
        ("Answer:\n\nAnswer: D", "D"),
        ("ANSWER: $B$", "B"),
        ("**Answer: C**", "C"),
        ("It is $\\boxed{\\text{D}}$", "D"),
        ("So C is the one, as a wheel turns.", "C"),
        ("Looks hard.\nB.", "B"),
        ("<think>\nB", None),
        ("I would say a lot.", None),
    ],
)
def test_mc_letter(reply, letter):
    assert read("mc_letter", reply) == letter


def test_boxed():
    assert read("boxed", r"\boxed{1} no, \boxed{\frac{1}{\sqrt{2}}}") == r"\frac{1}{\sqrt{2}}"
    assert read("boxed", r"\boxed{\{1, 2\}}") == r"\{1, 2\}"
    assert read("boxed", r"\boxed{1") is None
    assert read("boxed", "1") is None


def test_tool_calls_and_csv_export():
    assert read("tool_calls", 'So:\n[go(to="x")]') == [{"name": "go", "arguments": {"to": "x"}}]
    assert read("csv_export", "@SUM(A1)") == "'@SUM(A1)"
    assert read("csv_export", "-6.5") == "-6.5"


def test_a_field_is_of_the_models_own_reply():
    drafted = '<think>{"answer": "4 PM"}</think>{"answer": "5 PM"}\n\nQuestion: next?\n{"answer": "6 PM"}'
    assert read("json_field", drafted, field="answer") == "5 PM"
    assert read("json_field", '<think>{"answer": "4 PM"}', field="answer") is None
    assert read("json_field", '{"status": not_found, "n": 1}', field="status") == "not_found"
    assert read("json_repair", '{"items": ["27" screen", 5 m]}', field="items") == ['27" screen', "5 m"]


def test_saved_text():
    assert read("jsonl_load", '\ufeff{"id": "a\u2028b"}\n{"id": "\\ud835"}\n{"id": \n') == 2
    assert read("table_load", '{"id": "a", "answer": "02-10-2024"}\n', field="answer") == "02-10-2024"
    assert read("epochs", "[null, 0, 1]") == {"mean": 0.5, "scored": 2, "unscored": 1}


def test_an_unknown_reader_suggests_the_near_one():
    with pytest.raises(RuleError, match=r"no reader 'last_numbr'\. Did you mean 'last_number'\?"):
        read("last_numbr", "1")


@given(
    st.sampled_from(sorted(READERS)),
    st.text(alphabet="ANSWER: 1,2.5-\u2212=\u00bd/$*\n()[]{}^e\u00b2<think>\x00Q\\boxed", max_size=40),
)
def test_any_text_is_read(word, reply):
    assert read(word, reply, gold="1") == read(word, reply, gold="1")
    for number in lenient.numbers(reply):
        assert Decimal(number.text).is_finite()
        assert 0 <= number.start < number.stop <= len(reply)


@pytest.mark.parametrize(
    "reply", ["9" * 6000, "1e" + "9" * 6000, "1/" + "9" * 6000, "10^" + "9" * 30, "9" * 5000 + ".\n1."]
)
def test_a_number_without_end_is_read(reply):
    assert read("compare", reply, gold="12345") == "fail"
    assert read("last_number", reply) is not None


def test_the_public_cases(shared):
    lines = (shared / "cases" / "open.jsonl").read_text(encoding="ascii").split("\n")
    cases = [case for case in map(json.loads, filter(None, lines)) if case["rule"] in READERS]
    assert len(cases) == len(list(filter(None, lines))), "there is a reader for every case"
    wrong = [
        (case["id"], found, case["right"])
        for case in cases
        if not _same(
            found := read(case["rule"], case["text"], gold=case["gold"], field=_field(case["why"])), case["right"]
        )
    ]
    assert wrong == []


def _field(why):
    """The field that a case names in prose."""
    named = re.search(r"Field '(\w+)'|record a's (\w+)", why)
    return named and (named[1] or named[2])


def _same(found, right):
    if isinstance(right, list):
        return isinstance(found, list) and sorted(found, key=str) == sorted(right, key=str)
    try:
        return Decimal(found) == Decimal(right)
    except (ArithmeticError, TypeError, ValueError):
        return found == right
