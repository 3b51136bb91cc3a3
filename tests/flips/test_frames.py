"""Samples before a draw: what they would be drawn from."""

import pytest

from regrade.errors import CorpusError
from regrade.files.corpus import SampleSpec, Tier
from tests.flips.flip_store import as_json, attempt, corpus, samples_summary, store

ATTEMPTS = [
    attempt("a", "i", 0, "failed", v2="passed"),
    attempt("a", "i", 1, "passed", v2="passed"),
    attempt("a", "i", 2, "passed", v2="failed"),
    attempt("b", "i", 0, "failed", v2="passed"),
    attempt("b", "i", 1, "failed:X", v2="failed:Y"),
    attempt("b", "i", 2, "ungraded", v2="passed"),
]


def summary(**changes):
    spec = SampleSpec(**{"name": "s", "candidate": "v2", "stratum": "fail_to_pass", "size": 2, "seed": 7, **changes})
    return as_json(samples_summary(store(ATTEMPTS), corpus(samples=(spec,), tiers=(Tier("strong", 0.5),))))


def test_nothing_is_drawn_yet():
    assert summary() == {
        "s": {"axis": "pass", "candidate": "v2", "stratum": "fail_to_pass", "seed": 7, "size": 2,
              "frame": 2, "sha256": None, "reviewers": None, "agree": None, "disagree": None, "upheld": None,
              "rulings": None, "open": None, "lack_labels": None, "labelled_by": None}
    }  # fmt: skip


@pytest.mark.parametrize(
    ("stratum", "tier", "frame"),
    [
        ("fail_to_pass", "strong", 1), ("pass_to_fail", "all", 1), ("pass_to_fail", "strong", 1),
        ("both_passed", "all", 1), ("both_failed", "all", 1), ("both_failed", "strong", 0),
    ],
)  # fmt: skip
def test_the_frame_is_the_stratum_within_the_tier(stratum, tier, frame):
    assert summary(stratum=stratum, tier=tier)["s"]["frame"] == frame


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ({"candidate": "v22"}, "Unknown candidate in .* s: found 'v22'. Did you mean 'v2'"),
        ({"stratum": "fail_to_fail"}, "Unknown stratum in .* s: found 'fail_to_fail'"),
        ({"tier": "stong"}, "Unknown tier in .* s: found 'stong'. Did you mean 'strong'"),
    ],
)
def test_unknown_names_are_named(changes, hint):
    with pytest.raises(CorpusError, match=hint):
        summary(**changes)
