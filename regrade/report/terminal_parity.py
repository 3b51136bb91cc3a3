"""What `regrade verify --parity` prints for a person: both grades of a trial, and what was read of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from regrade.report.console import console, line, table
from regrade.report.explain import grade_text, marked_rows
from regrade.report.page import plural
from regrade.report.shown import Mark, shorten


def print_parity(found: Mapping[str, Any]) -> None:
    """Print what `compare_parity` gives: the count, the kinds of gap, and the first trials with both grades."""
    out = console()
    for axis, block in found["axes"].items():
        for part in _axis(axis, block, out.width):
            # A row of a reply is as wide as it may be, and its spaces count.
            out.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))


def _axis(axis: str, block: Mapping[str, Any], width: int) -> Iterator[Any]:
    trials, agree = block["trials"], block["agree"]
    if not trials:
        why = "the log has no grade" if block["kind"] == "ported" else f"the grader is {block['kind']}"
        yield line(f"Parity on {axis}: nothing to compare, {why}.")
        return
    yield line(f"Parity on {axis}: {agree:,} of {trials:,} trials agree.", "bold")
    if agree == trials:
        return
    rows = [[_say(gap["frozen"]), _say(gap["replayed"]), gap["trials"]] for gap in block["differ"]]
    yield table("Gaps", ["frozen", "replayed", "trials"], rows, left=2)
    for gap in block["first"]:
        yield line("")
        yield from _gap(gap, width)
    if trials - agree > len(block["first"]):
        yield line("")
        yield line(f"{plural(trials - agree - len(block['first']), 'trial')} more; --first says how many are shown.")


def _gap(gap: Mapping[str, Any], width: int) -> Iterator[Text]:
    yield line(gap["trial_id"], "bold")
    if gap["gold"] is not None:
        yield line(f"  gold: {json.dumps(gap['gold'], ensure_ascii=False)}")
    if gap["calls"]:
        yield line(f"  calls: {', '.join(call['name'] for call in gap['calls'])}")
    frozen, replayed = gap["frozen"], gap["replayed"]
    answer = "" if frozen["answer"] is None else f"; answer {json.dumps(frozen['answer'], ensure_ascii=False)}"
    yield line(f"  frozen:   {_say((frozen['status'], frozen['code']))}{answer}")
    # That the grader alone decided it goes without saying.
    yield line(f"  replayed: {'no grade' if replayed is None else grade_text({**replayed, 'decided_by': None})}")
    reply = gap["reply"]
    if blank := reply[len(reply.rstrip()) :]:
        yield line(f"  the reply ends with {json.dumps(blank)}")
    yield from marked_rows(*shorten(reply, [Mark(**mark) for mark in gap["marks"]]), width)


def _say(grade: Sequence[str | None] | None) -> str:
    return "no grade" if grade is None else " ".join(part for part in grade if part)
