"""Trials as a reader sees them: transcript, item, and every grade on every axis, read from the store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.grades.plan import FROZEN
from regrade.report.shown import Mark, reading_marks
from regrade.tables.schema import KEPT

CARRIED = "carried"
UNKNOWN = "carried: what the frozen grader read is not known"
REPEATED = "frozen grade"
"""The requirement by which a carried grader says that its log has no pass: the status again, and nothing more."""
RECORDED = ("status", "code", "answer", "score")
SIGNAL = ("signal", "turn", "start", "stop", "text")
GRADE = (
    "status", "code", "answer", "value", "score", "answer_turn", "answer_start", "answer_stop", "value_start",
    "value_stop", "missed", "decided_by",
)  # fmt: skip

WANTED = "(select unnest($ids::varchar[]))"

READ = ("trials", "frozen_grades", "grades", "signals")
"""What is read of a trial: tables of the store, or of the same names behind a prefix, `{of}`."""

TRIALS = f"""
select t.trial_id, t.configuration, c.weights, c.lineage, t.item, i.family, t.run, t.trial, i.prompt, i.gold,
       f.path, t.line, t.reply, t.turns, t.calls, t.reply_turn, t.state
from {{of}}trials t left join items i using (item) left join configurations c using (configuration)
left join files f using (file_id) where t.trial_id in {WANTED} order by t.item, t.trial_id
"""

GRADES = f"""
select trial_id, axis, candidate,
       candidate <> '{FROZEN}' and (coalesce(f.status, 'none') <> g.status or f.code is distinct from g.code)
         as differs,
       {", ".join(f"g.{column}" for column in GRADE)}
from {{of}}grades g left join {{of}}frozen_grades f using (trial_id, axis)
where trial_id in {WANTED} and ($unmoved or differs or candidate = '{FROZEN}')
order by axis, candidate <> '{FROZEN}', candidate
"""

RECORDED_GRADES = f"""
select trial_id, axis, {", ".join(RECORDED)} from {{of}}frozen_grades where trial_id in {WANTED} order by axis
"""

SIGNALS = f"""
select trial_id, {", ".join(SIGNAL)} from {{of}}signals where trial_id in {WANTED} order by signal, turn
"""

EXAMPLE = """
select trial_id from flips join grades g using (trial_id, axis, candidate)
left join grades z on z.trial_id = flips.trial_id and z.axis = flips.axis and z.candidate = 'frozen'
order by (g.value_start, g.value_stop) is not distinct from (z.value_start, z.value_stop),
         g.value_start is null or z.value_start is null, to_status <> 'passed', axis, candidate, trial_id limit 1
