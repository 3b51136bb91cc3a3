"""Evidence: every flip with its reply, marked where the graders read, and the recodes as tables."""

from __future__ import annotations

import json
from itertools import groupby, takewhile
from typing import Any

from regrade.report.page import DIRECTIONS, Page
from regrade.report.shown import pieces
from regrade.report.trials import read_trials, trial_marks

TRIALS = 3000
"""Trials shown at most."""
RECODES = 200
"""Recodes listed at most for a candidate."""

CHOSEN = f"""
select trial_id from (
  select trial_id, row_number() over (
    partition by axis, candidate, from_status, to_status order by md5(trial_id), trial_id) as place
  from flips
) group by trial_id order by min(place), trial_id limit {TRIALS}
"""
"""Where there are too many, an equal number of each kind of flip, in an order that has nothing to do with the text."""

SHOWN = ("status", "code", "answer", "value", "missed", "decided_by")
"""What of a grade stands in a trial's table."""

LINKS = """
select axis, candidate, from_status, to_status, trial_id, configuration from flips join trials using (trial_id)
where trial_id in (select unnest($ids::varchar[])) order by axis, candidate, item, trial_id
"""

RECODED = f"""
select axis, candidate, trial_id, item, from_code, to_code, total from (
  select r.*, t.item, row_number() over (partition by axis, candidate order by t.item, trial_id) as place,
         count(*) over (partition by axis, candidate) as total
  from recodes r join trials t using (trial_id)
) where place <= {RECODES} order by axis, candidate, item, trial_id
"""


def evidence(page: Page) -> dict[str, Any] | None:
    """Groups of flips with links, the trials by item, and the recodes."""
    con = page.con
    [(total,)] = con.execute("select count(distinct trial_id) from flips").fetchall()
    ids = [trial_id for (trial_id,) in con.execute(CHOSEN).fetchall()]
    recodes = _recodes(page)
    if not total and not recodes:
        return None
    trials = read_trials(con, ids)
    return {
        "title": "Evidence",
        "total": total,
        "shown": len(ids),
        "groups": _groups(page, ids),
        "items": [_item(page, list(same)) for _, same in groupby(trials, key=lambda t: t["item"])],
        "recodes": recodes,
        "most_recodes": RECODES,
        "shown_ids": set(ids),
        "several_axes": len(page.summary["axes"]) > 1,
    }


def _groups(page: Page, ids: list[str]) -> list[dict[str, Any]]:
    """Links by axis, candidate and direction, those of the smallest tier first."""
    linked: dict[tuple[str, str, str], dict[tuple[str, ...], list[str]]] = {}
    for axis, candidate, old, new, trial_id, configuration in page.con.execute(LINKS, {"ids": ids}).fetchall():
        key = (axis, candidate, _direction(old, new))
        tiers = tuple(page.summary["axes"][axis]["gains"][configuration]["tiers"])
        linked.setdefault(key, {}).setdefault(tiers, []).append(trial_id)
    groups = []
    for (axis, candidate, direction), by_tiers in linked.items():
        blocks = page.summary["axes"][axis]["candidates"][candidate]["tiers"]
        groups.append(
            {
                "axis": axis,
                "candidate": candidate,
                "direction": direction,
                "tiers": {tier: block[direction] for tier, block in blocks.items()},
                "links": sorted(by_tiers.items(), key=lambda pair: (-len(pair[0]), pair[0])),
                "linked": sum(len(names) for names in by_tiers.values()),
            }
        )
    return groups


def _direction(old: str, new: str) -> str:
    return next(name for name, (befores, afters) in DIRECTIONS.items() if old in befores and new in afters)


def _item(page: Page, trials: list[dict[str, Any]]) -> dict[str, Any]:
    first = trials[0]
    opening = _opening(trials)
    return {
        "item": first["item"],
        "family": first["family"],
        "prompt": first["prompt"],
        "gold": None if first["gold"] is None else json.dumps(first["gold"], ensure_ascii=False),
        "notes": [note for note in page.corpus.notes if note.item == first["item"]],
        "opening": (first["turns"] or [])[:opening],
        "trials": [
            {**trial, "opening": opening, "rows": _rows(trial), "pieces": pieces(trial["reply"], trial_marks(trial))}
            for trial in trials
        ],
    }


def _opening(trials: list[dict[str, Any]]) -> int:
    """How many turns, from the first, all trials of an item have in common, none of them the assistant's."""
    together = zip(*(trial["turns"] or () for trial in trials), strict=False)
    common = takewhile(lambda turns: turns[0]["role"] != "assistant" and all(t == turns[0] for t in turns), together)
    return sum(1 for _ in common)


def _rows(trial: dict[str, Any]) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """By axis the grades that differ from the frozen one, candidates of the same grade together."""
    rows = {}
    for axis, block in trial["axes"].items():
        alike: dict[str, tuple[list[str], dict[str, Any]]] = {}
        for name, grade in block["candidates"].items():
            if grade["differs"]:
                key = repr([grade[shown] for shown in SHOWN])
                alike.setdefault(key, ([], grade))[0].append(name)
        rows[axis] = [(", ".join(names), grade) for names, grade in alike.values()]
    return rows


def _recodes(page: Page) -> list[dict[str, Any]]:
    rows = page.con.execute(RECODED).fetchall()
    return [
        {"axis": axis, "candidate": candidate, "total": same[0][-1], "rows": [row[2:6] for row in same]}
        for (axis, candidate), same in ((key, list(found)) for key, found in groupby(rows, key=lambda row: row[:2]))
    ]
