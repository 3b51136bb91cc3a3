"""Evaluate one function of a stage on the trials of a batch: an expression, or a row function once a distinct input."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from regrade.errors import RuleError, one_line
from regrade.grades.stages import ADDED, FROZEN, VISIBLE, Function, Grader
from regrade.grades.trial import Gold, Trial
from regrade.grades.words import SPAN, TEXTS, SpanExpr, distinctly, span_expr
from regrade.records import Span


@dataclass(frozen=True)
class Layer:
    """One function of a stage: the grader's own, or a rule over it."""

    owner: str
    function: Function
    stage: str
    is_rule: bool


class Evaluation:
    """Evaluates the functions of one grader and of the rules over it, on families alike."""

    def __init__(self, grader: Grader, items: Mapping[str, Any], lists: bool) -> None:
        """Take the grader.

        Args:
            grader: the frozen grader of the axis.
            items: the gold of each item, as JSON values.
            lists: whether a value is a list of text.
        """
        self.grader = grader
        self.items = items
        self.lists = lists
        self.asked: set[str] = set()
        """Names that the functions have looked at."""
        self._golds: dict[str, Any] = {}
        self._world = Gold.value(grader.world)

    def evaluate(self, layer: Layer, frame: pl.DataFrame, base: pl.Series | None) -> pl.Series:
        """What the function gives for each row; RuleError where it raises or gives what the stage cannot.

        Args:
            layer: the function.
            frame: the trials, with what the stages before gave.
            base: of a rule, what the stage below gives.
        """
        kind = "stage" if layer.stage in ADDED else "measure"
        where = f"{layer.owner}, {kind} {layer.stage}, axis {self.grader.axis}"
        names = (*VISIBLE, *given_to(layer.stage))
        if self.grader.carried and not layer.is_rule:
            names += FROZEN
        if base is not None:
            frame = frame.with_columns(base.alias("base"))
        try:
            rows = getattr(layer.function, "per_row", None)
            if rows is None:
                found = self._expression(layer, frame, names, where)
            else:
                found = self._rows(layer, frame, rows, names, where)
            return _finite(self._placed(layer, frame, found, where), where)
        except RuleError:
            raise
        except (Exception, SystemExit) as error:
            at = _line_of(error, layer.function)
            raise RuleError(f"{where}{at} raised {type(error).__name__}: {one_line(str(error))}") from error

    def _placed(self, layer: Layer, frame: pl.DataFrame, found: pl.Series, where: str) -> pl.Series:
        """Refuse a span that does not lie in the text that the stage was given: its place would be another text's."""
        if found.dtype != SPAN:
            return found
        if layer.stage == "extract":
            self.asked.add("reply")
        given = "reply" if layer.stage == "extract" else "answer"
        span = pl.col(layer.stage).struct
        outside = (span.field("start") < 0) | (span.field("stop") < span.field("start"))
        outside |= span.field("stop") > pl.col(given).str.len_chars().fill_null(-1)
        places = frame.select(given).hstack([found.alias(layer.stage)])
        if places.select(outside.any()).item():
            first = places.filter(outside).row(0, named=True)
            span_found, length = first[layer.stage], len(first[given] or "")
            raise RuleError(
                f"{where} returned characters {span_found['start']} to {span_found['stop']}, and the {given} that it"
                f" was given has {length}. A span counts in that {given}; to look elsewhere, change another stage."
            )
        return found

    def _dtype(self, stage: str) -> pl.DataType | type[pl.DataType]:
        if stage == "extract" or (stage == "read" and not self.lists):
            return SPAN
        if stage in ("read", "check"):
            return TEXTS
        return pl.String if stage == "code" else pl.Float64

    def _expression(self, layer: Layer, frame: pl.DataFrame, names: Sequence[str], where: str) -> pl.Series:
        values: dict[str, Any] = {n: pl.col(n) for n in names if n != "gold"}
        values["gold"] = Gold.expression(frame.schema["gold"])
        trial = Trial(values, where, self.asked)
        spans = self._dtype(layer.stage) == SPAN

        def base(same: Trial) -> Any:
            _same(same, trial, where)
            return SpanExpr(pl.col("base")) if spans else pl.col("base")

        result = layer.function(trial, base) if layer.is_rule else layer.function(trial)
        if isinstance(result, SpanExpr) and spans:
            expr = result.expr
        elif isinstance(result, pl.Expr):
            expr = span_expr(result) if spans else result.cast(self._dtype(layer.stage))
        else:
            raise RuleError(
                f"{where} returned {type(result).__name__}, expected a Polars expression. Mark it @per_row(...) if it"
                " is a function of one trial."
            )
        return frame.select(pl.col("item"), expr.alias("out")).get_column("out").alias(layer.stage)

    def _rows(
        self, layer: Layer, frame: pl.DataFrame, rows: Sequence[str], names: Sequence[str], where: str
    ) -> pl.Series:
        hidden = [n for n in rows if n not in names]
        if hidden:
            raise RuleError(
                f"{where} names {', '.join(hidden)} in @per_row, which this stage does not have. There are:"
                f" {', '.join(names)}."
            )
        self.asked.update(rows)
        # The gold is a function of the item, and far cheaper to compare; a stage that names nothing runs once a family.
        keys = list(dict.fromkeys(["item" if n == "gold" else n for n in rows] + (["base"] if layer.is_rule else [])))
        keys = keys or ["family"]
        dtype = self._dtype(layer.stage)

        def one(*values: Any) -> Any:
            known = dict(zip(keys, values, strict=True))
            if "gold" in rows:
                known["gold"] = self._gold(known["item"])
            if known.get("state") is not None:
                known["state"] = json.loads(known["state"])
            trial = Trial({n: known[n] for n in rows}, where)
            given = (_base_of(trial, known["base"], where),) if layer.is_rule else ()
            return _checked(layer.function(trial, *given), dtype, where)

        return distinctly(one, [frame.get_column(key) for key in keys], dtype).alias(layer.stage)

    def _gold(self, item: str) -> Any:
        if item not in self._golds:
            self._golds[item] = Gold.of_item(self.items[item], self._world)
        return self._golds[item]


