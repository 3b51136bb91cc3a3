import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.paths import parse_comparison, parse_path


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("a", ("a",)),
        ("a.b.c", ("a", "b", "c")),
        ("a.0.b", ("a", "0", "b")),
        ('a."b.c".d', ("a", "b.c", "d")),
        ('"a.b"', ("a.b",)),
        (r'"say \"x\""', ('say "x"',)),
        ("final state.é", ("final state", "é")),
    ],
)
def test_paths(text, keys):
    assert parse_path(text) == keys


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", '""', 'a.""', '"a', '"a"b', 'a."b"c', '"a".'])
def test_what_is_no_path(text):
    with pytest.raises(CorpusError, match="path"):
        parse_path(text)


@given(st.lists(st.text(min_size=1), min_size=1))
def test_any_key_can_be_quoted(keys):
    assert parse_path(".".join(json.dumps(key) for key in keys)) == tuple(keys)


@pytest.mark.parametrize(
    ("text", "comparison"),
    [
        (">= 0.5", (">=", 0.5)),
        ("<2", ("<", 2.0)),
        (" == -1e3 ", ("==", -1000.0)),
        ("<= .5", ("<=", 0.5)),
        (">1.", (">", 1.0)),
    ],
)
def test_comparisons(text, comparison):
    assert parse_comparison(text) == comparison


def test_what_is_no_comparison():
    with pytest.raises(CorpusError, match="'=> 1' is no comparison"):
        parse_comparison("=> 1")
