"""The golds of a bank, and which families are graded together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import polars as pl
from duckdb import DuckDBPyConnection

from regrade.grades.stages import Grader, Stages
from regrade.grades.trial import Gold, gold_type


class Items(dict[str | None, Mapping[str, Any]]):
    """The gold of each item, as a JSON value, by family."""

    def __init__(self, golds: Mapping[str | None, Mapping[str, Any]] | None = None) -> None:
        super().__init__(golds or {})
        self._parted: dict[Any, list[Items]] = {}

    @cached_property
    def golds(self) -> dict[str, Any]:
        """The gold of each item."""
        return {item: gold for golds in self.values() for item, gold in golds.items()}

    @cached_property
    def families(self) -> dict[str, str | None]:
        """The family of each item."""
        return {item: family for family, golds in self.items() for item in golds}

    @cached_property
    def kinds(self) -> dict[str | None, str]:
        """The type of each family's golds."""
        return {family: str(gold_type(list(golds.values()))) for family, golds in self.items()}

    @cached_property
    def seen(self) -> pl.DataFrame:
        """What stages see of each item: `item`, `family`, and `gold` typed over all of them."""
        names = {"item": [*self.families], "family": [*self.families.values()]}
        known = pl.DataFrame(names, schema={"item": pl.String, "family": pl.String})
        return known.with_columns(Gold.column([*self.golds.values()]))

    def stages(self, grader: Grader) -> Stages | None:
        """The stages of a grader for families alike to it; None where it does not cover them."""
        [found] = {grader.stages(family) for family in self}
        return found

    def alike(self, graders: Iterable[Grader]) -> list[Items]:
        """Part the families into those that some graders treat as one.

        They have the same stages, or none, and golds of the same type: a stage sees a gold typed over all those of its
        batch, and what it gives must not depend on which other families there are.
        """
        graders = list(graders)
        keys = tuple((self.kinds[family], *(grader.stages(family) for grader in graders)) for family in self)
        if keys not in self._parted:
            found: dict[Any, Items] = {}
            for key, (family, golds) in zip(keys, self.items(), strict=True):
                found.setdefault(key, Items())[family] = golds
            self._parted[keys] = list(found.values())
        return self._parted[keys]


def read_items(con: DuckDBPyConnection) -> Items:
    """The gold of each item, by family."""
    rows = con.execute("select family, item, gold from items order by family nulls first, item").fetchall()
    found: dict[str | None, dict[str, Any]] = {}
    for family, item, gold in rows:
        found.setdefault(family, {})[item] = None if gold is None else json.loads(gold)
    return Items(found)
