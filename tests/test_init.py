"""`regrade init`: from a log to a corpus.toml that an audit takes, and the folders of a new repository."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from regrade.errors import RegradeError
from regrade.files.corpus_toml import read_corpus
from regrade.starting import init_log
from tests.commands import run


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield


def log(path: str = "logs/run 1.jsonl", n: int = 8, **more: Any) -> Path:
    """A log of plain objects: every other one passed."""
    rows = [
        {"id": i, "model": "m1", "question": f"What is {i}+{i}?", "answer": f"It is {i + i}.", "target": i + i,
         "passed": i % 2 == 0, **more}
        for i in range(n)
    ]  # fmt: skip
    made = Path(path)
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return made


def test_a_log_becomes_a_corpus_that_an_audit_takes() -> None:
    shown = run("init", log()).stdout
    file = Path("transcripts/run_1/corpus.toml")
    assert tomllib.loads(file.read_text()) == {
        "corpus": {"name": "run_1", "format": "jsonl", "files": ["../../logs/run 1.jsonl"]},
        "columns": {"configuration": "model", "item": "id", "reply": "answer"},
        "frozen": {"pass": {"passed": "passed"}},
        "bank": {"columns": {"gold": "target", "prompt": "question"}},
    }
    assert 'item = "id"                        # 8 values, such as 0' in file.read_text()
    assert '# trial = "..."' in file.read_text() and '# benchmark = "..."' in file.read_text()
    assert "All 8 records read: 8 trials, 0 rejects." in shown
    assert "m1/0/0" in shown and "frozen pass: passed" in shown and "frozen pass: failed" in shown
    assert "prompt: What is 0+0?" in shown and "reply:  It is 0." in shown and "gold:   0" in shown
    assert "Not found: trial, state" in shown
    assert "Next: regrade audit transcripts/run_1" in shown
    assert "8 records = 8 loaded" in run("audit", "transcripts/run_1").stdout


def test_machine_form() -> None:
    done = json.loads(run("init", log(), "--out", "here", "--json").stdout)
    assert done["corpus"] == "here/corpus.toml" and done["guessed"] and done["next"] == "here"
    assert done["mapping"]["columns"]["item"] == "id" and done["why"]["columns.item"] == "8 values, such as 0"
    assert done["read"] == {"records": 8, "whole": True, "rejected": {}, "examples": {}}
    assert [trial["frozen"]["pass"]["status"] for trial in done["trials"]] == ["passed", "failed", "passed"]


def test_a_trial_is_shown_by_the_line_on_which_it_stands() -> None:
    Path("blank.jsonl").write_text('\n\n{"question": "q", "response": "r"}\n\n{"question": "p", "response": "s"}\n')
    Path("list.json").write_text('[\n\n{"question": "q",\n"response": "r"},\n{"question": "p", "response": "s"}]\n')
    for name, trials in (("blank", ["blank/3/0", "blank/5/0"]), ("list", ["list/3/0", "list/5/0"])):
        file = next(Path().glob(f"{name}.*"))
        assert [t["trial_id"] for t in json.loads(run("init", file, "--json").stdout)["trials"]] == trials


def test_a_configuration_that_is_named_after_its_file_is_warned_of() -> None:
    Path("a.jsonl").write_text('{"question": "q", "response": "r"}\n{"question": "p", "response": "s"}\n')
    assert "Note: each configuration is named after its file" in " ".join(run("init", "a.jsonl").stdout.split())
    assert "named after its file" not in run("init", log()).stdout


def test_what_exists_is_not_written_over() -> None:
    made = log()
    run("init", made)
    Path("transcripts/run_1/corpus.toml").write_text("mine")
    error = run("init", made, code=2).stderr
    assert "transcripts/run_1/corpus.toml exists" in error and "--out" in error
    assert Path("transcripts/run_1/corpus.toml").read_text() == "mine"


@pytest.mark.parametrize("name", ["a[1].jsonl", "a*b?.jsonl", "[!a].jsonl", "-x.jsonl", "ä ö.jsonl"])
def test_a_name_with_glob_characters_means_that_file(name: str) -> None:
    made = log(f"odd/{name}")
    log("odd/a1.jsonl", n=3)
    run("init", "--out", "c", "--", made)
    corpus = read_corpus(Path("c"))
    assert corpus.files == (f"../odd/{name}",)
    assert "8 records = 8 loaded" in run("load", "c", "--out", "out").stdout


def test_a_folder_with_glob_characters_and_a_link_on_the_way() -> None:
    log("real/[x]/a.jsonl")
    Path("link").symlink_to("real")
    run("init", "link/[x]", "--out", "deep/c")
    assert "8 records = 8 loaded" in run("load", "deep/c", "--out", "out").stdout


def test_a_column_that_is_given_wins() -> None:
    made = log(more=[{"role": "user", "content": "?"}])
    run("init", made, "--map", "item=question", "--map", "frozen.ok.value=target", "--map", "frozen.ok.passes=> 6")
    data = tomllib.loads(Path("transcripts/run_1/corpus.toml").read_text())
    assert data["columns"]["item"] == "question" and data["frozen"] == {"ok": {"value": "target", "passes": "> 6"}}
    assert "Did you mean 'item'" in run("init", made, "--map", "itm=x", "--out", "y", code=2).stderr


def test_rejects_among_the_first_records_are_counted_with_an_example() -> None:
    made = log()
    with made.open("a") as file:
        file.write('not json\n{"id": 1, "model": "m1", "answer": "again"}\n{"id": 99, "model": "m1"}\n[]\n')
    shown = run("init", made).stdout
    assert "All 12 records read: 8 trials, 4 rejects." in shown
    assert "1 not_json: no JSON. The first: run 1.jsonl:9: not json" in shown
    assert "1 duplicate_trial" in shown and "1 missing_key" in shown and "1 not_object" in shown
    assert json.loads(run("init", made, "--out", "z", "--json").stdout)["read"]["rejected"] == {
        "duplicate_trial": 1, "missing_key": 1, "not_json": 1, "not_object": 1,
    }  # fmt: skip


def test_a_format_with_fields_of_its_own_is_written_as_comments() -> None:
    trial = {"task_id": 3, "reward": 1.0, "info": {"reward_info": {"reward": 1.0}}, "trial": 0}
    trial["traj"] = [{"role": "assistant", "content": "done"}]
    Path("tau.json").write_text(json.dumps([trial], indent=1))
    shown = run("init", "tau.json").stdout
    text = Path("transcripts/tau/corpus.toml").read_text()
    assert set(tomllib.loads(text)) == {"corpus"}
    assert '# item = "task_id"' in text and '# value = "info.reward_info.reward"' in text
    assert "As tau-bench has it" in shown and "tau/3/0" in shown and "frozen pass: passed" in shown


def test_transcript_text_cannot_steer_the_terminal_or_end_a_comment() -> None:
    made = log("odd.jsonl", family="x\x1b[31m\nquant = 1\u202e")
    shown = run("init", made).stdout
    assert "\x1b" not in shown and "\u202e" not in shown
    data = tomllib.loads(Path("transcripts/odd/corpus.toml").read_text())
    assert data["bank"]["columns"]["family"] == "family" and "quant" not in data["bank"]["columns"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "an empty file"),
        (b"\x00\x01\x02", "no known format"),
        (b'{"a": 1}\n{"a": 2}\n', "no field looks like a reply or like chat messages; found a."),
        (b'{"id": 1, "response": ["a"], "k": 1}\n' * 2, ""),
        (b'[{"id": 1, "response": "a"}, {"id"', "expected the rest of a record"),
        (b"\x1f\x8b\x08\x00broken", "gzip data is cut off or damaged"),
    ],
)
def test_what_cannot_be_mapped_is_one_clear_line_and_nothing_is_made(content: bytes, message: str) -> None:
    Path("log.jsonl").write_bytes(content)
    if not message:
        run("init", "log.jsonl")
        return
    error = run("init", "log.jsonl", code=2).stderr
    assert message in error and error.count("\n") == 1
    assert not Path("transcripts").exists()


def test_without_a_log_the_folders_are_made_and_what_exists_is_left() -> None:
    Path("rules").mkdir()
    Path("rules/README.md").write_text("mine")
    shown = run("init").stdout
    assert "transcripts/README.md" in shown and "rules/README.md" not in shown
    assert Path("rules/README.md").read_text() == "mine"
    assert all(Path(name, "README.md").read_text() for name in ("rules", "transcripts", "reports"))
    assert "Nothing to make" in run("init").stdout
    assert json.loads(run("init", "--json").stdout) == {"made": []}
    assert "go with a LOG" in run("init", "--out", "x", code=2).stderr


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_real_file_brings_a_traceback(shared: Path, tmp_path: Path) -> None:
    files = sorted(p for p in (shared / "data").rglob("*") if p.is_file())
    assert len(files) > 400
    mapped = 0
    for number, file in enumerate(files):
        try:
            done = init_log([file], tmp_path / str(number))
        except RegradeError as error:
            assert str(error).strip() and not (tmp_path / str(number)).exists()
            continue
        mapped += 1
        assert done["trials"] and tomllib.loads((tmp_path / str(number) / "corpus.toml").read_text())
        read_corpus(tmp_path / str(number))
    assert mapped > 95
