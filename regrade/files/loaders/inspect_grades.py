"""What the scorers of an Inspect log say of a trial, and the axes that they make.

Of each scorer, by its name as logged, a record has `value` as logged, `answer`, `code`, and `number`, which is what the
metrics of Inspect make of the value: a boolean is 1 or 0, `C` is 1, `P` 0.5, `I` and `N` are 0, yes, true, no and false
in any case are 1 and 0, and a text that is a number is that number. Null and NaN are null: not graded. Any other text
stays a text, which is no grade. The elements of an object or a list stand in `parts`, by key or index, each with a
`value`, `number`, `code` and `answer` of its own.

A text that Inspect makes no number of is a label. A scorer that gives nothing but labels grades nothing, so it is no
axis; where only some of its values are labels, a trial that has one is rejected (`bad_grade`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from regrade.errors import CorpusError
from regrade.files.corpus import FrozenAxis

NUMBERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
CODES = {"P": "PARTIAL", "N": "NOANSWER"}

PLAIN = re.compile(r"[A-Za-z0-9_-]+")
"""A key that needs no quotes in a path."""


class Kind(IntEnum):
    """The most that the values of an axis are."""

    NOTHING = 0
    LABEL = 1
    GRADE = 2


def graded(scores: object) -> dict[str, dict[str, Any]]:
    """The `grades` of a record.

    Args:
        scores: `scores` of a sample, by scorer; anything else says nothing.
    """
    return {name: _grade(score) for name, score in scores.items()} if isinstance(scores, dict) else {}


def _grade(score: object) -> dict[str, Any]:
    fields = score if isinstance(score, dict) else {"value": score}
    value, answer = fields.get("value"), fields.get("answer")
    match value:
        case dict():
            parts = {str(key): _one(part, answer) for key, part in value.items()}
        case list():
            parts = {str(index): _one(part, answer) for index, part in enumerate(value)}
        case _:
            return _one(value, answer)
    return {"value": value, "number": None, "code": None, "answer": answer, "parts": parts}


def _one(value: object, answer: object) -> dict[str, Any]:
    code = CODES.get(value) if isinstance(value, str) else None
    return {"value": value, "number": number(value), "code": code, "answer": answer}


def number(value: object) -> object:
    """The number that stands for a value, None where it is not graded, or the value itself where it is no grade."""
    match value:
        case bool():
            return int(value)
        case float() if math.isnan(value):
            return None
        case str():
            known = NUMBERS.get(value, WORDS.get(value.lower()))
            return _finite(value) if known is None else known
    return value


def _finite(text: str) -> float | str:
    try:
        found = float(text)
    except ValueError:
        return text
    return found if math.isfinite(found) else text


class Axes:
    """The axes that are found in the grades of many trials."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str | None], Kind] = {}

    def add(self, scores: object) -> None:
        """Look at what the scorers say of one more trial."""
        for scorer, grade in graded(scores).items():
            for part, one in _each(grade):
                # A path has no way to say an empty key.
                if scorer and part != "":
                    self._found[scorer, part] = max(self._found.get((scorer, part), Kind.NOTHING), _kind(one["number"]))

    def frozen(self) -> dict[str, FrozenAxis]:
        """The axes by name, in the order in which they were found.

        Raises:
            CorpusError: Two names are one where only letters, digits and _ count, and case does not.
        """
        axes: dict[str, FrozenAxis] = {}
        known: dict[str, str] = {}
        composite = {scorer for scorer, part in self._found if part is not None}
        for (scorer, part), kind in self._found.items():
            # An ungraded trial of a scorer with parts has neither.
            if kind is Kind.LABEL or (kind is Kind.NOTHING and part is None and scorer in composite):
                continue
            raw = scorer if part is None else f"{scorer}_{part}"
            name = re.sub(r"[^A-Za-z0-9_]|^(?=[0-9])", "_", raw)
            path = ".".join(["grades", _key(scorer), *([] if part is None else ["parts", _key(part)])])
            axis = FrozenAxis(value=f"{path}.number", passes=">= 1", code=f"{path}.code", answer=f"{path}.answer")
            if name.lower() in known:
                raise CorpusError(
                    f"The scorers {known[name.lower()]!r} and {raw!r} would both be the axis {name!r}. Declare each in "
                    f"corpus.toml as [frozen.NAME] with value = {axis.value!r} and passes = {axis.passes!r}."
                )
            known[name.lower()] = raw
            axes[name] = axis
        return axes


def _each(grade: dict[str, Any]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    if "parts" in grade:
        yield from grade["parts"].items()
    else:
        yield None, grade


def _kind(found: object) -> Kind:
    if found is None:
        return Kind.NOTHING
    return Kind.GRADE if isinstance(found, (int, float)) else Kind.LABEL


def _key(name: str) -> str:
    return name if PLAIN.fullmatch(name) else json.dumps(name)