"""
"""A flip that shows what a rule does: if there is one, where the value was read elsewhere than by the frozen grader."""


def example_flip(con: DuckDBPyConnection) -> str | None:
    """A flipped trial that is worth a look, where there is one."""
    row = con.execute(EXAMPLE).fetchone()
    return row[0] if row else None


@contextmanager
def apart(con: DuckDBPyConnection, ids: Sequence[str]) -> Iterator[str]:
    """Copy what is read of some trials, for who reads them part by part: a read looks through all of a table.

    Args:
        con: a graded store.
        ids: names of trials.

    Yields:
        What `read_trials` is told of them.
    """
    for table in READ:
        copied = f"create or replace temp table apart_{table} as from {table} where trial_id in {WANTED}"
        con.execute(copied, {"ids": list(ids)})
    try:
        yield "apart_"
    finally:
        for table in READ:
            con.execute(f"drop table apart_{table}")


def read_trials(
    con: DuckDBPyConnection, ids: Sequence[str], *, unmoved: bool = True, of: str = ""
) -> list[dict[str, Any]]:
    """Read trials, ordered by item and name; ids that are not in the store are passed over.

    Each has the columns of `trials` with its item and configuration, `calls` (turn, call, name, arguments, result),
    `signals` (signal, turn, start, stop, text) and `axes`: `{axis: {kind, recorded, frozen, candidates: {name:
    grade}}}`, `kind` being that of the grader, `recorded` the log's own grade, `frozen` the replayed one, a grade the
    columns of `grades` with `differs` where it is a flip or a recode, as in the view `moves`. What a carried frozen
    grader read is not known, so its grade has the answer that the log gives, or none, with a place only where the
    reply has it exactly once. That the log has no pass is no requirement here that a grade misses.

    Args:
        con: a graded store.
        ids: names of trials.
        unmoved: read the grades of candidates that are neither a flip nor a recode too.
        of: what `apart` gave, where the trials are among those.
    """
    kinds = dict(con.execute("select axis, kind from graders order by axis").fetchall())
    bound = {"ids": list(ids)}
    found = con.execute(TRIALS.format(of=of), bound)
    keys = [column[0] for column in found.description]
    trials = {row[0]: _trial(dict(zip(keys, row, strict=True))) for row in found.fetchall()}
    for trial_id, axis, *recorded in con.execute(RECORDED_GRADES.format(of=of), bound).fetchall():
        _axis(trials[trial_id], axis, kinds)["recorded"] = dict(zip(RECORDED, recorded, strict=True))
    grades = con.execute(GRADES.format(of=of), {**bound, "unmoved": unmoved}).fetchall()
    for trial_id, axis, candidate, differs, *values in grades:
        block, grade = _axis(trials[trial_id], axis, kinds), dict(zip(GRADE, values, strict=True))
        if block["kind"] == CARRIED and grade["missed"]:
            grade["missed"] = [each for each in grade["missed"] if each != REPEATED]
        if candidate == FROZEN:
            carried = block["kind"] == CARRIED
            block["frozen"] = _as_logged(grade, block["recorded"], trials[trial_id]["reply"]) if carried else grade
        else:
            block["candidates"][candidate] = {**grade, "differs": differs}
    for trial_id, *values in con.execute(SIGNALS.format(of=of), bound).fetchall():
        trials[trial_id]["signals"].append(dict(zip(SIGNAL, values, strict=True)))
    return list(trials.values())


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
        for n, grade in block["candidates"].items():
            if every or grade["differs"]:
                readings.append((f"{prefix}{n}", False, _own(grade, trial["reply"], block["kind"])))
    return reading_marks(trial["reply"], readings)


def _trial(row: dict[str, Any]) -> dict[str, Any]:
    row["gold"] = None if row["gold"] is None else json.loads(row["gold"])
    row["state"] = None if row["state"] is None else json.loads(row["state"])
    for number, turn in enumerate(row["turns"] or ()):
        turn["calls"] = [call for call in row["calls"] if call["turn"] == number]
    reply_turn = None if row["turns"] is None else row["reply_turn"]
    return {**row, "reply_turn": reply_turn, "signals": [], "axes": {}}


def _axis(trial: dict[str, Any], axis: str, kinds: Mapping[str, str]) -> dict[str, Any]:
    axes: dict[str, dict[str, Any]] = trial["axes"]
    return axes.setdefault(axis, {"kind": kinds.get(axis, "none"), "recorded": None, "frozen": None, "candidates": {}})


def _as_logged(grade: dict[str, Any], recorded: Mapping[str, Any] | None, reply: str) -> dict[str, Any]:
    read: dict[str, Any] = {key: None for key in GRADE if key.startswith(("answer", "value"))}
    answer = read["answer"] = recorded["answer"] if recorded else None
    # Of a longer answer the store has the beginning alone, and so not where it ends.
    if answer and len(answer) < KEPT and (start := reply.find(answer)) == reply.rfind(answer) >= 0:
        read |= {"answer_start": start, "answer_stop": start + len(answer)}
    return {**grade, **read}


def _own(grade: dict[str, Any], reply: str, kind: str) -> dict[str, Any]:
    """A candidate's grade without the place of an answer that no rule gave: a carried grader takes the whole reply."""
    whole = (grade["answer_start"], grade["answer_stop"]) == (0, len(reply))
    return {**grade, "answer_start": None, "answer_stop": None} if kind == CARRIED and whole else grade
