"""Fall back to the last line where the answer line is missing.

What it changes: a reply without an `ANSWER:` line is answered by its last line that is not empty.
Why: to measure how many failures of every code rest on the missing prefix alone.
Evidence: the flips spread over several codes, and unevenly over configurations.
What it cannot show: that the flipped trials are right in every other respect. Its count is an upper bound.
"""

from regrade.grades import text

AXIS, DECISION = "pass", "rejected"
REASON = (
    "The prefix is a stated requirement, and following it is fair to grade: a reply without it stays a failure and is"
    " coded FORMAT. The rule sees the last line alone, so it credits a reply whatever else it claims; its flips measure"
    " the miss and pass nobody."
)


def extract(trial, base):
    return text.first_of(base(trial), text.last_line(trial.reply))


_TEXT = {"kind": "text", "answer": "NOT_FOUND", "code": "FABRICATION"}
_NUMBER = {"kind": "number", "answer": 7.0, "tolerance": 0.05, "code": "STALE_DATA"}

MUST_FLIP = [
    {"gold": _TEXT, "reply": "Nothing of that name is here.\n\nNOT_FOUND\r\n", "to": "passed"},
    {"gold": _NUMBER, "reply": "It is now 7.0 degrees.", "to": "passed"},
]
MUST_HOLD = [
    {"gold": _TEXT, "reply": "It is NOT_FOUND.", "status": "failed"},
    {"gold": _TEXT, "reply": "ANSWER:\nNOT_FOUND", "status": "failed"},
    {"gold": _NUMBER, "reply": "Unit 3 reads 7.0", "status": "failed"},
    {"gold": _NUMBER, "reply": "ANSWER: 7.0\nLet me know if you need more.", "status": "passed"},
    {"gold": _TEXT, "reply": "", "status": "failed"},
]
