"""Items T17 to T20: poll a job to completion."""

from __future__ import annotations

from typing import Any

from tool_loop_sim.model import Item, Path, Wrong, c

POLL = "poll_a_job_to_completion"
JOB = ["start_job", "job_status", "cancel_job"]


def polls(name: str, job: str, times: int) -> Path:
    """Start a job and look at it a number of times."""
    return [[[c("start_job", name=name)], *[[c("job_status", job=job)] for _ in range(times)]]]


def job_item(
    item: str,
    answer: str,
    code: str,
    name: str,
    job: str,
    states: list[dict[str, Any]],
    menu_words: str,
    menu: list[str],
    facts: list[str],
    wrong: list[Wrong],
) -> Item:
    """A poll item: the prompt ends with the menu that competes with the answer line."""
    return Item(
        item,
        POLL,
        "text",
        answer,
        code,
        ["start_job", "job_status"],
        ["cancel_job"],
        f"Start the job {name} and follow it until it stops moving. {menu_words}",
        f"job {job}",
        {"job_names": {name: job}, "jobs": {job: states}},
        polls(name, job, len(states)),
        facts,
        wrong,
        tools=JOB,
        detours=[c("job_status", job=name)],
        menu=menu,
    )


PLAIN_MENU = r"COMPLETE: .+|STALLED|FAILED: .+|RUNNING"
ITEMS = [
    job_item(
        "T17",
        "COMPLETE: 3 files, 0 errors",
        "FABRICATION",
        "nightly-pack",
        "J17",
        [
            {"state": "RUNNING", "done": 1},
            {"state": "RUNNING", "done": 2},
            {"state": "COMPLETE", "files": 3, "errors": 0},
        ],
        "End with one of: COMPLETE: <n> files, <m> errors | STALLED | FAILED: <error> | RUNNING",
        [r"COMPLETE: \d+ files, \d+ errors", "STALLED", r"FAILED: .+", "RUNNING"],
        [
            "The pack run ended with three files and no errors.",
            "It needed a few looks, then the state turned final.",
            "The job is through.",
            "All files are packed.",
        ],
        [
            Wrong(
                ["RUNNING"],
                polls("nightly-pack", "J17", 1),
                ["It is still going.", "The job has been started and is under way."],
                2,
            ),
            Wrong(
                ["COMPLETE: 3 files, 1 errors", "COMPLETE: 2 files, 0 errors"],
                polls("nightly-pack", "J17", 2),
                ["It should be through by now.", "Two were done at my last look, so it will have finished."],
                2,
            ),
            Wrong(["COMPLETE", "COMPLETE: 3 files and 0 errors", "COMPLETE: all files"]),
            Wrong(
                ["COMPLETE: 2 files, 0 errors", "COMPLETE: 4 files, 0 errors"],
                polls("nightly-pack", "J17", 2),
                weight=2,
            ),
        ],
    ),
    job_item(
        "T18",
        "FAILED: disk full",
        "WRONG_ANSWER",
        "snapshot",
        "J18",
        [{"state": "RUNNING"}, {"state": "RUNNING", "note": "slow"}, {"state": "FAILED", "error": "disk full"}],
        "Close with COMPLETE: <summary> | STALLED | FAILED: <error> | RUNNING",
        [PLAIN_MENU],
        [
            "The snapshot broke off.",
            "It ran for a while and then stopped with an error.",
            "The run did not make it.",
            "There was no room left for the snapshot.",
        ],
        [
            Wrong(
                ["RUNNING"],
                polls("snapshot", "J18", 2),
                ["It is still at work.", "The last state I saw was a running one."],
                2,
            ),
            Wrong(
                ["COMPLETE: snapshot taken", "COMPLETE: done"],
                polls("snapshot", "J18", 1),
                ["The snapshot has been taken.", "All went well."],
                2,
            ),
            Wrong(["FAILED: no space", "FAILED: disk is full", "FAILED"]),
        ],
    ),
    job_item(
        "T19",
        "COMPLETE: 12 rows, 2 skipped",
        "STALE_DATA",
        "ledger-import",
        "J19",
        [
            {"state": "RUNNING", "rows": 5, "skipped": 2},
            {"state": "RUNNING", "rows": 9, "skipped": 2},
            {"state": "COMPLETE", "rows": 12, "skipped": 2},
        ],
        "Report COMPLETE: <rows> rows, <n> skipped | STALLED | FAILED: <error> | RUNNING",
        [r"COMPLETE: \d+ rows, \d+ skipped", "STALLED", r"FAILED: .+", "RUNNING"],
        [
            "The import is through.",
            "Rows came in over several looks until it was final.",
            "Some rows were left out, the others are in.",
            "The ledger has been taken in.",
        ],
        [
            Wrong(["RUNNING"], polls("ledger-import", "J19", 1), ["It is half way.", "It goes on."]),
            Wrong(
                ["COMPLETE: 9 rows, 2 skipped", "COMPLETE: 5 rows, 2 skipped"],
                polls("ledger-import", "J19", 2),
                ["The rows are in.", "The import stands where I saw it last."],
                3,
            ),
            Wrong(["COMPLETE: 12 rows", "COMPLETE: 14 rows, 2 skipped", "COMPLETE: 12 rows, 2 skipped."]),
            Wrong(
                ["COMPLETE: 9 rows, 2 skipped", "COMPLETE: 5 rows, 2 skipped"],
                polls("ledger-import", "J19", 2),
                weight=2,
            ),
        ],
    ),
    job_item(
        "T20",
        "STALLED",
        "FABRICATION",
        "mirror-sync",
        "J20",
        [
            {"state": "RUNNING", "moved": 40},
            {"state": "RUNNING", "moved": 40},
            {"state": "RUNNING", "moved": 40, "note": "no progress for 30 min"},
        ],
        "Say what it is in: Job state: COMPLETE | STALLED | FAILED | RUNNING",
        [r"Job state: (?P<answer>COMPLETE|STALLED|FAILED|RUNNING)", "COMPLETE|STALLED|FAILED|RUNNING"],
        [
            "The sync has not moved between looks.",
            "No progress for half an hour.",
            "Nothing was copied after the first look.",
            "The counter stands still.",
        ],
        [
            Wrong(["RUNNING"], polls("mirror-sync", "J20", 1), ["The sync is under way.", "It runs."], 3),
            Wrong(["RUNNING"], None, ["The tool calls it running.", "By its own word it runs."]),
            Wrong(["COMPLETE", "FAILED"], polls("mirror-sync", "J20", 2)),
            Wrong(["Stalled", "STALLED (no progress)", "stalled"]),
        ],
    ),
]
