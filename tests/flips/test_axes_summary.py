"""The whole `axes` object of one small corpus, figure by figure."""

import pytest

from regrade.errors import StoreError
from regrade.files.corpus import Note, Tier
from regrade.flips import tallies
from tests.flips.flip_store import Attempt, as_json, attempt, axes_summary, corpus, insert, store

CONFIGURATIONS = {
    "a": {"weights": "w27", "lineage": "blue"},
    "b": {"weights": "w27", "lineage": "blue"},
    "c": {"weights": "w9", "lineage": "blue"},
}
FAMILIES = {"i1": "units", "i2": "units", "i3": "poll"}

ATTEMPTS = [
    # a: 3 of 4 pass. b: 3 of 3. c: 1 of 3. d has no weights and no entry of its own: 0 of 2.
    attempt("a", "i1", 0, "passed", v2="passed"),
    attempt("a", "i1", 1, "failed:STALE", v2="passed"),
    attempt("a", "i2", 0, "passed", v2="failed:TOKEN"),
    attempt("a", "i3", 0, "passed:REPAIRED", v2="passed"),
    attempt("b", "i1", 0, "passed", v2="passed"),
    attempt("b", "i2", 0, "passed", v2="ungraded:CUT"),
    attempt("b", "i3", 0, "passed", v2="passed"),
    attempt("c", "i1", 0, "failed:STALE", v2="passed"),
    attempt("c", "i2", 0, "failed:FABRICATION", v2="failed:FORMAT"),
    attempt("c", "i3", 0, "passed", v2="passed"),
    attempt("c", "i3", 1, "ungraded", v2="failed:LATE"),
    attempt("d", "i1", 0, "failed:STALE", v2="passed"),
    attempt("d", "i2", 0, "failed", v2="failed"),
]

TIERS = (Tier("strong", 0.75, cutoffs=(0.8, 0.3)), Tier("usable", 0.3))


@pytest.fixture(scope="module")
def axis():
    con = store(ATTEMPTS, configurations=CONFIGURATIONS, families=FAMILIES)
    insert(con, "measures", [
        {"trial_id": "a/i1/0", "axis": "pass", "candidate": "v2", "measure": "hops", "amount": 3.0},
        {"trial_id": "c/i1/0", "axis": "pass", "candidate": "v2", "measure": "hops", "amount": 2.0},
        {"trial_id": "c/i1/0", "axis": "pass", "candidate": "frozen", "measure": "hops", "amount": 50.0},
    ])  # fmt: skip
    notes = (Note("i3", "retire", "too easy"), Note("i3", "canary", "keep an eye"))
    return as_json(axes_summary(con, corpus(tiers=TIERS, notes=notes)))["pass"]


def spread(trials, items, configurations, weights, lineages):
    return dict(trials=trials, items=items, configurations=configurations, weights=weights, lineages=lineages)


def test_tiers(axis):
    assert list(axis["tiers"]) == ["all", "strong", "usable"]
    assert axis["tiers"]["all"] == {
        **spread(13, 3, 4, 3, 2), "passed": 7, "failed": 5, "ungraded": 1,
        "codes": {"FABRICATION": 1, "STALE": 3},
        "grades": [
            {"grade": ["failed", None], "trials": 1},
            {"grade": ["failed", "FABRICATION"], "trials": 1},
            {"grade": ["failed", "STALE"], "trials": 3},
            {"grade": ["passed", None], "trials": 6},
            {"grade": ["passed", "REPAIRED"], "trials": 1},
            {"grade": ["ungraded", None], "trials": 1},
        ],
    }  # fmt: skip
    assert axis["tiers"]["strong"] == {
        **spread(7, 3, 2, 1, 1), "passed": 6, "failed": 1, "ungraded": 0, "codes": {"STALE": 1},
        "grades": [
            {"grade": ["failed", "STALE"], "trials": 1},
            {"grade": ["passed", None], "trials": 5},
            {"grade": ["passed", "REPAIRED"], "trials": 1},
        ],
    }  # fmt: skip
    assert axis["tiers"]["usable"]["configurations"] == 3


