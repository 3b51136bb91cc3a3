"""Read the last number of the reply.

What it changes: the answer is the last number in the whole reply, wherever it stands; the marker does not matter.
Why: to learn whether the frozen grades lean on the marker.
Evidence: on the published solutions it gives every frozen grade, so none of them rests on the marker.
What it cannot show: whether a solution's working is right; only its last number is read.
"""

from regrade.grades import text

AXIS, DECISION = "pass", "proposed"


def extract(trial, base):
    return text.last_number(trial.reply)


MUST_FLIP = [
    {"gold": "1 + 2 = 3\nA: 3", "reply": "1 + 2 = 3, so 3", "to": "passed"},
    {"gold": "A: 1,250", "reply": "It costs $1,250.", "to": "passed"},
]
MUST_HOLD = [
    {"gold": "A: 3", "reply": "A: 3", "status": "passed"},
    {"gold": "A: 3", "reply": "A: 4", "status": "failed"},
    {"gold": "A: 3", "reply": "A: 3\nChecked 2 times.", "status": "failed"},
    {"gold": "A: 3", "reply": "", "status": "failed"},
]
