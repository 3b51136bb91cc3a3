"""Broken Campus's first scoring pass, ported bug for bug.

It judges the object that the harness went on with, whoever made it. `abstention`: a question whose answer is not in
the knowledge base wants a refusal or a question back, any other an answer. A status other than `answered` is a
refusal, and so the harness's own stub, which it writes where the model returned nothing usable, counts as one; a reply
that is no object at all is passed on as it is, and a refusal in it counts as well. `confabulation`: every time,
weekday and room of the answer must stand in what the tools returned this turn; `12 PM` does not excuse `2 PM`.
`citations`: every chunk cited must have been returned this turn; `[K4]` in a source or the answer cites K4, a source
without brackets cites what it says in full, so a bare `K4: Saturday` is no chunk, and a bare K9 in the answer is not
seen. What the log cut is not graded.
"""

from regrade.grades import Stages, per_row

from ._words import cited, final, is_cut, markers, placed, specifics, stance, this_turn, ungraded


@per_row("reply", "state")
def extract(trial):
    answer = final(trial.state).get("answer")
    return None if is_cut(trial.reply, trial.state) or not isinstance(answer, str) else placed(answer, trial.reply)


@per_row("answer", "state")
def read_stance(trial):
    return None if trial.answer is None else stance(trial.answer, final(trial.state).get("status"))


@per_row("value", "gold")
def check_stance(trial):
    if trial.value is None:
        return None
    wanted = "answered" if trial.gold.answerable else "abstained"
    return [] if trial.value == wanted else ["an answer" if trial.gold.answerable else "a refusal"]


@per_row("reply", "state", "missed", "gold")
def code_stance(trial):
    if trial.missed is None:
        return ungraded(trial.reply, trial.state)
    return ("OVER_REFUSED" if trial.gold.answerable else "OVER_ANSWERED") if trial.missed else None


@per_row("answer")
def read_specifics(trial):
    return None if trial.answer is None else sorted(specifics(trial.answer))


@per_row("value", "calls", "turns")
def check_specifics(trial):
    if trial.value is None:
        return None
    grounded = {each for result in this_turn(trial.calls, trial.turns) for each in specifics(result)}
    return [f"grounds for {each}" for each in trial.value if each not in grounded]


@per_row("reply", "state", "missed")
def code_specifics(trial):
    if trial.missed is None:
        return ungraded(trial.reply, trial.state)
    return "FABRICATION" if trial.missed else None


@per_row("answer", "state")
def read_sources(trial):
    return None if trial.answer is None else cited(final(trial.state))


@per_row("value", "calls", "turns")
def check_sources(trial):
    if trial.value is None:
        return None
    returned = {mark for result in this_turn(trial.calls, trial.turns) for mark in markers(result)}
    return [f"source {each[:80]}" for each in trial.value if each not in returned]


@per_row("reply", "state", "missed")
def code_sources(trial):
    if trial.missed is None:
        return ungraded(trial.reply, trial.state)
    return "FABRICATED_CITATION" if trial.missed else None


GRADER = {
    "abstention": {"*": Stages(extract, read_stance, check_stance, code_stance)},
    "confabulation": {"*": Stages(extract, read_specifics, check_specifics, code_specifics, value="list")},
    "citations": {"*": Stages(extract, read_sources, check_sources, code_sources, value="list")},
}
