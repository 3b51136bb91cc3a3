"""Numbers and marked answers as people write them, and replies that were cut off."""

import pytest

from regrade.reading import read


@pytest.mark.parametrize(
    "reply",
    [
        "In all **58**",
        "**58**",
        "In all *58*",
        "__58__",
        "In all 58\n\n---",
        "In all 58\n***",
        "**In all:\n58**",
        "In all 58,",
        "58 pears are still on the old tree",
        "In all 58\n\nTell me if you want the steps too",
        "2 trees\n\n58 pears grow there and none of them is ripe yet",
    ],
)
def test_a_reply_that_ends_without_a_full_stop_is_whole(reply):
    assert read("last_number", reply) == "58"


@pytest.mark.parametrize(
    "reply",
    [
        "A basket holds 29 pears, 2 baskets hold 29 *",
        "A basket holds 29 pears; there are 2 baskets, 1 of which...",
        "A basket holds 29 pears and 2 bask",
        "A basket holds 29 pears.\n2. Multiply the pears of a",
        "Baskets: 2, pears: 29.\n\nNow the number of pears in all",
        "I take it step by step.\n1.",
        "There are 29 pears in 2 baskets,\nwhich equals",
    ],
)
def test_a_reply_that_was_cut_off_states_no_number(reply):
    assert read("last_number", reply) is None


@pytest.mark.parametrize(
    "more",
    [
        "USER: and 3 more?\nASSISTANT: 61",
        "## Question 5\n3 + 4\n7",
        "Next question: what are 3 and 4?\n7",
        "Here is another problem: 3 and 4? 7",
        "Example 4: 3 and 4 are 7",
        "Problem 5\n3 and 4 are 7",
        "Task: add 3 and 4\n7",
    ],
)
def test_what_the_model_went_on_to_invent_is_left_out(more):
    assert read("last_number", f"In all 58.\n\n{more}") == "58"
    assert read("answer_prefix", f"ANSWER: 58\n\n{more}\nANSWER: 7") == "58"


@pytest.mark.parametrize(
    "reply",
    [
        "<seed:think>ANSWER: 4</seed:think>ANSWER: 58",
        "<|channel|>analysis<|message|>ANSWER: 4<|end|><|start|>assistant<|channel|>final<|message|>ANSWER: 58",
        "ANSWER: 58\n<think>or 4? ANSWER: 4</think>",
        '"ANSWER: 58"',
        "2. ANSWER: 58",
        "\ufeffANSWER: 58",
        "ANSWER: <58>",
    ],
)
def test_the_answer_stands_outside_thought_and_inside_marks(reply):
    assert read("answer_prefix", reply) == "58"


def test_a_thought_that_goes_on_hides_the_answer():
    assert read("answer_prefix", "<|channel|>analysis<|message|>ANSWER: 4") is None
    assert read("answer_prefix", "<seed:think>\nANSWER: 4") is None


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("\u2212 6", "-6"),
        ("- 6", "-6"),
        ("\u20106", "-6"),
        ("\u20116", "-6"),
        ("8 \u2212 6", "8 \u2212 6"),
        ("\uff13\uff0e\uff15", "3.5"),
        ("\uff11\uff0c\uff15\uff10\uff10", "1500"),
        ("\u0663\u066b\u0665", "3.5"),
        ("\u0661\u066c\u0665\u0660\u0660", "1500"),
        ("\u2464", "5"),
        ("\u00b2", "2"),
        ("\u2153", "0.3333333333333333333333333333"),
        ("7 250", "7250"),
        ("7 250 300", "7250300"),
        ('"Oslo"', "Oslo"),
        ("Oslo.", "Oslo"),
        ("6 p.m.", "6 p.m."),
    ],
)
def test_an_answer_is_read_as_it_is_meant(answer, value):
    assert read("answer_prefix", f"ANSWER: {answer}") == value


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("- 6 pears", "6"),
        ("The change is - 6.", "-6"),
        ("Take 7 250 pears", "7250"),
        ("In 2019 300 came", "300"),
        ("Rows 7 250 300", "7250300"),
        ("Rows 17 25 300", "300"),
        ("It takes 6 s^{-1}.", "6"),
    ],
)
def test_signs_and_groups_within_a_reply(reply, number):
    assert read("last_number", reply) == number


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("ANSWER: 8 \uff1d 6.5", "6.5"),
        ("ANSWER: 8 \u2248 6.5", "6.5"),
        ("ANSWER: 3 + 3 = 6 = six", "6"),
        ("8=6.5", "6.5"),
        ("It is 6.5.", None),
    ],
)
def test_the_value_after_a_sign_of_equality(reply, number):
    assert read("after_equals", reply) == number


def test_the_gold_says_that_a_percentage_is_a_number():
    assert read("answer_prefix", "ANSWER: 12.0%", gold="12%") == "12.0"
