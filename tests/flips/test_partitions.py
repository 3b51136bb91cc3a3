"""Partitions: every subset has a cell, and the cells are the whole."""

import pytest

from regrade.errors import CorpusError
from regrade.files.corpus import Partition, Tier
from tests.flips.flip_store import as_json, attempt, axes_summary, corpus, insert, store

ATTEMPTS = [
    attempt("a", "i", 0, "failed", fallback="passed", menu="passed"),
    attempt("a", "i", 1, "failed", fallback="passed", menu="failed"),
    attempt("a", "i", 2, "failed", fallback="failed", menu="failed"),
    attempt("a", "i", 3, "failed", fallback="ungraded", menu="failed"),
    attempt("a", "i", 4, "passed", fallback="failed", menu="passed"),
    attempt("b", "i", 0, "failed", fallback="passed", menu="failed"),
    attempt("b", "i", 1, "ungraded", fallback="passed", menu="passed"),
]
SETS = ("fallback", "call_like_text")


def partitioned(spec, *, tiers=()):
    con = store(ATTEMPTS)
    seen = ["a/i/2", "a/i/2", "a/i/3", "b/i/0", "a/i/4"]  # one trial shows it in two turns, one was passed
    insert(con, "signals", [{"trial_id": t, "signal": "call_like_text", "turn": n} for n, t in enumerate(seen)])
    insert(con, "signals", [{"trial_id": "a/i/3", "signal": "other"}])
    return as_json(axes_summary(con, corpus(partitions=(spec,), tiers=tiers)))["pass"]["partitions"]


def test_cells_by_tier():
    found = partitioned(Partition("signals", SETS), tiers=(Tier("some", 0.1),))
    assert found == {
        "signals": {
            "all": {
                "of": "failed",
                "total": 5,
                "cells": [
                    {"in": [], "trials": 0},
                    {"in": ["call_like_text"], "trials": 2},
                    {"in": ["fallback"], "trials": 2},
                    {"in": ["fallback", "call_like_text"], "trials": 1},
                ],
            },
            "some": {
                "of": "failed",
                "total": 4,
                "cells": [
                    {"in": [], "trials": 0},
                    {"in": ["call_like_text"], "trials": 2},
                    {"in": ["fallback"], "trials": 2},
                    {"in": ["fallback", "call_like_text"], "trials": 0},
                ],
            },
        }
    }


def test_two_candidates_and_a_signal_no_built_in_finds():
    cells = partitioned(Partition("p", ("menu", "fallback", "other")))["p"]["all"]["cells"]
    assert [cell["in"] for cell in cells] == [
        [], ["fallback"], ["menu"], ["other"],
        ["fallback", "other"], ["menu", "fallback"], ["menu", "other"], ["menu", "fallback", "other"],
    ]  # fmt: skip
    assert [cell["trials"] for cell in cells] == [1, 2, 0, 1, 0, 1, 0, 0]


def test_passed_trials():
    block = partitioned(Partition("p", ("call_like_text",), of="passed"))["p"]["all"]
    assert (block["total"], [cell["trials"] for cell in block["cells"]]) == (1, [0, 1])


def test_a_candidate_is_its_flips_from_failed_alone():
    block = partitioned(Partition("p", ("fallback",), of="ungraded"))["p"]["all"]
    assert (block["total"], [cell["trials"] for cell in block["cells"]]) == (1, [1, 0])


def test_a_signal_that_nothing_shows_is_still_known():
    block = partitioned(Partition("p", ("missing_prefix",)))["p"]["all"]
    assert [cell["trials"] for cell in block["cells"]] == [5, 0]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (Partition("p", ("fallbak",)), ["[[partition]] p", "'fallbak'", "Did you mean 'fallback'?", "menu"]),
        (Partition("p", ("fallback",), of="faild"), ["'faild'", "Did you mean 'failed'?"]),
        (Partition("p", tuple(f"s{n}" for n in range(11))), ["11", "at most 10"]),
    ],
)
def test_what_cannot_be_partitioned_is_named(spec, words):
    with pytest.raises(CorpusError) as caught:
        partitioned(spec)
    for word in words:
        assert word in str(caught.value)


def test_a_name_that_could_be_either_is_refused():
    con = store([attempt("a", "i", 0, "failed", call_like_text="passed")])
    with pytest.raises(CorpusError, match="both a candidate and a signal"):
        axes_summary(con, corpus(partitions=(Partition("p", ("call_like_text",)),)))


def test_only_the_primary_axis_is_partitioned():
    con = store(ATTEMPTS)
    insert(con, "graders", [{"axis": "format", "kind": "none"}])
    axes = axes_summary(con, corpus(partitions=(Partition("p", SETS),)))
    assert list(axes["pass"]["partitions"]) == ["p"]
    assert axes["format"]["partitions"] == {}
