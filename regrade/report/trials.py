"""Trials as a reader sees them: transcript, item, and every grade on every axis, read from the store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.report.shown import Mark, reading_marks

FROZEN = "frozen"
RECORDED = ("status", "code", "answer", "score")
SIGNAL = ("signal", "turn", "start", "stop", "text")
GRADE = (
    "status", "code", "answer", "value", "score", "answer_turn", "answer_start", "answer_stop", "value_start",
    "value_stop", "missed", "decided_by",
)  # fmt: skip

WANTED = "(select unnest($ids::varchar[]))"

TRIALS = f"""
select t.trial_id, t.configuration, c.weights, c.lineage, t.item, i.family, t.run, t.trial, i.prompt, i.gold,
       f.path, t.line, t.reply, t.turns, t.state
from trials t left join items i using (item) left join configurations c using (configuration)
left join files f using (file_id) where t.trial_id in {WANTED} order by t.item, t.trial_id
"""


def read_trials(con: DuckDBPyConnection, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Read trials, ordered by item and name; ids that are not in the store are passed over.

    Each has the columns of `trials` with its item and configuration, `calls` (turn, call, name, arguments, result),
    `signals` (signal, turn, start, stop, text) and `axes`: `{axis: {recorded, frozen, candidates: {name: grade}}}`,
    `recorded` being the log's own grade, `frozen` the replayed one, a grade the columns of `grades` with `differs`
    where status or code is not the replayed one's.
    """
    bound = {"ids": list(ids)}
    found = con.execute(TRIALS, bound)
    keys = [column[0] for column in found.description]
    trials = {row[0]: _trial(dict(zip(keys, row, strict=True))) for row in found.fetchall()}
    for trial_id, axis, *recorded in con.execute(
        f"select trial_id, axis, {', '.join(RECORDED)} from frozen_grades where trial_id in {WANTED} order by axis",
        bound,
    ).fetchall():
        _axis(trials[trial_id], axis)["recorded"] = dict(zip(RECORDED, recorded, strict=True))
    for trial_id, axis, candidate, *values in con.execute(
        f"select trial_id, axis, candidate, {', '.join(GRADE)} from grades where trial_id in {WANTED} "
        f"order by axis, candidate <> '{FROZEN}', candidate",
        bound,
    ).fetchall():
        block, grade = _axis(trials[trial_id], axis), dict(zip(GRADE, values, strict=True))
        if candidate == FROZEN:
            block["frozen"] = grade
        else:
            block["candidates"][candidate] = {**grade, "differs": differs(block["frozen"], grade)}
    for trial_id, *values in con.execute(
        f"select trial_id, {', '.join(SIGNAL)} from signals where trial_id in {WANTED} order by signal, turn",
        bound,
    ).fetchall():
        trials[trial_id]["signals"].append(dict(zip(SIGNAL, values, strict=True)))
    return list(trials.values())


def differs(frozen: dict[str, Any] | None, grade: dict[str, Any]) -> bool:
    """Whether a grade has another status or code than the replayed frozen one, or there is none."""
    return frozen is None or (frozen["status"], frozen["code"]) != (grade["status"], grade["code"])


def trial_marks(trial: dict[str, Any], *, every: bool = False) -> list[Mark]:
    """Marks in the reply of a trial: what the frozen grader and the candidates that differ from it read.

    Args:
        trial: as `read_trials` gives it.
        every: mark what the unchanged candidates read too.
    """
    several = len(trial["axes"]) > 1
    readings = []
    for axis, block in trial["axes"].items():
        prefix = f"{axis} " if several else ""
        if block["frozen"] is not None:
            readings.append((f"{prefix}{FROZEN}", True, block["frozen"]))
        readings += [(f"{prefix}{n}", False, g) for n, g in block["candidates"].items() if every or g["differs"]]
    return reading_marks(trial["reply"], readings)


def _trial(row: dict[str, Any]) -> dict[str, Any]:
    turns = row["turns"]
    row["gold"] = None if row["gold"] is None else json.loads(row["gold"])
    row["state"] = None if row["state"] is None else json.loads(row["state"])
    row["calls"] = [
        {"turn": turn, "call": number, **call}
        for turn, said in enumerate(turns or ())
        for number, call in enumerate(said["calls"] or ())
    ]
    spoken = [turn for turn, said in enumerate(turns or ()) if said["role"] == "assistant"]
    return {**row, "reply_turn": spoken[-1] if spoken else None, "signals": [], "axes": {}}


def _axis(trial: dict[str, Any], axis: str) -> dict[str, Any]:
    axes: dict[str, dict[str, Any]] = trial["axes"]
    return axes.setdefault(axis, {"recorded": None, "frozen": None, "candidates": {}})
