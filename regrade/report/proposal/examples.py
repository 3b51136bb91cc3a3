"""Examples: trials that a rule moves, chosen by a hash of their names and shown before and after."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.report.shown import Mark
from regrade.report.trials import read_trials, trial_marks

EACH = 2
"""Trials shown of each direction."""
RECODED = 1
"""Of those that keep their status."""
SMALL = 60
"""Characters that are too few to be left out."""
AROUND = 400
"""Characters of a text kept before its first and after its last mark, and at each end where it has none."""

CHOSEN = f"""
with moved as (
  select trial_id, item, from_status, to_status,
         configuration in (select configuration from tiers where tier = $tier) as strong
  from moves join grades using (trial_id, axis, candidate) join trials using (trial_id)
  where axis = $axis and candidate = $candidate and from_status <> 'none' and list_contains(decided_by, $rule)
),
placed as (
  select *, row_number() over (
    partition by from_status, to_status, item order by strong desc, md5(trial_id), trial_id) as of_item from moved
),
ranked as (
  select *, row_number() over (
    partition by from_status, to_status order by strong desc, md5(trial_id), trial_id) as place
  from placed where of_item = 1
)
select trial_id, from_status, to_status from ranked
where place <= case when from_status = to_status then {RECODED} else {EACH} end
order by from_status = to_status, from_status, to_status, place
"""
"""One trial of an item for each direction, those of the strongest tier before others; then by a hash."""


@dataclass(frozen=True)
class Example:
    """A trial that a rule moves, as `read_trials` gives it, with the proposed candidate alone."""

    axis: str
    before: str
    """Frozen status."""
    after: str
    trial: dict[str, Any]
    reply: str
    """The reply, or the stretch of it around the marks."""
    marks: Sequence[Mark]

    @property
    def frozen(self) -> dict[str, Any]:
        """The frozen grade: the recorded one's status and code, and what the replayed grader read."""
        block = self.trial["axes"][self.axis]
        return {**(block["frozen"] or NO_GRADE), **{k: block["recorded"][k] for k in ("status", "code")}}

    @property
    def grade(self) -> dict[str, Any]:
        """The candidate's grade."""
        [grade] = self.trial["axes"][self.axis]["candidates"].values()
        return dict(grade)

    @property
    def gold(self) -> str | None:
        """What the bank accepts, as JSON."""
        gold = self.trial["gold"]
        return None if gold is None else json.dumps(gold, ensure_ascii=False)

    def plain(self) -> dict[str, str]:
        """The machine form."""
        return {"axis": self.axis, "trial": self.trial["trial_id"], "from": self.before, "to": self.after}


NO_GRADE: dict[str, Any] = {"answer": None, "value": None, "missed": None}


def find_examples(con: DuckDBPyConnection, axis: str, candidate: str, rule: str, tier: str) -> list[Example]:
    """Choose trials whose grade under the candidate needs the rule, of each direction that there is.

    Args:
        con: a graded store.
        axis: where they are graded.
        candidate: what is proposed.
        rule: one of its rules.
        tier: trials of this one are preferred.
    """
    bound = {"axis": axis, "candidate": candidate, "rule": rule, "tier": tier}
    chosen = con.execute(CHOSEN, bound).fetchall()
    trials = {trial["trial_id"]: trial for trial in read_trials(con, [trial_id for trial_id, *_ in chosen])}
    return [_example(trials[trial_id], axis, candidate, *statuses) for trial_id, *statuses in chosen]


def _example(trial: dict[str, Any], axis: str, candidate: str, before: str, after: str) -> Example:
    block = trial["axes"][axis]
    alone = {**trial, "axes": {axis: {**block, "candidates": {candidate: block["candidates"][candidate]}}}}
    reply, marks = around(trial["reply"], trial_marks(alone))
    return Example(axis, before, after, alone, reply, marks)


def around(text: str, marks: Sequence[Mark], kept: int = AROUND) -> tuple[str, list[Mark]]:
    """Cut a long text to what its marks lie in, and say how much is left out; the marks keep their characters.

    A mark that is itself long is cut in its middle with the text.
    """
    edges = [edge for mark in marks for edge in (mark.start, mark.stop)] or [0, len(text)]
    spans: list[list[int]] = []
    for edge in sorted(edges):
        start, stop = max(0, edge - kept), min(len(text), edge + kept)
        if spans and start <= spans[-1][1] + SMALL:
            spans[-1][1] = max(spans[-1][1], stop)
        else:
            spans.append([start, stop])
    parts: list[str] = []
    places: list[tuple[int, int, int]] = []
    end = size = 0
    for start, stop in [*spans, [len(text), len(text)]]:
        if start > end:
            gap = f"[\u2026 {start - end:,} characters left out \u2026]"
            gap = f"{'' if not parts else chr(10)}{gap}{'' if start == len(text) else chr(10)}"
            parts.append(gap)
            size += len(gap)
        places.append((start, stop, size - start))
        parts.append(text[start:stop])
        size += stop - start
        end = stop

    def moved(edge: int) -> int:
        return edge + next(shift for start, stop, shift in places if start <= edge <= stop)

    return "".join(parts), [replace(m, start=moved(m.start), stop=moved(m.stop)) for m in marks]
