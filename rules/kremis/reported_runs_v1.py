"""Leave ungraded what the benchmark would not report.

What it changes: every trial of a run that is not shown to be whole is ungraded, with the code UNREPORTED: one whose
prompt was cut short, one without any token count or any length of the prompt to show that it was not, and one with
questions that were never asked.
Why: a model that has not seen the whole registry cannot be held to it, so the benchmark stops rather than print such a
run; a scorer that is given the saved replies alone grades them as if they were whole.
Evidence: what the loader finds in the cache: `guard` in the state of a trial.
What it cannot show: whether a run of another arm was cut short, since only the one that holds the whole registry is
guarded, nor what the missing replies would have been.
"""

from regrade.grades import per_row

AXIS, DECISION = "pass", "proposed"

_UNREPORTED = ("truncated", "no_token_counts", "not_checkable", "incomplete")


@per_row("state")
def check(trial, base):
    return None if (trial.state or {}).get("guard") in _UNREPORTED else base(trial)


_WORLD = {
    "services": ["ash-gate", "birch-store", "cedar-mail", "dogwood-queue"],
    "absent": ["elm-relay"],
    "dependencies": [["ash-gate", "birch-store"], ["birch-store", "cedar-mail"]],
}
_THERE = {"answerable": True, "truth": ["ash-gate", "birch-store", "cedar-mail"], "source": "ash-gate"}
_YES = {"gold": {**_THERE, "target": "cedar-mail"}, "world": _WORLD}
_NO = {"gold": {"answerable": False, "source": "cedar-mail", "target": "ash-gate"}, "world": _WORLD}

MUST_FLIP = [
    {**_NO, "reply": "ANSWER: UNKNOWN", "state": {"guard": "truncated"}, "to": "ungraded", "code": "UNREPORTED"},
    {**_NO, "reply": "ANSWER: cedar-mail -> ash-gate", "state": {"guard": "no_token_counts"}, "to": "ungraded"},
    {**_NO, "reply": "ANSWER: UNKNOWN", "state": {"guard": "not_checkable"}, "to": "ungraded", "code": "UNREPORTED"},
    {**_YES, "reply": "ANSWER: UNKNOWN", "state": {"guard": "incomplete"}, "to": "ungraded", "code": "UNREPORTED"},
]
MUST_HOLD = [
    {**_NO, "reply": "ANSWER: UNKNOWN", "state": {"guard": "ok"}, "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "ANSWER: cedar-mail -> ash-gate", "state": {"guard": "not_guarded"}, "status": "failed"},
    {**_YES, "reply": "ANSWER: UNKNOWN", "state": {"guard": None}, "status": "failed", "code": "ABSTAINED"},
    {**_YES, "reply": "ANSWER: ash-gate -> birch-store -> cedar-mail", "status": "passed"},
]
