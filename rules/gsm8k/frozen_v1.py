"""The grader behind the solutions that were published with the GSM8K problems.

The answer is the text after the last `A:`; it and the reference's are compared as text, without commas and dollar
signs. A reply without the marker has no answer.
"""

from regrade.grades import Stages, per_row, text

from ._words import final


def extract(trial):
    return text.text_after_last(trial.reply, "A:")


@per_row("answer")
def read(trial):
    return None if trial.answer is None else final(trial.answer)


@per_row("value", "gold")
def check(trial):
    return [] if trial.value is not None and trial.value == final(trial.gold) else ["answer"]


@per_row("missed")
def code(trial):
    return None


GRADER = {"pass": {"*": Stages(extract=extract, read=read, check=check, code=code)}}
