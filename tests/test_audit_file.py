"""`regrade audit FILE` without a corpus.toml: what is guessed is said, and what is given wins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from regrade.audit import audit
from regrade.errors import CorpusError
from regrade.starting import corpus_of
from tests.commands import run
from tests.conftest import twenty, write_corpus

RULES = Path(__file__).parent.parent / "rules"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield


@pytest.fixture
def log() -> Path:
    rows = [
        {"id": i, "question": f"{i}?", "reply": f"So A: {i}", "gold": f"#### {i}", "correct": i % 2 == 0, "mark": "no"}
        for i in range(6)
    ]
    Path("logs").mkdir()
    Path("logs/small.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Path("logs/small.jsonl")


def test_a_log_alone_is_audited_by_a_guess_that_is_said(log: Path) -> None:
    result = run("audit", log, "--json")
    summary = json.loads(result.stdout)
    assert summary["corpus"]["name"] == "small" and summary["corpus"]["loaded"] == 6
    tiers = summary["axes"]["pass"]["tiers"]["all"]
    assert (tiers["passed"], tiers["failed"]) == (3, 3)
    guesses = [line for line in result.stderr.splitlines() if line.startswith("Warning: Guessed: ")]
    assert "Warning: Guessed: item = id (6 values, such as 0)." in guesses
    assert "Warning: Guessed: frozen.pass.passed = correct (true: 3, false: 3)." in guesses
    assert "Warning: Guessed: bank.gold = gold" in result.stderr
    assert Path("reports/small/report.html").is_file() and not Path("logs/corpus.toml").exists()


def test_given_columns_win_and_are_not_called_guessed(log: Path) -> None:
    options = ["--map", "frozen.other.value=mark", "--map", "frozen.other.passed_values=yes", "--map", "bank.gold="]
    result = run("audit", log, "--json", *options, "--map", "corpus.name=mine", "--map", "item=question")
    summary = json.loads(result.stdout)
    assert summary["corpus"]["name"] == "mine" and list(summary["axes"]) == ["other"]
    assert summary["axes"]["other"]["tiers"]["all"]["failed"] == 6
    assert "item =" not in result.stderr and "bank.gold" not in result.stderr


def test_the_benchmark_brings_its_grader_and_rules(log: Path) -> None:
    summary = json.loads(run("audit", log, "--json", "--benchmark", "gsm8k", "--allow-parity-gap").stdout)
    assert summary["corpus"]["benchmark"] == "gsm8k"
    assert summary["axes"]["pass"]["frozen"]["kind"] == "ported"
    assert "last_number" in summary["axes"]["pass"]["candidates"]
    assert "Did you mean 'gsm8k'" in run("audit", log, "--benchmark", "gsm9k").stderr


def test_a_rule_is_a_candidate_by_itself(log: Path, tmp_path: Path) -> None:
    rule = (RULES / "gsm8k" / "last_number_v1.py").read_text()
    for name in ("one_v1", "one_v2", "two_v1"):
        folder = tmp_path / "own" / "generic"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text(rule)
    (tmp_path / "own" / "generic" / "_words.py").write_text((RULES / "gsm8k" / "_words.py").read_text())
    names = ["--rule", "one_v1", "--rule", "one_v2", "--rule", "two_v1"]
    summary = json.loads(run("audit", log, "--json", "--rules", tmp_path / "own", *names).stdout)
    assert list(summary["axes"]["pass"]["candidates"]) == ["one_v1", "one_v2", "two"]
    wrong = run("audit", log, "--rules", tmp_path / "own", "--rule", "tow_v1", code=2)
    assert "Unknown rule 'tow_v1'" in wrong.stderr and "Did you mean 'two_v1'" in wrong.stderr


def test_a_rule_beside_those_of_a_corpus(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "c", twenty())
    before, _ = corpus_of(corpus)
    after, told = corpus_of(corpus, rules=["last_equals_v1"])
    assert told == [] and [c.name for c in before.candidates] == []
    assert [(c.name, c.rules) for c in after.candidates] == [("last_equals", ("last_equals_v1",))]
    summary = audit(after, tmp_path / "out").summary
    assert "last_equals" in summary["axes"]["pass"]["candidates"]


@pytest.mark.parametrize("option", [["--map", "item=x"], ["--benchmark", "gsm8k"]])
def test_what_a_corpus_says_is_not_said_twice(tmp_path: Path, option: list[str]) -> None:
    corpus = write_corpus(tmp_path / "c", twenty())
    for path in (corpus, corpus / "corpus.toml"):
        error = run("audit", path, *option, code=2).stderr
        assert f"{option[0]} goes with a log alone. Write it in {corpus / 'corpus.toml'}." in error


def test_a_folder_without_a_corpus_suggests_init(log: Path) -> None:
    assert "regrade init logs" in run("audit", "logs", code=2).stderr
    assert "no such file" in run("audit", "absent", code=2).stderr


def test_a_format_with_fields_of_its_own_is_no_guess() -> None:
    trial = {"task_id": 3, "reward": 1.0, "info": {"reward_info": {"reward": 1.0}}, "trial": 0}
    trial["traj"] = [{"role": "assistant", "content": "done"}]
    Path("tau.json").write_text(json.dumps([trial]))
    result = run("audit", "tau.json", "--json")
    assert "Guessed" not in result.stderr
    assert json.loads(result.stdout)["axes"]["pass"]["tiers"]["all"]["passed"] == 1


def test_without_a_grade_the_replies_are_audited_and_it_is_said(tmp_path: Path) -> None:
    Path("log.jsonl").write_text('{"id": 1, "response": "a"}\n{"id": 2, "response": "b"}\n')
    result = run("audit", "log.jsonl", "--json")
    assert "Not found: frozen.pass.passed: no field looks like a grade." in result.stderr
    assert "Nothing is graded" in result.stderr
    assert json.loads(result.stdout)["corpus"]["loaded"] == 2


def test_a_log_that_cannot_be_mapped_names_the_way(tmp_path: Path) -> None:
    Path("log.jsonl").write_text('{"uid": 1, "said": "a"}\n')
    assert "--map reply=PATH" in run("audit", "log.jsonl", code=2).stderr
    assert json.loads(run("audit", "log.jsonl", "--map", "reply=said", "--json").stdout)["corpus"]["loaded"] == 1
    with pytest.raises(CorpusError, match="no field looks like a reply"):
        corpus_of(Path("log.jsonl"))
    assert not Path("reports").exists() or list(Path("reports").iterdir()) == [Path("reports/log")]


@pytest.mark.parametrize(
    ("args", "near"),
    [
        (["--rul", "x"], "--rule"),
        (["--bench", "x"], "--benchmark"),
        (["--fail-on", "reject"], "'rejects'"),
        (["--map", "corpus.format=jsonll"], "'jsonl'"),
    ],
)
def test_a_near_option_or_name_is_suggested(log: Path, args: list[str], near: str) -> None:
    assert near in run("audit", log, *args, code=2).stderr
