"""Trials that did not end by themselves, in the summary and the report; the logs are Inspect's and anybody's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regrade.audit import Audit, audit
from tests.conftest import TOML, twenty
from tests.files.inspect_logs import document, sample
from tests.report.corpora import audited
from tests.report.pages import OURS, Page, told

TABLE = "Trials that did not end by themselves, or are of a log that did not, by frozen status on {}"
HEADER = ["Ended by", "Trials", "Passed", "Failed", "Ungraded", "No grade", "First by name"]
STOPPED = "A fail there is not shown to be a wrong answer."
UNFINISHED = "what such a log would have held besides is in no count."
BROKE = {"error": {"message": "broke", "traceback": "", "traceback_ansi": ""}, "scores": {}}


def message_limit(number: int) -> dict[str, Any]:
    return {"limit": {"type": "message", "limit": number}}


def inspected(folder: Path, *logs: bytes) -> Audit:
    for n, log in enumerate(logs):
        (folder / f"log{n}.json").write_bytes(log)
    (folder / "corpus.toml").write_text('[corpus]\nname = "c"\nformat = "inspect"\nfiles = ["log*.json"]\n')
    return audit(folder, folder / "out")


def page(done: Audit) -> str:
    return (done.out / "report.html").read_text("utf-8")


def test_limits_and_errors_of_an_inspect_log_are_told_with_their_statuses(tmp_path: Path) -> None:
    log = document(
        sample(1, value="C", **message_limit(3)),
        sample(2, value="I", **message_limit(3)),
        sample(3, value="I", limit={"type": "token", "limit": 900}),
        sample(4, **BROKE),
        sample(5, value="I"),
    )
    done = inspected(tmp_path, log)
    axis = next(iter(done.summary["axes"]))
    stopped = done.summary["corpus"]["stopped"]
    assert {kind: r["trials"] for kind, r in stopped["limit"].items()} == {"message": 2, "token": 1}
    assert (stopped["error"]["trials"], stopped["any"]["trials"], stopped["log"]) == (1, 4, {})
    assert Page(page(done)).tables[TABLE.format(axis)] == [
        HEADER,
        ["limit: message", "2", "1", "1", "0", "0", "mockllm%2Fmodel/1/1"],
        ["limit: token", "1", "0", "1", "0", "0", "mockllm%2Fmodel/3/1"],
        ["error", "1", "0", "0", "1", "0", "mockllm%2Fmodel/4/1"],
        ["any of these, each trial once", "4", "1", "2", "1", "0", "mockllm%2Fmodel/1/1"],
    ]
    words = told(page(done))
    assert f"4 trials stopped at a limit or an error; 2 of them failed on the axis {axis}. {STOPPED}" in words
    assert UNFINISHED not in words


def test_a_log_that_did_not_end_well_is_told_and_its_trials_are_not_called_stopped(tmp_path: Path) -> None:
    eval_ = {"task": "sums", "run_id": "r2", "eval_id": "e2", "model": "mockllm/other"}
    logs = document(sample(1), sample(2)), document(sample(1), sample(2, value="I"), status="cancelled", eval=eval_)
    done = inspected(tmp_path, *logs)
    axis = next(iter(done.summary["axes"]))
    assert Page(page(done)).tables[TABLE.format(axis)] == [
        HEADER,
        ["log: cancelled", "2", "1", "1", "0", "0", "mockllm%2Fother/1/1"],
    ]
    words = told(page(done))
    assert UNFINISHED in words and "2 trials stood in a log that" in words
    assert STOPPED not in words


def test_what_ended_by_itself_is_not_mentioned(tmp_path: Path) -> None:
    done = inspected(tmp_path, document(sample(1), sample(2, value="I")))
    words = told(page(done))
    assert "did not end by themselves" not in words and STOPPED not in words and UNFINISHED not in words
    assert done.summary["corpus"]["stopped"]["any"]["trials"] == 0


def test_any_log_whose_extra_says_so_is_heard_and_hostile_names_stay_text(tmp_path: Path) -> None:
    rows = [{**row, "more": {}} for row in twenty()]
    rows[0]["more"] = {"limit": {"type": "<script>alert(1)</script>\x1b[2J"}}
    done = audited(tmp_path, TOML.replace('item = "episode"', 'item = "episode"\nextra = "more"'), rows)
    text = page(done)
    assert Page(text).scripts == [OURS] and "\x1b" not in text
    [_, only] = Page(text).tables[TABLE.format("pass")]
    assert only[0].startswith("limit: <script>") and only[1:4] == ["1", "0", "1"]
    assert f"1 trial stopped at a limit; 1 of them failed on the axis pass. {STOPPED}" in told(text)


def test_a_page_of_trials_that_tell_nothing_more_says_nothing(small: Audit) -> None:
    words = told(page(small))
    assert "did not end by themselves" not in words and STOPPED not in words and UNFINISHED not in words
