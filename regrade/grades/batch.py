"""Grade a batch: pure functions of text, calls, state and item.

A batch is a Polars frame of trials of families alike without anything that names the configuration. Each stage is
evaluated at most once for each list of rules that bears on it.
"""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Callable, Sequence

import polars as pl

from regrade.errors import RuleError
from regrade.grades.evaluation import Evaluation, Layer, given_to
from regrade.grades.items import Items
from regrade.grades.stages import STAGES, Function, Grader, Rule, status_of
from regrade.grades.words import TEXTS

RESULTS = {"extract": "answer", "read": "value", "check": "missed", "code": "code"}
"""What a grade calls the result of each stage."""


class Batch:
    """Trials of families alike on one axis, graded under any list of rules; every stage is kept for the next list."""

    def __init__(
        self,
        frame: pl.DataFrame,
        grader: Grader,
        items: Items,
        known: pl.Series | None = None,
    ) -> None:
        """Take the trials.

        Args:
            frame: one row a trial, columns `reply, turns, calls, state, item`; for a carried grader
                `frozen_status, frozen_code` as well.
            grader: the frozen grader of the axis; it must cover the families.
            items: the families, alike to the grader.
            known: what the grader's own stages give, where that is kept: a struct of KNOWN.
        """
        stages = items.stages(grader)
        assert stages is not None, f"{grader.name} does not cover {', '.join(map(str, items))}"
        self.stages = stages
        self.grader = grader
        self.items = items
        whole = frame.join(items.seen, on="item", how="left", maintain_order="left")
        self.frame, self.gold = whole.drop("gold"), whole.get_column("gold")
        self.kept: dict[tuple[str, tuple[str, ...]], pl.Series] = {}
        self.scopes: dict[Rule, list[str]] = {}
        if known is not None:
            self.kept = {(stage, ()): known.struct.field(name) for stage, name in RESULTS.items()}
        self.evaluation = Evaluation(grader, items.golds, stages.value == "list")

    @property
    def lists(self) -> bool:
        """Whether a value is a list of text."""
        return self.evaluation.lists

    @property
    def asked(self) -> set[str]:
        """Names that the stages have looked at."""
        return self.evaluation.asked

    def acting(self, rules: Sequence[Rule]) -> tuple[Rule, ...]:
        """The rules of this axis that act on some item of the batch, in order."""
        return tuple(r for r in rules if r.axis == self.grader.axis and self.in_scope(r))

    def in_scope(self, rule: Rule) -> list[str]:
        """The items that a rule acts on."""
        if rule not in self.scopes:
            self.scopes[rule] = in_scope(rule, self.items)
        return self.scopes[rule]

    def grade(self, rules: Sequence[Rule] = ()) -> pl.DataFrame:
        """Grade every trial under the rules.

        Returns:
            A frame with a row a trial, in the batch's order: status, code, answer (SPAN), value (SPAN or list), missed.
        """
        missed = self.column("check", rules)
        return pl.DataFrame(
            {
                "code": self.column("code", rules),
                "answer": self.column("extract", rules),
                "value": self.column("read", rules),
                "missed": missed,
            }
        ).select(status_of(pl.col("missed")).alias("status"), pl.all())

    def column(self, stage: str, rules: Sequence[Rule]) -> pl.Series:
        """What one stage, or a measure by its name, gives under the rules, kept."""
        upto = STAGES[: STAGES.index(stage) + 1] if stage in STAGES else STAGES[:-1]
        bearing = [r for r in self.acting(rules) if r.stage in upto]
        key = (stage, tuple(r.name for r in bearing))
        if key not in self.kept:
            here = [r for r in bearing if r.stage == stage]
            if here:
                base = self.column(stage, [r for r in bearing if r is not here[-1]])
                self.kept[key] = self._overridden(here[-1], base, rules)
            elif bearing:
                self.kept[key] = self._following(stage, rules)
            else:
                layer = Layer(self.grader.name, self.function(stage), stage, False)
                self.kept[key] = self.evaluation.evaluate(layer, self._inputs(stage, rules), None)
        return self.kept[key]

    def function(self, stage: str) -> Function:
        """The grader's own function of a stage, or of a measure."""
        found = getattr(self.stages, stage) if stage in STAGES else self.grader.measures[stage]
        if found is None:
            family = next(iter(self.items))
            raise RuleError(
                f"{self.grader.name} has no stage {stage} on the axis {self.grader.axis} for the family {family}."
            )
        return found

    def _following(self, stage: str, rules: Sequence[Rule]) -> pl.Series:
        """The grader's own stage under rules on the stages before it: anew where it is given something else."""
        pairs = [(self._given(name, rules), self._given(name, ())) for name in self._added(stage)]
        moved = _any([new.ne_missing(old) for new, old in pairs if new is not old])
        if moved is None:
            return self.column(stage, ())
        layer = Layer(self.grader.name, self.function(stage), stage, False)
        new = self._inputs(stage, rules)
        return _where(moved, lambda: self.evaluation.evaluate(layer, new.filter(moved), None), self.column(stage, ()))

    def _inputs(self, stage: str, rules: Sequence[Rule]) -> pl.DataFrame:
        given = (self._given(name, rules).alias(name) for name in self._added(stage))
        return self.frame.hstack([self.gold, *given])

    def _added(self, stage: str) -> tuple[str, ...]:
        return (*given_to(stage), "by_rule") if self.grader.carried else given_to(stage)

    def _given(self, name: str, rules: Sequence[Rule]) -> pl.Series:
        """What a stage is given beside the trial: what the stages before it gave under the rules."""
        if name == "missed":
            return self.column("check", rules)
        if name == "by_rule":
            extracting = [r for r in self.acting(rules) if r.stage == "extract"]
            by_rule = {item for rule in extracting for item in self.in_scope(rule)}
            return self.frame.get_column("item").is_in(by_rule)
        key = (
            name,
            tuple(r.name for r in self.acting(rules) if r.stage in ("extract", "read")[: 1 + (name == "value")]),
        )
        if key not in self.kept:
            column = self.column("extract" if name == "answer" else "read", rules)
            self.kept[key] = column if column.dtype == TEXTS else column.struct.field("text")
        return self.kept[key]

    def _overridden(self, rule: Rule, base: pl.Series, rules: Sequence[Rule]) -> pl.Series:
        """The base where the rule does not apply, else what the rule gives."""
        layer = Layer(rule.name, rule.function, rule.stage, True)
        acts = self.frame.get_column("item").is_in(self.in_scope(rule))
        frame = self._inputs(rule.stage, rules)
        return _where(acts, lambda: self.evaluation.evaluate(layer, frame.filter(acts), base.filter(acts)), base)

    def part(self, rows: pl.Series) -> Batch:
        """Some of the trials, with what is known of them."""
        part = copy.copy(self)
        part.frame, part.gold = self.frame[rows], self.gold[rows]
        part.kept = {key: column[rows] for key, column in self.kept.items()}
        return part

    def decided_by(self, rules: Sequence[Rule], graded: pl.DataFrame) -> pl.Series:
        """The smallest list of the rules that gives each trial's status and code; null where the grade is as frozen.

        Ties go to the list that comes first in candidate order. Lists longer than one rule are evaluated only
        on the trials that no shorter list decides.
        """
        moved = _differs(graded, self.grade())
        decided: list[list[str] | None] = [None] * graded.height
        for acting, rows in self._by_acting(rules, moved).items():
            for row, names in zip(rows, self._smallest(acting, graded, rows), strict=True):
                decided[row] = names
        return pl.Series("decided_by", decided, dtype=TEXTS)

    def _by_acting(self, rules: Sequence[Rule], of: pl.Series) -> dict[tuple[Rule, ...], list[int]]:
        """The marked rows by the rules that act on their items: other rules are in no list that decides them."""
        acting: dict[str, tuple[Rule, ...]] = {}
        for rule in self.acting(rules):
            for item in self.in_scope(rule):
                acting[item] = (*acting.get(item, ()), rule)
        found: dict[tuple[Rule, ...], list[int]] = {}
        for row, item in zip(of.arg_true(), self.frame.get_column("item").filter(of), strict=True):
            found.setdefault(acting[item], []).append(row)
        return found

    def _smallest(self, acting: tuple[Rule, ...], graded: pl.DataFrame, rows: list[int]) -> list[list[str]]:
        """The smallest list of the rules that gives each of the rows its grade."""
        decided: dict[int, list[str]] = {}
        still = rows
        for size in range(1, len(acting)):
            if not still:
                break
            places = pl.Series(still, dtype=pl.UInt32)
            # What one rule gives is kept for the whole batch.
            batch = self if size == 1 or len(still) == graded.height else self.part(places)
            target = graded[places]
            for subset in itertools.combinations(acting, size):
                got = batch.grade(subset)
                off = _differs(got[places] if batch is self else got, target)
                for row, differs in zip(still, off, strict=True):
                    if not differs:
                        decided.setdefault(row, [rule.name for rule in subset])
            still = [row for row in still if row not in decided]
        # All of the acting rules together give what was graded.
        return [decided.get(row) or [rule.name for rule in acting] for row in rows]


def in_scope(rule: Rule, items: Items) -> list[str]:
    """The items that a rule acts on, in order."""
    return [
        item
        for family, golds in items.items()
        for item, gold in golds.items()
        if rule.applies(gold if isinstance(gold, dict) else {}, family, item)
    ]


def _any(moved: Sequence[pl.Series]) -> pl.Series | None:
    """Where any of the columns is true; None of no columns."""
    return functools.reduce(lambda one, other: one | other, moved) if moved else None


def _where(moved: pl.Series, new: Callable[[], pl.Series], base: pl.Series) -> pl.Series:
    """The base, with what is new in its place; `new` gives a value for each place that `moved` marks."""
    if not moved.any() and len(moved):
        return base
    if moved.all():
        return new()
    index = pl.int_range(len(moved), eager=True)
    parts = pl.DataFrame(
        {"i": pl.concat([index.filter(moved), index.filter(~moved)]), "v": pl.concat([new(), base.filter(~moved)])}
    )
    return parts.sort("i").get_column("v")


def _differs(one: pl.DataFrame, other: pl.DataFrame) -> pl.Series:
    status = one.get_column("status").ne_missing(other.get_column("status"))
    return status | one.get_column("code").ne_missing(other.get_column("code"))
