"""Blocks: the trials of an item as a page shows them, what they share said once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from typing import Any

from regrade.report.page import Page
from regrade.report.shown import pieces
from regrade.report.trials import CARRIED, apart, read_trials, trial_marks
from regrade.report.why import why

TOGETHER = 20
"""Pages whose trials are read at once."""

SHOWN = ("status", "code", "answer", "value", "missed", "decided_by")
"""What of a grade is said of a trial."""


def sheet_blocks(page: Page) -> Iterator[list[dict[str, Any]]]:
    """The trials of each page of the folder, as `item_blocks` gives them."""
    sheets = page.moved.sheets
    with apart(page.con, page.moved.ids if sheets else ()) as of:
        for first in range(0, len(sheets), TOGETHER):
            some = sheets[first : first + TOGETHER]
            trials = {trial["trial_id"]: trial for trial in _moved(page, [name for ids in some for name in ids], of)}
            for ids in some:
                yield _blocks(page, [trials[name] for name in ids])


def item_blocks(page: Page, ids: Sequence[str]) -> list[dict[str, Any]]:
    """The named trials by item, each with its transcript folded, its grades by axis and its reply in pieces."""
    return _blocks(page, _moved(page, ids))


def _moved(page: Page, ids: Sequence[str], of: str = "") -> list[dict[str, Any]]:
    return read_trials(page.con, ids, unmoved=False, of=of)


def _blocks(page: Page, trials: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [_item(page, list(same)) for _, same in groupby(trials, key=lambda trial: trial["item"])]


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
        "trials": [_trial(trial, opening) for trial in trials],
    }


def _opening(trials: list[dict[str, Any]]) -> int:
    """How many turns, from the first, all trials of an item have in common, none of them the assistant's."""
    together = zip(*(trial["turns"] or () for trial in trials), strict=False)
    common = takewhile(lambda turns: turns[0]["role"] != "assistant" and all(t == turns[0] for t in turns), together)
    return sum(1 for _ in common)


def _trial(trial: dict[str, Any], opening: int) -> dict[str, Any]:
    return {
        **trial,
        "opening": opening,
        "grades": {axis: _grades(block, trial["gold"]) for axis, block in trial["axes"].items()},
        "pieces": pieces(trial["reply"], trial_marks(trial)),
        "stretches": _stretches(trial, opening),
    }


def _grades(block: dict[str, Any], gold: Any) -> dict[str, Any]:
    """The grades of an axis, candidates of the same one together, with why they are not the frozen one."""
    recorded, frozen = block["recorded"], block["frozen"]
    alike: dict[str, tuple[list[str], dict[str, Any]]] = {}
    for name, grade in block["candidates"].items():
        alike.setdefault(repr([grade[shown] for shown in SHOWN]), ([], grade))[0].append(name)
    gap = recorded and (not frozen or any(recorded[key] != frozen[key] for key in ("status", "code")))
    return {
        "recorded": recorded if gap else None,
        "frozen": frozen,
        "unread": block["kind"] == CARRIED and frozen is not None and frozen["answer"] is None,
        "moved": [(names, grade, why(names, grade, block, gold)) for names, grade in alike.values()],
    }


def _stretches(trial: dict[str, Any], opening: int) -> list[tuple[bool, list[dict[str, Any]]]]:
    """The turns after the opening in stretches, each open or folded.

    Open are the reply, what led to it from the assistant's turn before, and turns in which something was noticed.
    """
    turns, reply = trial["turns"] or [], trial["reply_turn"]
    end = len(turns) if reply is None else reply
    said = [n for n in range(opening, end) if turns[n]["role"] == "assistant"]
    near = range(said[-1] if said else end, end + 1)
    noticed = {signal["turn"] for signal in trial["signals"]}
    results = {turn["text"] for turn in turns if turn["role"] == "tool"}
    shown = [
        {
            "n": n,
            "role": turn["role"],
            "text": turn["text"],
            "reply": n == reply,
            "calls": [{**call, "said": call["result"] in results} for call in turn["calls"] or ()],
            "open": n in near or n in noticed,
        }
        for n, turn in enumerate(turns)
        if n >= opening
    ]
    return [(is_open, list(same)) for is_open, same in groupby(shown, key=lambda turn: turn["open"])]
