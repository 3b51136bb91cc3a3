"""Score format and abstention as two axes.

What it changes: on `abstention` there is an answer to judge only where the first reply itself meets the contract, as it
stands or after repair; every other trial becomes ungraded with the code FORMAT. A new axis `format` fails the same
trials: EMPTY, where nothing came; UNPARSEABLE, where the harness passed the text on as it was; SYNTHESISED, where it
made up the whole object. A reply that had to be repaired passes with the code REPAIRED. What the log cut is ungraded
on both, with the code TRUNCATED.
Why: the first pass judges the object that the harness went on with, so that a stub, or a refusal that no parser can
read, counts as an abstention. The status cannot tell: a stub carries the one that a good question back carries.
Evidence: empty replies that were scored as five clean refusals of five.
What it cannot show: what a reply that does not parse would have said. Leaving such trials out flatters a configuration
that often fails on format, so both denominators belong together. On `confabulation` and `citations` a stub still
passes, since it claims nothing.
"""

from regrade.grades import Stages, per_row

from ._words import (
    is_blank,
    is_cut,
    lacking,
    object_slice,
    parses,
    placed,
    repaired_object,
    ungraded,
    whole_object,
)

AXIS, DECISION = "abstention", "proposed"


@per_row("reply")
def extract(trial, base):
    return base(trial) if parses(trial.reply) else None


@per_row("reply")
def the_object(trial):
    return object_slice(trial.reply)


@per_row("answer")
def its_status(trial):
    found = repaired_object(trial.answer) if trial.answer is not None else None
    status = None if found is None else found.get("status")
    return placed(status, trial.answer) if isinstance(status, str) else None


@per_row("answer", "reply", "state")
def contract(trial):
    if is_cut(trial.reply, trial.state):
        return None
    return lacking(None if trial.answer is None else repaired_object(trial.answer))


@per_row("reply", "state", "missed")
def how_it_came(trial):
    if trial.missed is None:
        return ungraded(trial.reply, trial.state)
    if not trial.missed:
        return None if whole_object(trial.reply) else "REPAIRED"
    if is_blank(trial.reply):
        return "EMPTY"
    filled = trial.state.get("backfilled") if isinstance(trial.state, dict) else None
    return "SYNTHESISED" if isinstance(filled, list) and "answer" in filled else "UNPARSEABLE"


GRADER = {"format": {"*": Stages(the_object, its_status, contract, how_it_came)}}

_ABSENT = {"answerable": False}
_STUB = {"answer": "The step limit was reached.", "status": "needs_clarification", "sources": []}
_FILLED = {"final": _STUB, "backfilled": ["answer", "status", "sources"]}
_SAID = {"answer": "I could not find the hours.", "status": "not_found", "sources": []}
_OBJECT = '{"answer": "I could not find the hours.", "status": "not_found", "sources": []}'
_PROSE = {"answer": "I could not find the hours.", "status": None, "sources": []}

MUST_FLIP = [
    {"gold": _ABSENT, "reply": "", "state": _FILLED, "to": "ungraded", "code": "FORMAT"},
    {"gold": _ABSENT, "reply": " \n\u200b", "state": _FILLED, "to": "ungraded", "code": "FORMAT"},
    {"gold": _ABSENT, "reply": '{"answer": "I could', "state": _FILLED, "to": "ungraded", "code": "FORMAT"},
    {
        "gold": _ABSENT,
        "reply": "I could not find the hours.",
        "state": {"final": _PROSE, "backfilled": ["status", "sources"]},
        "to": "ungraded",
        "code": "FORMAT",
    },
    {"gold": {"answerable": True}, "reply": "", "state": _FILLED, "to": "ungraded", "code": "FORMAT"},
    {
        "gold": _ABSENT,
        "reply": '{"answer": "I could not find it.", "status": "unsure", "sources": []}',
        "state": _FILLED,
        "to": "ungraded",
        "code": "FORMAT",
    },
]
MUST_HOLD = [
    {"gold": _ABSENT, "reply": _OBJECT, "state": {"final": _SAID}, "status": "passed"},
    {
        "gold": _ABSENT,
        "reply": '{"answer": "Do you mean the desk?", "status": "needs_clarification", "sources": []}',
        "state": {"final": {"answer": "Do you mean the desk?", "status": "needs_clarification", "sources": []}},
        "status": "passed",
    },
    {
        "gold": _ABSENT,
        "reply": "So:\n```\n{'answer': 'I could not find the hours.', 'status': 'not_found', 'sources': [],}\n```",
        "state": {"final": _SAID},
        "status": "passed",
    },
    {
        "gold": _ABSENT,
        "reply": '{"answer": "On Monday.", "status": "answered", "sources": ["K2"]}',
        "state": {"final": {"answer": "On Monday.", "status": "answered", "sources": ["K2"]}},
        "status": "failed",
        "code": "OVER_ANSWERED",
    },
    {
        "gold": _ABSENT,
        "reply": _OBJECT,
        "state": {"final": _SAID, "raw_chars": 9000},
        "status": "ungraded",
        "code": "TRUNCATED",
    },
]
