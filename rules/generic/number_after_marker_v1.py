"""Take the number after the last marker of an answer.

What it changes: the answer is the number in the line behind the last `answer is`, `Answer:` (in any case), `A:` at the
start of a line, or `####`; of a calculation its result. A marker that ends its line stands for the next line, and one
without a number for the marker before it. On a carried grader a failure becomes a pass where that number is the gold.
Why: graders know one marker, and replies mark the answer with another or dress the number behind it.
Evidence: failed trials that say `The final answer is $18.` where `#### 18` was asked for.
What it cannot show: whether the prompt fixed the marker, and then fairly; its flips are an upper bound.
"""

import re

from regrade.grades import Span, lenient, per_row

from ._words import else_below, own_reply, within

AXIS, DECISION = "*", "proposed"

MARKER = re.compile(
    r"####|^[ \t>*_#]*A[*_]*[ \t]*:|\b(?i:answer)\b(?:[^\n.:=]{0,60}?\bis\b|[ \t*_]*[:=\uff1a])", re.MULTILINE
)
BEHIND = re.compile(r"[\s*_:#$]*([^\n]*)")


def number_behind(marker, own):
    line = BEHIND.match(own.text, marker.end())
    number = lenient.value_in(line[1])
    return number and within(within(number, Span(line[1], *line.span(1))), own)


@per_row("reply")
def extract(trial, base):
    own = own_reply(trial.reply)
    markers = reversed(list(MARKER.finditer(own.text)))
    found = next(filter(None, (number_behind(marker, own) for marker in markers)), None)
    return else_below(found, trial, base)


MUST_FLIP = [
    {"gold": "18", "reply": "9 * 2 = 18\nThe final answer is **$18.00**.", "frozen": "failed", "to": "passed"},
    {"gold": "9 * 2 = 18\n#### 18", "reply": "Answer:\n18 dollars, of 20", "frozen": "failed", "to": "passed"},
    {"gold": 18, "reply": "A: 9 * 2 = 18\n\nQ: and 4 and 5?\nA: 9", "frozen": "failed", "to": "passed"},
    {"gold": "70,000", "reply": "#### 70,000.", "frozen": "failed", "frozen_code": "FORMAT", "to": "passed"},
    {"gold": "18", "reply": "ANSWER: 18\nChecked in 2 ways.", "frozen": "failed", "to": "passed"},
    {"gold": "18", "reply": "The answer to the question is \\boxed{18}. #### done", "frozen": "failed", "to": "passed"},
    {"gold": {"kind": "number", "answer": 18}, "reply": "**Answer**: 18 (of 20)", "frozen": "failed", "to": "passed"},
]
MUST_HOLD = [
    {"gold": "18", "reply": "It is 18.", "frozen": "failed", "status": "failed"},
    {"gold": "18", "reply": "The answer is 18.\nNo: the answer is 20.", "frozen": "failed", "status": "failed"},
    {"gold": "18", "reply": "The answer is unclear.\n18 are left.", "frozen": "failed", "status": "failed"},
    {"gold": "18", "reply": "Plan A: 18 crates.", "frozen": "failed", "frozen_code": "FORMAT", "status": "failed"},
    {"gold": "18", "reply": "Answer: 17", "frozen": "passed", "status": "passed"},
    {"gold": "18", "reply": "", "frozen": "failed", "status": "failed"},
]
