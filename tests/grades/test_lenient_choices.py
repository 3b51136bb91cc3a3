"""Which letter a reply chooses: wherever it is stated, and none where it is not."""

import pytest

from regrade.reading import read


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        # stated
        ("ANSWER: 'C'", "C"),
        ("Answer: e", "E"),
        ("ANSWER: \uff24", "D"),
        ("Answer: D, since answer: E would need more heat.", "D"),
        ("\u6b63\u89e3\u306fB\u3067\u3059", "B"),
        ("\ub2f5\uc740 E\uc785\ub2c8\ub2e4", "E"),
        ("La respuesta es D", "D"),
        # set apart
        ("E\n\nA and B are too cold, C and D too warm.", "E"),
        ("**D**\n\nWhy not A: it melts.", "D"),
        ("It melts first.\n\n(B)\n\nSo much for A.", "B"),
        ("(E). A to D all freeze.", "E"),
        ("B - a mirror turns it round.", "B"),
        ("A: too cold\nB: fits\nC: too warm\n\nThat leaves B.", "B"),
        # chosen in words
        ("I choose D over A.", "D"),
        ("I would pick A because C melts.", "A"),
        ("I would not pick A. It must be E.", "E"),
        ("D) is correct, A is not.", "D"),
        ("Ice floats, so option C.", "C"),
        ("That leaves C and nothing else.", "C"),
        # none
        ("I", None),
        ("Hepatitis C is an illness.", None),
        ("I pick a lever.", None),
        ("Weigh C against D. As the", None),
        ("Option C looks right while the weight of it is", None),
    ],
)
def test_the_letter_chosen(reply, letter):
    assert read("mc_letter", reply) == letter


def test_a_long_row_of_letters_is_read_in_time():
    assert read("mc_letter", "C " * 20000) == "C"


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        (r"\fbox{14}", "14"),
        (r"so \boxed 14.", "14"),
        (r"\boxed{14}, put in \boxed{} as asked", "14"),
        (r"\boxed{}", ""),
        (r"\boxed{a \\}", r"a \\"),
        (r"\boxed{a \} b}", r"a \} b"),
        (r"\boxed{\boxed{14}}", "14"),
        (r"\boxed{14} then \boxed{15", "14"),
        ("\\boxed{" * 30000, None),
    ],
)
def test_what_the_last_box_holds(text, inside):
    assert read("boxed", text) == inside


@pytest.mark.parametrize(
    ("answer", "gold", "verdict"),
    [
        ("(C)", "C", "pass"),
        ("(CD)", "C", "fail"),
        ("7AM", "7 am", "pass"),
        ("7 a.m.", "7 AM", "pass"),
        ("17AM", "7 am", "fail"),
        ("oak & elm", "elm, oak", "pass"),
        ("oak, elm, and ash", "ash; elm; oak", "pass"),
        ("oak", "elm, oak", "fail"),
        ("Wight and Man", "Man and Wight", "fail"),
        ("Man and Wight", "Man and Wight", "pass"),
        ("y = 3 or y = 8", "3, 8", "pass"),
        ("y1 = 3, y2 = 8", "8, 3", "pass"),
        ("y = 3 or y = 9", "3, 8", "fail"),
        ("either 3 or 8", "3, 8", "fail"),
        ("in unit 5, t = 8", "8", "pass"),
    ],
)
def test_whether_an_answer_gives_the_gold(answer, gold, verdict):
    assert read("compare", f"ANSWER: {answer}", gold=gold) == verdict
