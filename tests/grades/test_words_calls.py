"""What the words about calls mean."""

import pytest

from regrade.grades import calls
from regrade.records import Call, Turn


def made(*parts):
    return [
        Call(turn, i, name, arguments, result)
        for i, (turn, name, arguments, result) in enumerate((*part, "{}", "ok")[:4] for part in parts)
    ]


TURNS = [Turn("user", "?"), Turn("assistant", ""), Turn("tool", "ok"), Turn("assistant", "done")]


def test_names_missing_and_present():
    two = made((1, "poll"), (1, "read"), (3, "poll"))
    assert calls.names(two) == ["poll", "read", "poll"]
    assert calls.missing(two, ["stop", "poll", "go"]) == ["stop", "go"]
    assert calls.present(two, ["stop", "read", "poll"]) == ["read", "poll"]


def test_no_calls_and_null_are_the_same():
    for none in ([], None):
        assert calls.names(none) == []
        assert calls.missing(none, ["a"]) == ["a"]
        assert calls.present(none, ["a"]) == []
        assert calls.grounded(none, TURNS, [], ["a"]) is True
        assert calls.grounded(none, TURNS, ["a"], []) is False
        assert calls.unissued(none, "a", "b", "c") == []
    assert calls.missing(made((1, "a")), None) == []


@pytest.mark.parametrize(
    ("parts", "after", "never", "rests"),
    [
        ([(1, "list")], ["list"], ["drop"], True),
        ([(1, "list"), (1, "drop")], ["list"], ["drop"], False),
        ([(3, "list")], ["list"], [], False),
        ([(1, "list", "{}", None)], ["list"], [], False),
        ([(1, "list", "{}", "")], ["list"], [], True),
        ([(1, "list")], ["list", "stat"], None, False),
        ([(1, "drop", "{}", None)], None, ["drop"], False),
        ([(3, "drop")], None, ["drop"], False),
        ([], None, None, True),
    ],
)
def test_grounded(parts, after, never, rests):
    assert calls.grounded(made(*parts), TURNS, after, never) is rests


def test_without_turns_the_reply_comes_last():
    assert calls.grounded(made((7, "list")), None, ["list"], []) is True
    assert calls.grounded(made((0, "list")), [Turn("user", "hi")], ["list"], []) is False


@pytest.mark.parametrize(
    ("parts", "values"),
    [
        ([(1, "page", '{"at": "p1"}', '{"next": "p2"}'), (3, "page", '{"at": "p2"}')], []),
        ([(1, "page", '{"at": "p1"}', '{"next": "p2"}'), (3, "page", '{"at": "p3"}')], ["p3"]),
        ([(1, "page", '{"at": "p1"}', '{"next": "p2"}'), (1, "page", '{"at": "p2"}')], ["p2"]),
        ([(1, "page", '{"at": "p2"}'), (3, "page", "{}", '{"next": "p2"}')], ["p2"]),
        ([(1, "other", "{}", '{"next": 7}'), (3, "page", '{"at": "7"}')], []),
        ([(1, "other", "{}", '{"page": {"next": 7}}'), (3, "page", '{"at": 7}')], ["7"]),
        ([(1, "other", "{}", "next: 7"), (3, "page", '{"at": 7}')], ["7"]),
        ([(1, "page", '{"at": null}'), (1, "page", "{}"), (1, "page", "at p9"), (1, "page", "[1]")], []),
        ([(1, "other", '{"at": "p9"}')], []),
        ([(3, "page", '{"at": "z"}'), (3, "page", '{"at": true}'), (5, "page", '{"at": "z"}')], ["z", "true"]),
        ([(3, "page", '{"at": "\\ud835"}')], ["\\ud835"]),
    ],
)
def test_unissued(parts, values):
    assert calls.unissued(made(*parts), "page", "at", "p1") == values


def test_unissued_without_a_question_or_a_first_value():
    used = made((1, "page", '{"at": "p1"}'))
    assert calls.unissued(used, None, "at", "p1") == []
    assert calls.unissued(used, "page", None, "p1") == []
    assert calls.unissued(used, "page", "at", None) == ["p1"]
    assert calls.unissued(made((1, "page", '{"at": 1}')), "page", "at", 1) == []


def test_a_result_that_came_after_the_reply_or_the_use_is_none_yet():
    late = [Call(1, 0, "ls", "{}", "notes", 4)]
    turns = [
        Turn("user", "?"),
        Turn("assistant", ""),
        Turn("user", "?"),
        Turn("assistant", "done"),
        Turn("tool", "notes"),
    ]
    assert not calls.grounded(late, turns, ["ls"], [])
    assert calls.grounded([Call(1, 0, "ls", "{}", "notes", 2)], turns, ["ls"], [])
    pages = [Call(1, 0, "page", '{"t": "s"}', '{"next": "n"}', 4), Call(3, 0, "page", '{"t": "n"}', "{}", 5)]
    assert calls.unissued(pages, "page", "t", "s") == ["n"]
    assert calls.unissued([Call(1, 0, "page", '{"t": "s"}', '{"next": "n"}', 2), pages[1]], "page", "t", "s") == []


def test_a_whole_number_is_the_same_token_however_it_is_written():
    pages = made((1, "page", '{"t": 1}', '{"next": 2.0}'), (3, "page", '{"t": 2}'), (5, "page", '{"t": 2.5}'))
    assert calls.unissued(pages, "page", "t", 1.0) == ["2.5"]
