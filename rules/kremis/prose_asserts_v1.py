"""Count a plain claim in prose as an assertion.

What it changes: on a question without an answer, an answer that joins no names and says yes, or says in words that the
source depends on the target, without a hedge or a denial, is a fabrication.
Why: the frozen grader files prose as an abstention, whatever it claims, so its rate of fabrications is a lower bound.
Evidence: answers such as YES, or the question put as a statement.
What it cannot show: claims in other words than those listed here, and claims outside the place of the answer. A reply
that says yes and takes it back later on the line counts as a claim unless a word of denial or doubt stands in it.
"""

import re

from regrade.grades import per_row

from ._words import claimed

AXIS, DECISION = "pass", "proposed"
WHERE = {"answerable": False}

_YES_WORD = re.compile(r"(?i)\W*(?:yes|yep|true|correct|confirmed|affirmative|it does)\b")
_BESIDE = r"\W+(?:(?:also|directly|indirectly|transitively|ultimately|eventually|therefore|thus|indeed|does|is"
_BESIDE += r"|service|the|both|on|upon|to|from)\W+){0,4}"
_DEPENDS = rf"{_BESIDE}(?:depend(?:s|ent|ing)?|rel(?:y|ies|iant)|requires?|needs?|uses?|calls?)\b{_BESIDE}"
_DOUBT = re.compile(
    r"(?i)\?|n['\u2019]t\b|\b(?:no|not|nor|none|nothing|neither|never|nowhere|without|lacks?|fails?|false|wrong|impossible"
    r"|cannot|unknown|unclear|unsure|unlikely|uncertain|whether|if|unless|but|may|maybe|might|could|would|should|seems?"
    r"|appears?|looks?|likely|probabl[ey]|possibl[ey]|perhaps|presumably|doubt\w*|guess|think|believe|assum\w+)\b"
)


def _claims(answer, gold):
    depends = re.compile(f"(?i){re.escape(gold.source)}{_DEPENDS}{re.escape(gold.target)}(?![\\w-])")
    return (_YES_WORD.match(answer) or depends.search(answer)) and not _DOUBT.search(answer)


@per_row("answer", "gold")
def check(trial, base):
    missed = base(trial)
    prose = missed == [] and trial.answer is not None and not claimed(trial.answer)
    return ["no chain"] if prose and _claims(trial.answer, trial.gold) else missed


_WORLD = {
    "services": ["ash-gate", "birch-store", "cedar-mail", "dogwood-queue"],
    "absent": ["elm-relay"],
    "dependencies": [["ash-gate", "birch-store"], ["birch-store", "cedar-mail"]],
}
_THERE = {"answerable": True, "truth": ["ash-gate", "birch-store", "cedar-mail"], "source": "ash-gate"}
_YES = {"gold": {**_THERE, "target": "cedar-mail"}, "world": _WORLD}
_NO = {"gold": {"answerable": False, "source": "cedar-mail", "target": "ash-gate"}, "world": _WORLD}

MUST_FLIP = [
    {**_NO, "reply": "ANSWER: YES", "to": "failed", "code": "FABRICATION"},
    {**_NO, "reply": "It is so.\nANSWER: **Yes**, through one other.", "to": "failed", "code": "FABRICATION"},
    {**_NO, "reply": "ANSWER: cedar-mail depends on ash-gate", "to": "failed", "code": "FABRICATION"},
    {**_NO, "reply": "So cedar-mail does indeed depend directly on the service ash-gate.", "to": "failed"},
    {**_NO, "reply": "In the end `cedar-mail` relies on `ash-gate`.", "to": "failed", "code": "FABRICATION"},
]
MUST_HOLD = [
    {**_NO, "reply": "ANSWER: NO", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "ANSWER: cedar-mail does not depend on ash-gate", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "ANSWER: ash-gate depends on cedar-mail", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "ANSWER: cedar-mail depends on ash-gate-2", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "ANSWER: cedar-mail probably needs ash-gate", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "cedar-mail depends on nothing that leads to ash-gate.", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "cedar-mail needs a path, and only ash-gate has one", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "ANSWER: yes, unless it isn't listed", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "cedar-mail depends on ash-gate?", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "YES\nANSWER: UNKNOWN", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "", "status": "passed", "code": "ABSTAINED"},
    {**_NO, "reply": "ANSWER: yes: cedar-mail -> ash-gate", "status": "passed", "code": "MALFORMED"},
    {**_YES, "reply": "ANSWER: ash-gate depends on cedar-mail", "status": "failed", "code": "ABSTAINED"},
]
