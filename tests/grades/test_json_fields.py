"""Which object of a reply counts, and what a broken one was meant to be."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.grades.json_fields import field_text, field_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # whole objects, and what stands around them
        ('{"answer": "5 PM"}', "5 PM"),
        ('Sure!\n```json\n{"answer": "5 PM"}\n```\nSee [2] and {x}.', "5 PM"),
        ('I use {braces} here: {"answer": "5 PM"}', "5 PM"),
        ('[{"answer": "4 PM"}, {"answer": "5 PM"}]', "5 PM"),
        ('{"answer": "4 PM"}\nNo, rather:\n{"answer": "5 PM"}', "5 PM"),
        ('{"answer": "5 PM"}\n{"confidence": 0.9}', "5 PM"),
        ('{"result": {"answer": "5 PM"}, "id": 1}', "5 PM"),
        ('{"result": {"answer": "4 PM"}} {"answer": "5 PM"} {"result": {"answer": "6 PM"}}', "5 PM"),
        ('{"answer": "say {\\"answer\\": 1}"}', 'say {"answer": 1}'),
        # examples and blanks
        ('{"answer": "5 PM"}\nThis follows the template {"answer": "4 PM"}.', "5 PM"),
        ('For example:\n```\n{"answer": "4 PM"}\n```\n{"answer": "5 PM"}', "5 PM"),
        ('{"answer": "5 PM"}\nShape: {"answer": "4 PM"}', "5 PM"),
        ('{"answer": "5 PM"} {"answer": "<your answer>"}', "5 PM"),
        ('Draft: {"answer": "4 PM"}\nMy reply, in the format:\n{"answer": "5 PM"}', "5 PM"),
        ('In the format: {"answer": "5 PM"}', "5 PM"),
        # scalars are text, as they are written
        ('{"answer": 61.00}', "61.00"),
        ('{"answer": 12345678901234567890123}', "12345678901234567890123"),
        ('{"answer": true}', "true"),
        ('{"answer": ["a", 1.50, null]}', ["a", "1.50", None]),
        ('{"answer": {"place": "Hall B", "n": 2}}', {"place": "Hall B", "n": "2"}),
        ('{"answer": ""}', ""),
        ('{"answer": null}', None),
        ('{"answer": "5 PM"} {"answer": null}', None),
        ('{"Answer": "5 PM"}', None),
        ("answer: 5 PM", None),
        ("", None),
    ],
)
def test_the_object_that_counts(text: str, value: Any) -> None:
    assert field_value(text, "answer") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # quotation marks within a text
        ('{"answer": ["27" screen", "arm"], "n": 1}', ['27" screen', "arm"]),
        ('{"answer": ["arm", "27" screen", "30" screen"]}', ["arm", '27" screen', '30" screen']),
        ('{"answer": "a 27", 30" and 32" screen", "n": 3}', 'a 27", 30" and 32" screen'),
        ('{"answer": "He said "no", then left", "n": 3}', 'He said "no", then left'),
        ('{"answer": "Room "B"", "n": 3}', 'Room "B"'),
        ('{"n": "6\' 2"", "answer": "5\' 10""}', "5' 10\""),
        ("{'answer': 'it's 5 PM', 'n': 'x'}", "it's 5 PM"),
        ('{"answer": "a \\"b\\" and c" d"}', 'a "b" and c" d'),
        ('{"answer": ["x: "y"", "z"], "n": 1}', ['x: "y"', "z"]),
        # values without quotation marks
        ('{"answer": ["27" screen", 5 m, red, -3], "n": 1}', ['27" screen', "5 m", "red", "-3"]),
        ('{"answer": [5 m, 10:45 PM, None], a: [1, 2], b: 3}', ["5 m", "10:45 PM", None]),
        ('{"answer": 12" x 14" frame, "n": 2}', '12" x 14" frame'),
        ('{"answer": see "A", "B" and C, "n": 1}', 'see "A", "B" and C'),
        ('{"answer": Hall [B], {C}, "n": 2}', "Hall [B], {C}"),
        ('{\n  "answer": The notice says: closed,\n  "n": 2\n}', "The notice says: closed"),
        ('{"answer": Tuesday 9 AM, Friary Hall, "n": 3}', "Tuesday 9 AM, Friary Hall"),
        ('{"n": 3, "answer": Tuesday 9 AM, Friary Hall}', "Tuesday 9 AM, Friary Hall"),
        ("{answer: Tuesday, Friary Hall, status: ok}", "Tuesday, Friary Hall"),
        ('{"answer": Tuesday, note: bring keys, "n": 3}', "Tuesday, note: bring keys"),
        ('{"answer": 10:45 PM, "n": 1}', "10:45 PM"),
        ('{"answer": 14-09-2024}', "14-09-2024"),
        ('{"answer": 12,500, "n": 1}', "12,500"),
        ('{"answer": 007}', "007"),
        ('{"answer": 5 PM}', "5 PM"),
        ('{"answer": it\'s late, "n": 1}', "it's late"),
        ('{"answer": https://a.example/b, "n": 1}', "https://a.example/b"),
        ('{"answer": Hall 3 (north, by the stairs)}', "Hall 3 (north, by the stairs)"),
        ('{"outer": {"answer": x, y}, "n": 2}', "x, y"),
        ('{"answer": True, "n": None}', "true"),
        ('{"answer": , "n": 1}', None),
        # commas, comments, ends
        ('{"answer": "5 PM",}', "5 PM"),
        ('{"answer": "5 PM" "n": 1}', "5 PM"),
        ('{"answer": "5 PM"\n "n": 1}', "5 PM"),
        ('{"answer": 5 PM, // when\n "n": 1}', "5 PM"),
        ('{"answer": "5 PM, "n": "x"}', "5 PM"),
        ('{"answer": "5 PM", "sta', "5 PM"),
        ('{"answer": "5 PM', "5 PM"),
        ('{"answer": ["a", "b"', ["a", "b"]),
        ('{"answer": "5 PM}\nThe notice is in [2].', "5 PM"),
        ('```json\n{"answer": "5 PM", "n": ok\n```\nThat is "it".', "5 PM"),
        ('{"answer": "x = {1, 2}", "n": ok}', "x = {1, 2}"),
        ('{"answer": "a\nb", n: 1}', "a\nb"),
        ('{"answer": "C:\\dir", n: 1}', "C:\\dir"),
        ("{\u201canswer\u201d: \u201c5 PM\u201d, \u201cn\u201d: 1}", "5 PM"),
        ('{"n": bad} then {"answer": 5 PM}', "5 PM"),
        ('{"answer": "4 PM"}\n{"answer": 5 PM, "n": ok}', "5 PM"),
        ('{status: bad, My reply: {"answer": "5 PM"}', "5 PM"),
    ],
)
def test_what_a_broken_object_was_meant_to_be(text: str, value: Any) -> None:
    assert field_value(text, "answer") == value


def test_without_a_name_it_is_the_answer_or_the_last_field() -> None:
    assert field_value('{"answer": "x", "n": 1}') == "x"
    assert field_value('{"status": "x", "items": ["y"]}') == ["y"]
    assert field_value("{}") is None


def test_the_word_gives_text_without_a_place() -> None:
    found = field_text('{"answer": ["\u00e9", 1.0]}', "answer")
    assert (found.text, found.start) == ('["\u00e9", "1.0"]', None)
    assert field_text("none", "answer") is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def _as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_text(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_as_text(part) for part in value]
    return value if value is None or isinstance(value, str) else json.dumps(value)


@given(JSON, st.text(alphabet="ab .\n}]", max_size=8))
def test_an_object_that_is_whole_is_read_as_json_reads_it(value: Any, around: str) -> None:
    assert field_value(f"{around}{json.dumps({'answer': value})}{around}", "answer") == _as_text(value)


@given(st.text(alphabet="{}[]\",:'\\ answer5.-\n`/#\u201c", max_size=60))
def test_any_text_is_read(text: str) -> None:
    assert field_value('{"answer":' + text, "answer") == field_value('{"answer":' + text, "answer")


@pytest.mark.parametrize(
    "text",
    ["{" * 3000, '{"a":' * 3000, '{"a": ' + '"x" y ' * 3000, "{'a': " + "it's " * 3000, '{"a": b}\n' * 2000 + "{"],
)
def test_a_text_of_many_openings_is_read_at_once(text: str) -> None:
    field_value(text, "a")
