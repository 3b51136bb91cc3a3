"""What a stage sees of a trial: named values, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from regrade.errors import RuleError
from regrade.grades.words import CALLS, TURNS

DType = pl.DataType | type[pl.DataType]

FRAME: dict[str, DType] = {
    "reply": pl.String,
    "turns": TURNS,
    "calls": CALLS,
    "state": pl.String,
    "item": pl.String,
}
"""Columns of a batch; `state` is JSON text."""


class Trial:
    """The values that a stage may read, each a Polars expression or a Python value."""

    __slots__ = ("_asked", "_values", "_where")

    def __init__(self, values: Mapping[str, Any], where: str, asked: set[str] | None = None) -> None:
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_where", where)
        object.__setattr__(self, "_asked", set() if asked is None else asked)

    def __getattr__(self, name: str) -> Any:
        values = self._values
        if name in values:
            self._asked.add(name)
            return values[name]
        raise RuleError(f"{self._where} asked the trial for {name!r}. There are: {', '.join(values)}.")

    def __setattr__(self, name: str, value: Any) -> None:
        raise RuleError(f"{self._where} set {name!r} on the trial; a stage only reads.")


class Gold(Mapping[str, Any]):
    """The item's gold: a key that is absent is null, in a row stage and in an expression."""

    __slots__ = ("_absent", "_keys")

    def __init__(self, keys: Mapping[str, Any], absent: Any) -> None:
        self._keys = keys
        self._absent = absent

    @classmethod
    def value(cls, gold: Any) -> Any:
        """A row stage's gold: nested objects too; a gold that is no object as it is."""
        if isinstance(gold, dict):
            return cls({k: cls.value(v) for k, v in gold.items()}, None)
        return gold

    @classmethod
    def of_item(cls, gold: Any, world: Any = None) -> Any:
        """A row stage's gold of an item: an item without one has every key absent.

        Args:
            gold: the item's.
            world: the bank's, as `value` makes it; it is the gold's key `world`, where a gold of keys has none itself.
        """
        own = cls.value({} if gold is None else gold)
        if world is None or not isinstance(own, cls) or "world" in own:
            return own
        return cls({**own, "world": world}, None)

    @classmethod
    def column(cls, golds: Sequence[Any]) -> pl.Series:
        """Golds, typed over all of them.

        A key's type: texts, numbers, booleans, lists, objects; a key with several kinds is text, numbers as
        they are written in JSON.
        """
        dtype = gold_type(list(golds))
        return pl.Series("gold", [_typed(gold, dtype) for gold in golds], dtype=dtype)

    @classmethod
    def expression(cls, dtype: Any, column: pl.Expr | None = None) -> Any:
        """An expression stage's gold over the column `gold`; nested objects too."""
        if column is None:
            column = pl.col("gold")
            if dtype == pl.Null:
                return cls({}, pl.lit(None))
        if isinstance(dtype, pl.Struct):
            return cls(
                {f.name: cls.expression(f.dtype, column.struct.field(f.name)) for f in dtype.fields}, pl.lit(None)
            )
        return column

    def __getitem__(self, key: str) -> Any:
        return self._keys.get(key, self._absent)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def get(self, key: str, default: Any = None) -> Any:
        """The key's value, or `default` where it is absent."""
        return self._keys.get(key, default)


def gold_type(values: list[Any]) -> Any:
    """The Polars type that holds all of the golds."""
    known = [v for v in values if v is not None]
    if not known:
        return pl.Null
    if all(isinstance(v, dict) for v in known):
        keys = sorted({k for v in known for k in v})
        if keys:
            return pl.Struct({k: gold_type([v.get(k) for v in known]) for k in keys})
        return pl.String
    if all(isinstance(v, list) for v in known):
        inner = gold_type([e for v in known for e in v])
        return pl.List(pl.String if inner == pl.Null else inner)
    if all(isinstance(v, bool) for v in known):
        return pl.Boolean
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in known):
        return pl.String
    whole = [v for v in known if isinstance(v, int)]
    if len(whole) == len(known):
        return pl.Int64 if all(abs(v) < 2**63 for v in whole) else pl.String
    # Beyond 2**53 a whole number beside a fraction would lose its last digits.
    return pl.Float64 if all(abs(v) <= 2**53 for v in whole) else pl.String


def _typed(value: Any, dtype: Any) -> Any:
    if value is None or dtype == pl.Null:
        return None
    if isinstance(dtype, pl.Struct):
        return {f.name: _typed(value.get(f.name), f.dtype) for f in dtype.fields}
    if isinstance(dtype, pl.List):
        return [_typed(v, dtype.inner) for v in value]
    if dtype == pl.String and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return value
