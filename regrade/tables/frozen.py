"""The frozen grade of one axis in a record, as `[frozen.<axis>]` says where it stands."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from regrade.files.corpus import FrozenAxis
from regrade.files.paths import parse_comparison
from regrade.tables.decoding import ABSENT, encode, is_number, plain_text, scalar_text
from regrade.tables.schema import KEPT

COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}


StoredGrade = tuple[str, bool, str, str | None, str | None, float | None]
"""What a record says of one axis: its name, whether the record has the field, status, code, answer, score."""


class AxisReader:
    """Reads one axis out of what the mapped paths of a record lead to."""

    def __init__(self, axis: str, spec: FrozenAxis) -> None:
        self.axis = axis
        self.spec = spec
        self._value = spec.passed or spec.value or ""
        self._paths = list(dict.fromkeys(p for p in (self._value, spec.code) if p))
        self._codes = None if spec.codes is None else frozenset(spec.codes)
        self._judge = _judge(spec)

    def read(self, values: Mapping[str, Any]) -> StoredGrade | None:
        """The grade that a record stores; None where the value is no grade of the declared kind."""
        value = values[self._value]
        status = "ungraded" if value is None or value is ABSENT or value != value else self._judge(value)
        code = values[self.spec.code] if self.spec.code else None
        if status is None or isinstance(code, (dict, list)):
            return None
        if code is not None:
            code = scalar_text(code) if code == code else None
            if self._codes is not None and code is not None and code not in self._codes:
                return None
        answer = plain_text(values[self.spec.answer]) if self.spec.answer else None
        score = _double(value) if is_number(value) else None
        return self.axis, value is not ABSENT, status, code, answer if answer is None else answer[:KEPT], score

    def stores(self, values: Mapping[str, Any]) -> bool:
        """Whether a record says anything of the axis; one that need not have a grade may not."""
        return not self.spec.optional or any(values[path] is not ABSENT for path in self._paths)

    def fault(self, values: Mapping[str, Any]) -> str:
        """What a record holds that is no grade."""
        return ", ".join(f"{p} = {'absent' if values[p] is ABSENT else encode(values[p])}" for p in self._paths)


def _double(value: float) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


def _by_truth(value: Any) -> str | None:
    if not isinstance(value, (bool, int, float)) or value not in (0, 1):
        return None
    return "passed" if value else "failed"


def _judge(spec: FrozenAxis) -> Callable[[Any], str | None]:
    """From a value that is no null to its status; None where it is no grade of the declared kind."""
    if spec.passed is not None:
        return _by_truth
    if spec.passes is not None:
        passes = parse_comparison(spec.passes)
        compare = COMPARE[passes.operator]

        def by_limit(value: Any) -> str | None:
            if not is_number(value):
                return None
            return "passed" if compare(value, passes.limit) else "failed"

        return by_limit
    good, bad = spec.passed_values, spec.failed_values
    kinds = {_kind(known) for known in (*(good or ()), *(bad or ()))}

    def by_name(value: Any) -> str | None:
        if _is_one_of(value, good or ()):
            return "passed"
        if _is_one_of(value, bad or ()):
            return "failed"
        if _kind(value) not in kinds or (good is not None and bad is not None):
            return None
        return "passed" if good is None else "failed"

    return by_name


def _kind(value: Any) -> str | None:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else "text" if isinstance(value, str) else None


def _is_one_of(value: Any, listed: Iterable[Any]) -> bool:
    return any(_kind(value) == _kind(known) and value == known for known in listed)
