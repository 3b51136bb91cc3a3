"""Take the last line as the answer.

What it changes: the answer is the last line that is not empty of the model's own reply, without bold or other marks
that wrap the whole of it. On a carried grader a failure becomes a pass where that line is the gold.
Why: a reply that ends in the bare answer is often failed for a prefix or a format that it lacks.
Evidence: failed trials of foreign logs whose last line, alone, is the gold.
What it cannot show: an answer inside a sentence, for the line has to be the gold and nothing else; and whether the
missing format was asked for, so that its flips are an upper bound.
"""

from regrade.grades import per_row, text

from ._words import else_below, own_reply, unwrapped, within

AXIS, DECISION = "*", "proposed"


@per_row("reply")
def extract(trial, base):
    own = own_reply(trial.reply)
    line = text.last_line(own.text)
    return else_below(line and within(unwrapped(line), own), trial, base)


MUST_FLIP = [
    {"gold": "42", "reply": "6 * 7 = 42\n\n42\n", "frozen": "failed", "to": "passed"},
    {"gold": "42", "reply": "So:\n**42.0**", "frozen": "failed", "frozen_code": "FORMAT", "to": "passed"},
    {"gold": 42, "reply": "It adds up.\r\n42\r\n", "frozen": "failed", "to": "passed"},
    {"gold": "Lake Como", "reply": "A lake in Italy.\nLake Como", "frozen": "failed", "to": "passed"},
    {"gold": ["Como", "Lake Como"], "reply": "On a lake.\nLake Como", "frozen": "failed", "to": "passed"},
    {
        "gold": {"kind": "number", "answer": 7, "tolerance": 0.5},
        "reply": "<think>8?</think>\n7.4\n\nQuestion: and then?\n9",
        "frozen": "failed",
        "to": "passed",
    },
    {"gold": "42", "reply": "So\n42", "frozen": "ungraded", "frozen_code": "LIMIT", "to": "passed"},
    {"gold": "Half of 84 is 42.\n#### 42", "reply": "Half.\n42", "frozen": "failed", "to": "passed"},
]
MUST_HOLD = [
    {"gold": "42", "reply": "42\nLet me know if that helps.", "frozen": "failed", "status": "failed"},
    {"gold": "42", "reply": "It is 42.", "frozen": "failed", "status": "failed"},
    {"gold": "Como", "reply": "Lake\ncomo", "frozen": "failed", "frozen_code": "WRONG", "status": "failed"},
    {"gold": {"kind": "text", "answer": "42"}, "reply": "42.0", "frozen": "failed", "status": "failed"},
    {"gold": "42", "reply": "41", "frozen": "passed", "status": "passed"},
    {"gold": "42", "reply": "<think>\n42", "frozen": "failed", "status": "failed"},
    {"gold": "42", "reply": " \n", "frozen": "failed", "status": "failed"},
]
