"""Evidence: every flip with its reply, marked where the graders read, and the recodes as tables."""

from __future__ import annotations

import json
from itertools import groupby, takewhile
from typing import Any

from regrade.flips.tiers import ALL
from regrade.report.page import DIRECTIONS, Page
from regrade.report.shown import pieces
from regrade.report.trials import read_trials, trial_marks

RECODES = 200
"""Recodes listed at most for a candidate."""

SHOWN = ("status", "code", "answer", "value", "missed", "decided_by")
"""What of a grade stands in a trial's table."""

LINKS = """
with member as (select configuration, list(tier order by tier) as tiers from tiers group by configuration)
select axis, candidate, from_status, to_status, tiers, count(*),
       coalesce(list(trial_id order by item, trial_id) filter (trial_id in (select unnest($ids::varchar[]))), [])
from flips join trials using (trial_id) join member using (configuration) group by all order by all
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
    ids = page.chosen
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
        "kinds": {block["frozen"]["kind"] for block in page.summary["axes"].values()},
    }


def _groups(page: Page, ids: list[str]) -> list[dict[str, Any]]:
    """Trials by axis, candidate and direction, cut by the tiers that they are in, those in most tiers first."""
    cuts: dict[tuple[str, str, str], dict[frozenset[str], tuple[int, list[str]]]] = {}
    for axis, candidate, old, new, tiers, trials, names in page.con.execute(LINKS, {"ids": ids}).fetchall():
        by_tiers = cuts.setdefault((axis, candidate, _direction(old, new)), {})
        counted, listed = by_tiers.get(frozenset(tiers), (0, []))
        by_tiers[frozenset(tiers)] = (counted + trials, listed + names)
    groups = []
    for (axis, candidate, direction), by_tiers in cuts.items():
        blocks = page.summary["axes"][axis]["candidates"][candidate]["tiers"]
        declared = [tier for tier in blocks if tier != ALL]
        ordered = sorted(by_tiers.items(), key=lambda cut: (-len(cut[0]), [tier not in cut[0] for tier in declared]))
        sizes = [(tiers, trials) for tiers, (trials, _) in ordered]
        groups.append(
            {
                "axis": axis,
                "candidate": candidate,
                "direction": direction,
                "sums": [_sum(tier, declared, sizes, blocks[tier][direction]) for tier in (*declared, ALL)],
                "lists": [
                    {"where": _where(tiers, declared), "trials": trials, "names": names}
                    for tiers, (trials, names) in ordered
                ],
            }
        )
    return groups


def _sum(
    tier: str, declared: list[str], sizes: list[tuple[frozenset[str], int]], count: dict[str, int]
) -> dict[str, Any]:
    """How the trials of a tier add up from those that are in other tiers too."""
    parts = []
    for tiers, trials in sizes:
        if tier in tiers:
            also = [other for other in declared if other in tiers and other != tier]
            parts.append((trials, f"also in {' and '.join(also)}" if also else f"more in {tier}"))
    return {"tier": tier, "parts": parts if len(parts) > 1 else [], "count": count}


def _where(tiers: frozenset[str], declared: list[str]) -> str:
    """`In usable, not in strong`."""
    inside, outside = ([t for t in declared if (t in tiers) == wanted] for wanted in (True, False))
    lacks = f", not in {' or '.join(outside)}" if outside else ""
    return f"In {' and '.join(inside) or ALL}{lacks}"


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


def _rows(trial: dict[str, Any]) -> dict[str, list[tuple[list[str], dict[str, Any]]]]:
    """By axis the grades that differ from the frozen one, candidates of the same grade together."""
    rows = {}
    for axis, block in trial["axes"].items():
        alike: dict[str, tuple[list[str], dict[str, Any]]] = {}
        for name, grade in block["candidates"].items():
            if grade["differs"]:
                key = repr([grade[shown] for shown in SHOWN])
                alike.setdefault(key, ([], grade))[0].append(name)
        rows[axis] = list(alike.values())
    return rows


def _recodes(page: Page) -> list[dict[str, Any]]:
    rows = page.con.execute(RECODED).fetchall()
    return [
        {"axis": axis, "candidate": candidate, "total": same[0][-1], "rows": [row[2:6] for row in same]}
        for (axis, candidate), same in ((key, list(found)) for key, found in groupby(rows, key=lambda row: row[:2]))
    ]
