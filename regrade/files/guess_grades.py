"""Guess the frozen grades of a log: which fields are grades, and what in them passed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from regrade.files.fields import Field, example, plain
from regrade.files.names import (
    ANSWER,
    CODE,
    GRADE,
    GRADE_OF_ONE_KIND,
    GRADES,
    LETTERS,
    NO_GRADE,
    TURNED,
    WORDS,
)

NAMED_CODES = 25
"""Distinct values of a field of codes, at most."""
AXES = 12
"""Axes that are guessed, at most."""


class Reading(NamedTuple):
    """How a field is read as a grade."""

    kind: str
    """`flag`, `words` or `share`; `number` where nobody but the user knows what passes."""
    keys: dict[str, Any]
    """Those of `[frozen.<axis>]`."""
    why: str


class Axis(NamedTuple):
    """One guessed `[frozen.<name>]`."""

    name: str
    field: Field
    keys: dict[str, Any]
    why: dict[str, str]
    """Key to the reason."""


def guess_axes(fields: Sequence[Field]) -> tuple[list[Axis], list[str]]:
    """Guess the axes, the primary first, and say what else looks like a grade.

    Of the fields that name a verdict (`passed`, `score`) the likeliest is the axis `pass`; those that grade one thing
    (`exact_match`, or any 0/1 under `scores`) are an axis each. A share of 1 counts only where nothing says yes or no.
    """
    found: list[tuple[tuple[int, int], bool, Field, Reading]] = []
    for field in fields:
        rank = _rank(field)
        reading = read_grade(field) if rank is not None else None
        if rank is not None and reading is not None:
            found.append((rank, rank[0] < len(GRADE), field, reading))
    # A field that says yes or no comes before a number, however it is called.
    found.sort(key=lambda f: (("flag", "words", "share", "number").index(f[3].kind) // 2, f[0]))
    sure = [f for f in found if f[3].kind in ("flag", "words")] or [f for f in found if f[3].kind == "share"][:1]
    verdict = next((f for f in sure if f[1]), None)
    taken = [f for f in sure if f is verdict or not f[1]][:AXES]
    axes: dict[str, Axis] = {}
    for each in sorted(taken, key=lambda f: f is not verdict):
        _, _, field, reading = each
        name = "pass" if each is verdict or len(taken) == 1 else _identifier(field)
        if name not in axes:
            turned = f'; if true is the bad end: value = "{field.key}", failed_values = [true]'
            told = reading.why + (turned if field.names[0] in TURNED else "")
            why = {key: told if key in ("passed", "value") else "" for key in reading.keys}
            axes[name] = Axis(name, field, reading.keys, why)
    left = [f for f in found if all(f[2] is not axis.field for axis in axes.values())]
    return list(axes.values()), [_suggestion(field, reading) for _, _, field, reading in left]


def beside(axis: Axis, fields: Sequence[Field], taken: Iterable[Field]) -> dict[str, Field]:
    """The code and the answer that stand beside a grade, or at the top of the record."""
    found = {}
    out = {id(field) for field in taken} | {id(axis.field)}
    for key, names, test in (("code", CODE, _is_code), ("answer", ANSWER, _is_scalar)):
        near = [f for f in fields if f.path[:-1] == axis.field.path[:-1] or f.depth == 0 or _is_cousin(f, axis.field)]
        for field in sorted(near, key=lambda f: (f.depth != axis.field.depth, _place(f, names))):
            if field.names[0] in names and id(field) not in out and test(field):
                found[key] = field
                break
    return found


def read_grade(field: Field) -> Reading | None:
    """Read a field as a grade by its values alone; None where they are none."""
    values = [v for v in field.values.values() if not (isinstance(v, float) and math.isnan(v))]
    if not values:
        return None
    if all(isinstance(value, bool) for value in values):
        return Reading("flag", {"passed": field.key}, _counted(field))
    if all(isinstance(value, str) for value in values):
        return _words(field, [str(value) for value in values])
    if not all(type(value) in (int, float) for value in values):
        return None
    if all(value in (0, 1) for value in values):
        return Reading("flag", {"passed": field.key}, _counted(field))
    low, high = min(values), max(values)
    spread = f"numbers from {low:g} to {high:g}"
    if 0 <= low and high <= 1:
        keys = {"value": field.key, "passes": ">= 1"}
        return Reading("share", keys, f"{spread}; what passes is yours to say")
    return Reading("number", {"value": field.key, "passes": ">= ..."}, spread)


def _words(field: Field, values: list[str]) -> Reading | None:
    seen = set(values)
    if seen & {"C", "I"} and seen <= {"C", "I", *LETTERS}:
        keys = {"value": field.key, "passed_values": ["C"], "failed_values": ["I", *LETTERS]}
        return Reading("words", keys, _counted(field))
    passed: dict[str, None] = {}
    failed: dict[str, None] = {}
    for word in field.distinct:
        text = json.loads(word)
        pair = next((pair for pair in WORDS if text.strip().lower() in (w.lower() for w in pair)), None)
        if pair is None:
            return None
        is_pass = text.strip().lower() == pair[0].lower()
        (passed if is_pass else failed)[text] = None
        # The other word may come later in the log.
        other = _like(pair[1] if is_pass else pair[0], text)
        if not any(w.strip().lower() == other.lower() for w in seen):
            (failed if is_pass else passed)[other] = None
    keys = {"value": field.key, "passed_values": list(passed), "failed_values": list(failed)}
    return Reading("words", keys, _counted(field))


def _like(word: str, other: str) -> str:
    """A word in the capitals of another."""
    return word.upper() if other.isupper() else word.capitalize() if other[:1].isupper() else word


def _counted(field: Field) -> str:
    return ", ".join(f"{_cut(value)}: {n}" for value, n in list(field.distinct.items())[:4])


def _cut(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:16]}..."


def _rank(field: Field) -> tuple[int, int] | None:
    """How likely its name is that of a grade; None where it is none."""
    names = (*GRADE, *GRADE_OF_ONE_KIND)
    places = [names.index(name) for name in field.names[:1] if name in names]
    if places:
        return min(places), field.depth
    no_grade = set(field.names[0].split("_")) & {*NO_GRADE}
    if field.depth and field.above in GRADES and not no_grade and field.all_are(bool, int, float):
        return len(names), field.depth
    return None


def _place(field: Field, names: Sequence[str]) -> int:
    return names.index(field.names[0]) if field.names[0] in names else len(names)


def _is_cousin(field: Field, grade: Field) -> bool:
    """Whether a field stands beside the object that holds the grade: `score.value.acc`, `score.extracted`."""
    return field.path[:-1] == grade.path[:-2] and len(grade.path) > 1


def _is_code(field: Field) -> bool:
    texts = field.all_are(str) and len(field.distinct) <= NAMED_CODES and field.length <= 60
    return texts and len(field.distinct) <= max(2, len(field.values) // 2)


def _is_scalar(field: Field) -> bool:
    return field.all_are(str, int, float, share=0.9)


def _identifier(field: Field) -> str:
    name = re.sub(r"[^a-z0-9_]", "_", plain(field.path[-1])) or "grade"
    return f"is_{name}" if name[0].isdigit() or name in ("frozen", "pass") else name


def _suggestion(field: Field, reading: Reading) -> str:
    keys = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in reading.keys.items())
    return f"{field.key} may be a grade too ({reading.why or example(field)}): {keys}"
