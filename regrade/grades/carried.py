"""The grader of an axis whose own grader is not ported: its grade is the frozen grade.

Rules add to it: an `extract` or `read` rule gives a value, which is compared with the gold, so that a carried
failure can become a pass; a `check` rule can go both ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from regrade.grades import text
from regrade.grades.amounts import amount, stated
from regrade.grades.stages import Grader, Stages, per_row, status_of
from regrade.grades.trial import Trial
from regrade.grades.words import SpanExpr, span_expr

NAME = "carried"


def carried_grader(axis: str) -> Grader:
    """Make the carried grader of an axis."""
    return Grader(axis, NAME, {"*": Stages(extract, read, check, code, value="text")}, carried=True)


def extract(trial: Trial) -> SpanExpr:
    """The reply, whole."""
    return SpanExpr(span_expr(trial.reply, pl.lit(0)))


def read(trial: Trial) -> SpanExpr:
    """What an extract rule gave as the answer; else no value, since a carried grade rests on none."""
    return SpanExpr(pl.when(trial.by_rule).then(span_expr(trial.answer, pl.lit(0))))


@per_row("value", "gold", "frozen_status")
def check(trial: Trial) -> list[str] | None:
    """Nothing missed if the value that a rule gave equals the gold, else what the frozen grade says."""
    if trial.value is not None and equals_gold(trial.value, trial.gold):
        return []
    return {"passed": [], "failed": ["frozen grade"]}.get(trial.frozen_status)


def code(trial: Trial) -> pl.Expr:
    """The frozen code, where the status is the frozen one."""
    return pl.when(status_of(trial.missed) == trial.frozen_status).then(trial.frozen_code)


def equals_gold(value: str, gold: Any) -> bool:
    """Whether a value equals the gold by the bank's kind: by decimal value within the tolerance, or as text.

    A gold that is no object is its own answer, and a list of answers accepts each. Without a `kind` the gold is text,
    and a number as well where it is one but for grouping, currency and percent sign; of a solution worked out down to
    a line `#### 42`, what follows the signs counts.
    """
    known = gold if isinstance(gold, Mapping) else {"answer": gold}
    answer, kind = known.get("answer"), known.get("kind")
    if isinstance(answer, list):
        return any(equals_gold(value, {**known, "answer": one}) for one in answer)
    if kind is None:
        answer = stated(answer)
    if kind != "number" and (kind is not None or text.same_text(value, answer)):
        return bool(text.same_text(value, answer))
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        return False
    given, wanted = amount(value), amount(answer)
    if kind == "number":
        given, wanted = given or value, wanted or str(answer)
    return None not in (given, wanted) and bool(text.same_number(given, wanted, known.get("tolerance")))
