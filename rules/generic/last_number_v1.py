"""Take the last number of the reply.

What it changes: the answer is the last number that the model's own reply states, without grouping, currency or unit;
numbers of list entries and of a question that the model went on to invent are none. On a carried grader a failure
becomes a pass where that number is the gold.
Why: a strict pattern fails right numbers for a missing marker, a currency sign or a word after the number.
Evidence: in logs with a strict and a flexible filter, the strict one fails replies that the flexible one passes.
What it cannot show: that the last number is meant as the answer. A reply that names the gold in passing at its end
passes as well, so that its flips are an upper bound. A reply that breaks off has no answer.
"""

from regrade.grades import lenient, per_row

from ._words import else_below

AXIS, DECISION = "*", "proposed"


@per_row("reply")
def extract(trial, base):
    return else_below(lenient.last_stated_number(trial.reply), trial, base)


MUST_FLIP = [
    {"gold": "18", "reply": "She makes 9 * $2 = $18 a day.", "frozen": "failed", "to": "passed"},
    {"gold": "9 * 2 = <<9*2=18>>18\n#### 18", "reply": "So it is 18.0 dollars.", "frozen": "failed", "to": "passed"},
    {"gold": 1250, "reply": "In all: **1,250**", "frozen": "failed", "frozen_code": "FORMAT", "to": "passed"},
    {"gold": "$1,250", "reply": "In all 1 250 euros.", "frozen": "failed", "to": "passed"},
    {
        "gold": {"kind": "number", "answer": -3.2, "tolerance": 0.05},
        "reply": "From 4.1 it fell to \u22123.24 C.",
        "frozen": "failed",
        "to": "passed",
    },
    {"gold": "18", "reply": "It is 18.\n\nQuestion: what of 4 and 5?\nAnswer: 9", "frozen": "failed", "to": "passed"},
]
MUST_HOLD = [
    {"gold": "18", "reply": "It is 18, out of 20.", "frozen": "failed", "status": "failed"},
    {"gold": "18", "reply": "It is 118.", "frozen": "failed", "status": "failed"},
    {"gold": "18", "reply": "No digits here.", "frozen": "failed", "frozen_code": "FORMAT", "status": "failed"},
    {"gold": "18", "reply": "9 crates hold 2 each, 9 * 2 is 18, and then we", "frozen": "failed", "status": "failed"},
    {"gold": "18", "reply": "It is 17.", "frozen": "passed", "status": "passed"},
    {"gold": "eighteen", "reply": "It is 18.", "frozen": "failed", "status": "failed"},
    {"gold": None, "reply": "It is 18.", "frozen": "failed", "status": "failed"},
]
