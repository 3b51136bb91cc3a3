"""The cases that a rule brings: those that must flip under it and those that must hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from regrade.errors import RuleError, near
from regrade.grades.batch import Batch
from regrade.grades.items import Items
from regrade.grades.rule_file import short
from regrade.grades.rulebook import Rulebook
from regrade.grades.trial import FRAME

CARRIED = "pass"
"""Name of the axis of a case whose rule names none."""
STATUSES = ("passed", "failed", "ungraded")
KEYS = (
    "gold",
    "world",
    "reply",
    "turns",
    "calls",
    "state",
    "item",
    "family",
    "frozen",
    "frozen_code",
    "to",
    "status",
    "code",
)


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
    """Run a rule's cases against the frozen grader of its axis. RuleError where a case cannot be read.

    A rule of every axis is run on the first that the benchmark has a grader for, else on a carried one.
    """
    file = book.file(name)
    rule = book.rule(name, next(iter(book.frozen_graders(())), CARRIED))
    grader = {**book.frozen_graders([rule.axis]), **book.graders(name)}[rule.axis]
    outcomes = []
    for kind, cases in (("must flip", file.must_flip), ("must hold", file.must_hold)):
        for number, case in enumerate(cases, 1):
            where = f"{name}, case {number} that {kind}"
            if grader.carried and "frozen" not in case:
                raise RuleError(
                    f'{where}: the grade is carried, so the case must say what it was: "frozen": "failed" (or passed).'
                )
            status = "to" if kind == "must flip" else "status"
            _check_case(case, status, where)
            family = case.get("family")
            if grader.stages(family) is None:
                raise RuleError(
                    f'{where}: {grader.name} does not cover the family {family!r}. Say "family":'
                    f" {' or '.join(map(repr, sorted(grader.families)))}."
                )
            frame, items = _frame(case)
            batch = Batch(frame, replace(grader, world=case.get("world")), Items({family: items}))
            before, after = (_grade(batch.grade(rules)) for rules in ((), (rule,)))
            wanted = (case[status], case.get("code", after[1]))
            said = say((case[status], case.get("code")))
            if kind == "must flip":
                outcome = Outcome(kind, number, before, after, before != after == wanted, f"to become {said}")
            else:
                outcome = Outcome(kind, number, before, after, before == after == wanted, f"to stay {said}")
            outcomes.append(outcome)
    return outcomes


def _grade(graded: pl.DataFrame) -> tuple[str, str | None]:
    return graded.get_column("status")[0], graded.get_column("code")[0]


def say(grade: tuple[str, str | None]) -> str:
    """A grade as a reader sees it: its status, then its code where it has one."""
    return " ".join(part for part in grade if part)


def _check_case(case: Mapping[str, Any], status: str, where: str) -> None:
    """RuleError where a key of a case is unknown, missing, or not of its kind."""
    unknown = sorted(map(str, set(case) - set(KEYS)))
    if unknown:
        raise RuleError(f"{where}: unknown key {unknown[0]!r}.{near(unknown[0], KEYS)}")
    if status not in case:
        raise RuleError(f'{where}: the key {status!r} is missing. Say which status is expected: "{status}": "passed".')
    for key in {status, "frozen"} & set(case):
        if case[key] not in STATUSES:
            raise RuleError(f"{where}: {key!r} is {case[key]!r}, which is no status.{near(str(case[key]), STATUSES)}")
    for key in ("reply", "item"):
        _expect(case.get(key, ""), str, f"{where}: {key!r}")
    for key in ("family", "code", "frozen_code"):
        _expect(case.get(key) or "", str, f"{where}: {key!r}")
    turns = case.get("turns") or ()
    _expect(turns, (list, tuple), f"{where}: 'turns'")
    for n, turn in enumerate(turns, 1):
        _expect_parts(turn, {"role": str, "text": str}, "role", f"{where}: turn {n}")
    for calls in (case.get("calls", ()), *(turn.get("calls", ()) for turn in turns)):
        _expect(calls, (list, tuple), f"{where}: 'calls'")
        for n, call in enumerate(calls, 1):
            _expect_parts(call, {"name": str, "result": (str, type(None))}, "name", f"{where}: call {n}")


def _expect_parts(part: Any, kinds: Mapping[str, Any], needed: str, where: str) -> None:
    _expect(part, dict, where)
    if needed not in part:
        raise RuleError(f"{where} has no {needed!r}: found {short(part)}. Add it.")
    for key in set(kinds) & set(part):
        _expect(part[key], kinds[key], f"{where}: {key!r}")


def _expect(value: Any, kind: Any, what: str) -> None:
    if not isinstance(value, kind):
        expected = "an object" if kind is dict else "a list" if kind == (list, tuple) else "a text"
        raise RuleError(f"{what} is {short(value)}, expected {expected}.")


def _frame(case: Mapping[str, Any]) -> tuple[pl.DataFrame, dict[str, Any]]:
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
            "answered": None if call.get("result") is None else t,
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
