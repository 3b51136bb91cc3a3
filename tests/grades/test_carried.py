"""What a carried grader takes for the gold, whatever shape the gold has."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.grades.amounts import amount, dressed_amount, is_number, stated
from regrade.grades.carried import equals_gold


@pytest.mark.parametrize(
    ("value", "gold"),
    [
        ("42", "42"),
        ("42.0", "42"),
        ("42", 42),
        ("42.00", 42.0),
        ("1,250", "1250"),
        ("1250", "$1,250.00"),
        ("$1,250", 1250),
        ("1\u202f250 \u20ac", "1250"),
        ("35%", "35"),
        ("35", "35\\%"),
        ("**42**", "42"),
        ("10{,}455", "10,455"),
        ("3/4", "3/4"),
        ("0.75", "3/4"),
        ("-6.5", "\u22126.5"),
        ("Rome", "Rome"),
        ("14-09-2024", "14-09-2024"),
        ("1,2,3", "1,2,3"),
        ("18", "9 * 2 = <<9*2=18>>18\n#### 18"),
        ("70000", "#### 70,000"),
        ("Rome", "It is in Italy.\n#### Rome "),
        ("Rome", ["Roma", "Rome"]),
        ("42.0", ["41", 42]),
        ("7.4", {"kind": "number", "answer": 7, "tolerance": 0.5}),
        ("$7", {"kind": "number", "answer": "7"}),
        ("7.4", {"answer": "7", "tolerance": "0.5"}),
        ("Rome", {"answer": "Rome"}),
        ("Rome", {"kind": "text", "answer": ["Rome", "Roma"]}),
        ("42", {"kind": "text", "answer": "42"}),
        ("", ""),
    ],
)
def test_a_value_that_equals_the_gold(value: str, gold: Any) -> None:
    assert equals_gold(value, gold)


@pytest.mark.parametrize(
    ("value", "gold"),
    [
        ("42.1", "42"),
        ("It is 42", "42"),
        ("42 and 43", "42"),
        ("4", "42"),
        ("123", "1,2,3"),
        ("rome", "Rome"),
        ("5", "5 apples"),
        ("14092024", "14-09-2024"),
        ("42.0", {"kind": "text", "answer": "42"}),
        ("42", {"kind": "choice", "answer": "42.0"}),
        ("7.6", {"kind": "number", "answer": 7, "tolerance": 0.5}),
        ("9", "9 * 2 = 18\n#### 18"),
        ("Title", "#### Title\nand its text"),
        ("Rome", ["Paris", ["Rome", "Oslo"]][:1]),
        ("Rome", []),
        ("Rome", None),
        ("Rome", {}),
        ("1", True),
        ("True", {"answer": True}),
        ("{'a': 1}", {"answer": {"a": 1}}),
        ("none", "42"),
        ("", "42"),
        ("nan", float("nan")),
    ],
)
def test_a_value_that_does_not(value: str, gold: Any) -> None:
    assert not equals_gold(value, gold)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1,250.00", "1250.00"),
        ("**35%**", "35"),
        ("\\$ 139", "139"),
        ("12 dollars.", "12"),
        ("12 pens", None),
        ("12, 13", None),
        ("", None),
        ("9" * 200, None),
    ],
)
def test_a_text_that_is_a_number_and_nothing_else(text: str, number: str | None) -> None:
    assert amount(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("They owe $1,250.00 in all.", "1250.00"),
        ("In all 1 250 bolts", "1250"),
        ("USD 18", "18"),
        ("18 euros", "18"),
        ("61,50 \u20ac", "61.50"),
        ("\\$3{,}800", "3800"),
        ("They owe 1250.", None),
        ("1,250 and 30", None),
        ("nothing", None),
    ],
)
def test_the_only_number_where_it_is_dressed(text: str, number: str | None) -> None:
    found = dressed_amount(text)
    assert (found and found.text) == number


def test_a_gold_that_is_a_number() -> None:
    assert all(map(is_number, ["42", "$1,250", 7.5, ["1", 2], {"kind": "number"}, {"answer": "7"}, "x\n#### 5"]))
    assert not any(map(is_number, ["Rome", True, None, [], ["1", "Rome"], {"kind": "text", "answer": "7"}, {}, "1, 2"]))
    assert stated("a\n#### 5") == "5" and stated("a #### 5") == "a #### 5" and stated(5) == 5


@given(st.text(alphabet="0123456789,.$-%\u20ac */#\n", max_size=12), st.text(alphabet="0123456789,.$-%", max_size=8))
def test_every_gold_equals_itself_and_a_number_only_its_equal(value: str, gold: str) -> None:
    assert equals_gold(gold, gold) or gold.strip().startswith("####")
    if equals_gold(value, gold) and value != gold:
        one, other = amount(value), amount(gold)
        assert one is not None and other is not None
        assert Decimal(one.replace(",", "")) == Decimal(other.replace(",", ""))
