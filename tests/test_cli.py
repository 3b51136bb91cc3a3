"""The command line: what it prints, where, and with which exit code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from regrade.cli import main
from tests.commands import run
from tests.conftest import ROOT, TOML, draft_rules, outputs, twenty, write_corpus


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(
        tmp_path / "transcripts" / "twenty",
        twenty(),
        TOML + '[[candidate]]\nname = "v2"\nrules = ["last_equals_v1", "ask_accepted_v1"]\n',
    )


def test_audit_prints_a_summary_and_writes_four_files(corpus: Path, tmp_path: Path) -> None:
    result = run("audit", corpus)
    assert "20 of 20" in result.stdout and "v2" in result.stdout and "report.html" in result.stdout
    assert "Warning: No SHA256SUMS" in result.stderr and "Warning" not in result.stdout
    assert {p.name for p in (tmp_path / "reports" / "twenty").iterdir()} == {
        "audit.duckdb", "flips.csv", "report.html", "summary.json",
    }  # fmt: skip


@pytest.mark.slow
def test_json_stands_alone_on_standard_output(corpus: Path, tmp_path: Path) -> None:
    summary = json.loads(run("audit", corpus, "--json").stdout)
    assert summary == json.loads((tmp_path / "reports" / "twenty" / "summary.json").read_text())
    frozen = ["freeze", corpus, "--rules", rules_copy(tmp_path)]
    steps = (["load", corpus], ["run"], ["flips"], ["report"], ["explain", "a/T01/0"])
    for command in (["verify", corpus], frozen, *steps, ["rule"], ["rule", "last_equals_v1", "--check"]):
        json.loads(run(*command, "--json").stdout)


def rules_copy(folder: Path) -> Path:
    return draft_rules(folder / "rules")


@pytest.mark.slow
def test_freeze_then_verify_then_audit(corpus: Path, tmp_path: Path) -> None:
    rules = rules_copy(tmp_path)
    assert "SHA256SUMS: 2 files" in run("freeze", corpus, "--rules", rules).stdout
    found = run("verify", corpus, "--rules", rules)
    assert "as frozen" in found.stdout and "20 of 20 trials agree" in found.stdout and "draft" not in found.stdout
    assert "SHA256SUMS" not in run("audit", corpus, "--rules", rules, "--fail-on", "draft").stderr
    (corpus / "bank.json").write_text((corpus / "bank.json").read_text() + " ")
    broken = run("audit", corpus, "--rules", rules, code=1)
    assert broken.stdout == "" and broken.stderr.startswith("regrade: bank.json: frozen with sha256")
    assert broken.stderr.count("\n") == 1
    assert run("verify", corpus, "--rules", rules, code=1).stdout == ""


@pytest.mark.slow
def test_steps_on_a_store(corpus: Path, tmp_path: Path) -> None:
    assert "20 records = 20 loaded + 0 rejected" in run("load", corpus).stdout
    assert "last_equals" in run("run").stdout
    assert "last_equals" in run("flips", "--candidate", "last_equals", "--csv", tmp_path / "f.csv").stdout
    assert (tmp_path / "f.csv").read_text().count("\n") == 1 + 4
    assert "report.html" in run("report").stdout


@pytest.mark.slow
def test_flips_of_one_configuration(corpus: Path, tmp_path: Path) -> None:
    run("load", corpus), run("run")
    one = ("flips", "--configuration", "b")
    found = json.loads(run(*one, "--json", "--csv", tmp_path / "f.csv").stdout)["pass"]
    rows = [line.split(",")[2].strip('"') for line in (tmp_path / "f.csv").read_text().splitlines()[1:]]
    assert found["configuration"] == "b" and len(rows) > 0
    assert {name: c["fail_to_pass"] + c["pass_to_fail"] for name, c in found["candidates"].items()} == {
        name: rows.count(name) for name in found["candidates"]
    }
    assert all(c["passed"] == found["passed"] + c["gain"] for c in found["candidates"].values())
    assert "b on pass" in run(*one, "--candidate", "v2").stdout
    assert "Unknown configuration 'x'" in run("flips", "--configuration", "x", code=2).stderr
    assert "without --tier" in run(*one, "--tier", "all", code=2).stderr


@pytest.mark.slow
def test_the_store_is_found_or_asked_for(corpus: Path) -> None:
    assert (
        "Found 0 stores under reports/ (none), expected one. Name one with --store DIR." in run("flips", code=2).stderr
    )
    run("audit", corpus, "--out", "reports/one")
    run("audit", corpus, "--out", "reports/two")
    assert "(reports/one, reports/two)" in run("flips", code=2).stderr
    run("flips", "--store", "reports/two")


def test_explain_shows_the_characters_that_were_read(corpus: Path) -> None:
    run("audit", corpus)
    shown = run("explain", "a/T01/0").stdout
    for part in ("a/T01/0", "Report unit 3 in Celsius.", "STALE_DATA", "3=7.0", "last_equals"):
        assert part in shown
    found = json.loads(run("explain", "a/T01/0", "--json").stdout)
    assert found["reply"] == "a: converted.\nANSWER: 3=7.0"
    unknown = run("explain", "a/T01/9", code=2)
    assert "a/T01/" in unknown.stderr and unknown.stdout == ""


def test_rules_are_listed_printed_and_checked(tmp_path: Path) -> None:
    assert "last_line_fallback_v1" in run("rule").stdout
    shown = run("rule", "last_line_fallback_v1", "--check").stdout
    assert "rejected" in shown and "What it cannot show" in shown
    assert "Did you mean 'last_equals_v1'" in run("rule", "last_equal_v1", code=2).stderr
    rules = rules_copy(tmp_path)
    path = rules / "tool_loop" / "last_equals_v1.py"
    path.write_text(path.read_text().replace('"to": "passed"', '"to": "failed"', 1))
    failed = run("rule", "last_equals_v1", "--check", "--rules", rules, code=1)
    assert "The cases of last_equals_v1 do not all hold" in failed.stderr


def test_a_rule_of_the_folder_rules_where_one_works_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_copy(tmp_path) / "tool_loop"
    (rules / "last_equals_v1.py").rename(rules / "after_equals_v1.py")
    monkeypatch.chdir(tmp_path)
    assert "after_equals_v1" in run("rule", "after_equals_v1").stdout
    monkeypatch.chdir(rules)
    run("rule", "after_equals_v1", code=2)


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["audit", "nowhere"], 2, "nowhere"),
        (["audit", "transcripts/twenty", "--fail-on", "rejcts"], 2, "Did you mean 'rejects'"),
        (["audit", "transcripts/twenty", "--fail-on", "flips"], 1, "--fail-on: flips: 20 flips"),
        (["audit", "transcripts/twenty", "--rules", "none"], 2, "No rules folder at none"),
        (["flips", "--store", "none"], 2, "No store at none"),
        (["explain", "x", "--store", "none"], 2, "No store at none"),
        (["rule", "--benchmark", "tool_lop"], 2, "Did you mean 'tool_loop'"),
        (["adit"], 2, "Unknown command 'adit'. Did you mean 'audit'"),
        (["audit"], 2, "Missing argument 'CORPUS'. See: "),
        (["audit", "transcripts/twenty", "--fail"], 2, "No such option"),
        (["audit", "x" * 5000], 2, ""),
    ],
)
def test_an_error_is_one_line_with_its_exit_code(corpus: Path, args: list[str], code: int, message: str) -> None:
    result = run(*args, code=code)
    last = [line for line in result.stderr.splitlines() if not line.startswith("Warning")]
    assert len(last) == 1 and last[0].startswith("regrade: ") and message in last[0]


def test_hostile_names_break_no_line_and_reach_no_terminal(tmp_path: Path) -> None:
    rows = twenty()
    rows[0]["config"], rows[0]["grade"]["code"] = "c\x1b[31m\nEVIL", "X\nY\x1b]0;t\x07"
    result = run("audit", write_corpus(tmp_path / "c", rows), code=1)
    [line] = [text for text in result.stderr.splitlines() if not text.startswith("Warning")]
    assert "EVIL" in line and "\x1b" not in result.stderr


@pytest.mark.slow
def test_a_wal_of_a_killed_process_is_no_obstacle(corpus: Path, tmp_path: Path) -> None:
    run("audit", corpus)
    (tmp_path / "reports" / "twenty" / "audit.duckdb.wal").write_bytes(b"left over")
    run("audit", corpus)
    run("flips")


def test_a_folder_in_the_way_of_an_output_changes_nothing(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "out" / "report.html").mkdir(parents=True)
    assert "a folder is in the way" in run("audit", corpus, "--out", "out", code=2).stderr
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["report.html"]


def test_loading_again_takes_away_what_the_old_store_said(corpus: Path, tmp_path: Path) -> None:
    run("audit", corpus)
    run("load", corpus)
    assert [p.name for p in (tmp_path / "reports" / "twenty").iterdir()] == ["audit.duckdb"]
    for command in ("flips", "report"):
        assert "is loaded and not graded. Run: regrade run" in run(command, code=2).stderr


def test_every_command_has_help() -> None:
    for name, command in main.commands.items():
        assert command.help, name
        for option in command.params:
            if option.param_type_name == "option":
                assert option.help, f"{name} {option.name}"  # type: ignore[attr-defined]
        assert " ".join(command.help.split()) in " ".join(run(name, "--help").stdout.split())


def test_help_loads_no_engine() -> None:
    code = "import sys, regrade.cli; sys.exit(any(m in sys.modules for m in ('duckdb', 'polars', 'pyarrow', 'rich')))"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ})


def test_the_bare_command_prints_its_help_in_lines() -> None:
    done = run(code=2)
    assert done.stderr.startswith("Usage: ") and "\n  audit " in done.stderr


@pytest.mark.parametrize("command", ["verify", "load", "freeze"])
def test_a_log_where_a_corpus_is_due_says_what_to_do(corpus: Path, command: str) -> None:
    told = run(command, "transcripts/twenty/trials.jsonl", code=2).stderr
    assert "trials.jsonl: it is no corpus.toml. For a log write one first: regrade init" in told


@pytest.mark.slow
def test_the_outputs_of_another_corpus_of_the_name_are_not_written_over(corpus: Path, tmp_path: Path) -> None:
    run("audit", "transcripts/twenty")
    shutil.copytree(corpus, tmp_path / "other" / "twenty")
    before = Path("reports/twenty/summary.json").read_bytes()
    told = run("audit", "other/twenty", code=2).stderr
    assert "holds the audit of another corpus of that name" in told and "--out" in told
    assert Path("reports/twenty/summary.json").read_bytes() == before
    run("audit", "other/twenty", "--out", "reports/other")


def test_a_log_that_was_audited_alone_may_become_a_corpus_and_not_the_other_way(corpus: Path, tmp_path: Path) -> None:
    shutil.copy(corpus / "trials.jsonl", log := tmp_path / "answers.jsonl")
    run("audit", log)
    run("init", log)
    run("audit", "transcripts/answers")
    [out] = Path("reports").iterdir()
    before = outputs(out)
    told = run("audit", log, code=2).stderr
    assert f"{out} holds the audit of " in told and "answers/corpus.toml" in told and "--out" in told
    assert outputs(out) == before
    run("audit", log, "--out", "reports/alone")


def test_a_log_alone_finds_the_rules_beside_it(corpus: Path) -> None:
    shutil.copytree(ROOT / "rules" / "tool_loop", "rules/mine", ignore=shutil.ignore_patterns("LOCK"))
    shutil.copy(corpus / "trials.jsonl", "log.jsonl")
    done = json.loads(run("audit", "log.jsonl", "--benchmark", "mine", "--json", "--allow-parity-gap").stdout)
    assert done["corpus"]["benchmark"] == "mine" and done["rules"]["last_equals_v1"]["locked"] is False
