"""Take the letter that the reply chooses.

What it changes: where the gold is a letter from A to J, the answer is the letter that the model's own reply chooses,
written as the gold writes it (`C`, `(C)`, `c`). On a carried grader a failure becomes a pass where it is the gold's.
Why: a pattern for one form (`The answer is (C)`) fails the letter in bold, in a box, alone in a line or in words.
Evidence: failed trials of multiple-choice logs that state the right letter in another form.
What it cannot show: a choice by the option's text. A gold that is an index is left alone, since nothing says whether
it counts from 0 or from 1; and a letter beyond J is not read.
"""

import re

from regrade.grades import choices, per_row

from ._words import else_below, own_reply

AXIS, DECISION = "*", "proposed"

LETTER = re.compile(r"(\W*)(?:([A-J])|([a-j]))(\W*)")


def as_gold_writes(gold):
    answer = gold["answer"] if hasattr(gold, "keys") else gold
    texts = answer if isinstance(answer, list) else [answer]
    found = [LETTER.fullmatch(text) for text in texts if isinstance(text, str)]
    return found[0] if found else None


@per_row("reply", "gold")
def extract(trial, base):
    form = as_gold_writes(trial.gold)
    letter = form and choices.chosen_letter(own_reply(trial.reply).text)
    if not letter:
        return else_below(None, trial, base)
    return f"{form[1]}{letter if form[2] else letter.lower()}{form[4]}"


MUST_FLIP = [
    {"gold": "C", "reply": "**Answer: C**", "frozen": "failed", "to": "passed"},
    {"gold": "(C)", "reply": "So C is the one, as a wheel turns.", "frozen": "failed", "to": "passed"},
    {"gold": "c", "reply": "It is $\\boxed{\\text{C}}$", "frozen": "failed", "frozen_code": "FORMAT", "to": "passed"},
    {"gold": {"kind": "text", "answer": "B"}, "reply": "Looks hard.\nB.", "frozen": "failed", "to": "passed"},
    {"gold": ["B"], "reply": "The answer is (B). A and C fail.", "frozen": "failed", "to": "passed"},
]
MUST_HOLD = [
    {"gold": "C", "reply": "The answer is (B), and not C.", "frozen": "failed", "status": "failed"},
    {"gold": "C", "reply": "I would say a lot of things.", "frozen": "failed", "status": "failed"},
    {"gold": "A", "reply": "A wheel turns.", "frozen": "failed", "frozen_code": "WRONG", "status": "failed"},
    {"gold": 2, "reply": "The answer is (C).", "frozen": "failed", "status": "failed"},
    {"gold": "Como", "reply": "The answer is (C).", "frozen": "failed", "status": "failed"},
    {"gold": None, "reply": "The answer is (C).", "frozen": "failed", "status": "failed"},
    {"gold": "C", "reply": "The answer is (B).", "frozen": "passed", "status": "passed"},
]
