"""Which trials did not end by themselves, by what `extra` says of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.flips.overview import corpus_summary
from tests.flips.flip_store import Attempt, attempt, corpus, store

NOTHING = {"trials": 0, "passed": 0, "failed": 0, "ungraded": 0, "none": 0, "first": None}
STATUSES = ("passed", "failed", "ungraded")


def counted(*told: tuple[str | None, Any]) -> dict[str, Any]:
    """What is counted of trials named 0, 1, ..., each given as its frozen status, or None, and its `extra`."""
    held = [
        Attempt("c", "i", str(n), {}) if status is None else attempt("c", "i", n, status)
        for n, (status, _) in enumerate(told)
    ]
    con = store(held)
    try:
        for n, (_, extra) in enumerate(told):
            if extra is not None:
                con.execute("update trials set extra = ? where trial = ?", [json.dumps(extra), str(n)])
        found: dict[str, Any] = corpus_summary(con, corpus(), "")["stopped"]
        return found
    finally:
        con.close()


def limit(kind: Any) -> dict[str, Any]:
    return {"limit": {"type": kind, "limit": 30}}


def test_each_kind_is_counted_with_its_statuses_and_its_first_trial() -> None:
    found = counted(
        ("passed", limit("token")),
        ("failed", limit("message")),
        ("failed", {**limit("message"), "error": "broke"}),
        ("ungraded", {"error": {"message": "broke"}}),
        (None, {"error": True}),
        ("passed", {"log": {"status": "cancelled"}}),
        ("failed", {"metadata": {"limit": {"type": "message"}, "error": "another's"}}),
        ("passed", None),
    )
    assert found == {
        "any": {"trials": 5, "passed": 1, "failed": 2, "ungraded": 1, "none": 1, "first": "c/i/0"},
        "limit": {
            "message": {**NOTHING, "trials": 2, "failed": 2, "first": "c/i/1"},
            "token": {**NOTHING, "trials": 1, "passed": 1, "first": "c/i/0"},
        },
        "error": {"trials": 3, "passed": 0, "failed": 1, "ungraded": 1, "none": 1, "first": "c/i/2"},
        "log": {"cancelled": {**NOTHING, "trials": 1, "passed": 1, "first": "c/i/5"}},
    }
    assert list(found["limit"]) == ["message", "token"]


@pytest.mark.parametrize(
    "extra",
    [
        None,
        {},
        [limit("message")],
        "error",
        {"limit": None, "error": None, "log": None},
        {"limit": 30, "error": 0.25},
        {"limit": "message", "error": False},
        {"limit": {"limit": 30}, "error": ""},
        {"limit": {"type": None}, "error": {}},
        {"limit": {"type": 3}, "error": " "},
        {"limit": {"type": " "}, "error": []},
        {"log": {"status": "success"}},
        {"log": {"status": "kept"}, "error": float("nan")},
    ],
)
def test_what_tells_of_no_end_counts_nothing(extra: Any) -> None:
    assert counted(("failed", extra)) == {"any": NOTHING, "limit": {}, "error": NOTHING, "log": {}}


def test_a_long_or_odd_type_is_a_name_that_is_cut() -> None:
    found = counted(("failed", limit("x" * 5000)), ("failed", limit("a\x00'\"é")))
    assert list(found["limit"]) == ["a\x00'\"é", "x" * 200]


EXTRA = st.fixed_dictionaries(
    {},
    optional={
        "limit": st.sampled_from([None, 3, {"type": "message"}, {"type": "token"}]),
        "error": st.sampled_from([None, "", "broke", {"message": "broke"}]),
        "log": st.sampled_from([None, {"status": "error"}, {"status": "success"}]),
    },
)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from((*STATUSES, None)), EXTRA), max_size=5))
def test_the_counts_add_up(told: list[tuple[str | None, dict[str, Any]]]) -> None:
    found = counted(*told)
    records = [found["any"], found["error"], *found["limit"].values(), *found["log"].values()]
    assert all(r["trials"] == sum(r[s] for s in (*STATUSES, "none")) for r in records)
    at_a_limit = [isinstance(extra.get("limit"), dict) for _, extra in told]
    at_an_error = [bool(extra.get("error")) for _, extra in told]
    assert sum(r["trials"] for r in found["limit"].values()) == sum(at_a_limit)
    assert found["error"]["trials"] == sum(at_an_error)
    assert found["any"]["trials"] == sum(map(max, at_a_limit, at_an_error))


def test_the_statuses_are_those_of_the_primary_axis() -> None:
    axes = {"pass": {"frozen": "failed"}, "form": {"frozen": "passed"}}
    con = store([Attempt("c", "i", "0", axes), Attempt("c", "i", "1", {"form": {"frozen": "passed"}})])
    con.execute("update trials set extra = ?", [json.dumps(limit("token"))])
    [on_pass], [on_form] = (corpus_summary(con, corpus(axis=a), "")["stopped"]["limit"].values() for a in axes)
    con.close()
    assert on_pass == {**NOTHING, "trials": 2, "failed": 1, "none": 1, "first": "c/i/0"}
    assert on_form == {**NOTHING, "trials": 2, "passed": 2, "first": "c/i/0"}
