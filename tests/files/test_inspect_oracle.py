"""Real Inspect logs: what is known of them, and inspect_ai's own reading of them, field by field."""

from __future__ import annotations

import json
import math
import shutil
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from regrade.files.loaders import MAX_LINE, detect, inspect
from tests.files.inspect_logs import loaded

COUNTS = {
    "2024-11-05T13-32-37-05-00_input-task_hxs4q9azL3ySGkjJirypKZ.eval": {"C": 1},
    "2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval": {None: 10},
    "2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval": {"C": 8, "I": 2},
    "2025-05-12T20-27-36-04-00_browser.json": {"C": 1},
    "2025-05-12T20-28-13-04-00_no-samples.json": {},
    "2025-05-12T20-28-13-04-00_popularity.json": {"C": 2, "I": 1},
    "2025-05-12T20-28-26-04-00_security-guide.json": {"C": 3},
    "2025-09-23T08-09-58-04-00_popularity_DN2wbX2ZvACsBpjwptzBRo.eval": {"C": 63, "I": 37},
    "2025-09-23T08-09-58-04-00_security-guide_LuxZJVwvymC3S3SyoJczxB.eval": {"C": 11, "I": 5},
    "2025-09-23T08-09-58-04-00_theory-of-mind_bbB4eRCx2rFJLyPH42Cj9r.eval": {"C": 83, "I": 17},
    "2025-11-07T10-59-47-05-00_websearch-addition-problem_LqPDntDnkk4h2fSqQ8i6CE.eval": {"C": 1},
    "docent_ctf.json": {"C": 1, "I": 1},
    "docent_log.eval": {"C": 9, "I": 6},
    "eee_data_arc_qwen.json": {"C": 1, "I": 2},
    "eee_data_arc_sonnet.json": {"C": 5},
    "eee_data_cvebench_empty_choices.json": {None: 1},
    "eee_data_cyse2_vuln_exploit_challenges.json": {0.65: 1},
    "eee_data_intercode_ctf_local_path.json": {"I": 1},
    "eee_data_pubmedqa_gpt4o_mini.json": {"C": 2},
    "eee_data_with_llm_scoring.json": {},
    "hibayes_minimal_test.eval": {"I": 2},
    "log_formats.eval": {"I": 1},
    "log_formats.json": {"I": 1},
    "log_images_tc.json": {"I": 1},
    "log_message_deduplication.eval": {0.0: 1},
    "log_read_sample.eval": {"C": 1},
    "log_read_sample.json": {"C": 1},
    "log_streaming.eval": {"C": 3, "I": 1},
    "log_tool_call_error.json": {None: 1},
    "mmlu-no-summary-choices.eval": {"I": 1},
    "mmlu-summary-choices.eval": {"I": 1},
    "retry-2-then-success_legacy.eval": {None: 1},
    "retry-2-then-success_postfix.eval": {None: 1},
}
"""How many samples of each log have each value, None where there is no grade."""

OUTPUT_ALONE = {"eee_data_intercode_ctf_local_path.json"}
"""Logs thinned out by others, in which a sample's output is none of its messages."""

ERRORS_ALONE = {"docent_log.eval": 6}
"""Logs with tools' messages that have an error and no text: how many."""


@pytest.fixture(scope="module")
def logs(shared: Path) -> Path:
    return shared / "data" / "inspect"


def test_every_log_is_known_and_has_the_values_that_are_known_of_it(logs: Path) -> None:
    assert sorted(path.name for path in logs.iterdir()) == sorted(COUNTS)
    for name, counts in COUNTS.items():
        assert detect(logs / name) is inspect.LOADER
        rows = [row for batch in inspect.records(logs / name, MAX_LINE) for row in batch.to_pylist()]
        assert all(row["reason"] is None for row in rows)
        made = [json.loads(row["text"]) for row in rows]
        values = Counter(next((grade["value"] for grade in each["grades"].values()), None) for each in made)
        assert values == counts, name
        told = {key for each in made for key in each["extra"] or {}}
        assert ("reply_from" in told) == (name in OUTPUT_ALONE) and "completion" not in told


def test_the_same_log_in_both_encodings_gives_the_same_records(logs: Path) -> None:
    one, other = (
        [row["text"] for batch in inspect.records(logs / f"log_formats.{kind}", MAX_LINE) for row in batch.to_pylist()]
        for kind in ("eval", "json")
    )
    assert [json.loads(text) for text in one] == [json.loads(text) for text in other]


@pytest.fixture(scope="module")
def oracle() -> ModuleType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("inspect_ai.log", reason="inspect-ai is not installed: pip install -e '.[dev]'")


def text_of(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.text for part in content if part.type == "text")


def shown(message: Any) -> str:
    # inspect_ai keeps a tool's error apart; with us it is the text where there is no other, as the model saw it.
    return message.error.message if is_error_alone(message) else text_of(message.content)


