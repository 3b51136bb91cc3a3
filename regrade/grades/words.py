"""What a word is: one meaning for Python values and for Polars expressions.

A word is written as a Python function, and that function is its meaning. Called with values it is just called;
called with an expression it becomes an expression that runs the function once for each distinct combination of
its inputs. A word that is asked of every reply may have an *engine* as well, the same thing done to a whole column;
tests hold the two against each other.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import polars as pl

from regrade.records import Call, Span, Turn

TEXTS = pl.List(pl.String)
"""A list of texts."""
SPAN = pl.Struct({"text": pl.String, "start": pl.Int64, "stop": pl.Int64})
"""A `Span`; no answer is a null of this type, never a struct of nulls."""
CALLS = pl.List(
    pl.Struct(
        {
            "turn": pl.Int64,
            "call": pl.Int64,
            "name": pl.String,
            "arguments": pl.String,
            "result": pl.String,
            "answered": pl.Int64,
        }
    )
)
"""A trial's calls, in order."""
TURNS = pl.List(pl.Struct({"role": pl.String, "text": pl.String}))
"""A trial's turns, in order."""

_RECORDS: tuple[tuple[type[Span] | type[Call] | type[Turn], frozenset[str]], ...] = tuple(
    (record, frozenset(record.__slots__)) for record in (Span, Call, Turn)
)


class SpanExpr:
    """A span in a frame: a Polars expression of the type `SPAN`."""

    __slots__ = ("expr",)

    def __init__(self, expr: pl.Expr):
        self.expr = expr

    @property
    def text(self) -> pl.Expr:
        """The characters; null where there is no span."""
        return self.expr.struct.field("text")

    @property
    def start(self) -> pl.Expr:
        """First code point, from 0; null where the text is no slice of what the stage was given."""
        return self.expr.struct.field("start")

    @property
    def stop(self) -> pl.Expr:
        """Code point after the last; null where `start` is."""
        return self.expr.struct.field("stop")


def span_expr(text: pl.Expr, start: pl.Expr | None = None) -> pl.Expr:
    """Build a `SPAN` expression, null where the text is; without a start it has no position."""
    return by_columns(span_series, [text] if start is None else [text, start], SPAN)


def span_series(text: pl.Series, start: pl.Series | None = None) -> pl.Series:
    """Build a `SPAN` column, null where the text is; without a start it has no position."""
    first = pl.lit(None, pl.Int64) if start is None else pl.lit(start.cast(pl.Int64))
    frame = text.to_frame("text").with_columns(start=first)
    frame = frame.with_columns(stop=pl.col("start") + pl.col("text").str.len_chars().cast(pl.Int64))
    return frame.select(pl.when(pl.col("text").is_not_null()).then(pl.struct("text", "start", "stop"))).to_series()


def to_values(series: pl.Series) -> list[Any]:
    """Turn a column into Python values: structs with the fields of `Span`, `Call` or `Turn` into those."""
    inner = series.dtype.inner if isinstance(series.dtype, pl.List) else series.dtype
    values = series.to_list()
    if not isinstance(inner, pl.Struct):
        return values
    fields = frozenset(field.name for field in inner.fields)
    record = next((record for record, names in _RECORDS if names == fields), None)
    if record is None:
        return values

    def one(value: dict[str, Any] | None) -> Any:
        return None if value is None else record(**value)

    if isinstance(series.dtype, pl.List):
        return [None if value is None else [one(part) for part in value] for value in values]
    return [one(value) for value in values]


def to_series(name: str, values: Sequence[Any], dtype: pl.DataType | type[pl.DataType]) -> pl.Series:
    """Turn Python values into a column of the given type: spans into structs, a plain text for `SPAN` into one."""
    return pl.Series(name, [_plain(value) for value in values] if dtype == SPAN else values, dtype=dtype)


def _plain(value: Span | str | None) -> dict[str, Any] | None:
    if value is None:
        return None
    if isinstance(value, str):
        return {"text": value, "start": None, "stop": None}
    return {"text": value.text, "start": value.start, "stop": value.stop}


def by_columns(
    function: Callable[..., pl.Series], columns: Sequence[pl.Expr], returns: pl.DataType | type[pl.DataType]
) -> pl.Expr:
    """Make an expression of a function on whole columns.

    Unlike expressions put together, which repeat an input wherever it is named, it computes each input once.

    Args:
        function: takes a series a column and returns one of the same length.
        columns: the inputs; each row of the result depends on the same row of these alone.
        returns: the type of the result.
    """
    names = [f"input_{i}" for i in range(len(columns))]
    inputs = pl.struct(column.alias(name) for column, name in zip(columns, names, strict=True))
    return inputs.map_batches(
        lambda rows: function(*(rows.struct.field(name) for name in names)), return_dtype=returns, is_elementwise=True
    )


