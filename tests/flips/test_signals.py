"""Signals: where they are seen, and where they must not be."""

import pytest

from regrade.flips.signals import find_signals
from tests.flips.flip_store import Attempt, corpus, store

FROZEN = {"pass": {"frozen": "failed"}}
CALL = '<tool_call>\n{"name": "read_sensor", "arguments": {"unit": 3}}\n</tool_call>'


def turn(role, text, *names):
    calls = [{"name": name, "arguments": "{}", "result": None} for name in names]
    return {"role": role, "text": text, "calls": calls}


def talk(trial, *turns):
    reply = next((t["text"] for t in reversed(turns) if t["role"] == "assistant"), "")
    return Attempt("a", "i", trial, FROZEN, reply, list(turns))


def found(con, signal, **changes):
    find_signals(con, corpus(**changes))
    return con.execute(
        'select trial_id, turn, start, "stop", text from signals where signal = ? order by trial_id, turn', [signal]
    ).fetchall()


def test_missing_prefix_is_the_last_line_of_the_reply():
    con = store(
        [
            talk("answered", turn("user", "q"), turn("assistant", "ANSWER: 7")),
            talk("bare", turn("user", "q"), turn("assistant", "Read it.\n\n  7.0 °C \n \n"), turn("tool", "late")),
            talk("blank", turn("user", "q"), turn("assistant", " \n\t")),
            talk("silent", turn("user", "q")),
            Attempt("a", "i", "reply_alone", FROZEN, "😀\r\n7\r\n"),
        ]
    )
    con.execute("update grades set answer = '7' where trial_id = 'a/i/answered'")
    assert found(con, "missing_prefix") == [
        ("a/i/bare", 1, 12, 18, "7.0 °C"),
        ("a/i/reply_alone", 0, 3, 4, "7"),
    ]


def test_an_empty_answer_is_an_answer():
    con = store([talk("empty", turn("assistant", "ANSWER:"))])
    con.execute("update grades set answer = ''")
    assert found(con, "missing_prefix") == []


@pytest.mark.parametrize("kind", ["carried", "none"])
def test_only_a_ported_grader_can_miss_an_answer(kind):
    assert found(store([talk("bare", turn("assistant", "7"))], kinds={"pass": kind}), "missing_prefix") == []


def test_missing_prefix_is_what_the_frozen_grader_missed():
    con = store([Attempt("a", "i", n, {"pass": {"frozen": "failed", "v2": "failed"}}, "7") for n in "01"])
    con.execute("update grades set answer = '7' where trial_id = 'a/i/0' and candidate = 'frozen'")
    assert [trial for trial, *_ in found(con, "missing_prefix")] == ["a/i/1"]


def test_missing_prefix_is_of_the_primary_axis():
    con = store([Attempt("a", "i", "0", {"pass": {"frozen": "failed"}, "format": {"frozen": "failed"}}, "7")])
    con.execute("update grades set answer = '7' where axis = 'pass'")
    assert found(con, "missing_prefix") == []
    assert len(found(con, "missing_prefix", axis="format")) == 1


def test_call_like_text_is_seen_in_turns_without_a_parsed_call():
    con = store(
        [
            talk("leaked", turn("user", "q"), turn("assistant", f"Let me look.\n{CALL}"), turn("assistant", CALL)),
            talk("parsed", turn("user", "q"), turn("assistant", CALL, "read_sensor"), turn("assistant", "7")),
            talk("quoted_by_user", turn("user", CALL), turn("assistant", "7")),
            talk("plain", turn("user", "q"), turn("assistant", "I called the tool.")),
            Attempt("a", "i", "reply_alone", FROZEN, CALL),
        ]
    )
    seen = found(con, "call_like_text")
    assert [(trial, at) for trial, at, *_ in seen] == [("a/i/leaked", 1), ("a/i/leaked", 2), ("a/i/reply_alone", 0)]
    assert [start for _, _, start, _, _ in seen] == [13, 0, 0]
    assert all(CALL.startswith(text[:11]) for *_, text in seen)


def test_what_is_kept_is_cut_and_the_place_is_not():
    con = store([talk("long", turn("assistant", "x" * 500))])
    assert found(con, "missing_prefix") == [("a/i/long", 0, 0, 500, "x" * 200)]


def test_finding_again_replaces():
    con = store([talk("bare", turn("assistant", "7"))])
    con.execute("insert into signals values ('gone', 'missing_prefix', 0, 0, 1, 'x')")
    assert found(con, "missing_prefix") == found(con, "missing_prefix") == [("a/i/bare", 0, 0, 1, "7")]


def test_a_store_without_trials():
    assert found(store([]), "missing_prefix") == []