def is_error_alone(message: Any) -> bool:
    return message.role == "tool" and message.error is not None and not text_of(message.content)


def messages_of(sample: Any, name: str) -> list[Any]:
    # inspect_ai keeps the output apart; with us it is the last turn where it is no message.
    alone = name in OUTPUT_ALONE
    return [*sample.messages, *([sample.output.choices[0].message] if alone else [])]


def trials_of(log: Any, name: str, value_to_float: Any) -> Iterator[dict[str, Any]]:
    for sample in log.samples or []:
        messages = messages_of(sample, name)
        said = [text_of(message.content) for message in messages if message.role == "assistant"]
        yield {
            "key": (log.eval.model, str(sample.id), str(sample.epoch)),
            "gold": sample.target,
            "reply": said[-1] if said else "",
            "turns": [(message.role, shown(message)) for message in messages],
            "calls": [
                (turn, call.function, call.arguments)
                for turn, message in enumerate(messages)
                for call in getattr(message, "tool_calls", None) or []
            ],
            "limit": sample.limit and {"type": sample.limit.type, "limit": sample.limit.limit},
            "error": sample.error and sample.error.message,
            "grades": {
                scorer: (
                    None if score.value != score.value else math.floor(value_to_float(score.value)) >= 1,
                    score.answer,
                )
                for scorer, score in (sample.scores or {}).items()
            },
        }


def stored(con: Any) -> Iterator[dict[str, Any]]:
    passed = {"passed": True, "failed": False, "ungraded": None}
    rows = con.execute(
        "select trial_id, configuration, item, trial, gold, reply, trials.extra from trials join items using (item)"
    ).fetchall()
    for trial_id, configuration, item, trial, gold, reply, extra in rows:
        told = (json.loads(extra) if extra else None) or {}
        turns = con.execute("select role, text from turns where trial_id = ? order by turn", [trial_id]).fetchall()
        calls = con.execute(
            "select turn, name, arguments from calls where trial_id = ? order by turn, call", [trial_id]
        ).fetchall()
        grades = con.execute("select axis, status, answer from frozen_grades where trial_id = ?", [trial_id]).fetchall()
        limit = told.get("limit")
        yield {
            "key": (configuration, item, trial),
            "gold": json.loads(gold),
            "reply": reply,
            "turns": turns,
            "calls": [(turn, name, json.loads(arguments)) for turn, name, arguments in calls],
            "limit": limit and {"type": limit["type"], "limit": limit["limit"]},
            "error": told.get("error"),
            "grades": {axis: (passed[status], answer) for axis, status, answer in grades},
        }


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTS)
def test_inspect_ai_reads_the_same(oracle: ModuleType, logs: Path, tmp_path: Path, name: str) -> None:
    from inspect_ai.scorer import value_to_float

    log = oracle.read_eval_log(str(logs / name), resolve_attachments="full")
    expected = list(trials_of(log, name, value_to_float()))
    alone = sum(is_error_alone(message) for sample in log.samples or [] for message in sample.messages)
    assert alone == ERRORS_ALONE.get(name, 0)
    if not expected:
        assert [batch for batch in inspect.records(logs / name, MAX_LINE)] == []
        return
    with loaded(tmp_path, (logs / name).read_bytes()) as con:
        assert con.execute("select records, loaded, rejected from files").fetchall() == [
            (len(expected), len(expected), 0)
        ]
        found = {each["key"]: each for each in stored(con)}
    for each in expected:
        # We keep the first characters of what a grader says it read.
        each["grades"] = {axis: (ok, answer and answer[:200]) for axis, (ok, answer) in each["grades"].items()}
        assert found[each["key"]] == each
    assert len(found) == len(expected)


@pytest.mark.slow
def test_a_log_that_inspect_ai_itself_writes_anew_gives_the_same_records(
    oracle: ModuleType, logs: Path, tmp_path: Path
) -> None:
    convert = pytest.importorskip("inspect_ai.log._recorders.chunked", reason="this inspect-ai writes no chunks")
    for name in ("docent_log.eval", "log_message_deduplication.eval", "log_streaming.eval"):
        before = records(logs / name)
        shutil.copy(logs / name, tmp_path / name)
        oracle.write_eval_log(oracle.read_eval_log(str(tmp_path / name)), str(tmp_path / f"zstd_{name}"))
        convert.convert_eval_logs_to_chunked(str(tmp_path / name), str(tmp_path / "chunked"))
        assert records(tmp_path / f"zstd_{name}") == before
        assert records(tmp_path / "chunked" / name) == before


def records(path: Path) -> dict[Any, Any]:
    made = [json.loads(r["text"]) for b in inspect.records(path, MAX_LINE) for r in b.to_pylist()]
    # To a log without an eval_id inspect_ai gives a new one.
    return {(each["item"], each["trial"]): {**each, "run": None} for each in made}