def by_distinct(
    function: Callable[..., Any], columns: Sequence[pl.Expr], returns: pl.DataType | type[pl.DataType]
) -> pl.Expr:
    """Make an expression of a function on Python values, called once a distinct combination of the columns' values.

    Args:
        function: takes one Python value a column (records as `Span`, `Call`, `Turn`) and returns one.
        columns: the inputs.
        returns: the type of the result; a `SPAN` may be returned as a `Span` or as text.
    """
    return by_columns(lambda *inputs: distinctly(function, inputs, returns), columns, returns)


def distinctly(
    function: Callable[..., Any], inputs: Sequence[pl.Series], returns: pl.DataType | type[pl.DataType]
) -> pl.Series:
    """Do to columns that are there what `by_distinct` does in an expression."""
    rows = pl.DataFrame([series.alias(f"input_{i}") for i, series in enumerate(inputs)])
    distinct = rows.unique(maintain_order=True)
    values = [function(*row) for row in zip(*map(to_values, distinct), strict=True)]
    results = distinct.with_columns(to_series("result", values, returns))
    return rows.join(results, on=rows.columns, how="left", nulls_equal=True, maintain_order="left")["result"]


def is_expression(value: object) -> bool:
    """Say whether a value is a column to be, and not a Python value."""
    return isinstance(value, pl.Expr | SpanExpr)


class Word:
    """A word that rules are written in; made by `word`."""

    def __init__(self, python: Callable[..., Any], returns: pl.DataType | type[pl.DataType], instead: Any):
        functools.update_wrapper(self, python)
        self.python = python
        """The function that is the word's meaning, on Python values."""
        self.returns = returns
        """Type of the result, as a Polars type."""
        self.native: Callable[..., pl.Series] | None = None
        """The same on whole columns, where the word has it."""
        self._instead = instead
        self._signature = inspect.signature(python)

    def engine(self, native: Callable[..., pl.Series]) -> Callable[..., pl.Series]:
        """Register the implementation on whole columns.

        It is given a series for each parameter of the word (of one value throughout, where a Python value was
        passed) and must agree with the function on every row, null included.
        """
        self.native = native
        return native

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the word: to values, giving a value, or to expressions, giving an expression."""
        arguments: Sequence[Any] = args
        if kwargs or len(args) != len(self._signature.parameters):
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            arguments = bound.args
        if any(is_expression(argument) for argument in arguments):
            return self._expression(arguments)
        return self._scalar(*arguments)

    def _scalar(self, first: Any, *rest: Any) -> Any:
        if first is None:
            first = self._instead
        if first is None:
            return False if self.returns == pl.Boolean else None
        return self.python(_text(first), *(_text(argument) for argument in rest))

    def _expression(self, arguments: Iterable[Any]) -> pl.Expr | SpanExpr:
        columns = [_column(argument) for argument in arguments]
        native = self.native
        if native:
            result = by_columns(lambda *inputs: native(*map(_text_column, inputs)), columns, self.returns)
        else:
            result = by_distinct(self._scalar, columns, self.returns)
        result = result.alias(self.python.__name__)
        return SpanExpr(result) if self.returns == SPAN else result


def _text(value: Any) -> Any:
    return value.text if isinstance(value, Span) else value


def _text_column(series: pl.Series) -> pl.Series:
    return series.struct.field("text") if series.dtype == SPAN else series


def _column(value: Any) -> pl.Expr:
    if isinstance(value, SpanExpr):
        return value.text
    if isinstance(value, pl.Expr):
        return value
    if isinstance(value, Span):
        return pl.lit(value.text)
    if isinstance(value, list | tuple | set | frozenset):
        texts = sorted(value) if isinstance(value, set | frozenset) else list(value)
        return pl.lit(pl.Series([texts], dtype=TEXTS)).first()
    return pl.lit(value)


def word(returns: pl.DataType | type[pl.DataType], *, instead: Any = None) -> Callable[[Callable[..., Any]], Word]:
    """Make a word of a function on Python values.

    A null first argument gives null, or False where the word returns a Boolean, without calling the function.
    A span that is passed counts as its text.

    Args:
        returns: `SPAN`, or any Polars type.
        instead: what a null first argument stands for, where a word has an answer for it (no calls).
    """
    return lambda python: Word(python, returns, instead)


def first_of(*spans: Any) -> Any:
    """Take the first that is not null: spans or texts, values or expressions, alike.

    Returns:
        A `Span` or a text as it was given, or None; with any expression among them, a `SpanExpr`, in which a
        plain text has no position.
    """
    if not any(is_expression(span) for span in spans):
        return next((span for span in spans if span is not None), None)
    return SpanExpr(pl.coalesce([_span_column(span) for span in spans]))


def _span_column(value: Any) -> pl.Expr:
    if isinstance(value, SpanExpr):
        return value.expr
    if isinstance(value, pl.Expr):
        return span_expr(value)
    return pl.lit(to_series("span", [value], SPAN)).first()
