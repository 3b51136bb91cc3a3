"""`flips.csv`: a row a flip, for a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from duckdb import DuckDBPyConnection

from regrade.errors import OutputError
from regrade.files.csv_cells import guard_cell

COLUMNS = (
    "trial_id", "axis", "candidate", "from_status", "to_status", "from_code", "to_code",
    "configuration", "item", "family", "trial", "frozen_answer", "answer",
)  # fmt: skip

WANTED = """
flips f join trials t using (trial_id)
where ($axis is null or f.axis = $axis) and ($candidate is null or f.candidate = $candidate)
and ($tier is null or t.configuration in (select configuration from tiers where tier = $tier))
"""

COUNTS = f"select f.axis, f.candidate, count(*) from {WANTED} group by f.axis, f.candidate order by f.axis, f.candidate"

FLIPS = f"""
with wanted as (
  select f.*, t.configuration, t.item, t.trial from {WANTED}
  and (f.axis, f.candidate) in (select unnest($axes::varchar[]), unnest($candidates::varchar[]))
)
select trial_id, axis, candidate, from_status, to_status, from_code, to_code,
       configuration, item, i.family, trial, coalesce(old.answer, published.answer), new.answer
from wanted
left join items i using (item)
left join grades new using (trial_id, axis, candidate)
left join (from grades where candidate = 'frozen') old using (trial_id, axis)
left join frozen_grades published using (trial_id, axis)
order by axis, candidate, trial_id
"""

ROWS = 10_000
"""Rows held at a time."""

TOGETHER = 50_000
"""Flips that the engine joins and sorts at once, as far as they are of several candidates."""


def write_flips_csv(
    con: DuckDBPyConnection,
    path: Path,
    *,
    axis: str | None = None,
    candidate: str | None = None,
    tier: str | None = None,
) -> None:
    """Write flips to `path`: the columns of the view `flips`, then what the trial is and what was read in it.

    Every flip, or only those of an axis, a candidate, or the configurations of a tier. `frozen_answer` is the replayed
    grader's, or the recorded one where that is null. UTF-8, lines end at LF, null is the empty cell, cells are guarded
    against formulas, rows are ordered by axis, candidate and trial_id.

    Raises:
        OutputError: the file cannot be written.
    """
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(",".join(COLUMNS) + "\n")
            # Everything is quoted: with LF line ends some versions of csv leave a lone CR bare, which breaks the row.
            writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
            wanted = {"axis": axis, "candidate": candidate, "tier": tier}
            for axes, candidates in _together(con.execute(COUNTS, wanted).fetchall()):
                found = con.execute(FLIPS, {**wanted, "axes": axes, "candidates": candidates})
                while rows := found.fetchmany(ROWS):
                    writer.writerows(["" if cell is None else guard_cell(cell) for cell in row] for row in rows)
    except OSError as error:
        raise OutputError(
            f"Cannot write {path}: {error.strerror}. Name a file in a folder that can be written."
        ) from error


def _together(counts: Iterable[tuple[str, str, int]]) -> Iterator[tuple[list[str], list[str]]]:
    """The axes and candidates of columns that are written together, in order, of (axis, candidate, flips)."""
    axes: list[str] = []
    candidates: list[str] = []
    held = 0
    for axis, candidate, flips in counts:
        if axes and held + flips > TOGETHER:
            yield axes, candidates
            axes, candidates, held = [], [], 0
        axes.append(axis)
        candidates.append(candidate)
        held += flips
    if axes:
        yield axes, candidates
