"""Read the number after the last equals sign.

What it changes: on number items the value is the number after the last `=` of the answer, where there is one; else
the frozen reading stands.
Why: items that ask for readings by unit are answered as `<unit>=<value>`, and the frozen grader takes the first
number, which is the unit's id.
Evidence: strong configurations convert the reading rightly and still fail, coded as stale data, with the unit's id
as the value read.
What it cannot show: whether the turn asked for the unit to be kept. It also turns a pass into a failure where a
right value is followed by another one behind an equals sign.
"""

from regrade.grades import text

AXIS, DECISION = "pass", "proposed"
WHERE = {"kind": "number"}


def read(trial, base):
    return text.first_of(text.number_after_last_equals(trial.answer), base(trial))


MUST_FLIP = [
    {
        "gold": {"kind": "number", "answer": 7.0},
        "reply": "Converted the latest reading.\nANSWER: 3=7.0",
        "to": "passed",
    },
    {"gold": {"kind": "number", "answer": -3.2}, "reply": "ANSWER: s14 = -3.2", "to": "passed"},
    {
        "gold": {"kind": "number", "answer": 1204, "tolerance": 0.5},
        "reply": "ANSWER: unit 9: raw=77, now=1,204",
        "to": "passed",
    },
    {"gold": {"kind": "number", "answer": 7.0}, "reply": "ANSWER: 7.0 (raw=44.6)", "to": "failed"},
]
MUST_HOLD = [
    {"gold": {"kind": "number", "answer": 7.0}, "reply": "ANSWER: 3=9.9", "status": "failed"},
    {"gold": {"kind": "number", "answer": 7.0}, "reply": "ANSWER: 7.0", "status": "passed"},
    {"gold": {"kind": "number", "answer": 7.0}, "reply": "ANSWER: 7.0 =", "status": "passed"},
    {"gold": {"kind": "number", "answer": 7.0}, "reply": "3=7.0", "status": "failed"},
    {"gold": {"kind": "text", "answer": "mode=eco"}, "reply": "ANSWER: mode=eco", "status": "passed"},
]
