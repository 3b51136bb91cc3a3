"""A mapping that was guessed is said in the report, and each guess once on standard error."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from regrade.cli import main
from regrade.tables.store import FILE_NAME, Store
from tests.conftest import twenty, write_corpus
from tests.report.pages import told

GUESS = "Guessed: item = id (6 values, such as 0)."


@pytest.fixture
def log(tmp_path: Path) -> Path:
    rows = [{"id": i, "reply": f"So A: {i}", "gold": str(i), "correct": i % 2 == 0} for i in range(6)]
    (tmp_path / "small.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "small.jsonl"


def run(*args: object) -> tuple[list[str], list[str]]:
    """Run a command; the lines of standard output and of standard error."""
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    assert result.exit_code == 0, (result.stderr, result.exception)
    return result.stdout.splitlines(), result.stderr.splitlines()


def test_a_guess_stands_in_the_report_and_once_on_standard_error(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for _ in ("anew", "and where nothing has changed"):
        _, errors = run("audit", log, "--out", out, "--json")
        assert f"Warning: {GUESS}" in errors
        assert [line for line, times in Counter(errors).items() if times > 1] == []
        text = (out / "report.html").read_text("utf-8")
        guesses = [line.removeprefix("Warning: ") for line in errors if line.startswith("Warning: Guessed: ")]
        assert len(guesses) > 2 and all(f"Warning: {guess}" in told(text) for guess in guesses)


def test_the_store_remembers_what_was_guessed(log: Path, tmp_path: Path) -> None:
    run("audit", log, "--out", tmp_path / "out")
    first = (tmp_path / "out" / "report.html").read_bytes()
    _, errors = run("run", "--store", tmp_path / "out")
    assert errors.count(f"Warning: {GUESS}") == 1
    run("report", "--store", tmp_path / "out", "--out", tmp_path / "again")
    assert (tmp_path / "again" / "report.html").read_bytes() == first


def test_what_is_given_is_no_guess_and_the_report_follows(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("audit", log, "--out", out)
    run("audit", log, "--out", out, "--map", "item=id")
    words = told((out / "report.html").read_text("utf-8"))
    assert GUESS not in words and "Guessed: item" not in words
    assert "Guessed: frozen.pass.passed = correct" in words


def test_a_corpus_toml_is_no_guess(tmp_path: Path) -> None:
    _, errors = run("audit", write_corpus(tmp_path / "c", twenty()), "--out", tmp_path / "out")
    assert "Guessed" not in " ".join(errors)
    assert "Guessed" not in (tmp_path / "out" / "report.html").read_text("utf-8")
    with Store.open(tmp_path / "out" / FILE_NAME, read_only=True) as store:
        assert json.loads(store.facts()["corpus"])["guessed"] == []
