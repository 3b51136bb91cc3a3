"""Whether the values of a field are grades, and how they are then read."""

from __future__ import annotations

from typing import Any

from regrade.files.corpus import FrozenAxis


class Kinds:
    """The kinds of value that a field was seen to have."""

    def __init__(self) -> None:
        self._grades = self._others = 0
        self._fractions = self._beyond = False

    def see(self, value: Any) -> None:
        """Count a value; null and NaN say nothing."""
        if value is None or value != value:
            return
        if not isinstance(value, (bool, int, float)):
            self._others += 1
        elif not 0 <= value <= 1:
            self._beyond = True
        else:
            self._grades += 1
            self._fractions = self._fractions or value not in (0, 1)

    def axis(self, path: str, answer: str | None = None) -> FrozenAxis | None:
        """How grades at a path are read; None where they are none.

        They are grades where all numbers lie within 0 and 1, and most values are numbers or booleans: one that is not
        is then a reject, while a field of texts or lists is no axis. 0, 1 and booleans are read as `passed`; where
        fractions occur, a grade passes at 1.
        """
        if self._beyond or self._grades <= self._others:
            return None
        if self._fractions:
            return FrozenAxis(value=path, passes=">= 1", answer=answer)
        return FrozenAxis(passed=path, answer=answer)
