"""Call a failed empty reply EMPTY.

What it changes: a failed trial whose reply holds nothing that can be seen gets the code EMPTY in place of its own. Its
status stays.
Why: an empty reply is a matter of the harness or of a limit more often than of the item, and says nothing of what the
model knows.
Evidence: failures coded as wrong answers whose reply is the empty text.
What it cannot show: why the reply is empty; and a reply that is only a harness's note is no empty one.
"""

import polars as pl

AXIS, DECISION = "*", "proposed"


def code(trial, base):
    is_empty = ~trial.reply.str.contains(r"[^\s\p{Cc}\p{Cf}]")
    return pl.when((trial.missed.list.len() > 0) & is_empty).then(pl.lit("EMPTY")).otherwise(base(trial))


MUST_FLIP = [
    {"gold": "42", "reply": "", "frozen": "failed", "to": "failed", "code": "EMPTY"},
    {"gold": 42, "reply": " \n\t\u200b", "frozen": "failed", "frozen_code": "WRONG", "to": "failed", "code": "EMPTY"},
    {"gold": None, "turns": [{"role": "user", "text": "?"}], "frozen": "failed", "to": "failed", "code": "EMPTY"},
]
MUST_HOLD = [
    {"gold": "42", "reply": "-", "frozen": "failed", "frozen_code": "WRONG", "status": "failed", "code": "WRONG"},
    {"gold": "42", "reply": "\u00a0\u2026", "frozen": "failed", "status": "failed"},
    {"gold": "", "reply": "", "frozen": "passed", "status": "passed"},
    {"gold": "42", "reply": "", "frozen": "ungraded", "frozen_code": "LIMIT", "status": "ungraded"},
]