def test_candidate(axis):
    assert axis["candidates"]["v2"]["rules"] == ["v2_v1"]
    assert axis["candidates"]["v2"]["fingerprint"] == "f0"
    block = axis["candidates"]["v2"]["tiers"]["all"]
    moved = (*tallies.DIRECTIONS, "recoded")
    assert block.pop("needs") == [{"rules": ["v2_v1"], **{key: block[key] for key in moved}}]
    assert block == {
        "trials": 13,
        "moves": {
            "passed": {"passed": 5, "failed": 1, "ungraded": 1},
            "failed": {"passed": 3, "failed": 2, "ungraded": 0},
            "ungraded": {"passed": 0, "failed": 1, "ungraded": 0},
        },
        "recoded": 2,
        "unmoved": 5,
        "fail_to_pass": spread(3, 1, 3, 3, 2),
        "pass_to_fail": spread(1, 1, 1, 1, 1),
        "to_ungraded": spread(1, 1, 1, 1, 1),
        "from_ungraded": spread(1, 1, 1, 1, 1),
        "transitions": [
            {"from": ["failed", "FABRICATION"], "to": ["failed", "FORMAT"], "trials": 1},
            {"from": ["failed", "STALE"], "to": ["passed", None], "trials": 3},
            {"from": ["passed", None], "to": ["failed", "TOKEN"], "trials": 1},
            {"from": ["passed", None], "to": ["ungraded", "CUT"], "trials": 1},
            {"from": ["passed", "REPAIRED"], "to": ["passed", None], "trials": 1},
            {"from": ["ungraded", None], "to": ["failed", "LATE"], "trials": 1},
        ],
        "measures": {"hops": 5},
    }
    strong = axis["candidates"]["v2"]["tiers"]["strong"]
    assert strong["trials"] == 7
    assert strong["fail_to_pass"] == spread(1, 1, 1, 1, 1)
    assert strong["from_ungraded"] == spread(0, 0, 0, 0, 0)
    assert strong["measures"] == {"hops": 3}


def test_cutoffs_include_the_tiers_own_limit(axis):
    assert axis["cutoffs"] == {
        "all": [],
        "strong": [
            {"min_pass_rate": 0.3, "configurations": 3, "failed": 3, "passed": 7,
             "flips": {"v2": {"fail_to_pass": 2, "pass_to_fail": 1}}},
            {"min_pass_rate": 0.75, "configurations": 2, "failed": 1, "passed": 6,
             "flips": {"v2": {"fail_to_pass": 1, "pass_to_fail": 1}}},
            {"min_pass_rate": 0.8, "configurations": 1, "failed": 0, "passed": 3,
             "flips": {"v2": {"fail_to_pass": 0, "pass_to_fail": 0}}},
        ],
        "usable": [
            {"min_pass_rate": 0.3, "configurations": 3, "failed": 3, "passed": 7,
             "flips": {"v2": {"fail_to_pass": 2, "pass_to_fail": 1}}},
        ],
    }  # fmt: skip


def test_items(axis):
    strong = axis["items"]["strong"]
    assert strong["i1"] == {
        **spread(3, 1, 2, 1, 1), "passed": 2, "failed": 1, "ungraded": 0, "codes": {"STALE": 1},
        "flips": {"v2": {"fail_to_pass": spread(1, 1, 1, 1, 1), "pass_to_fail": spread(0, 0, 0, 0, 0)}},
        "family": "units", "notes": [], "always_passed": False, "never_passed": False,
        "correlation": {
            "r": None, "configurations": 2,
            "undefined": "2 configurations have graded trials on it and on others; it takes 3",
        },
        "missed": spread(1, 1, 1, 1, 1), "repeated": spread(0, 0, 0, 0, 0),
    }  # fmt: skip
    assert strong["i3"]["always_passed"] and strong["i3"]["notes"] == ["retire", "canary"]
    assert strong["i3"]["flips"] == {}
    assert not axis["items"]["usable"]["i3"]["always_passed"]  # c has an ungraded trial
    assert not axis["items"]["all"]["i3"]["always_passed"]  # d never tried it
    assert [i for i, record in axis["items"]["all"].items() if record["never_passed"]] == []


