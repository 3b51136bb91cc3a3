"""What `regrade verify --parity` shows: the trials on which a ported grader does not give the frozen grade."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.audit import Progress, load_store, silent
from regrade.books import rulebook
from regrade.errors import GateFailed
from regrade.files.corpus_toml import read_corpus
from regrade.grades.plan import FROZEN, plan
from regrade.grades.run import grade
from regrade.report.trials import read_trials, trial_marks
from regrade.warned import store_warnings

SCHEMA = "regrade.parity/1"

GAP = """
from frozen_grades f left join (from grades where candidate = 'frozen') g using (trial_id, axis)
where axis = $axis and (g.status is distinct from f.status or g.code is distinct from f.code)
"""


def compare_parity(
    path: Path, rules: Path | None = None, *, first: int = 5, progress: Progress = silent
) -> dict[str, Any]:
    """Replay the frozen grader over a corpus and show where it differs from the log, writing only a scratch store.

    Files are verified; rules, locks and candidates are left alone, so that a grader can be worked on.

    Args:
        path: the corpus.
        rules: a rules folder that wins over the corpus's and the bundled one.
        first: trials shown of each axis.
        progress: called as the work goes on.

    Returns:
        `schema`, `corpus`, `axes` and `warnings`. Of each axis `kind` and `rule` of its grader, `trials` compared and
        `agree`, null where nothing is compared; `differ`: how many trials go from one grade to another (`frozen`,
        `replayed`, `trials`, most first; `replayed` is null where the grader gives no grade); `first`: the first trials
        by name, with `trial_id`, `item`, `family`, `gold`, `calls`, `reply`, the grade `frozen` as logged, `replayed`
        with its reading, and the `marks` of that in the reply.

    Raises:
        GateFailed: a file is not as it was frozen.
        RegradeError: corpus or grader cannot be used.
    """
    corpus = read_corpus(path)
    book = rulebook(corpus, rules)
    columns = [column for column in plan(corpus, book) if column.name == FROZEN]
    with tempfile.TemporaryDirectory() as scratch, load_store(corpus, Path(scratch), progress=progress) as store:
        grade(store, book, columns, allow_parity_gap=True, progress=lambda *args: progress("grade", *args))
        rows = store.con.execute(
            "select axis, kind, rule, parity_trials, parity_agree from graders order by axis"
        ).fetchall()
        return {
            "schema": SCHEMA,
            "corpus": corpus.name,
            "axes": {
                axis: {
                    "kind": kind,
                    "rule": rule,
                    "trials": trials,
                    "agree": agree,
                    "differ": _differ(store.con, axis) if trials else [],
                    "first": _first(store.con, axis, first) if trials else [],
                }
                for axis, kind, rule, trials, agree in rows
            },
            "warnings": [w for w in (book.warning, *store_warnings(store)) if w],
        }


def _differ(con: DuckDBPyConnection, axis: str) -> list[dict[str, Any]]:
    rows = con.execute(
        f"select f.status, f.code, g.status, g.code, count(*) as trials {GAP} group by all "
        "order by trials desc, f.status, f.code nulls first, g.status nulls first, g.code nulls first",
        {"axis": axis},
    ).fetchall()
    return [
        {"frozen": [old, old_code], "replayed": None if new is None else [new, new_code], "trials": trials}
        for old, old_code, new, new_code, trials in rows
    ]


def _first(con: DuckDBPyConnection, axis: str, first: int) -> list[dict[str, Any]]:
    rows = con.execute(
        f"select trial_id {GAP} order by trial_id limit $first", {"axis": axis, "first": first}
    ).fetchall()
    shown = []
    for trial in sorted(read_trials(con, [row[0] for row in rows]), key=lambda t: str(t["trial_id"])):
        block = trial["axes"][axis]
        marks = trial_marks({**trial, "axes": {axis: block}})
        kept = ("trial_id", "item", "family", "gold", "calls", "reply")
        read = {"frozen": block["recorded"], "replayed": block["frozen"], "marks": [asdict(mark) for mark in marks]}
        shown.append({**{key: trial[key] for key in kept}, **read})
    return shown


def require_parity(found: dict[str, Any]) -> None:
    """GateFailed where a grader that was compared does not agree on every trial."""
    gaps = [
        f"{block['rule']} gives another grade on {block['trials'] - block['agree']:,} of {block['trials']:,} trials on"
        f" the axis {axis}"
        for axis, block in found["axes"].items()
        if block["trials"] and block["agree"] < block["trials"]
    ]
    if gaps:
        raise GateFailed(f"Parity failed: {'; '.join(gaps)}. Mend the ported grader, and look again.")
