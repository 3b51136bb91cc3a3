"""What a reviewer gets of a trial: its whole transcript, and of its gold what it accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from regrade.review.packets import read_bodies
from tests.commands import run
from tests.conftest import TOML, record, write_corpus
from tests.flips.flip_store import Attempt, attempt, insert, store
from tests.review.samples import SAMPLE, key, packet

GRADED = {"pass": {"frozen": "failed:STALE", "v2": "passed"}}


def gold_of(gold: Any, *others: Any, declared: tuple[str, ...] = ()) -> tuple[Any, tuple[str, ...]]:
    """The gold that reviewers see of a trial that failed as STALE, and what was left out of it."""
    con = store([Attempt("c", "i", "0", GRADED)], golds={"i": gold})
    insert(con, "items", [{"item": f"o{n}", "gold": json.dumps(other)} for n, other in enumerate(others)])
    held = {"parts": [{"frozen": {"pass": {"codes": declared}, "other": {"codes": None}}}]}
    insert(con, "meta", [{"key": "corpus", "value": json.dumps(held)}])
    [body] = read_bodies(con, ["c/i/0"])
    return body.content["gold"], body.left_out


SOLUTION = "def f(): return 3"


@pytest.mark.parametrize(
    ("gold", "seen", "left_out"),
    [
        (
            {"code": SOLUTION, "fail": "STALE", "nested": {"code": "STALE", "n": 3}},
            {"code": SOLUTION, "nested": {"n": 3}},
            ("fail", "nested.code"),
        ),
        ({"a": [{"why": "STALE"}, "STALE", "b"]}, {"a": [{}, "b"]}, ("a.[].why", "a.[]")),
        ({"STALE": "stale", "n": 7.5, "why": "LATE"}, {"STALE": "stale", "n": 7.5, "why": "LATE"}, ()),
        # What has no key is the answer itself.
        ("STALE", "STALE", ()),
        (["STALE"], ["STALE"], ()),
        (None, None, ()),
    ],
)
def test_an_entry_that_is_a_code_is_not_seen_and_no_other_is_lost(gold: Any, seen: Any, left_out: Any) -> None:
    assert gold_of(gold) == (seen, left_out)


def test_a_code_that_is_declared_or_that_nobody_failed_with_is_not_seen_either() -> None:
    assert gold_of({"why": "LATE", "n": 1}, declared=("LATE",)) == ({"n": 1}, ("why",))
    unmet = {"code": "LATE", "task": {"code": "x = 1"}}
    assert gold_of(unmet) == (unmet, ())
    assert gold_of(unmet, {"code": "STALE"}) == ({"task": {"code": "x = 1"}}, ("code",))
    assert gold_of(unmet, {"task": {"code": "STALE"}}) == ({"code": "LATE", "task": {}}, ("task.code",))
    assert gold_of({"answer": "LATE"}, {"answer": "STALE"}) == ({"answer": "LATE"}, ())


def test_what_is_left_out_is_told_in_the_terminal_and_in_the_key(tmp_path: Path) -> None:
    rows = [
        record("a", f"T{n % 2}", n, "read_sensor", f"{n}\nANSWER: 3=7.0", False, ("STALE", "LATE")[n % 2])
        for n in range(6)
    ]
    number = {"kind": "number", "answer": 7.0}
    bank = [
        {"item": "T0", "gold": {**number, "code": SOLUTION, "fail": "STALE"}},
        {"item": "T1", "gold": {**number, "code": "y = 2"}},
    ]
    candidate = '[[candidate]]\nname = "v2"\nrules = ["last_number_v1"]\n'
    carried = TOML.replace('benchmark = "tool_loop"', "")
    corpus = write_corpus(tmp_path / "corpus", rows, carried + candidate + SAMPLE, bank)
    told = run("sample", corpus, "--name", "flips").stdout
    assert "Left out of the gold of 3 trials, as a code of their grades: fail." in told
    assert key(corpus)["left_out"] == {"fail": 3}
    assert {record["gold"]["code"] for record in packet(corpus, "r1")} == {SOLUTION, "y = 2"}


def shown(calls: list[dict[str, Any]], turns: list[tuple[str, str]]) -> list[dict[str, Any]]:
    con = store([attempt("c", "i", 0, "failed", v2="passed")])
    con.execute(
        "update trials set turns = $turns, calls = $calls",
        {"turns": [{"role": role, "text": text} for role, text in turns], "calls": calls},
    )
    [body] = read_bodies(con, ["c/i/0"])
    found: list[dict[str, Any]] = body.content["turns"]
    return found


def test_a_turn_that_says_more_than_the_result_of_its_call_is_seen() -> None:
    call = {"turn": 0, "call": 0, "name": "look", "arguments": "{}", "result": "41.0", "answered": 1}
    made = {"name": "look", "arguments": {}, "result": "41.0"}
    first = {"role": "assistant", "text": "", "calls": [made]}
    turns = [("assistant", ""), ("tool", "41.0"), ("assistant", "41")]
    assert shown([call], turns) == [first, {"role": "assistant", "text": "41", "calls": []}]
    turns[1] = ("tool", "41.0, two days old")
    assert shown([call], turns)[1] == {"role": "tool", "text": "41.0, two days old", "calls": []}
