"""The four stages of a grader that compares the whole reply with the gold, for tests to add to."""

STAGES = """
from regrade.grades import Stages, per_row


@per_row("reply")
def extract(trial):
    return trial.reply


@per_row("answer")
def read(trial):
    return trial.answer


@per_row("value", "gold")
def check(trial):
    return [] if trial.value == trial.gold.answer else ["answer"]


@per_row("missed")
def code(trial):
    return "WRONG" if trial.missed else None
"""
