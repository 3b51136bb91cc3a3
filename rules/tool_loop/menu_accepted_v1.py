"""Accept the turn's own menu in place of the answer line.

What it changes: on items with a `menu`, a reply without an answer line whose last line wholly matches one of the
menu's forms is answered by that line, or by what the form's group `answer` holds.
Why: the last turn offers forms such as `COMPLETE: <summary>` and says nothing of the prefix; a model may follow the
nearer instruction.
Evidence: failed trials on these items whose last line is one of the forms, with the right content.
What it cannot show: that the nearer instruction should win. The system instruction still outranks the menu, and the
item has to be reworded before such replies are credited.
"""

from regrade.grades import text

AXIS, DECISION = "pass", "proposed"
WHERE = {"has": "menu"}


def extract(trial, base):
    return text.first_of(base(trial), text.matches_menu(trial.reply, trial.gold.menu))


_GOLD = {
    "kind": "text",
    "answer": "COMPLETE: 3 files, 0 errors",
    "code": "WRONG_ANSWER",
    "menu": ["COMPLETE: .+", "STALLED", "FAILED: .+", "RUNNING"],
}
_GROUP = {"kind": "number", "answer": 12, "menu": ["COMPLETE: (?P<answer>[0-9]+) rows", "STALLED"]}

MUST_FLIP = [
    {"gold": _GOLD, "reply": "Polled twice.\nCOMPLETE: 3 files, 0 errors\n", "to": "passed"},
    {"gold": _GROUP, "reply": "  COMPLETE: 12 rows  ", "to": "passed"},
]
MUST_HOLD = [
    {"gold": _GOLD, "reply": "COMPLETE: 2 files, 1 errors", "status": "failed"},
    {"gold": _GOLD, "reply": "The job says COMPLETE: 3 files, 0 errors", "status": "failed"},
    {"gold": _GOLD, "reply": "COMPLETE: 3 files, 0 errors\nAnything else?", "status": "failed"},
    {"gold": _GOLD, "reply": "ANSWER: RUNNING\nCOMPLETE: 3 files, 0 errors", "status": "failed"},
    {"gold": _GOLD, "reply": "ANSWER: COMPLETE: 3 files, 0 errors", "status": "passed"},
]
