"""Moved trials: those that flip or are recoded under some candidate, and where each is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from duckdb import DuckDBPyConnection

from regrade.pages import FOLDER
from regrade.report.shown import anchor, slug

MOST = 50_000
"""Trials shown at most."""
FEW = 150
"""Trials up to which they stand in the report itself."""
SHEET = 100
"""Trials on a page of the folder."""

MOVED = (
    "(select * from moves where from_status <> 'none' "
    "and (from_status <> to_status or from_code is distinct from to_code))"
)
"""The rows of the views `flips` and `recodes`, looked for once."""

TOTAL = f"select count(distinct trial_id) from {MOVED}"

ALL_OF_THEM = f"select distinct trial_id from {MOVED}"

CHOSEN = f"""
select trial_id from (
  select trial_id, row_number() over (
    partition by axis, candidate, from_status, to_status order by md5(trial_id), trial_id) as place
  from {MOVED}
) group by trial_id order by min(place), trial_id limit {{most}}
"""
"""Where there are too many, an equal number of each kind of move, in an order that has nothing to do with the text."""

BY_CONFIGURATION = f"""
select configuration, split_part(min(trial_id), '/', 1), list(distinct (axis, candidate))
from {MOVED} as moved join trials using (trial_id)
where trial_id in (select unnest($ids::varchar[])) group by configuration order by configuration
"""

IN_ORDER = """
select trial_id, item from trials where trial_id in (select unnest($ids::varchar[])) order by item, trial_id
"""


@dataclass(frozen=True)
class Moved:
    """The moved trials of a store, cut into pages of a folder where they are too many for one page."""

    total: int
    """How many there are."""
    ids: Sequence[str]
    """Those that are shown, by item and name: all of them, unless there are more than `MOST`."""
    sheets: Sequence[Sequence[str]]
    """The same, page by page of the folder; none where they stand in the report."""
    configurations: Mapping[str, tuple[str, frozenset[tuple[str, str]]]]
    """The configurations of those that are shown: how the list of trials is asked for it, axes and candidates."""

    @cached_property
    def places(self) -> dict[str, str]:
        """Where a trial is shown, seen from the report."""
        if not self.sheets:
            return {name: f"#{anchor('t', name)}" for name in self.ids}
        return {
            name: f"{FOLDER}/{sheet_name(number)}#{anchor('t', name)}"
            for number, names in enumerate(self.sheets)
            for name in names
        }


def moved_trials(con: DuckDBPyConnection) -> Moved:
    """Find the moved trials of a graded store."""
    [(total,)] = con.execute(TOTAL).fetchall()
    query = ALL_OF_THEM if total <= MOST else CHOSEN.format(most=MOST)
    chosen = [trial_id for (trial_id,) in con.execute(query).fetchall()]
    found = con.execute(IN_ORDER, {"ids": chosen}).fetchall()
    configurations = {
        name: (slug(key), frozenset(moving))
        for name, key, moving in con.execute(BY_CONFIGURATION, {"ids": chosen}).fetchall()
    }
    sheets = list(_sheets(found)) if len(found) > FEW else []
    return Moved(total, [trial_id for trial_id, _ in found], sheets, configurations)


def sheet_name(number: int) -> str:
    """The name of a page of the folder, the first being 0."""
    return f"{number + 1:03}.html"


def _sheets(trials: Sequence[tuple[str, str]]) -> Iterator[list[str]]:
    """Pages of at most `SHEET` trials; those of an item stand on one page where they fit on one."""
    sheet: list[str] = []
    for _, same in groupby(trials, key=lambda trial: trial[1]):
        names = [name for name, _ in same]
        if sheet and len(sheet) + len(names) > SHEET:
            yield sheet
            sheet = []
        while len(names) > SHEET:
            yield names[:SHEET]
            names = names[SHEET:]
        sheet = sheet + names
    if sheet:
        yield sheet
