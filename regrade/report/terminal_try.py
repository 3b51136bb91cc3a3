"""What `regrade try` prints for a person: what the rule moves, and some trials with both readings marked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from regrade.report.console import console, line, table
from regrade.report.explain import grade_text, marked_rows
from regrade.report.page import plural
from regrade.report.shown import Mark, shorten


def print_try(found: Mapping[str, Any], on: str) -> None:
    """Print what `try_rule` gives."""
    out = console()
    out.print(line(f"{found['rule']}: {found['decision']}, {found['state']}, {found['fingerprint'][:12]}", "bold"))
    for axis, block in found["axes"].items():
        for part in _axis(axis, block, on, out.width):
            # A row of a reply is as wide as it may be, and its spaces count.
            out.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))


def _axis(axis: str, block: Mapping[str, Any], on: str, width: int) -> Iterator[Any]:
    frozen = ", ".join(f"{trials:,} {status}" for status, trials in block["frozen"].items())
    yield line(f"Axis {axis}: {plural(block['trials'], 'trial')} as frozen: {frozen}.")
    if not block["moves"]:
        yield line("The rule moves no trial.")
    else:
        rows = [
            [f"{m['from'] or 'none'} to {m['to']}" if m["from"] != m["to"] else f"{m['from']}, recoded", m["trials"]]
            + [m[key] for key in ("items", "configurations", "weights", "lineages")]
            for m in block["moves"]
        ]
        columns = ["move", "trials", "items", "configurations", "weights", "lineages"]
        yield table("Moves", columns, rows)
        coded = [t for t in block["transitions"] if t["from"][1] != t["to"][1]]
        if coded:
            rows = [[_say(t["from"]), _say(t["to"]), t["trials"]] for t in coded]
            yield table("Codes", ["from", "to", "trials"], rows, left=2)
    for trial in block["shown"]:
        yield line("")
        yield from _trial(trial, width)
    if not block["shown"] and on != "flips":
        yield line(f"No trial {'fails' if on == 'failures' else 'passes'} under the rule.")


def _trial(trial: Mapping[str, Any], width: int) -> Iterator[Text]:
    yield line(f"{trial['trial_id']}: {_say(trial['from'])} to {_say(trial['to'])}", "bold")
    if trial["gold"] is not None:
        yield line(f"  gold: {json.dumps(trial['gold'], ensure_ascii=False)}")
    for name in ("frozen", "read"):
        if trial[name] is not None:
            yield line(f"  {'rule' if name == 'read' else name}: {grade_text({**trial[name], 'decided_by': None})}")
    yield from marked_rows(*shorten(trial["reply"], [Mark(**mark) for mark in trial["marks"]]), width)


def _say(grade: Sequence[str | None]) -> str:
    return " ".join(part for part in grade if part) or "none"
