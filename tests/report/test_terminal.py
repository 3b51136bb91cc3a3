from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from regrade.audit import Audit
from regrade.books import rule_roots
from regrade.errors import RuleError
from regrade.grades.listing import describe_rule, list_rules
from regrade.report.explain import explain_trial
from regrade.report.terminal import choose, print_flips, print_rule, print_rules, print_summary
from regrade.report.trials import example_flip
from regrade.tables.store import FILE_NAME, Store
from tests.report.conftest import HOSTILE_NAME


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_the_summary_of_the_bundled_corpus_is_read_in_a_minute(
    tool_loop: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    print_summary(tool_loop.summary, tool_loop.out)
    text = printed(capsys)
    lines = text.splitlines()
    assert len(lines) <= 62
    assert lines[0].startswith("tool_loop_v1 (SIMULATED)")
    assert "134 files, 13,615 records = 13,615 loaded + 0 rejected, 13,615 trials" in lines[1]
    rows = [line.split() for line in lines]
    assert ["strong", "22", "12", "8", "3,168", "2,982", "186", "0", "94.1%"] in rows
    [row] = [row for row in rows if row[:2] == ["usable", "last_line_fallback"]]
    assert row[2:] == ["477", "(36/62/24/14)", "0", "0", "rejected,", row[-1]]
    assert "2,064 failed = 1,336 in none + 251 call_like_text + 477 last_line_fallback" in text
    assert "(last_line_fallback on pass): 2 reviewers agree on 49 of 50, 1 ruled; 45 of 50 drawn of 477 upheld" in text
    assert "upper bound" in text and "\x1b" not in text and "…" not in text
    assert text.count("items/configurations/weights/lineages") == 1
    [key] = [line for line in lines if line.startswith("In brackets")]
    brackets, told = re.search(r"\((.*?)\) is (.*)", key).groups()  # type: ignore[union-attr]
    assert brackets.split("/") == re.findall(r"\d+", told)[1:]


def test_the_trial_that_is_offered_is_a_flip_of_the_corpus(small: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(small.summary, small.out)
    [line] = [line for line in printed(capsys).splitlines() if "regrade explain" in line]
    _, trial, _, folder = shlex.split(line.split("regrade ")[1])
    with Store.open(Path(folder) / FILE_NAME, read_only=True) as store:
        assert (trial,) in store.con.execute("select trial_id from flips").fetchall()
        assert explain_trial(store.con, trial)["trial_id"] == trial


def test_the_trial_that_is_offered_is_read_in_two_places_where_one_is(small: Audit) -> None:
    with Store.open(small.out / FILE_NAME, read_only=True) as store:
        first = store.con.execute("select trial_id from flips order by axis, candidate, trial_id").fetchone()
        trial = example_flip(store.con)
        assert trial is not None and first != (trial,)
        block = explain_trial(store.con, trial)["axes"]["pass"]
    places = {grade["value_start"] for grade in (block["frozen"], block["candidates"]["last_equals"])}
    assert len(places) == 2 and None not in places


def test_where_nothing_flips_no_trial_is_offered(carried: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(carried.summary, carried.out)
    text = printed(capsys)
    assert "regrade explain" not in text and "nothing to compare, the grader is carried" in text
    assert str(carried.out / "report.html") in text


def test_a_gap_and_rejects_are_said(loud: Audit, small: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(loud.summary, loud.out)
    text = printed(capsys)
    assert "21 of 22 trials agree. GAP" in text
    assert "Rejected: 1 not_json, 1 unknown_item; see the table rejects of audit.duckdb, or Integrity" in text
    assert "Configurations not in their file" in text and "␛[31m" in text
    assert "\x1b" not in text and HOSTILE_NAME not in text
    print_summary(small.summary, small.out)
    quiet = printed(capsys)
    assert "GAP" not in quiet and "Rejected:" not in quiet and "SIMULATED" not in quiet


def test_flips_are_chosen_by_axis_and_candidate(small: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    axes = small.summary["axes"]
    assert choose(axes, None, None) == axes
    chosen = choose(axes, "pass", "v2")
    assert list(chosen["pass"]["candidates"]) == ["v2"]
    assert chosen["pass"]["tiers"] == axes["pass"]["tiers"]
    print_flips(chosen)
    text = printed(capsys)
    assert "v2" in text and "last_equals" not in text and "8 (2/4/4/4)" in text


@pytest.mark.parametrize(
    ("axis", "candidate", "message"),
    [("pas", None, "Unknown axis 'pas'. Did you mean 'pass'?"), (None, "last_equal", "Did you mean 'last_equals'?")],
)
def test_an_unknown_name_is_answered_with_the_near_one(small: Audit, axis: str, candidate: str, message: str) -> None:
    with pytest.raises(RuleError, match=message.replace("?", r"\?")):
        choose(small.summary["axes"], axis, candidate)


def test_rules_are_listed_with_decision_and_lock(capsys: pytest.CaptureFixture[str]) -> None:
    listed = list_rules(rule_roots(), "tool_loop")
    print_rules(listed)
    text = printed(capsys)
    for rule in listed:
        assert rule["rule"] in text and rule["fingerprint"][:12] in text
    assert "rejected" in text and "cases" not in text.splitlines()[1]


def test_a_rule_is_printed_with_its_text_and_cases(capsys: pytest.CaptureFixture[str]) -> None:
    rule = describe_rule(rule_roots(), "last_equals_v1", "tool_loop", check=True)
    print_rule(rule)
    text = printed(capsys)
    for part in (
        "last_equals_v1: proposed",
        "What it cannot show:",
        "WHERE",
        "Must flip 1:",
        "Must hold 1:",
        rule["fingerprint"],
    ):
        assert part in text
    assert f"{len(rule['cases'])} of {len(rule['cases'])} right" in text
