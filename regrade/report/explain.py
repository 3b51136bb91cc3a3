"""Explain one trial: what each grader extracted, read, missed and coded, marked in the reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from typing import Any

from duckdb import DuckDBPyConnection
from rich.cells import cell_len
from rich.text import Text

from regrade.errors import RuleError, StoreError, near
from regrade.report.console import console, line
from regrade.report.shown import Mark, cut, excerpt
from regrade.report.trials import CARRIED, UNKNOWN, read_trials, trial_marks
from regrade.report.why import why
from regrade.signs import name

_SIGN = re.compile(r"[\u2400-\u2421\u27e8]")
"""What `name` may put in the place of a character begins so."""

NEAR = 5
"""Trials named where one is unknown."""
TOLD = 400
"""Characters kept at each end of a turn other than the reply."""
LOOKED_AT = 200
"""Trials of the same beginning that are compared with an unknown one."""


def explain_trial(con: DuckDBPyConnection, trial_id: str, candidate: str | None = None) -> dict[str, Any]:
    """Everything that is known of a trial, as `read_trials` gives it, with the `marks` in its reply.

    Args:
        con: a graded store.
        trial_id: the trial, by its name or as its name is shown.
        candidate: keep this one alone beside the frozen grade, changed or not; axes without it fall out.

    Raises:
        StoreError: there is no such trial, or several are shown so.
        RuleError: no axis has such a candidate.
    """
    named = _known_trials(con, trial_id)
    if len(named) > 1:
        raise StoreError(
            f"{len(named)} trials are shown as {name(trial_id)!r}: {', '.join(map(ascii, named[:NEAR]))}. "
            "Give the name of one with its own signs."
        )
    found = read_trials(con, named)
    if not found:
        close = ", ".join(name(n) for n in _near_trials(con, trial_id))
        shape = "A name is CONFIGURATION/ITEM/TRIAL; those of flips are listed by: regrade flips --csv FILE"
        hint = f"Near ones: {close}." if close else shape
        raise StoreError(f"No trial {name(trial_id)!r} in the store. {hint}")
    trial = found[0]
    if candidate is not None:
        known = {n for block in trial["axes"].values() for n in block["candidates"]}
        if candidate not in known:
            raise RuleError(f"Unknown candidate {candidate!r}.{near(candidate, known)}")
        trial["axes"] = {
            axis: {**block, "candidates": {candidate: block["candidates"][candidate]}}
            for axis, block in trial["axes"].items()
            if candidate in block["candidates"]
        }
    return {**trial, "marks": [asdict(mark) for mark in trial_marks(trial, every=candidate is not None)]}


def _known_trials(con: DuckDBPyConnection, asked: str) -> list[str]:
    """The trial of a name, or those whose name is shown like that, with signs for what cannot be typed."""
    exact = con.execute("select trial_id from trials where trial_id = $asked", {"asked": asked}).fetchall()
    beginning = _SIGN.split(asked)[0]
    if exact or beginning == asked:
        return [trial for (trial,) in exact]
    query = "select trial_id from trials where starts_with(trial_id, $beginning) order by trial_id"
    return [trial for (trial,) in con.execute(query, {"beginning": beginning}).fetchall() if name(trial) == asked]


def _near_trials(con: DuckDBPyConnection, trial_id: str) -> list[str]:
    """Trials whose names begin like an unknown one, the most alike first."""
    beginning = trial_id
    while True:
        query = "select trial_id from trials where starts_with(trial_id, $beginning) order by trial_id limit $most"
        rows = con.execute(query, {"beginning": beginning, "most": LOOKED_AT}).fetchall()
        if rows or not beginning:
            names = [row[0] for row in rows]
            # Where nothing begins alike, a name may still have one letter wrong, and most have none.
            return get_close_matches(trial_id, names, n=NEAR, cutoff=0 if beginning else 0.6)
        beginning = beginning[: max(beginning.rfind("/"), len(beginning) // 2)] if len(beginning) > 1 else ""


def print_explanation(found: dict[str, Any]) -> None:
    """Print what `explain_trial` gives: turns, grades, and the reply with each reading underlined and named."""
    out = console()
    for part in _explanation(found, out.width):
        # A row is as wide as it may be, and its spaces count.
        out.print(part, soft_wrap=bool(part.no_wrap))


def _explanation(found: dict[str, Any], width: int) -> Iterator[Text]:
    yield line(found["trial_id"], "bold")
    where = found["path"] if found["line"] is None else f"{found['path']}:{found['line']}"
    yield line(
        f"configuration {found['configuration']}, weights {_or_dash(found['weights'])}, "
        f"lineage {_or_dash(found['lineage'])}; {where}"
    )
    yield line(f"item {found['item']}, family {_or_dash(found['family'])}")
    if found["prompt"] is not None:
        yield line("Prompt", "bold")
        yield from marked_rows(found["prompt"], (), width)
    if found["gold"] is not None:
        yield line(f"Gold: {json.dumps(found['gold'], ensure_ascii=False)}")
    yield from _turns(found, width)
    for signal in found["signals"]:
        yield line(f"Signal in turn {signal['turn']}: {signal['signal']}: {signal['text']}")
    for axis, block in found["axes"].items():
        yield from _grades(axis, block, found["gold"])
    yield line("Reply" if found["reply_turn"] is None else f"Reply: turn {found['reply_turn']}, counted from 0", "bold")
    yield from marked_rows(found["reply"], [Mark(**mark) for mark in found["marks"]], width)


def _turns(found: dict[str, Any], width: int) -> Iterator[Text]:
    """What was said and called before and after the reply; a tool's result stands behind its call."""
    if found["turns"]:
        yield line("Transcript", "bold")
    for number, turn in enumerate(found["turns"] or ()):
        if turn["role"] == "tool":
            continue
        who, text = f"  {number} {turn['role']}:", turn["text"] or ""
        if number == found["reply_turn"]:
            yield line(f"{who} the reply below")
        elif text and text == found["prompt"]:
            yield line(f"{who} the prompt above")
        elif text:
            yield line(who)
            yield from marked_rows(cut(text, TOLD), (), width)
        for call in turn["calls"] or ():
            result = "no result" if call["result"] is None else cut(call["result"], TOLD)
            yield line(f"  {number} calls {call['name']} {call['arguments']} -> {result}")


