"""The benchmark's own reading of a reply, kept bug for bug.

It looks at the reply's text, the question and the names that may stand in a chain, and at nothing else. It is
never changed: later ideas about grading live elsewhere and are compared with what this says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from kremis_sim.worlds import Question

THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
SLOT = re.compile(r"answer:\s*(.+)", re.IGNORECASE)
UNKNOWN = re.compile(r"\bunknown\b", re.IGNORECASE)
ARROW = re.compile(r"->|→")
DECORATION = ".,;:`\"'*"


@dataclass(frozen=True)
class Reading:
    """`asserted`, `abstained` or `malformed`, and the chain where every name in it is known."""

    verdict: str
    chain: tuple[str, ...] | None = None


def slot_of(reply: str) -> str:
    """What stands after the last answer mark; where that is blank or there is none, the last line that is not."""
    text = THOUGHT.sub("", reply)
    marked = SLOT.findall(text)
    if marked and (slot := str(marked[-1]).strip()):
        return slot
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def read(reply: str, source: str, target: str, known: frozenset[str]) -> Reading:
    """Read a reply: only a chain of known names from source to target asserts anything."""
    slot = slot_of(reply)
    if UNKNOWN.search(slot):
        return Reading("abstained")
    # Decoration goes after the spaces, so a space between a name and its full stop stays, and spoils the name.
    nodes = tuple(node for part in ARROW.split(slot) if (node := part.strip().strip(DECORATION)))
    if len(nodes) < 2:
        return Reading("abstained")
    if not known.issuperset(nodes):
        return Reading("malformed")
    ends = nodes[0] == source and nodes[-1] == target
    return Reading("asserted" if ends else "malformed", nodes)


def grade(question: Question, reading: Reading) -> dict[str, Any]:
    """The verdict that is stored: silence passes where there is no answer and fails where there is one."""
    if reading.verdict != "asserted":
        return {"status": "failed" if question.truth else "passed", "code": reading.verdict.upper()}
    if question.truth is None:
        return {"status": "failed", "code": "FABRICATION"}
    if reading.chain != question.truth:
        return {"status": "failed", "code": "WRONG_ANSWER"}
    return {"status": "passed", "code": None}