def test_an_item_is_always_passed_only_where_every_configuration_tried_it():
    attempts = [attempt("a", "i", 0, "passed"), attempt("a", "j", 0, "passed"), attempt("b", "i", 0, "passed")]
    found = axes_summary(store([*attempts, attempt("b", "k", 0, "failed")]), corpus())["pass"]["items"]["all"]
    assert {item: (r["always_passed"], r["never_passed"]) for item, r in found.items()} == {
        "i": (True, False),
        "j": (False, False),
        "k": (False, True),
    }


def test_an_unknown_lineage_is_that_of_the_weights():
    attempts = [attempt(configuration, "i", 0, "failed", v2="passed") for configuration in "abcd"]
    known = {"a": {"weights": "w"}, "b": {"weights": "w"}, "c": {"lineage": "l"}}
    found = axes_summary(store(attempts, configurations=known), corpus())["pass"]
    assert found["candidates"]["v2"]["tiers"]["all"]["fail_to_pass"] == spread(4, 1, 4, 3, 3)
    assert list(found["breakdowns"]["all"]["weights"]) == ["c", "d", "w"]
    assert list(found["breakdowns"]["all"]["lineage"]) == ["d", "l", "w"]


def test_families_and_breakdowns_carry_their_denominators(axis):
    assert {name: (r["passed"], r["trials"]) for name, r in axis["families"]["strong"].items()} == {
        "poll": (2, 2),
        "units": (4, 5),
    }
    flips = axis["breakdowns"]["all"]["weights"]["w27"]
    assert (flips["passed"], flips["failed"]) == (6, 1)
    assert flips["codes"] == {"STALE": 1}
    assert flips["flips"] == {"v2": {"fail_to_pass": spread(1, 1, 1, 1, 1), "pass_to_fail": spread(1, 1, 1, 1, 1)}}
    blue = axis["breakdowns"]["all"]["lineage"]["blue"]["flips"]["v2"]["fail_to_pass"]
    assert blue == spread(2, 1, 2, 2, 1)
    assert list(axis["breakdowns"]["all"]["lineage"]) == ["blue", "d"]
    assert list(axis["breakdowns"]["strong"]["lineage"]) == ["blue"]


def test_gains(axis):
    assert axis["gains"]["a"] == {
        "weights": "w27", "lineage": "blue", "tiers": ["all", "strong", "usable"],
        "trials": 4, "passed": 3, "failed": 1, "ungraded": 0,
        "candidates": {"v2": {"fail_to_pass": 1, "pass_to_fail": 1, "gain": 0}},
    }  # fmt: skip
    assert axis["gains"]["b"]["candidates"] == {}
    assert axis["gains"]["d"]["weights"] is None
    assert axis["gains"]["d"]["candidates"]["v2"]["gain"] == 1


def test_grader_and_parity(axis):
    assert axis["frozen"] == {"kind": "ported", "rule": "frozen_v1", "fingerprint": "f0"}
    assert axis["parity"] == {"trials": 13, "agree": 13, "allowed": False}


def test_a_carried_grader_has_no_parity():
    con = store(ATTEMPTS, kinds={"pass": "carried"})
    con.execute("update graders set parity_trials = 13, parity_agree = 13")
    found = axes_summary(con, corpus())["pass"]
    assert found["frozen"]["kind"] == "carried"
    assert found["parity"] is None


NEW_AXIS = [
    Attempt("a", "i1", "0", {"pass": {"frozen": "passed"}, "format": {"checks": "passed"}}),
    Attempt("a", "i1", "1", {"pass": {"frozen": "failed"}, "format": {"checks": "failed:STUB"}}),
    Attempt("b", "i2", "0", {"pass": {"frozen": "failed"}, "format": {"checks": "ungraded"}}),
    Attempt("b", "i2", "1", {"pass": {"frozen": "failed"}}),
]


