"""The first trials of a log, as an audit would read them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec

from regrade.files.corpus import Corpus
from regrade.files.head import Head
from regrade.files.logs import Start
from regrade.files.manifest import FileDigest
from regrade.tables.ingest import load
from regrade.tables.store import FILE_NAME, Store

SHOWN = 3
"""Trials that are shown."""


def read_first(made: Start) -> tuple[list[dict[str, Any]], dict[str, tuple[int, str]]]:
    """Load the first records by the mapping, as an audit would, into a store that is thrown away.

    Returns:
        Up to three trials, of each frozen status one where there are such; and for each reason of a reject how many
        there are and where the first stands.
    """
    head, corpus = made.head, made.corpus
    found = [(u[2], u[0], u[1], u[3]) for u in head.unread for _ in corpus.parts]
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        names = []
        for number in range(head.read):
            # The name gives $filename, and the place in the file $line.
            path = Path(str(number)) / head.files[number].name
            (root / path.parent).mkdir()
            (root / path).write_bytes(_lines(head, number))
            names.append(path.as_posix())
        copy = msgspec.structs.replace(
            corpus,
            root=root,
            format="jsonl",
            files=tuple(names),
            configurations=None,
        )
        with Store.create(root / FILE_NAME) as store:
            load(store, copy, [FileDigest(name, "", 0) for name in names])
            query = "select reason, file_id, line, excerpt from rejects order by file_id, line"
            found += store.con.execute(query).fetchall()
            trials = _shown(store, corpus)
    rejected: dict[str, tuple[int, str]] = {}
    for reason, file, line, excerpt in sorted(found, key=lambda each: each[:3]):
        count, example = rejected.get(reason, (0, f"{head.files[file].name}:{line}: {excerpt}"))
        rejected[reason] = count + 1, example
    return trials, rejected


def _lines(head: Head, number: int) -> bytes:
    """The records of a file as JSON Lines, each on its own line where two do not share one."""
    lines: list[str] = []
    for record in head.records:
        if record.file == number:
            lines += [""] * (record.line - 1 - len(lines))
            # Between the keys of an object a line end is white space; within a text it would be no JSON.
            lines.append(record.text.replace("\r", " ").replace("\n", " "))
    return "\n".join(lines).encode()


TRIALS = """
with ranked as (
  select t.*, g.status, row_number() over (partition by g.status order by t.file_id, t.line, t.trial_id) as nth
  from trials t left join frozen_grades g on g.trial_id = t.trial_id and g.axis = ?
)
select r.trial_id, i.prompt, i.gold::varchar, len(r.turns), r.reply
from ranked r left join items i using (item)
order by nth > 1, r.file_id, r.line, r.trial_id limit ?
"""


def _shown(store: Store, corpus: Corpus) -> list[dict[str, Any]]:
    rows = store.con.execute(TRIALS, [corpus.axis, SHOWN]).fetchall()
    trials = []
    for trial_id, prompt, gold, turns, reply in rows:
        grades = store.con.execute(
            "select axis, status, code, answer from frozen_grades where trial_id = ?", [trial_id]
        ).fetchall()
        by_axis = {axis: {"status": s, "code": code, "answer": answer} for axis, s, code, answer in grades}
        trials.append(
            {
                "trial_id": trial_id,
                "frozen": {axis: by_axis[axis] for axis in corpus.axes if axis in by_axis},
                "prompt": prompt,
                "gold": gold,
                "turns": turns,
                "reply": reply,
            }
        )
    return trials
