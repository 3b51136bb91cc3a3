"""`regrade try`: one rule on a loaded store, at once, without writing to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from regrade.audit import audit
from regrade.cli import main
from regrade.errors import RuleError
from regrade.steps import load_only
from regrade.tables.store import Store
from regrade.trying import try_rule
from tests.conftest import Audit, draft_rules, record, twenty, write_corpus

pytestmark = pytest.mark.slow

RULES = ["ask_accepted", "format_code", "issued_tokens", "last_equals", "last_line_fallback", "menu_accepted"]
SPREAD = ("trials", "items", "configurations", "weights", "lineages")


def tried(out: Path, name: str, **options: Any) -> dict[str, Any]:
    with Store.open(out / "audit.duckdb", read_only=True) as store:
        return try_rule(store, name, **options)


def flips(block: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The moves of an axis, by direction, as the summary has them."""
    names = {("failed", "passed"): "fail_to_pass", ("passed", "failed"): "pass_to_fail"}
    return {names[m["from"], m["to"]]: {key: m[key] for key in SPREAD} for m in block["moves"] if m["from"] != m["to"]}


@pytest.mark.parametrize("name", RULES)
def test_it_counts_what_an_audit_counts(tool_loop: Audit, name: str) -> None:
    found = tried(tool_loop.out, f"{name}_v1")["axes"]["pass"]
    expected = tool_loop.summary["axes"]["pass"]["candidates"][name]["tiers"]["all"]
    for direction in ("fail_to_pass", "pass_to_fail"):
        assert flips(found).get(direction, dict.fromkeys(SPREAD, 0)) == expected[direction]
    assert found["transitions"] == expected["transitions"]
    assert sum(m["trials"] for m in found["moves"] if m["from"] == m["to"]) == expected["recoded"]
    assert found["trials"] == expected["trials"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", twenty())


def test_a_store_that_is_only_loaded_is_tried_as_well(corpus: Path, tmp_path: Path) -> None:
    load_only(corpus, tmp_path / "loaded")
    audit(corpus, tmp_path / "graded")
    for name in RULES:
        assert tried(tmp_path / "loaded", f"{name}_v1") == tried(tmp_path / "graded", f"{name}_v1")


def test_a_draft_is_tried_where_it_lies_and_one_trial_more_moves_it_by_one(corpus: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out")
    draft = draft_rules(tmp_path / "rules") / "tool_loop" / "last_equals_v1.py"
    before = (tmp_path / "out" / "audit.duckdb").read_bytes()
    found = tried(tmp_path / "out", str(draft))
    assert (found["state"], found["axes"]["pass"]["moves"][0]["trials"]) == ("draft", 4)
    draft.write_text(
        draft.read_text().replace(
            "text.first_of(text.number_after_last_equals(trial.answer), base(trial))", "base(trial)"
        )
    )
    assert tried(tmp_path / "out", str(draft))["axes"]["pass"]["moves"] == []
    assert (tmp_path / "out" / "audit.duckdb").read_bytes() == before
    write_corpus(corpus, [*twenty(), record("e", "T01", 0, "read_sensor", "ANSWER: 3=7.0", False, "STALE_DATA")])
    audit(corpus, tmp_path / "out")
    assert tried(tmp_path / "out", "last_equals_v1")["axes"]["pass"]["moves"][0]["trials"] == 5


def test_a_broken_draft_beside_it_does_not_stop_a_rule(corpus: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out")
    rules = draft_rules(tmp_path / "rules")
    whole = tried(tmp_path / "out", "last_equals_v1", rules=rules)
    (rules / "tool_loop" / "menu_accepted_v1.py").write_text("def read(", encoding="utf-8")
    assert tried(tmp_path / "out", "last_equals_v1", rules=rules) == whole
    with pytest.raises(RuleError, match="menu_accepted_v1"):
        tried(tmp_path / "out", "menu_accepted_v1", rules=rules)


def test_an_answer_that_was_cut_to_be_kept_is_read_whole(corpus: Path, tmp_path: Path) -> None:
    long = "ANSWER: 3 " + "so it goes on " * 30 + "= 7.0"
    write_corpus(corpus, [record("e", "T01", 0, "read_sensor", long, False, "STALE_DATA")])
    audit(corpus, tmp_path / "out")
    [move] = tried(tmp_path / "out", "last_equals_v1")["axes"]["pass"]["moves"]
    assert (move["from"], move["to"], move["trials"]) == ("failed", "passed", 1)


@pytest.mark.parametrize(("on", "statuses"), [("failures", {"failed"}), ("passes", {"passed"})])
def test_which_trials_are_shown(corpus: Path, tmp_path: Path, on: str, statuses: set[str]) -> None:
    audit(corpus, tmp_path / "out")
    shown = tried(tmp_path / "out", "last_equals_v1", on=on, number=100)["axes"]["pass"]["shown"]
    assert {trial["to"][0] for trial in shown} == statuses
    assert len(shown) == (8 if on == "failures" else 12)
    [one] = tried(tmp_path / "out", "last_equals_v1", number=1)["axes"]["pass"]["shown"]
    assert (one["frozen"]["value"], one["read"]["value"], one["from"], one["to"]) == (
        "3",
        "7.0",
        ["failed", "STALE_DATA"],
        ["passed", None],
    )
    assert {one["reply"][m["start"] : m["stop"]] for m in one["marks"]} == {"3=7.0", "3", "7.0"}


def test_a_generic_rule_on_a_carried_axis(tmp_path: Path) -> None:
    rows = [{"id": n, "m": "a", "reply": f"so {n}", "gold": n, "ok": n > 2} for n in range(5)]
    toml = (
        '[corpus]\nname = "c"\nformat = "jsonl"\nfiles = ["trials.jsonl"]\n[columns]\nconfiguration = "m"\n'
        'item = "id"\n'
        'reply = "reply"\n[frozen.strict]\npassed = "ok"\n[bank.columns]\ngold = "gold"\n'
    )
    audit(write_corpus(tmp_path / "c", rows, toml, None), tmp_path / "out")
    [move] = tried(tmp_path / "out", "last_number_v1")["axes"]["strict"]["moves"]
    assert (move["from"], move["to"], move["trials"]) == ("failed", "passed", 3)


def test_the_command_marks_both_readings_and_counts_both_ways(corpus: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out")
    done = CliRunner().invoke(main, ["try", "last_equals_v1", "--store", str(tmp_path / "out"), "-n", "1"])
    assert done.exit_code == 0
    assert "failed to passed" in done.stdout and "- frozen value" in done.stdout
    assert "^^^ last_equals value" in done.stdout
    machine = CliRunner().invoke(main, ["try", "last_equals_v1", "--store", str(tmp_path / "out"), "--json"])
    assert json.loads(machine.stdout) == tried(tmp_path / "out", "last_equals_v1")


def test_an_unknown_rule_and_one_of_an_axis_that_nothing_grades(corpus: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out")
    with pytest.raises(RuleError, match="Unknown rule 'last_equal_v1'.*Did you mean 'last_equals_v1'"):
        tried(tmp_path / "out", "last_equal_v1")
    other = draft_rules(tmp_path / "rules") / "tool_loop" / "last_equals_v1.py"
    other.write_text(other.read_text().replace('"pass", "proposed"', '"pas", "proposed"'))
    with pytest.raises(RuleError, match="a rule of the axis 'pas', which nothing here grades. Did you mean 'pass'"):
        tried(tmp_path / "out", str(other))
