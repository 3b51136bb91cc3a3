"""Call a failed refusal REFUSAL.

What it changes: a failed trial whose reply declines to answer, or says that what it was given does not tell, gets the
code REFUSAL in place of its own. Its status stays.
Why: a model that says it does not know and one that makes something up fail alike, and are not the same failure.
Evidence: failures of one code that fall into wrong answers and refusals when they are read.
What it cannot show: whether the refusal was right; and a refusal is known by its words, so that an unusual one is
missed, and an answer that says in passing what the sources do not tell counts as one.
"""

from regrade.grades import per_row, stances

from ._words import own_reply

AXIS, DECISION = "*", "proposed"


@per_row("reply", "missed")
def code(trial, base):
    return "REFUSAL" if trial.missed and stances.refuses(own_reply(trial.reply).text) else base(trial)


MUST_FLIP = [
    {
        "gold": "42",
        "reply": "I'm sorry, but I can't help with that.",
        "frozen": "failed",
        "to": "failed",
        "code": "REFUSAL",
    },
    {
        "gold": "noon",
        "reply": "The notice does not say when it opens.",
        "frozen": "failed",
        "frozen_code": "FABRICATION",
        "to": "failed",
        "code": "REFUSAL",
    },
    {"gold": {"answer": "noon"}, "reply": "UNKNOWN", "frozen": "failed", "to": "failed", "code": "REFUSAL"},
]
MUST_HOLD = [
    {
        "gold": "42",
        "reply": "It is 41.",
        "frozen": "failed",
        "frozen_code": "WRONG",
        "status": "failed",
        "code": "WRONG",
    },
    {"gold": "42", "reply": "I cannot say.", "frozen": "passed", "status": "passed"},
    {"gold": "42", "reply": "I cannot say.", "frozen": "ungraded", "frozen_code": "LIMIT", "status": "ungraded"},
    {"gold": "42", "reply": "I can't wait to tell you: 41.", "frozen": "failed", "status": "failed"},
    {"gold": "42", "reply": "", "frozen": "failed", "status": "failed"},
    {"gold": "42", "reply": "<think>I cannot tell.</think>41", "frozen": "failed", "status": "failed"},
]
