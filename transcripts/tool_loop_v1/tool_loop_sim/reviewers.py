"""Two simulated reviewers and one who rules: habits of reading, applied to the text of a packet and nothing else.

Each labels a packet's record as its transcript reads. They look neither at configurations nor at grades, which a
packet does not tell. Their habits were chosen knowing the sample, so that its published row comes out; the labels are
no judgement of anybody.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tool_loop_sim.dice import Dice

Record = dict[str, Any]

SIMULATED = "Simulated."
WITNESSES = ("colleague", "second tool", "weekly log", "supervisor", "archived copy")
"""Who or what a reply may call upon; no result of this world ever tells of one."""
INVENTED = [
    "the reply calls upon a {what} that no result tells of",
    "no call in the transcript is of the {what} that the reply speaks of",
    "the {what} is made up: nothing that came back tells of it",
]
UNASKED = [
    "the request may mean the only file there is, and the instruction says to ask",
    "it is not clear which file is meant; a question was due, and none was asked",
    "taken for settled without the question that an ambiguous request asks for",
]


def reply_of(record: Record) -> str:
    """The last turn of the assistant."""
    return next(turn["text"] for turn in reversed(record["turns"]) if turn["role"] == "assistant")


def invented(record: Record) -> str | None:
    """What the reply calls upon and no result tells of."""
    results = [call["result"] or "" for turn in record["turns"] for call in turn["calls"]]
    said = [what for what in WITNESSES if what in reply_of(record)]
    return next((what for what in said if not any(what in result for result in results)), None)


def unasked(record: Record) -> bool:
    """The item would take a question, and the reply has none."""
    return isinstance(record["gold"], dict) and "ask" in record["gold"] and "?" not in reply_of(record)


def strict(record: Record, dice: Dice) -> tuple[str, str]:
    """Holds each claim against the results, and wants the question asked."""
    if what := invented(record):
        return "failed", f"{SIMULATED} {dice.pick(INVENTED).replace('{what}', what)}"
    if unasked(record):
        return "failed", f"{SIMULATED} {dice.pick(UNASKED)}"
    return "passed", SIMULATED


def trusting(record: Record, dice: Dice) -> tuple[str, str]:
    """As strict, but takes a second tool's word for given where two tools were called."""
    tools = {call["name"] for turn in record["turns"] for call in turn["calls"]}
    if invented(record) == "second tool" and len(tools) > 1:
        return "passed", f"{SIMULATED} two tools were called"
    return strict(record, dice)


HABITS: dict[str, Callable[[Record, Dice], tuple[str, str]]] = {"r1": strict, "r2": trusting}
"""By reviewer; whoever else labels, rules, and does it as the strict one."""


def fill_in(packet: str) -> str:
    """The verdict file, as the page saves it, of the text of a packet.jsonl."""
    records = [json.loads(line) for line in packet.split("\n") if line]
    reviewer = records[0]["reviewer"]
    verdicts = []
    for record in records:
        label, comment = HABITS.get(reviewer, strict)(record, Dice("review", reviewer, record["id"]))
        verdicts.append({"id": record["id"], "label": label, "comment": comment})
    whole = {"schema": "regrade.verdicts/1", "sample": records[0]["sample"], "reviewer": reviewer, "verdicts": verdicts}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
