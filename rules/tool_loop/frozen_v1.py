"""The tool loop's own grader, ported bug for bug.

The answer is the text after the last line that begins with `ANSWER:`. A number item reads the first number in it,
be it a unit id, and compares within the tolerance; a text item compares the whole answer exactly. Each tool in
`calls` must have been called, none in `never`. Whatever was missed, the code is the item's own, so that a missing
prefix is filed as a fabrication on one item and as stale data on another.
"""

import polars as pl

from regrade.grades import Stages, calls, per_row, text

from ._words import each, only_if


def extract(trial):
    return text.answer_line(trial.reply)


@per_row("answer", "gold")
def read(trial):
    if trial.answer is None:
        return None
    return text.first_number(trial.answer) if trial.gold.kind == "number" else text.whole(trial.answer)


def check(trial):
    gold = trial.gold
    right = (
        pl.when(gold.kind == "number")
        .then(text.same_number(trial.value, gold.answer, gold.tolerance))
        .otherwise(text.same_text(trial.value, gold.answer))
    )
    return pl.concat_list(
        only_if(~right, "answer"),
        each("call", calls.missing(trial.calls, gold.calls)),
        each("never", calls.present(trial.calls, gold.never)),
    )


def code(trial):
    return pl.when(trial.missed.list.len() > 0).then(trial.gold.code)


GRADER = {"pass": {"*": Stages(extract=extract, read=read, check=check, code=code)}}