def test_a_new_axis_starts_from_none_and_has_no_flips():
    axes = as_json(axes_summary(store(NEW_AXIS, kinds={"format": "none"}), corpus(tiers=(Tier("half", 0.5),))))
    assert list(axes) == ["pass", "format"]
    found = axes["format"]
    assert found["frozen"] == {"kind": "none", "rule": None, "fingerprint": None}
    assert found["parity"] is None
    assert found["tiers"]["all"] == {
        **spread(3, 2, 2, 2, 2), "passed": 0, "failed": 0, "ungraded": 0, "codes": {}, "grades": []
    }  # fmt: skip
    nothing = dict(passed=0, failed=0, ungraded=0)
    block = found["candidates"]["checks"]["tiers"]["all"]
    assert block["moves"] == {
        "passed": nothing, "failed": nothing, "ungraded": nothing, "none": dict(passed=1, failed=1, ungraded=1)
    }  # fmt: skip
    assert block["trials"] == 3
    assert block["recoded"] == 0
    for direction in ("fail_to_pass", "pass_to_fail", "to_ungraded", "from_ungraded"):
        assert block[direction] == spread(0, 0, 0, 0, 0)
    assert block["transitions"] == [
        {"from": ["none", None], "to": ["failed", "STUB"], "trials": 1},
        {"from": ["none", None], "to": ["passed", None], "trials": 1},
        {"from": ["none", None], "to": ["ungraded", None], "trials": 1},
    ]
    # The tier follows the primary axis, where b passes nothing.
    assert found["candidates"]["checks"]["tiers"]["half"]["trials"] == 2
    assert found["cutoffs"]["half"][0]["configurations"] == 1


def test_an_axis_that_only_some_trials_have_keeps_the_others_in_a_row_none():
    attempts = [
        attempt("a", "i1", 0, "passed", v2="passed"),
        Attempt("a", "i2", "0", {"pass": {"v2": "failed"}}),
    ]
    found = axes_summary(store(attempts), corpus())["pass"]
    assert found["tiers"]["all"]["trials"] == 2
    assert found["tiers"]["all"]["passed"] == 1
    block = found["candidates"]["v2"]["tiers"]["all"]
    assert block["moves"]["none"] == {"passed": 0, "failed": 1, "ungraded": 0}
    assert block["trials"] == 2


def test_axes_are_ordered_primary_first():
    attempts = [Attempt("a", "i", "0", {axis: {"frozen": "passed"} for axis in ("b_axis", "z_axis", "a_axis")})]
    assert list(axes_summary(store(attempts), corpus(axis="z_axis"))) == ["z_axis", "a_axis", "b_axis"]


def test_under_a_parity_gap_the_recorded_grades_count_and_move():
    con = store([attempt("a", "i", 0, "passed", v2="failed")])
    con.execute("update frozen_grades set status = 'failed', code = 'OLD'")
    con.execute("update graders set parity_agree = 0, parity_allowed = true")
    found = axes_summary(con, corpus())["pass"]
    assert found["parity"] == {"trials": 1, "agree": 0, "allowed": True}
    assert found["tiers"]["all"]["codes"] == {"OLD": 1}
    block = found["candidates"]["v2"]["tiers"]["all"]
    assert block["moves"]["failed"] == {"passed": 0, "failed": 1, "ungraded": 0}
    assert (block["pass_to_fail"]["trials"], block["recoded"]) == (0, 1)


def test_a_store_without_trials_has_zeros():
    found = as_json(axes_summary(store([]), corpus(tiers=TIERS)))["pass"]
    assert found["tiers"]["strong"]["trials"] == 0
    assert found["cutoffs"]["usable"] == [
        {"min_pass_rate": 0.3, "configurations": 0, "failed": 0, "passed": 0, "flips": {}}
    ]


def test_a_grade_of_no_trial_is_an_error():
    con = store(ATTEMPTS)
    con.execute("delete from trials where trial_id = 'a/i1/0'")
    with pytest.raises(StoreError, match="do not add up.*12 .*13|do not add up.*13 .*12"):
        axes_summary(con, corpus())


def test_counting_twice_gives_the_same():
    con = store(ATTEMPTS, configurations=CONFIGURATIONS)
    assert axes_summary(con, corpus(tiers=TIERS)) == axes_summary(con, corpus(tiers=TIERS))