def _grades(axis: str, block: dict[str, Any], gold: Any) -> Iterator[Text]:
    yield line(f"Grades on {axis}", "bold")
    recorded, frozen = block["recorded"], block["frozen"]
    if recorded and (frozen is None or (recorded["status"], recorded["code"]) != (frozen["status"], frozen["code"])):
        told = f"{recorded['status']} {_or_dash(recorded['code'])}"
        yield line(f"  recorded: {told}, not what the frozen grader gives", "red")
    if frozen:
        unread = block["kind"] == CARRIED and frozen["answer"] is None
        told = f"{_status(frozen)}; {UNKNOWN}" if unread else grade_text(frozen, logged=block["kind"] == CARRIED)
        yield line(f"  frozen: {told}")
    same = [n for n, grade in block["candidates"].items() if not grade["differs"]]
    alone = len(block["candidates"]) == 1
    for candidate, grade in block["candidates"].items():
        if grade["differs"] or alone:
            yield line(f"  {candidate}: {grade_text(grade)}" + (", as frozen" if not grade["differs"] else ""))
        if grade["differs"]:
            yield line(f"    {why([candidate], grade, block, gold)}")
    if same and not alone:
        yield line(f"  as frozen: {', '.join(same)}")


def grade_text(grade: dict[str, Any], *, logged: bool = False) -> str:
    """A grade in a line: status and code, what was read, missed, and who decided it; `logged`, if a log gives it."""
    told = [_status(grade)]
    nowhere = "recorded by the log; its place is not known" if logged else "no place in the reply"
    for what in ("answer",) if logged else ("answer", "value"):
        placed = "" if grade[what] is None or grade[f"{what}_start"] is not None else f" ({nowhere})"
        text = json.dumps(excerpt(grade, what), ensure_ascii=False)
        told.append(f"no {what}" if grade[what] is None else f"{what} {text}{placed}")
    if grade["missed"]:
        told.append(f"missed {', '.join(grade['missed'])}")
    if grade["decided_by"] is not None:
        told.append(f"decided by {', '.join(grade['decided_by']) or 'the grader alone'}")
    return "; ".join(told)


def _status(grade: dict[str, Any]) -> str:
    return f"{grade['status']} {grade['code']}" if grade["code"] else str(grade["status"])


def _or_dash(text: str | None) -> str:
    return "-" if text is None else text


def marked_rows(text: str, marks: Sequence[Mark], width: int) -> Iterator[Text]:
    """The text in rows of the width; below each a row for every mark on it: signs at its characters, its label.

    The sign is `-` for what the frozen grader read, `^` for what a candidate did, `=` for what both did.
    """
    for start, stop in _cuts(text, max(width - 4, 10)):
        row = Text("  | ", no_wrap=True)
        for place in range(start, stop):
            over = [mark for mark in marks if mark.start <= place < mark.stop]
            row.append(_symbols(text[place]), style=_style(over))
        yield row
        for mark in marks:
            if mark.start == mark.stop and (start <= mark.start < stop or mark.start == stop == len(text)):
                yield _signs(text, start, mark.start, 1, mark)
            elif max(start, mark.start) < min(stop, mark.stop):
                first, last = max(start, mark.start), min(stop, mark.stop)
                yield _signs(text, start, first, _cells(text[first:last]), mark)


def _signs(text: str, row_start: int, first: int, cells: int, mark: Mark) -> Text:
    sign = "=" if mark.frozen and mark.candidate else "-" if mark.frozen else "^"
    signs = Text("    " + " " * _cells(text[row_start:first]), no_wrap=True)
    signs.append(f"{sign * max(cells, 1)} {mark.label}", style=_style([mark]))
    return signs


def _cuts(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Where rows begin and stop: after each newline, and where the width would be passed after the last space."""
    start = cells = gap = 0
    for place, char in enumerate(text):
        size = cell_len(_symbols(char))
        while cells + size > width and place > start:
            stop = gap if gap > start else place
            yield start, stop
            start, cells = stop, _cells(text[stop:place])
        cells += size
        if char == "\n":
            yield start, place + 1
            start, cells = place + 1, 0
        elif char in " \t":
            gap = place + 1
    if start < len(text) or not text:
        yield start, len(text)


def _symbols(char: str) -> str:
    """A character as shown in a row: a newline takes no room, a tab and a control character are symbols."""
    return "" if char == "\n" else name(char)


def _cells(text: str) -> int:
    return sum(cell_len(_symbols(char)) for char in text)


def _style(marks: Sequence[Mark]) -> str:
    frozen, candidate = any(m.frozen for m in marks), any(m.candidate for m in marks)
    if frozen and candidate:
        return "bold magenta underline"
    return "bold yellow" if frozen else "bold cyan underline" if candidate else ""
