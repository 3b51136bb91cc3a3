"""Records, fields and epochs as saved text holds them."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.grades.saved import field_as_stored, mean_of_epochs, usable_records

A, B = '{"id": "a", "n": 1}', '{"id": "b", "n": 2}'


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"{A}\n{B}\n", 2),
        (f"{A}\n{B}", 2),
        (f"{A}\r\n\r\n  \n{B}\r\n", 2),
        (f"\ufeff{A}\n{B}\n", 2),
        (f"{A}\n\ufeff{B}\n", 2),
        ('{"id": "a\u2028b"}\n{"id": "a\u2029b"}\n{"id": "a\x85b"}\n', 3),
        ('{"id": "a\u000bb"}\n', 0),
        ('{"id": "\\ud835"}\n{"id": "\\udc00\\ud800"}\n', 2),
        ('{"id": "\\u0000"}\n', 1),
        ('{"id": NaN}\n{"id": Infinity}\n', 2),
        (f'{A}\n{{"id": "b", "n": \n{B}\n', 2),
        (f"{A},\n{B}\n", 1),
        (f"{A}{B}\n", 0),
        (f"{A}\n42\nnull\n[]\n", 1),
        (f'{A}\n# note\n{{"id": "b"', 1),
        (f'{A}\n{A}\n{{"id": "a\x00"}}\n', 2),
        ("  " + A + "\t\n", 1),
        ("\n", 0),
        ("", 0),
    ],
)
def test_usable_records(text: str, count: int) -> None:
    assert len(usable_records(text)) == count


@given(st.lists(st.dictionaries(st.text(max_size=4), st.text(max_size=6), max_size=3), max_size=4), st.booleans())
def test_what_was_written_is_usable(records: list[dict[str, str]], ascii_only: bool) -> None:
    text = "".join(json.dumps(record, ensure_ascii=ascii_only) + "\n" for record in records)
    assert [json.loads(line) for line in usable_records(text)] == records


def one(value: str) -> str:
    return f'{{"id": "a", "answer": {value}}}\n{{"id": "b", "answer": "x"}}\n'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (one('"02-10-2024"'), "02-10-2024"),
        (one('"2024-09-14T00:00:00Z"'), "2024-09-14T00:00:00Z"),
        (one('"10:45"'), "10:45"),
        (one('"007"'), "007"),
        (one('"1e5"'), "1e5"),
        (one('"true"'), "true"),
        (one('"NaN"'), "NaN"),
        (one('"null"'), "null"),
        (one('""'), ""),
        (one('" 4 "'), " 4 "),
        (one("1.10"), "1.10"),
        (one("12345678901234567890"), "12345678901234567890"),
        (one("true"), "true"),
        (one("null"), None),
        (one('{"b": 1.0}'), '{"b": 1.0}'),
        (one('[1, "x"]'), '[1, "x"]'),
        (one('"\\u00e9 \\"x\\""'), '\u00e9 "x"'),
        (one('"x", "Answer": "y"'), "x"),
        ('\ufeff{"id": "b", "answer": 1}\n{"id": "a", "answer": 2}\n', "2"),
        ('{"id": "r1", "answer": "01"}\n{"id": "r2", "answer": 2}\n', "01"),
        ('{"id": "a", "reply": "x"}\n', None),
        ("id,answer\na,007\nb,8\n", "007"),
        ('\ufeffid\tanswer\na\t"1,50"\n', "1,50"),
        ('id;answer\n"a";14-09-2024\n', "14-09-2024"),
        ("id,answer\na,NA\n", "NA"),
        ("", None),
    ],
)
def test_a_field_as_it_is_stored(text: str, value: str | None) -> None:
    assert field_as_stored(text, "answer") == value


def test_without_a_name_it_is_the_answer_or_the_last_field() -> None:
    assert field_as_stored(one('"5", "z": 1')) == "5"
    assert field_as_stored('{"id": "a", "grade": 0.50}\n') == "0.50"
    assert field_as_stored("") is None


@pytest.mark.parametrize(
    ("text", "mean", "scored", "unscored"),
    [
        ("[1, NaN, 0, 1]", 0.6667, 3, 1),
        ("[1, null, 1]", 1.0, 2, 1),
        ("[0, nan, None]", 0.0, 1, 2),
        ("[0.25, 0.5]", 0.375, 2, 0),
        ("[1, 0, 0]", 0.3333, 3, 0),
        ("[true, false, null]", 0.5, 2, 1),
        ("[True, False]", 0.5, 2, 0),
        ('["1", "0", "x"]', 0.5, 2, 1),
        ("[Infinity, 1, -inf]", 1.0, 1, 2),
        ("[-1, 1e2]", 49.5, 2, 0),
        ("[NaN, null]", None, 0, 2),
        ("[]", None, 0, 0),
        (" [ 1 ]\n", 1.0, 1, 0),
        ("[\n  1,\n  null\n]", 1.0, 1, 1),
        ("[1e999, 0.1, 0.2]", 0.15, 2, 1),
        ("[1, , 0]", 0.5, 2, 1),
    ],
)
def test_the_mean_is_of_the_scored_epochs(text: str, mean: float | None, scored: int, unscored: int) -> None:
    assert mean_of_epochs(text) == {"mean": mean, "scored": scored, "unscored": unscored}


def test_a_text_that_is_no_list_has_no_epochs() -> None:
    assert mean_of_epochs("1, 0") is None


@given(st.lists(st.none() | st.floats() | st.booleans(), max_size=8))
def test_every_epoch_is_counted_once(epochs: list[Any]) -> None:
    found = mean_of_epochs(json.dumps(epochs))
    kept = [float(e) for e in epochs if e is not None and math.isfinite(e)]
    assert found is not None
    assert (found["scored"], found["scored"] + found["unscored"]) == (len(kept), len(epochs))
