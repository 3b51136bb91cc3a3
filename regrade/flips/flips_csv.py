"""`flips.csv`: a row a flip, for a spreadsheet."""

from __future__ import annotations

import csv
from pathlib import Path

from duckdb import DuckDBPyConnection

from regrade.errors import OutputError
from regrade.files.csv_cells import guard_cell

COLUMNS = (
    "trial_id", "axis", "candidate", "from_status", "to_status", "from_code", "to_code",
    "configuration", "item", "family", "trial", "frozen_answer", "answer",
)  # fmt: skip

FLIPS = """
select f.trial_id, f.axis, f.candidate, f.from_status, f.to_status, f.from_code, f.to_code,
       t.configuration, t.item, i.family, t.trial, coalesce(old.answer, published.answer), new.answer
from flips f
join trials t on t.trial_id = f.trial_id
left join items i on i.item = t.item
left join grades new on new.trial_id = f.trial_id and new.axis = $axis and new.candidate = $candidate
left join grades old on old.trial_id = f.trial_id and old.axis = f.axis and old.candidate = 'frozen'
left join frozen_grades published on published.trial_id = f.trial_id and published.axis = f.axis
where f.axis = $axis and f.candidate = $candidate
and ($tier is null or t.configuration in (select configuration from tiers where tier = $tier))
order by f.trial_id
"""

COLUMNS_OF = """
select axis, candidate from candidates
where ($axis is null or axis = $axis) and ($candidate is null or candidate = $candidate) order by axis, candidate
"""

ROWS = 10_000
"""Rows held at a time."""


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
            # One at a time: the engine holds what is joined and sorted.
            for column in con.execute(COLUMNS_OF, {"axis": axis, "candidate": candidate}).fetchall():
                found = con.execute(FLIPS, {"axis": column[0], "candidate": column[1], "tier": tier})
                while rows := found.fetchmany(ROWS):
                    writer.writerows(["" if cell is None else guard_cell(cell) for cell in row] for row in rows)
    except OSError as error:
        raise OutputError(
            f"Cannot write {path}: {error.strerror}. Name a file in a folder that can be written."
        ) from error
