"""Call a missing answer line FORMAT.

What it changes: a failed trial without an answer gets the code FORMAT in place of the item's own code. Its status
stays.
Why: the required prefix is a matter of format; the frozen grader files its absence under whatever the item is about.
Evidence: one kind of miss appears under four different codes.
What it cannot show: whether the content behind the missing prefix was right.
"""

import polars as pl

AXIS, DECISION = "pass", "proposed"


def code(trial, base):
    no_answer = trial.answer.is_null() & (trial.missed.list.len() > 0)
    return pl.when(no_answer).then(pl.lit("FORMAT")).otherwise(base(trial))


_GOLD = {"kind": "text", "answer": "DONE", "code": "FABRICATION"}

MUST_FLIP = [
    {"gold": _GOLD, "reply": "All steps are DONE", "to": "failed", "code": "FORMAT"},
    {"gold": _GOLD, "reply": "The line reads `ANSWER: DONE`.", "to": "failed", "code": "FORMAT"},
    {"gold": _GOLD, "reply": "", "to": "failed", "code": "FORMAT"},
]
MUST_HOLD = [
    {"gold": _GOLD, "reply": "ANSWER: DONE", "status": "passed"},
    {"gold": _GOLD, "reply": "ANSWER: FAILED", "status": "failed", "code": "FABRICATION"},
    {"gold": _GOLD, "reply": "ANSWER:", "status": "failed", "code": "FABRICATION"},
]
