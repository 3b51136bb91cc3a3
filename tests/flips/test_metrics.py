"""Metrics of a small corpus, figure by figure, and what must hold of every one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.corpus import Metric, Panel
from regrade.flips.folding import fold, unfold
from regrade.flips.stats import wilson
from tests.flips.flip_store import Attempt, as_json, attempt, axes_summary, corpus, insert, rates_of, store

CONFIGURATIONS = {
    "a": {"lineage": "blue", "arm": "full", "extra": '{"hint": true}'},
    "b": {"lineage": "red", "arm": "full", "extra": '{"hint": false}'},
    "c": {"lineage": "red", "arm": "bare"},
}
FAMILIES = {"i1": "reversed", "i2": "broken", "i3": "broken", "i4": "answerable"}
GOLDS = {
    "i1": {"answerable": False, "horizon": 2},
    "i2": {"answerable": False, "horizon": 10},
    "i3": {"answerable": False, "horizon": None},
    "i4": {"answerable": True, "horizon": 2},
}
ATTEMPTS = [
    attempt("a", "i1", 0, "passed:ABSTAINED", strict="passed:ABSTAINED"),
    attempt("a", "i1", 1, "passed:MALFORMED", strict="ungraded:MALFORMED"),
    attempt("a", "i2", 0, "passed:ABSTAINED", strict="passed:ABSTAINED"),
    attempt("a", "i3", 0, "passed:ABSTAINED", strict="passed:ABSTAINED"),
    attempt("a", "i4", 0, "passed", strict="passed"),
    attempt("b", "i1", 0, "failed:FABRICATION", strict="failed:FABRICATION"),
    attempt("b", "i1", 1, "passed:ABSTAINED", strict="passed:ABSTAINED"),
    attempt("b", "i2", 0, "failed:FABRICATION", strict="failed:FABRICATION"),
    attempt("b", "i3", 0, "passed:ABSTAINED", strict="passed:ABSTAINED"),
    attempt("b", "i4", 0, "failed:WRONG_ANSWER", strict="failed:WRONG_ANSWER"),
    attempt("c", "i1", 0, "passed:ABSTAINED", strict="passed:ABSTAINED"),
]
MEASURES = {"a/i4/0": (0, 2), "b/i1/0": (2, 3), "b/i2/0": (1, 1), "b/i4/0": (1, 4)}
FALSE = Metric(
    "false", axis="pass", counts=("FABRICATION",), where={"answerable": False}, best="lowest",
    by=("arm", "family", ("gold.horizon", "family"), "extra.hint"),
)  # fmt: skip
ABSTAINS = Metric("abstains", axis="pass", counts=("passed",), where={"answerable": False}, best="highest")
TEN = Metric("ten", axis="pass", counts=("passed",), where={"horizon": 10})
HOPS = Metric("hops", axis="pass", ratio=("invented", "asserted"))


def filled(attempts=ATTEMPTS, measures=MEASURES, **changes):
    con = store(attempts, configurations=CONFIGURATIONS, families=FAMILIES, golds=GOLDS, **changes)
    for trial_id, amounts in measures.items():
        for measure, amount in zip(("invented", "asserted"), amounts, strict=True):
            row = {"trial_id": trial_id, "axis": "pass", "measure": measure, "amount": float(amount)}
            insert(con, "measures", [{**row, "candidate": candidate} for candidate in ("frozen", "strict")])
    return con


def summed(*metrics, attempts=ATTEMPTS, measures=MEASURES, panels=(), axis="pass", **changes):
    con = filled(attempts, measures, **changes)
    return rates_of(con, corpus(metrics=metrics, panels=panels), axis)["metrics"]


def counts(records, over="of_graded"):
    return {name: (r[over]["count"], r[over]["n"]) for name, r in records.items() if r[over]}


@pytest.fixture(scope="module")
def found():
    return summed(FALSE, ABSTAINS, HOPS)


def test_a_count_is_of_the_trials_of_its_items(found):
    metric = found["false"]
    assert (metric["counts"], metric["ratio"], metric["where"], metric["items"]) == (
        ["FABRICATION"], None, {"answerable": False}, 3,
    )  # fmt: skip
    records = metric["candidates"]["frozen"]["configurations"]
    assert counts(records) == {"a": (0, 4), "b": (2, 4), "c": (0, 1)}
    b = records["b"]
    assert (b["trials"], b["items"], b["graded"], b["measured"], b["of_all"]) == (4, 3, 4, 4, None)
    low, high, _ = wilson(2, 4)
    assert b["of_graded"] == {
        "count": 2, "n": 4, "rate": 0.5, "ceiling": None, "ceiling_of": "trials",
        "trial_interval": {"low": low, "high": high, "undefined": None},
        "item_interval": {"low": 0.0, "high": 1.0, "undefined": None},
    }  # fmt: skip


def test_a_zero_has_a_ceiling_and_one_item_no_interval(found):
    records = found["false"]["candidates"]["frozen"]["configurations"]
    assert records["a"]["of_graded"]["ceiling"] == 0.75
    assert records["c"]["of_graded"]["ceiling"] == 1.0
    assert records["c"]["of_graded"]["item_interval"]["undefined"].startswith("there is 1 item")


def test_a_status_counts_whatever_its_code(found):
    assert counts(found["abstains"]["candidates"]["frozen"]["configurations"]) == {
        "a": (4, 4), "b": (2, 4), "c": (1, 1),
    }  # fmt: skip


def test_where_trials_are_ungraded_both_denominators_stand(found):
    records = found["abstains"]["candidates"]["strict"]["configurations"]
    assert counts(records) == {"a": (3, 3), "b": (2, 4), "c": (1, 1)}
    assert counts(records, "of_all") == {"a": (3, 4)}
    assert (records["a"]["trials"], records["a"]["graded"]) == (4, 3)


def test_a_code_of_an_ungraded_trial_is_in_the_count_of_all():
    metric = Metric("malformed", axis="pass", counts=("MALFORMED",))
    record = summed(metric)["malformed"]["candidates"]["strict"]["configurations"]["a"]
    assert (record["of_graded"]["count"], record["of_graded"]["n"]) == (0, 4)
    assert (record["of_all"]["count"], record["of_all"]["n"]) == (1, 5)


def test_a_ratio_is_one_of_sums(found):
    records = found["hops"]["candidates"]["frozen"]["configurations"]
    assert counts(records) == {"a": (0, 2), "b": (4, 8), "c": (0, 0)}
    b, c = records["b"], records["c"]
    assert (b["trials"], b["measured"]) == (5, 3)
    assert b["of_graded"]["rate"] == 0.5
    assert b["of_graded"]["trial_interval"]["undefined"] and b["of_graded"]["item_interval"]["low"] is not None
    a = records["a"]["of_graded"]
    assert (a["ceiling"], a["ceiling_of"]) == (1.0, "items"), "one item has asserted hops"
    assert (c["of_graded"]["rate"], c["measured"]) == (None, 0)
    assert found["hops"]["candidates"]["frozen"]["gaps"] == []


def test_an_interval_of_a_ratio_stays_within_what_its_measures_can_come_to():
    hops = Metric("hops", axis="pass", ratio=("invented", "asserted"), best="lowest")

    def bounds(measures):
        block = summed(hops, measures=measures)["hops"]["candidates"]["frozen"]
        [gap] = block["gaps"][0]["of_graded"]["gaps"].values()
        return [
            r["item_interval"][k] for r in (block["configurations"]["b"]["of_graded"], gap) for k in ("low", "high")
        ]

    low, high, least, most = bounds(MEASURES)
    assert (low, high, most) == (0.0, 1.0, 1.0) and -1 < least < 0
    low, high, _, most = bounds({**MEASURES, "a/i4/0": (3, 2)})
    assert low == 0.0 and min(high, most) > 1, "where one part exceeds its whole, a rate above 1 can be"
    assert bounds({**MEASURES, "b/i4/0": (-1, 4)})[0] < 0


def test_a_sum_of_zero_has_a_ceiling_over_the_items_that_have_the_whole():
    attempts = [
        attempt(name, f"i{n}", t, "passed", strict="passed") for name in "abcd" for n in range(14) for t in (0, 1)
    ]
    # Of two items nothing is asserted, so that they show nothing of what is invented.
    measures = {a.trial_id: (0, 0 if a.item in ("i0", "i1") else 5) for a in attempts}
    measures |= {"b/i0/0": (0, 1), "c/i3/0": (1, 5), "d/i3/0": (1, 5), "d/i4/0": (-1, 5)}
    records = summed(HOPS, attempts=attempts, measures=measures)["hops"]["candidates"]["frozen"]["configurations"]
    assert counts(records) == {"a": (0, 120), "b": (0, 121), "c": (1, 120), "d": (0, 120)}
    # Of d no item is without, and what cancels is no zero.
    assert {name: record["of_graded"]["ceiling"] for name, record in records.items()} == {
        "a": 0.25, "b": 3 / 13, "c": None, "d": None,
    }  # fmt: skip


def test_the_leader_is_at_the_best_end_of_its_arm(found):
    [full] = found["false"]["candidates"]["frozen"]["gaps"]
    assert (full["arm"], full["of_all"], full["of_graded"]["leader"]) == ("full", None, "a")
    b = full["of_graded"]["gaps"]["b"]
    assert (list(full["of_graded"]["gaps"]), b["gap"], b["items"], b["called"]) == (["b"], 0.5, 3, "suggestive")
    [highest] = found["abstains"]["candidates"]["frozen"]["gaps"]
    assert highest["of_graded"] == full["of_graded"]


def test_over_all_trials_a_lead_may_shrink(found):
    [full] = found["abstains"]["candidates"]["strict"]["gaps"]
    leads = {over: (full[over]["leader"], full[over]["gaps"]["b"]["gap"]) for over in ("of_graded", "of_all")}
    assert leads == {"of_graded": ("a", 0.5), "of_all": ("a", 0.25)}


def test_among_equals_the_one_with_most_trials_leads_and_nothing_is_called():
    attempts = [
        *(attempt(name, f"i{n}", 0, "passed") for name, tried in (("a", 2), ("b", 3)) for n in range(tried)),
        attempt("c", "i0", 0, "ungraded"),
    ]
    metric = Metric("m", axis="pass", counts=("passed",), best="highest")
    block = axes_summary(store(attempts), corpus(metrics=(metric,)))["pass"]["metrics"]["m"]["candidates"]["frozen"]
    [compared] = block["gaps"]
    assert (compared["arm"], compared["of_graded"]["leader"]) == (None, "b")
    assert {name: gap["called"] for name, gap in compared["of_graded"]["gaps"].items()} == {"a": None}
    assert block["configurations"]["c"]["of_graded"]["rate"] is None
    assert compared["of_all"]["gaps"]["c"]["gap"] == 1.0


def test_a_gap_that_every_item_shows_is_supported():
    attempts = [
        attempt(name, f"i{n}", 0, grade) for n in range(40) for name, grade in (("a", "passed"), ("b", "failed"))
    ]
    metric = Metric("m", axis="pass", counts=("passed",), best="highest")
    con = store(attempts)
    [gaps] = axes_summary(con, corpus(metrics=(metric,)))["pass"]["metrics"]["m"]["candidates"]["frozen"]["gaps"]
    assert gaps["of_graded"]["gaps"]["b"]["called"] == "supported"
    few = store([a for a in attempts if a.item in ("i0", "i1", "i2")])
    [gaps] = axes_summary(few, corpus(metrics=(metric,)))["pass"]["metrics"]["m"]["candidates"]["frozen"]["gaps"]
    assert gaps["of_graded"]["gaps"]["b"]["called"] == "suggestive"


def parts(found, split):
    return {tuple(part["values"]): part for part in found["false"]["candidates"]["frozen"]["by"][split]["parts"]}


def test_splits_by_item_by_gold_and_by_both(found):
    by = found["false"]["candidates"]["frozen"]["by"]
    assert [split["by"] for split in by] == [["arm"], ["family"], ["gold.horizon", "family"], ["extra.hint"]]
    families = parts(found, 1)
    assert {value: counts(part["configurations"]) for value, part in families.items()} == {
        ("broken",): {"a": (0, 2), "b": (1, 2)},
        ("reversed",): {"a": (0, 2), "b": (1, 2), "c": (0, 1)},
    }
    assert list(parts(found, 2)) == [(2, "reversed"), (10, "broken"), (None, "broken")]
    assert counts(parts(found, 2)[10, "broken"]["configurations"]) == {"a": (0, 1), "b": (1, 1)}


def test_a_split_by_configurations(found):
    arms = parts(found, 0)
    assert {value: list(part["configurations"]) for value, part in arms.items()} == {
        ("bare",): ["c"],
        ("full",): ["a", "b"],
    }
    assert arms["bare",]["gaps"] == []
    assert arms["full",]["gaps"] == found["false"]["candidates"]["frozen"]["gaps"]
    assert list(parts(found, 3)) == [(False,), (True,), (None,)]


def test_a_split_by_trial_gives_the_figures_of_each():
    metric = Metric("m", axis="pass", counts=("passed",), where={"answerable": False}, by=("trial", ("arm", "run")))
    more = [attempt("a", "i2", 10, "failed"), attempt("a", "i2", 2, "failed")]
    block = summed(metric, attempts=[*ATTEMPTS, *more])["m"]["candidates"]["frozen"]
    assert counts(block["configurations"]) == {"a": (4, 6), "b": (2, 4), "c": (1, 1)}
    by_trial, by_run = block["by"]
    assert {tuple(part["values"]): counts(part["configurations"]) for part in by_trial["parts"]} == {
        ("0",): {"a": (3, 3), "b": (1, 3), "c": (1, 1)},
        ("1",): {"a": (1, 1), "b": (1, 1)},
        ("2",): {"a": (0, 1)},
        ("10",): {"a": (0, 1)},
    }
    assert [part["values"][0] for part in by_trial["parts"]] == ["0", "1", "2", "10"]
    assert [part["values"] for part in by_run["parts"]] == [["bare", None], ["full", None]]


def test_a_panel_is_pooled_by_item():
    panel = Panel("both", ("a", "b"))
    block = summed(FALSE, panels=(panel,))["false"]["candidates"]["frozen"]
    pooled = block["panels"]["both"]
    assert (pooled["of_graded"]["count"], pooled["of_graded"]["n"], pooled["items"]) == (2, 8, 3)
    in_arms = {tuple(part["values"]): part["panels"]["both"] for part in block["by"][0]["parts"]}
    assert in_arms == {("bare",): None, ("full",): pooled}


TWO = [
    Attempt("a", item, str(n), {"refusal": {"frozen": status, **own}, "format": {"strict": parsed}})
    for item, n, status, own, parsed in [
        ("i1", 0, "passed", {"strict": "passed"}, "passed"),
        ("i1", 1, "passed", {"strict": "ungraded:FORMAT"}, "failed:EMPTY"),
        ("i2", 0, "passed", {"strict": "passed"}, "failed:REPAIRED"),
        ("i3", 0, "failed", {"strict": "failed"}, "passed"),
    ]
]  # fmt: skip


def test_what_it_needs_is_asked_of_the_same_candidate():
    safe = Metric("safe", axis="refusal", counts=("passed",), needs="format")
    refuses = Metric("refuses", axis="refusal", counts=("passed",))
    con = store(TWO, kinds={"format": "none"})
    found = rates_of(con, corpus(axis="refusal", metrics=(safe, refuses)), "refusal")["metrics"]
    assert found["safe"]["candidates"]["frozen"] is None
    strict = found["safe"]["candidates"]["strict"]["configurations"]
    assert (counts(strict), counts(strict, "of_all")) == ({"a": (1, 3)}, {"a": (1, 4)})
    assert counts(found["refuses"]["candidates"]["frozen"]["configurations"]) == {"a": (3, 4)}
    assert counts(found["refuses"]["candidates"]["strict"]["configurations"]) == {"a": (2, 3)}


def test_a_candidate_that_leaves_the_needed_axis_alone_has_the_frozen_grades_there():
    attempts = [
        Attempt("a", "i", str(n), {"pass": {"frozen": "failed", "lax": "passed"}, "format": {"frozen": parsed}})
        for n, parsed in enumerate(("passed", "failed", "ungraded"))
    ]
    metric = Metric("m", axis="pass", counts=("passed",), needs="format")
    found = rates_of(store(attempts), corpus(metrics=(metric,)))["metrics"]["m"]["candidates"]
    assert counts(found["lax"]["configurations"]) == {"a": (1, 3)}
    assert counts(found["frozen"]["configurations"]) == {"a": (0, 3)}


def test_a_candidate_of_the_needed_axis_alone_moves_the_metric():
    attempts = [
        Attempt("a", "i", str(n), {"pass": {"frozen": "passed"}, "format": {"frozen": parsed, "lax": "passed"}})
        for n, parsed in enumerate(("passed", "failed", "failed"))
    ]
    metric = Metric("m", axis="pass", counts=("passed",), needs="format")
    con = store(attempts)
    found = rates_of(con, corpus(metrics=(metric, Metric("alone", axis="pass", counts=("passed",)))))["metrics"]
    assert {n: counts(block["configurations"]) for n, block in found["m"]["candidates"].items()} == {
        "frozen": {"a": (1, 3)},
        "lax": {"a": (3, 3)},
    }
    assert list(found["alone"]["candidates"]) == ["frozen"]


def test_a_code_that_no_grade_has_is_told():
    metric = Metric("m", axis="pass", counts=("FABRICATON", "FABRICATION", "ungraded"))
    assert summed(metric)["m"]["unseen"] == ["FABRICATON"]


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        (dict(axis="pas", counts=("passed",)), ["[[metric]] m", "axis 'pas'", "Did you mean 'pass'?"]),
        (dict(needs="formt", counts=("passed",)), ["axis 'formt'"]),
        (dict(ratio=("invented", "aserted")), ["measures 'aserted'", "Did you mean 'asserted'?"]),
        (dict(counts=("passed",), where={"answerabel": False}), ["'answerabel'", "Did you mean 'answerable'?"]),
        (dict(counts=("passed",), where={"answerable": "no"}), ['gold.answerable = "no"', "false, true"]),
        (dict(counts=("passed",), where={"answerable": 0}), ["gold.answerable = 0"]),
        (dict(counts=("passed",), where={"answerable": ()}), ["where: answerable = [] asks for no value"]),
        (dict(counts=("passed",), family="brokn"), ['family = "brokn"', '"broken"']),
        (dict(counts=("passed",), family="answerable", where={"answerable": False}), ["no item has all of"]),
        (dict(counts=("passed",), by=("gold.horizn",)), ["by", "'gold.horizn'", "Did you mean 'gold.horizon'?"]),
        (dict(counts=("passed",), by=(("family", "extra.hnt"),)), ["Did you mean 'extra.hint'?"]),
    ],
)  # fmt: skip
def test_what_is_not_there_is_named(metric, words):
    with pytest.raises(CorpusError) as caught:
        summed(Metric("m", **{"axis": "pass", **metric}))
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_a_list_is_any_of_its_values():
    either = Metric("m", axis="pass", counts=("passed",), where={"horizon": (2, 10)}, family=("broken", "answerable"))
    metric = summed(either)["m"]
    assert (metric["items"], metric["where"], metric["family"]) == (2, {"horizon": [2, 10]}, ["broken", "answerable"])


GRADES = st.sampled_from(["passed", "passed:ABSTAINED", "failed:FABRICATION", "failed", "ungraded", "ungraded:CUT"])
KEYS = st.tuples(st.sampled_from("abc"), st.sampled_from(["i1", "i2", "i3", "i4"]), st.sampled_from("012"))
CORPORA = st.dictionaries(KEYS, st.tuples(GRADES, GRADES), min_size=1, max_size=24)
WHOLE = Metric("m", axis="pass", counts=("FABRICATION",), by=("arm", "family", ("item", "lineage")), best="lowest")


def of(grades, **changed):
    """The blocks of each candidate; `changed` is `strict` but for the grades that it gives."""
    attempts = [
        Attempt(*key, {"pass": {"frozen": one, "strict": two, "changed": changed.get("/".join(key), two)}})
        for key, (one, two) in grades.items()
    ]
    return summed(WHOLE, attempts=attempts, measures={})["m"]["candidates"]


@settings(max_examples=10)
@given(CORPORA)
def test_every_split_adds_up_to_the_whole_and_what_is_folded_comes_back(grades):
    blocks = of(grades)
    assert unfold(as_json(fold(blocks))) == blocks and fold(blocks)["frozen"] == blocks["frozen"]
    for block in blocks.values():
        for split in block["by"]:
            for name, record in block["configurations"].items():
                records = [p["configurations"][name] for p in split["parts"] if name in p["configurations"]]
                assert sum(r["trials"] for r in records) == record["trials"]
                for over in ("of_graded", "of_all"):
                    # Where a part has no ungraded trial, its graded ones are all.
                    several = [r[over] or r["of_graded"] for r in records]
                    whole = record[over] or record["of_graded"]
                    assert sum(r["count"] for r in several) == whole["count"]
                    assert sum(r["n"] for r in several) == whole["n"]
        assert sum(r["trials"] for r in block["configurations"].values()) == len(grades)


@settings(max_examples=10)
@given(CORPORA, st.data())
def test_one_changed_grade_moves_its_own_figures_by_one(grades, data):
    key = data.draw(st.sampled_from(sorted(grades)))
    old, new = grades[key][1], data.draw(GRADES)
    blocks = of(grades, **{"/".join(key): new})
    for name in {k[0] for k in grades}:
        frozen, one, other = (blocks[c]["configurations"][name] for c in ("frozen", "strict", "changed"))
        mine = name == key[0]
        graded, hit = [g.split(":")[0] != "ungraded" for g in (old, new)], ["FABRICATION" in g for g in (old, new)]
        assert other["graded"] - one["graded"] == (mine and graded[1] - graded[0])
        assert other["of_graded"]["count"] - one["of_graded"]["count"] == (mine and hit[1] - hit[0])
        assert other["trials"] == one["trials"]
        assert frozen["of_graded"]["count"] == sum(
            "FABRICATION" in g for (c, *_), (g, _) in grades.items() if c == name
        )