def given_to(stage: str) -> tuple[str, ...]:
    """What a stage, or a measure by its name, sees beside the trial: a measure sees what `code` sees."""
    return ADDED.get(stage, ADDED["code"])


def _finite(found: pl.Series, where: str) -> pl.Series:
    """Refuse an amount that is no number: no sum could hold it."""
    if found.dtype == pl.Float64 and not found.is_finite().all():
        odd = found.filter(~found.is_finite())[0]
        raise RuleError(f"{where} returned {odd}, expected a finite number or null.")
    return found


def _same(given: Any, trial: Trial, where: str) -> None:
    if given is not trial:
        raise RuleError(
            f"{where} called base with something other than its own trial. A rule that cleans the text is a rule on the"
            " stage before."
        )


def _base_of(trial: Trial, value: Any, where: str) -> Callable[[Any], Any]:
    def base(same: Any) -> Any:
        _same(same, trial, where)
        return value

    return base


def _line_of(error: BaseException, function: Function) -> str:
    """Where in the rule's own file an error came from, as far as its traceback tells."""
    file = function.__code__.co_filename
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    return f", line {lines[-1]}" if lines else ""


def _checked(result: Any, dtype: Any, where: str) -> Any:
    """A row stage's result as the column holds it; RuleError where it is of another kind."""
    if result is None:
        return None
    if dtype == SPAN:
        right, expected = isinstance(result, (Span, str)), "a span, a text or None"
    elif dtype == pl.String:
        right, expected = isinstance(result, str), "a text or None"
    elif dtype == pl.Float64:
        right = isinstance(result, (int, float)) and not isinstance(result, bool)
        expected = "a number or None"
    else:
        right = isinstance(result, (list, tuple)) and all(isinstance(r, str) for r in result)
        expected = "a list of texts or None"
    if right:
        return result
    raise RuleError(f"{where} returned {one_line(repr(result))[:80]} ({type(result).__name__}), expected {expected}.")
