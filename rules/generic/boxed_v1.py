r"""Take what the last box holds.

What it changes: the answer is the content of the last `\boxed{...}` of the model's own reply, braces balanced. On a
carried grader a failure becomes a pass where it is the gold, as text or, where both are numbers, by decimal value.
Why: mathematics is answered in a box, and graders that look between dollar signs or at the last line miss it.
Evidence: a log of 1,187 algebra replies is failed throughout, and over 500 of their boxes hold the gold.
What it cannot show: that two forms are one answer (`0.5` and `\frac{1}{2}`), since text is compared as it is; so it
finds too few rather than too many.
"""

import re

from regrade.grades import Span, boxes, per_row

from ._words import else_below, own_reply, within

AXIS, DECISION = "*", "proposed"


@per_row("reply")
def extract(trial, base):
    own = own_reply(trial.reply)
    inside = boxes.last_boxed(own.text)
    if inside is None:
        return else_below(None, trial, base)
    # The content alone may stand elsewhere too, so it is sought behind its box.
    placed = [*re.finditer(rf"box(?:ed)?\s*(?:\{{\s*)?({re.escape(inside)})", own.text)]
    return within(Span(inside, *placed[-1].span(1)), own) if placed else inside


MUST_FLIP = [
    {
        "gold": "\\frac{1}{\\sqrt{2}}",
        "reply": "So $x=\\boxed{\\frac{1}{\\sqrt{2}}}$.",
        "frozen": "failed",
        "to": "passed",
    },
    {"gold": "12", "reply": "First \\boxed{11}, no: \\boxed{12}, as 11 + 1.", "frozen": "failed", "to": "passed"},
    {"gold": "1250", "reply": "\\boxed{1{,}250}", "frozen": "failed", "frozen_code": "FORMAT", "to": "passed"},
    {"gold": 0.5, "reply": "Thus \\fbox{0.50}", "frozen": "failed", "to": "passed"},
    {"gold": "(-\\infty, 2]", "reply": "\\boxed{ (-\\infty, 2] }", "frozen": "failed", "to": "passed"},
    {"gold": {"kind": "text", "answer": "x+1"}, "reply": "It is $\\boxed{x+1}$", "frozen": "failed", "to": "passed"},
]
MUST_HOLD = [
    {"gold": "12", "reply": "It is 12.", "frozen": "failed", "status": "failed"},
    {"gold": "12", "reply": "\\boxed{12} or rather \\boxed{13}", "frozen": "failed", "status": "failed"},
    {"gold": "12", "reply": "\\boxed{12", "frozen": "failed", "status": "failed"},
    {"gold": "0.5", "reply": "\\boxed{\\frac{1}{2}}", "frozen": "failed", "frozen_code": "WRONG", "status": "failed"},
    {"gold": "12", "reply": "\\boxed{13}", "frozen": "passed", "status": "passed"},
]
