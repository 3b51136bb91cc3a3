"""Graders, rules and candidates: what they are made of.

A grader has four stages for an axis; a rule changes one of them; a candidate is a grader with an ordered list of
rules.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from regrade.errors import RuleError

STAGES = ("extract", "read", "check", "code")
VISIBLE = ("reply", "turns", "calls", "state", "item", "family", "gold")
"""What every stage sees; then `answer` from read on, `value` from check on, `missed` in code."""
FROZEN = ("frozen_status", "frozen_code", "by_rule")
"""What a carried grader's own stages see as well; `by_rule`: an extract rule gave the answer."""
ADDED: Mapping[str, tuple[str, ...]] = {
    "extract": (),
    "read": ("answer",),
    "check": ("answer", "value"),
    "code": ("answer", "value", "missed"),
}

Function = Callable[..., Any]


@dataclass(frozen=True)
class Stages:
    """The four stages of a grader, or those that a family overrides."""

    extract: Function | None = None
    """Which text is the answer: a span or text; None = no answer."""
    read: Function | None = None
    """Which value is in it: a span or text, or a list of text; None = no value."""
    check: Function | None = None
    """The requirements missed, in the bank's order; empty = passed; None = cannot grade."""
    code: Function | None = None
    """What the grade is called, or None."""
    value: str | None = None
    """`text` (the default), or `list` where `read` returns a list of text."""

    def over(self, base: Stages) -> Stages:
        """These stages, with those of `base` where one is missing."""
        mine = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return dataclasses.replace(base, **{k: v for k, v in mine.items() if v is not None})


def status_of(missed: pl.Expr) -> pl.Expr:
    """The status that a list of missed requirements means: empty = passed, null = ungraded."""
    some = pl.when(missed.list.len() == 0).then(pl.lit("passed")).otherwise(pl.lit("failed"))
    return pl.when(missed.is_null()).then(pl.lit("ungraded")).otherwise(some)


def per_row(*names: str) -> Callable[[Function], Function]:
    """Mark a stage as a plain Python function of one trial, run once per distinct combination of `names`."""
    known = (*VISIBLE, *ADDED["code"], *FROZEN)

    def mark(function: Function) -> Function:
        for name in names:
            if name not in known:
                raise RuleError(f"@per_row of {function.__name__} names {name!r}. Known: {', '.join(known)}.")
        function.per_row = names  # type: ignore[attr-defined]
        return function

    return mark


@dataclass(frozen=True)
class Grader:
    """A grader of one axis."""

    axis: str
    name: str
    families: Mapping[str, Stages]
    """`*` is every family that is not named."""
    carried: bool = False
    """Its grade is the frozen grade."""
    measures: Mapping[str, Function] = field(default_factory=dict)
    """Amounts that it counts beside the status, by name: functions of what `code` sees, a number or None."""
    prove: Function | None = None
    """Which items of a bank have a gold that cannot be proved: see `regrade.grades.proving`."""
    world: Any = field(default=None, compare=False)
    """What the bank says its items are asked about; a row stage sees it as `gold.world`."""

    def stages(self, family: str | None) -> Stages | None:
        """The stages for a family; None where this grader does not cover it."""
        default = self.families.get("*")
        own = self.families.get(family) if family is not None else None
        if own is None:
            return default
        return own.over(default) if default is not None else own


@dataclass(frozen=True)
class Rule:
    """A versioned change to one stage."""

    name: str
    axis: str
    stage: str
    function: Function = field(compare=False)
    applies: Callable[[Mapping[str, Any], str | None, str], bool] = field(compare=False)
    """Whether it acts on an item, of (gold, family, item)."""


@dataclass(frozen=True)
class Candidate:
    """A frozen grader with an ordered list of rules."""

    name: str
    rules: tuple[Rule, ...]
