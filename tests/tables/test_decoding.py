"""The JSON of records: what is refused does not depend on how it is written or how deep the reader stands."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.files.depth import DEPTH
from regrade.tables.decoding import NotJson, as_logged, decode, encode, finds_twice

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(TEXTS, inside, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_a_value_is_read_as_it_was_written_and_written_so_that_it_is_read(value: Any, ascii: bool, indent: Any) -> None:
    assert decode(json.dumps(value, ensure_ascii=ascii, indent=indent)) == value
    assert decode(encode(value)) == value


def test_numbers_that_are_not_finite_stay() -> None:
    value = decode('{"a": NaN, "b": [null, -Infinity], "c": 1e400}')
    assert math.isnan(value["a"]) and value["b"] == [None, -math.inf]
    assert encode(value) == '{"a":NaN,"b":[null,-Infinity],"c":Infinity}'


@pytest.mark.parametrize("inner", ["1", "null", "NaN", '{"k": "\\ud83d\\ude00"}'])
@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a":', "}"), ("[null, ", "]")])
def test_nesting_has_a_limit_wherever_it_is_read_from(inner: str, opened: str, closed: str) -> None:
    deep = DEPTH - inner.startswith("{")

    def below(frames: int, text: str) -> Any:
        return below(frames - 1, text) if frames else encode(decode(text))

    for frames in (0, 300):
        assert below(frames, opened * deep + inner + closed * deep)
        for more in (1, 2, 300, 700, 100_000):
            with pytest.raises(NotJson):
                below(frames, opened * (deep + more) + inner + closed * (deep + more))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "{",
            "[1,]",
            '{"a": 1,}',
            "nan",
            "-NaN",
            "inf",
            "+1",
            "01",
            "1.",
            "'a'",
            '"\t"',
            '{"a": 1} {"b": 2}',
            "\ufeff1",
        ),
        *('"\\ud800"', '{"\\udc00": 1}', '{"a": "\\uD800", "a": 1}', '{"a": {"b": ["\\udfff"]}, "c": NaN, "a": 1}'),
    ],
)
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(NotJson):
        decode(text)


def test_a_number_keeps_the_digits_it_is_written_with() -> None:
    text = '{"a": {"b": [1, 1.10]}, "c": 1E2, "d": 100000000000000000000001}'
    assert as_logged(text, ("a", "b", "1")) == "1.10"
    assert as_logged(text, ("c",)) == "1E2"
    assert as_logged(text, ("d",)) == "100000000000000000000001"


@given(st.lists(st.sampled_from(["a", "b", "c", 'q"', "\\"]), max_size=6), st.booleans(), VALUES)
def test_a_mapped_key_that_stands_twice_is_found_however_it_is_spelt(keys: list[str], spelt: bool, value: Any) -> None:
    """Only `a` and, in its object, `b` are mapped."""

    def key(name: str) -> str:
        return '"' + "".join(f"\\u{ord(c):04x}" for c in name) + '"' if spelt else json.dumps(name)

    inner = "{" + ", ".join(f"{key(name)}: {json.dumps(value)}" for name in keys) + "}"
    twice = finds_twice([("a", "b")])
    outer = f'{{{key("a")}: {inner}, "z": {inner}}}'
    assert twice(outer, json.loads(outer)) == (keys.count("b") > 1)
    assert twice(inner, json.loads(inner)) == (keys.count("a") > 1)
