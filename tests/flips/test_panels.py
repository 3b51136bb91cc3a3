"""What may be pooled, and what is refused."""

from __future__ import annotations

import pytest

from regrade.errors import CorpusError
from regrade.files.corpus import Panel
from tests.flips.flip_store import attempt, axes_summary, corpus, store

CONFIGURATIONS = {
    "a": {"lineage": "blue", "arm": "full"},
    "b": {"lineage": "red", "arm": "full"},
    "b2": {"lineage": "red", "arm": "full"},
    "c": {"lineage": "green", "arm": "bare"},
    "d": {"arm": "full"},
    "e": {"lineage": "grey"},
    "f": {"lineage": "brown"},
    "g": {"lineage": "Red ", "arm": "full"},
    "h": {"lineage": " ", "arm": "full"},
}


def summed(*panels):
    con = store([attempt(name, "i", 0, "passed") for name in CONFIGURATIONS], configurations=CONFIGURATIONS)
    return axes_summary(con, corpus(panels=panels))["pass"]["panels"]


def test_distinct_lineages_of_one_arm_are_pooled_and_named():
    assert summed(Panel("two", ("b", "a")), Panel("no_arm", ("e", "f"))) == {
        "two": {"configurations": ["b", "a"], "lineages": ["red", "blue"], "arm": "full"},
        "no_arm": {"configurations": ["e", "f"], "lineages": ["grey", "brown"], "arm": None},
    }


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("a", "b", "b2"), ["lineages are not distinct", "b and b2 are both red"]),
        (("a", "b", "g"), ["lineages are not distinct", "b and g are both red"]),
        (("a", "h"), ["lineage of h is not known"]),
        (("a", "c"), ["of 2 arms", "a of full", "c of bare", "within one arm"]),
        (("a", "e"), ["of 2 arms", "e of none"]),
        (("a", "d"), ["lineage of d is not known", "configurations file"]),
        (("a", "bb"), ["no trial is by the configuration 'bb'"]),
    ],
)
def test_what_cannot_be_pooled_is_refused(names, words):
    with pytest.raises(CorpusError) as caught:
        summed(Panel("p", names))
    for word in ("[[panel]] p", *words):
        assert word in str(caught.value)
