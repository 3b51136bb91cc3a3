"""What real trials lend to the probes of their item: how it opens, the calls of a pass, where its answer stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.grades.plan import FROZEN

STILL = """
with seen as (
  select rowid as place, item, file_id, coalesce(line, 0) as line, trial_id, len(trials.calls) > 0 as calls from trials
)
select item, min_by((place, calls), (calls, file_id, line, trial_id)) from seen group by item order by item
"""
"""The first trial of each item, one without calls before the others: how it opens, and the state that it left."""

PASSED = """
select item, min_by(
  (t.rowid, g.candidate, coalesce(g.value_start, if($ported, g.answer_start, null)),
   coalesce(g.value_stop, if($ported, g.answer_stop, null))),
  (g.value_start is null, g.answer_start is null, g.candidate <> 'frozen', g.candidate, file_id, coalesce(line, 0),
   trial_id))
from grades g join trials t using (trial_id)
where g.axis = $axis and g.status = 'passed' and (g.candidate = 'frozen' or not $ported) group by item order by item
"""
"""The first pass of each item, one that shows where the answer stands before the others: under the frozen grader, or
under any candidate where that is not ported."""

TRIALS = """
select rowid, reply, turns, calls, state::varchar as state,
  turns[:coalesce(list_position(list_transform(turns, lambda u: u.role), 'assistant'), 1) - 1] as opening
from trials where rowid in (select unnest($places::bigint[]))
"""


Place = tuple[Any, ...]
"""A trial's row in the store, and what is known of it."""


@dataclass(frozen=True)
class Basis:
    """What the trials of an item lend to its probes on an axis."""

    opening: list[dict[str, Any]] | None = None
    """The turns before the first reply; None where the log has no turns."""
    state: str | None = None
    """The state that a trial without calls left."""
    passed: Mapping[str, Any] | None = None
    """The trial that passed: `reply`, `turns`, `calls`, `state`."""
    slot: tuple[int, int] | None = None
    """Where the answer stands in its reply."""
    reader: str = FROZEN
    """The candidate that it passed under."""

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls of the trial that passed, as a stage sees them."""
        return (self.passed or {}).get("calls") or []

    def trial(self, item: str, reply: str, with_calls: bool) -> dict[str, Any]:
        """A made-up trial: a row of a batch."""
        if with_calls and self.passed is not None:
            turns: Any = self.passed["turns"] and [
                {k: turn[k] for k in ("role", "text")} for turn in self.passed["turns"]
            ]
            spoken = [turn for turn in turns or [] if turn["role"] == "assistant"]
            for turn in spoken[-1:]:
                turn["text"] = reply
            return {"reply": reply, "turns": turns, "calls": self.calls, "state": self.passed["state"], "item": item}
        turns = None
        if self.opening is not None:
            asked = [{k: turn[k] for k in ("role", "text")} for turn in self.opening]
            turns = [*asked, {"role": "assistant", "text": reply}]
        return {"reply": reply, "turns": turns, "calls": [], "state": self.state, "item": item}


def still_places(con: DuckDBPyConnection) -> dict[str, Place]:
    """By item its first trial, one without calls before the others: (row, whether it has calls)."""
    return dict(con.execute(STILL).fetchall())


def passed_places(con: DuckDBPyConnection, axis: str, ported: bool) -> dict[str, Place]:
    """By item its first pass on an axis: (row, candidate, where the answer starts and stops in the reply)."""
    return dict(con.execute(PASSED, {"axis": axis, "ported": ported}).fetchall())


def find_bases(
    con: DuckDBPyConnection, items: Iterable[str], still: Mapping[str, Place], passed: Mapping[str, Place]
) -> dict[str, Basis]:
    """Read what the trials of some items lend.

    Args:
        con: a graded store.
        items: names of the items.
        still: what `still_places` gave.
        passed: what `passed_places` gave for the axis.
    """
    items = list(items)
    places = [lent[item][0] for lent in (still, passed) for item in items if item in lent]
    cursor = con.execute(TRIALS, {"places": places})
    names = [column[0] for column in cursor.description or []]
    trials = {row[0]: dict(zip(names, row, strict=True)) for row in cursor.fetchall()}
    bases = {}
    for item in items:
        basis = Basis()
        if item in still:
            place, calls = still[item]
            basis = Basis(trials[place]["opening"], None if calls else trials[place]["state"])
        if item in passed:
            place, reader, start, stop = passed[item]
            slot = None if start is None else (start, stop)
            basis = replace(basis, passed=trials[place], slot=slot, reader=reader)
        bases[item] = basis
    return bases
