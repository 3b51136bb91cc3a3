"""Read an amount without its thousands separators and currency.

What it changes: where the gold is a number and the answer states exactly one, written with its thousands set off or
with a currency (`1,250`, `1 250`, `$1,250.00`, `1.250,00 EUR`), the value is that number. On a carried grader the
answer is the whole reply, unless a rule before this one takes a part of it.
Why: a grader that compares characters, or stops at the first comma, fails a right amount for how it is written.
Evidence: failed trials that state `$1,250.00` for the gold 1250.
What it cannot show: which of several amounts is meant, so a reply with more than one number is left alone; and whether
the currency is the right one.
"""

from regrade.grades import amounts, per_row

AXIS, DECISION = "*", "proposed"


@per_row("answer", "gold")
def read(trial, base):
    wanted = trial.answer is not None and amounts.is_number(trial.gold)
    return (amounts.dressed_amount(trial.answer) if wanted else None) or base(trial)


MUST_FLIP = [
    {"gold": "1250", "reply": "They owe $1,250.00 in all.", "frozen": "failed", "to": "passed"},
    {"gold": 1250, "reply": "In all 1\u202f250 \u20ac.", "frozen": "failed", "frozen_code": "FORMAT", "to": "passed"},
    {"gold": {"kind": "number", "answer": 1250.5}, "reply": "1.250,50 \u20ac", "frozen": "failed", "to": "passed"},
    {"gold": "It adds up.\n#### 1250000", "reply": "About 1 250 000 bolts.", "frozen": "failed", "to": "passed"},
    {"gold": "$18", "reply": "Eighteen, that is USD 18.", "frozen": "failed", "to": "passed"},
]
MUST_HOLD = [
    {"gold": "1250", "reply": "They owe 1250 in all.", "frozen": "failed", "status": "failed"},
    {"gold": "1250", "reply": "They owe $1,250, and $30 more.", "frozen": "failed", "status": "failed"},
    {"gold": "125", "reply": "They owe $1,250.", "frozen": "failed", "frozen_code": "WRONG", "status": "failed"},
    {"gold": {"kind": "text", "answer": "1250"}, "reply": "$1,250", "frozen": "failed", "status": "failed"},
    {"gold": "pen", "reply": "It costs $1,250.", "frozen": "failed", "status": "failed"},
    {"gold": "1250", "reply": "$1,260", "frozen": "passed", "status": "passed"},
]
