"""The guess of a mapping: what it finds, by which names and values, and that it is written as it is meant."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.fields import dotted
from regrade.files.given import apply_given, parse_given
from regrade.files.guess import guess
from regrade.files.head import read_head
from regrade.files.logs import start
from regrade.files.paths import parse_path
from regrade.files.picker import Guess
from regrade.files.toml_text import corpus_toml


def written(folder: Path, records: Sequence[Mapping[str, Any]], name: str = "log.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


def guessed(folder: Path, records: Sequence[Mapping[str, Any]]) -> Guess:
    return guess(read_head([written(folder, records)]))


WORDS = ("ant", "bee", "cat", "dog", "emu", "fox")


def rows(**fields: Any) -> list[dict[str, Any]]:
    """Six records; a field given as a list takes its elements in turn, a callable is called with the number."""
    made = []
    for i in range(6):
        row = {}
        for name, value in fields.items():
            row[name] = value(i) if callable(value) else value[i % len(value)] if isinstance(value, list) else value
        made.append(row)
    return made


def said(i: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": f"Name an animal like {i}."}, {"role": "assistant", "content": WORDS[i]}]


TABLE: list[tuple[str, list[dict[str, Any]], dict[str, Any]]] = [
    (
        "plain names",
        rows(id=lambda i: i, model="m", prompt=lambda i: f"q{i}", response="r", gold="g", passed=[True, False]),
        {
            "columns": {"configuration": "model", "item": "id", "reply": "response"},
            "frozen": {"pass": {"passed": "passed"}},
            "bank": {"columns": {"gold": "gold", "prompt": "prompt"}},
        },
    ),
    (
        "trials of an item, messages, a code and an answer beside the grade",
        rows(
            taskId=[1, 2, 3],
            epoch=lambda i: i // 3,
            agent={"name": "a1"},
            messages=said,
            grade=lambda i: {"correct": i % 2, "error_type": ["slip", "none"][i % 2], "extracted": WORDS[i]},
            final_state={"open": 1},
        ),
        {
            "columns": {
                "configuration": "agent.name",
                "item": "taskId",
                "trial": "epoch",
                "turns": "messages",
                "state": "final_state",
            },
            "frozen": {"pass": {"passed": "grade.correct", "code": "grade.error_type", "answer": "grade.extracted"}},
        },
    ),
    (
        "no ids: the line, and the file for the configuration",
        rows(question=lambda i: f"q{i}", answer=lambda i: f"a{i}", target="t", score=[1.0, 0.0]),
        {
            "columns": {"configuration": "$filename", "item": "$line", "reply": "answer"},
            "frozen": {"pass": {"passed": "score"}},
            "bank": {"columns": {"gold": "target", "prompt": "question"}},
        },
    ),
    (
        "the answer is the gold where there is another reply",
        rows(idx=lambda i: i, question=lambda i: f"q{i}", answer="(a)", completion="so (b)", is_correct=0),
        {
            "columns": {"configuration": "$filename", "item": "idx", "reply": "completion"},
            "frozen": {"pass": {"passed": "is_correct"}},
            "bank": {"columns": {"gold": "answer", "prompt": "question"}},
        },
    ),
    (
        "the answer is the gold where it could be either and there is a prediction",
        rows(idx=lambda i: i, question=lambda i: f"q{i}", answer="B", pred="C"),
        {
            "columns": {"configuration": "$filename", "item": "idx", "reply": "pred"},
            "bank": {"columns": {"gold": "answer", "prompt": "question"}},
        },
    ),
    (
        "letters and words, in the log's own capitals",
        rows(id=lambda i: i, output="x", verdict=["C", "I"]),
        {
            "columns": {"configuration": "$filename", "item": "id", "reply": "output"},
            "frozen": {"pass": {"value": "verdict", "passed_values": ["C"], "failed_values": ["I", "P", "N"]}},
        },
    ),
    (
        "one word seen, the other expected",
        rows(id=lambda i: i, output="x", status="PASS"),
        {
            "columns": {"configuration": "$filename", "item": "id", "reply": "output"},
            "frozen": {"pass": {"value": "status", "passed_values": ["PASS"], "failed_values": ["FAIL"]}},
        },
    ),
    (
        "a share counts where nothing says yes or no",
        rows(id=lambda i: i, output="x", score=[0.25, 1.0]),
        {
            "columns": {"configuration": "$filename", "item": "id", "reply": "output"},
            "frozen": {"pass": {"value": "score", "passes": ">= 1"}},
        },
    ),
    (
        "several grades of one kind are an axis each, the verdict first",
        rows(id=lambda i: i, output="x", scores={"strict": 0, "loose": 1, "latency": 1}, passed=True, score=0.5),
        {
            "columns": {"configuration": "$filename", "item": "id", "reply": "output"},
            "frozen": {
                "pass": {"passed": "passed"},
                "strict": {"passed": "scores.strict"},
                "loose": {"passed": "scores.loose"},
            },
        },
    ),
    (
        "siblings of one shape are trials of one item",
        rows(
            question=lambda i: f"q{i}",
            **{k: {"ok": True, "solution": "s" * 9} for k in ("6b.tuned", "175b")},
        ),
        {
            "columns": {"item": "$line"},
            "each": [
                {
                    "configuration": "6b.tuned",
                    "reply": '"6b.tuned".solution',
                    "frozen": {"pass": {"passed": '"6b.tuned".ok'}},
                },
                {"configuration": "175b", "reply": "175b.solution", "frozen": {"pass": {"passed": "175b.ok"}}},
            ],
            "bank": {"columns": {"prompt": "question"}},
        },
    ),
    (
        "items that repeat without a count",
        rows(task_id=[1, 2], response="r", seed=lambda i: i),
        {"columns": {"configuration": "$filename", "item": "task_id", "trial": "seed", "reply": "response"}},
    ),
    (
        "items that repeat without anything to count by",
        rows(task_id=[1, 2], response="r"),
        {"columns": {"configuration": "$filename", "item": "task_id", "trial": "$line", "reply": "response"}},
    ),
    (
        "a gold that is not the item's is none",
        rows(task_id=[1, 2], trial=lambda i: i, response="r", target=lambda i: i),
        {"columns": {"configuration": "$filename", "item": "task_id", "trial": "trial", "reply": "response"}},
    ),
    (
        "a list of one text is that text",
        rows(id=lambda i: i, code=lambda i: ["print(1)" * 9]),
        {"columns": {"configuration": "$filename", "item": "id", "reply": "code"}},
    ),
    (
        "a nameless long text is the reply where it is the only one",
        rows(id=lambda i: i, blurb=lambda i: f"{i} " * 40),
        {"columns": {"configuration": "$filename", "item": "id", "reply": "blurb"}},
    ),
]


@pytest.mark.parametrize(("records", "expected"), [t[1:] for t in TABLE], ids=[t[0] for t in TABLE])
def test_what_is_guessed(tmp_path: Path, records: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    found = guessed(tmp_path, records)
    data = {key: value for key, value in found.data.items() if key != "bank" or "bank" in expected}
    if data.get("bank", {}).get("columns", {}).get("prompt", "").startswith("messages."):
        del data["bank"]
    assert data == expected
    assert start([tmp_path / "log.jsonl"], tmp_path, "log", "here", {}).corpus.parts


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("cached", [True, False]),
        ("latency", [0, 1]),
        ("score", [3, 7]),
        ("status", ["done", "pass"]),
        ("correct", ["A", "B"]),
        ("label", [0, 1]),
        ("grade", [None, None]),
        ("passed", [[1, 0], [0, 0]]),
    ],
)
def test_what_is_no_grade(tmp_path: Path, field: str, values: list[Any]) -> None:
    found = guessed(tmp_path, rows(id=lambda i: i, output="x", **{field: values}))
    assert "frozen" not in found.data
    assert "frozen.pass.passed" in found.missing


def test_what_may_be_a_grade_too_is_said(tmp_path: Path) -> None:
    found = guessed(tmp_path, rows(id=lambda i: i, output="x", passed=True, score=[2, 9]))
    assert found.data["frozen"] == {"pass": {"passed": "passed"}}
    assert any("score may be a grade too (numbers from 2 to 9)" in note for note in found.notes)


def test_a_true_that_may_be_the_bad_end_is_said(tmp_path: Path) -> None:
    found = guessed(tmp_path, rows(id=lambda i: i, output="x", utility=True, security=[True, False]))
    assert list(found.data["frozen"]) == ["utility", "security"]
    assert "failed_values = [true]" in found.why["frozen.security.passed"]
    assert "failed_values" not in found.why["frozen.utility.passed"]


def test_every_guess_has_its_reason(tmp_path: Path) -> None:
    found = guessed(tmp_path, TABLE[1][1])
    for table in ("columns", "frozen.pass"):
        keys = found.data["columns"] if table == "columns" else found.data["frozen"]["pass"]
        assert all(found.why[f"{table}.{key}"] for key in keys)
    assert found.why["columns.item"] == "3 values, such as 1"
    assert found.why["frozen.pass.passed"] == "0: 3, 1: 3"


def test_what_differs_within_an_item_is_none_of_its_fields(tmp_path: Path) -> None:
    found = guessed(tmp_path, rows(task_id=[1, 2], trial=lambda i: i, response="r", target=lambda i: i, prompt="p"))
    assert found.data["bank"] == {"columns": {"prompt": "prompt"}}
    assert "target is not the same in all records of item '1': no gold" in found.notes


def test_messages_without_an_assistant_are_no_turns(tmp_path: Path) -> None:
    asked = [{"role": "user", "content": "Name an animal."}]
    found = guessed(tmp_path, rows(id=lambda i: i, messages=lambda i: asked, output="ant"))
    assert found.data["columns"]["reply"] == "output" and "turns" not in found.data["columns"]


def test_files_of_one_record_each_are_items_of_one_configuration(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        written(tmp_path, [{"task": "one", "messages": said(1), "ok": True}], f"runs/{name}.jsonl")
    found = guess(read_head([tmp_path / "runs"]))
    assert found.data["columns"] == {"item": "$filename", "turns": "messages"}
    assert found.data["each"] == [{"configuration": "runs"}]


def test_items_that_repeat_from_file_to_file_are_runs(tmp_path: Path) -> None:
    for name in ("a", "b"):
        written(tmp_path, rows(id=lambda i: i, model="m", response=f"{name}!", prompt=name), f"logs/{name}.jsonl")
    found = guess(read_head([tmp_path / "logs"]))
    assert found.data["columns"] == {"configuration": "model", "item": "id", "run": "$filename", "reply": "response"}
    assert any("if they are not the same, make a corpus of each" in note for note in found.notes)
    assert any("prompt is not the same in all records of item '0'" in note for note in found.notes)


def test_objects_in_a_list_are_no_trial_of_the_record(tmp_path: Path) -> None:
    log = written(tmp_path, [{"model": "m", "results": [{"id": i, "output": "x", "passed": True} for i in range(3)]}])
    with pytest.raises(CorpusError) as caught:
        start([log], tmp_path, "log", "here", {})
    assert "the 3 objects in .results; lay them out one a line: jq -c '.results[]'" in str(caught.value)
    assert "found model, results" in str(caught.value)


def test_the_head_alone_is_read(tmp_path: Path) -> None:
    log = written(tmp_path, [{"id": i, "response": "r", "passed": True} for i in range(400)])
    with log.open("a") as file:
        file.write('{"id": "late", "response": "r", "passed": "maybe"}\n')
    head = read_head([log])
    assert (len(head.records), head.whole) == (300, False)
    assert guess(head).data["frozen"] == {"pass": {"passed": "passed"}}


def test_records_that_are_none_are_counted_and_the_others_guessed_from(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b'{"id": 1, "response": "r"}\n[1]\nnonsense\n"\xff"\n{"id": 2, "response": "r"}\n')
    head = read_head([log])
    assert [(line, reason) for _, line, reason, _ in head.unread] == [
        (2, "not_object"),
        (3, "not_json"),
        (4, "not_utf8"),
    ]
    assert guess(head).data["columns"]["reply"] == "response"


# Files and formats.


def test_a_folder_is_of_its_commonest_format(tmp_path: Path) -> None:
    for name in ("a.jsonl", "deep/b.jsonl"):
        written(tmp_path / "logs", rows(id=lambda i: i, response=name), name)
    (tmp_path / "logs" / "notes.txt").write_text("nothing here")
    (tmp_path / "logs" / ".hidden").write_text('{"id": 1}')
    head = read_head([tmp_path / "logs"])
    assert [p.name for p in head.files] == ["a.jsonl", "b.jsonl"] and [p.name for p in head.others] == ["notes.txt"]
    assert start([tmp_path / "logs"], tmp_path, "x", "here", {}).corpus.files == ("logs/**/*.jsonl",)


def test_a_folder_whose_glob_would_catch_more_is_listed(tmp_path: Path) -> None:
    written(tmp_path / "logs", rows(id=lambda i: i, response="r"), "a.json")
    written(tmp_path / "logs", rows(id=lambda i: i, response="s"), "b.json")
    (tmp_path / "logs" / "c.json").write_text("no log")
    assert start([tmp_path / "logs"], tmp_path, "x", "here", {}).corpus.files == ("logs/a.json", "logs/b.json")


def test_named_files_of_two_formats_are_refused(tmp_path: Path) -> None:
    one = written(tmp_path, rows(id=lambda i: i, response="r"))
    two = tmp_path / "two.json"
    two.write_text('[{"id": 1, "response": "r"}]')
    with pytest.raises(CorpusError, match=r"two.json: read as json, and .*log.jsonl as jsonl"):
        read_head([one, two])


def emptied(path: Path) -> Path:
    path.write_bytes(b"")
    return path


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: p / "absent", "no such file"),
        (lambda p: (p / "empty").mkdir() or p / "empty", "the folder holds no file"),
        (lambda p: emptied(p / "x"), "empty file"),
        (lambda p: written(p, ["text"]), "no known format"),
    ],
)
def test_what_is_no_log(tmp_path: Path, make: Any, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read_head([make(tmp_path)])


# Given columns.


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("itm=x", r"unknown column 'itm'. Did you mean 'item'"),
        ("bank.gol=x", r"Did you mean 'bank.gold'"),
        ("frozen.strict.pased=x", r"Did you mean 'frozen.strict.passed'"),
        ("frozen.passed=x", r"unknown column 'frozen.passed'"),
        ("corpus.formt=x", r"Did you mean 'corpus.format'"),
        ("item", r"expected COLUMN=PATH"),
    ],
)
def test_a_column_that_is_not_known_suggests_the_near_one(option: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        parse_given([option])


def test_what_is_given_stands_in_the_place_of_the_guess(tmp_path: Path) -> None:
    found = guessed(tmp_path, rows(id=lambda i: i, model="m", gold="g", response="r", passed=True, f1=[0, 1]))
    options = ["columns.item=$line", "turns=log", "frozen.ok.value=f1", "frozen.ok.passed_values=1,yes", "bank.gold="]
    apply_given(found, parse_given(options))
    assert found.data == {
        "columns": {"configuration": "model", "item": "$line", "turns": "log"},
        "frozen": {"ok": {"value": "f1", "passed_values": [1, "yes"]}},
    }
    assert found.why["columns.item"] == "given" and "frozen.pass.passed" not in found.missing


def test_a_grade_that_is_given_stands_for_every_part_of_a_wide_log(tmp_path: Path) -> None:
    parts = {key: {"ok": True, "solution": "s", "f1": 1} for key in ("a", "b")}
    found = guessed(tmp_path, rows(question="q", **parts))
    apply_given(found, parse_given(["frozen.pass.passed=graded"]))
    assert [part.get("frozen") for part in found.data["each"]] == [None, None]
    assert found.data["frozen"] == {"pass": {"passed": "graded"}}


def test_a_code_that_is_given_joins_the_guessed_grade(tmp_path: Path) -> None:
    found = guessed(tmp_path, rows(id=lambda i: i, response="r", passed=True))
    apply_given(found, parse_given(["frozen.pass.code=why"]))
    assert found.data["frozen"] == {"pass": {"passed": "passed", "code": "why"}}


# The text of the corpus.toml.

PATHS = st.lists(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=5), min_size=1, max_size=3
)  # fmt: skip


@given(PATHS)
def test_a_path_that_is_written_is_read_again(keys: list[str]) -> None:
    path = dotted(keys)
    assert list(parse_path(path)) == keys
    assert not path.startswith("$")


TEXT = st.text(st.characters(codec="utf-8"), max_size=12)


@given(
    st.dictionaries(st.sampled_from(["name", "format", "benchmark"]), TEXT),
    st.dictionaries(st.sampled_from(["item", "run", "turns"]), TEXT),
    st.dictionaries(st.sampled_from(["pass", "strict"]), st.dictionaries(st.sampled_from(["passed", "code"]), TEXT)),
    st.lists(st.fixed_dictionaries({"configuration": TEXT, "reply": TEXT}), max_size=2),
    st.lists(TEXT | st.integers(-5, 5) | st.booleans() | st.floats(0, 1)),
    TEXT,
)
def test_a_corpus_toml_says_what_it_was_made_of(corpus, columns, frozen, each, listed, comment) -> None:  # type: ignore[no-untyped-def]
    data = {"corpus": {**corpus, "files": listed}, "columns": columns, "frozen": frozen, "each": each}
    reasons = {"columns.item": comment, "corpus.name": comment, "each.0.reply": comment}
    made = Guess(
        data, reasons, {"columns.trial": comment, "frozen.pass.passed": comment}, {"columns.run": "x"}, [comment]
    )
    read = tomllib.loads(corpus_toml(data, made, [comment]))
    for key in ("columns", "frozen", "each"):
        expected = data[key]
        if key == "frozen":
            expected = {axis: keys for axis, keys in frozen.items() if keys}
        assert (read.get(key) or type(expected)()) == expected
    assert read["corpus"] == data["corpus"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "messages", "role", "content", "score", "answer", "a.b", ""]), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.dictionaries(st.sampled_from(["id", "output", "trial", "score", "messages", "x y"]), JSON), min_size=1)
)
def test_whatever_a_log_holds_there_is_a_mapping_or_an_error(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    log = written(tmp_path, records)
    try:
        made = start([log], tmp_path, "log", "here", {})
    except CorpusError:
        return
    assert tomllib.loads(corpus_toml(made.guess.data, made.guess, [])) == made.guess.data


# Real logs.

REAL = [
    ("gsm8k/example_model_solutions.jsonl", {"item": "$line"}, {}, {"prompt": "question", "gold": "ground_truth"}),
    (
        "pal/aqua_pal_outputs.jsonl",
        {"configuration": "$filename", "item": "$line", "reply": "generated_answer"},
        {"pass": {"passed": "is_correct"}},
        {"prompt": "question", "gold": "answer"},
    ),
    (
        "tora/tora-70b_gsm8k_e1319.jsonl",
        {"configuration": "$filename", "item": "idx", "reply": "code"},
        {},
        {"prompt": "question", "gold": "gt"},
    ),
    (
        "unlicensed/mathnet/gemini-3-pro_graded.jsonl",
        {"configuration": "model", "item": "id", "reply": "response_text"},
        {"pass": {"passed": "grade.correct", "answer": "grade.predicted"}},
        {"prompt": "prompt", "gold": "gold_final_answer"},
    ),
    (
        "mmlu_pro/Llama-2-7b-hf_math.json",
        {"configuration": "$filename", "item": "question_id", "reply": "generated_text"},
        {},
        {"prompt": "question", "gold": "answer", "family": "category"},
    ),
    (
        "evalscope/qwen-plus/predictions/ifeval_default.jsonl",
        {"configuration": "model", "item": "index", "turns": "messages", "extra": "metadata"},
        {},
        {"prompt": "metadata.prompt"},
    ),
    (
        "evalscope/qwen-plus/reviews/gsm8k_main.jsonl",
        {"configuration": "$filename", "item": "sample_score.sample_id", "turns": "messages"},
        {
            "pass": {
                "passed": "sample_score.score.value.acc",
                "answer": "sample_score.score.extracted_prediction",
            }
        },
        {"prompt": "messages.0.content", "gold": "target"},
    ),
    (
        "agentdojo_drift/banking",
        {
            "configuration": "pipeline_name",
            "item": "user_task_id",
            "trial": "injection_task_id",
            "turns": "conversations",
        },
        {"utility": {"passed": "utility"}, "security": {"passed": "security"}},
        {"prompt": "conversations.0.content", "family": "suite_name"},
    ),
    (
        "agentdojo_drift/none",
        {"configuration": "pipeline_name", "item": "$filename", "turns": "conversations"},
        {"utility": {"passed": "utility"}, "security": {"passed": "security"}},
        {"prompt": "conversations.0.content", "family": "suite_name"},
    ),
    (
        "bfcl/gemma4-e4b_BFCL_v4_live_simple_result.json",
        {"configuration": "$filename", "item": "id", "reply": "result"},
        {},
        {},
    ),
    (
        "openhands/multi_swe_bench_output.jsonl",
        {
            "configuration": "metadata.llm_config.model",
            "item": "instance_id",
            "reply": "test_result.git_patch",
            "extra": "metadata",
        },
        {},
        {"prompt": "instruction", "family": "metadata.dataset"},
    ),
    (
        "lighteval/details_squad_v2_0_2026-08-10T17-22-11.385681.parquet",
        {"configuration": "$filename", "item": "doc.id", "reply": "model_response.text"},
        {"pass": {"passed": "metric.em"}},
        {"prompt": "doc.query", "gold": "doc.gold_index", "family": "doc.task_name"},
    ),
    (
        "swe_agent",
        {"item": "$filename", "turns": "history"},
        {},
        {"prompt": "history.1.content"},
    ),
]


@pytest.mark.parametrize(("log", "columns", "frozen", "bank"), REAL, ids=[case[0] for case in REAL])
def test_real_logs(shared: Path, log: str, columns: Any, frozen: Any, bank: Any) -> None:
    found = guess(read_head([shared / "data" / log])).data
    assert (found["columns"], found.get("frozen", {}), found.get("bank", {}).get("columns", {})) == (
        columns, frozen, bank,
    )  # fmt: skip


def test_a_real_wide_log(shared: Path) -> None:
    found = guess(read_head([shared / "data" / "gsm8k" / "example_model_solutions.jsonl"])).data
    assert [part["configuration"] for part in found["each"]] == [
        "6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification",
    ]  # fmt: skip
    assert found["each"][3] == {
        "configuration": "175b_verification",
        "reply": "175b_verification.solution",
        "frozen": {"pass": {"passed": "175b_verification.is_correct"}},
    }
