"""The cases that a rule brings: those that must flip under it and those that must hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from regrade.errors import RuleError
from regrade.grades.batch import Batch
from regrade.grades.rulebook import Rulebook
from regrade.grades.trial import FRAME

KEYS = ("gold", "reply", "turns", "calls", "state", "item", "family", "frozen", "frozen_code", "to", "status", "code")


@dataclass(frozen=True)
class Outcome:
    """What a case gave."""

    kind: str
    """`must flip` or `must hold`."""
    number: int
    """Its place in the rule's list, from 1."""
    before: tuple[str, str | None]
    """Status and code of the frozen grader."""
    after: tuple[str, str | None]
    """Status and code under the rule."""
    right: bool
    expected: str


def check_cases(book: Rulebook, name: str) -> list[Outcome]:
    """Run a rule's cases against the frozen grader of its axis. RuleError where a case cannot be read."""
    file = book.file(name)
    rule = book.rule(name)
    grader = {**book.frozen_graders([rule.axis]), **book.graders(name)}[rule.axis]
    outcomes = []
    for kind, cases in (("must flip", file.must_flip), ("must hold", file.must_hold)):
        for number, case in enumerate(cases, 1):
            where = f"{name}, case {number} that {kind}"
            if grader.carried and "frozen" not in case:
                raise RuleError(
                    f'{where}: the grade is carried, so the case must say what it was: "frozen": "failed" (or passed).'
                )
            frame, items = _frame(case, where)
            batch = Batch(frame, grader, case.get("family"), items)
            before, after = (_grade(batch.grade(rules)) for rules in ((), (rule,)))
            if kind == "must flip":
                wanted = (case.get("to"), case.get("code", after[1]))
                right = after == wanted and before != after
                expected = f"{_say(before)} to become {case.get('to')}" + (f" {case['code']}" if "code" in case else "")
            else:
                wanted = (case.get("status"), case.get("code", after[1]))
                right = before == after == wanted
                expected = f"to stay {case.get('status')}" + (f" {case['code']}" if "code" in case else "")
            outcomes.append(Outcome(kind, number, before, after, right, expected))
    return outcomes


def _grade(graded: pl.DataFrame) -> tuple[str, str | None]:
    return graded.get_column("status")[0], graded.get_column("code")[0]


def _say(grade: tuple[str, str | None]) -> str:
    return " ".join(part for part in grade if part)


def _frame(case: Mapping[str, Any], where: str) -> tuple[pl.DataFrame, dict[str, Any]]:
    unknown = sorted(set(case) - set(KEYS))
    if unknown:
        raise RuleError(f"{where}: unknown key {unknown[0]!r}. Known: {', '.join(KEYS)}.")
    turns = case.get("turns")
    if turns is None:
        turns = [{"role": "assistant", "calls": [c]} for c in case.get("calls", ())]
        turns.append({"role": "assistant", "text": case.get("reply", "")})
    calls = [
        {
            "turn": t,
            "call": c,
            "name": call["name"],
            "arguments": call["arguments"]
            if isinstance(call.get("arguments"), str)
            else json.dumps(call.get("arguments", {})),
            "result": call.get("result"),
        }
        for t, turn in enumerate(turns)
        for c, call in enumerate(turn.get("calls", ()))
    ]
    spoken = [t.get("text", "") for t in turns if t["role"] == "assistant"]
    item = case.get("item", "case")
    row = {
        "reply": spoken[-1] if spoken else "",
        "turns": [{"role": t["role"], "text": t.get("text", "")} for t in turns],
        "calls": calls,
        "state": json.dumps(case["state"]) if "state" in case else None,
        "item": item,
        "frozen_status": case.get("frozen"),
        "frozen_code": case.get("frozen_code"),
    }
    schema = {**FRAME, "frozen_status": pl.String, "frozen_code": pl.String}
    return pl.DataFrame([row], schema=schema), {item: case.get("gold")}
