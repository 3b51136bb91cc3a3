"""How outputs are written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.outputs import json_text

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(VALUES, st.integers(0, 60))
def test_json_is_the_same_however_it_is_folded(value: Any, width: int) -> None:
    assert json.dumps(json.loads(json_text(value, width))) == json.dumps(value)


def test_what_fits_in_a_line_stands_in_one() -> None:
    text = json_text({"a": {"low": 0.5, "high": 0.75}, "b": [1, 2, 3], "c": {"d": [{"e": 1}]}}, 32)
    assert text == '{\n "a": {"low": 0.5, "high": 0.75},\n "b": [1, 2, 3],\n "c": {"d": [{"e": 1}]}\n}\n'


def test_nan_is_no_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_text({"a": float("nan")})
