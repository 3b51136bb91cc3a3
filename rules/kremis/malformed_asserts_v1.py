"""Count a malformed reply as an assertion: the upper bound beside the published lower bound.

What it changes: on a question without an answer, a reply that joins two names or more and asserts nothing as the
frozen grader reads it (it ends elsewhere, or has a name that the world does not have) is a fabrication.
Why: the frozen grader files such replies as abstentions, so its rate of fabrications is a lower bound; the benchmark
says so of the replies that loop through the registry without an end.
Evidence: chains with a word behind the target, chains that break off, chains in brackets.
What it cannot show: that the reply meant to assert. A dependency quoted in order to deny it counts here as well, so
the rate under this rule is an upper bound, and claims in prose are still not among it.
"""

from regrade.grades import per_row

from ._words import claimed

AXIS, DECISION = "pass", "proposed"
WHERE = {"answerable": False}


@per_row("answer")
def check(trial, base):
    missed = base(trial)
    return ["no chain"] if missed == [] and claimed(trial.answer) else missed


_WORLD = {
    "services": ["ash-gate", "birch-store", "cedar-mail", "dogwood-queue"],
    "absent": ["elm-relay"],
    "dependencies": [["ash-gate", "birch-store"], ["birch-store", "cedar-mail"]],
}
_THERE = {"answerable": True, "truth": ["ash-gate", "birch-store", "cedar-mail"], "source": "ash-gate"}
_YES = {"gold": {**_THERE, "target": "cedar-mail"}, "world": _WORLD}
_NO = {"gold": {"answerable": False, "source": "cedar-mail", "target": "ash-gate"}, "world": _WORLD}

MUST_FLIP = [
    {**_NO, "reply": "ANSWER: cedar-mail -> ash-gate (directly)", "to": "failed", "code": "FABRICATION"},
    {**_NO, "reply": "ANSWER: cedar-mail -> birch-store -> cedar-mail -> birch", "to": "failed", "code": "FABRICATION"},
    {**_NO, "reply": "ANSWER: ash-gate -> birch-store -> cedar-mail", "to": "failed", "code": "FABRICATION"},
    {**_NO, "reply": "Yes: cedar-mail -> ash-gate", "to": "failed", "code": "FABRICATION"},
]
MUST_HOLD = [
    {**_NO, "reply": "ANSWER: UNKNOWN", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "ANSWER: cedar-mail -> unknown -> ash-gate", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "ANSWER: cedar-mail", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "ANSWER: cedar-mail -> ash-gate", "status": "failed", "code": "FABRICATION"},
    {**_YES, "reply": "ANSWER: ash-gate -> cedar-mail!", "status": "failed", "code": "MALFORMED"},
    {**_YES, "reply": "ANSWER: ash-gate -> birch-store -> cedar-mail", "status": "passed"},
]
