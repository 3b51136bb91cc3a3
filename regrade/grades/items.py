"""The golds of a bank, and which families are graded together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from regrade.grades.stages import Grader
from regrade.grades.trial import gold_type


class Items(dict[str | None, Mapping[str, Any]]):
    """The gold of each item, as a JSON value, by family."""

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
    def _parted(self) -> dict[Any, list[Items]]:
        return {}

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
