"""The JSON of a record: its text to Python values and back, and whether a mapped key stands twice in an object."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

import msgspec

from regrade.files.depth import DEPTH, is_deep

ABSENT = msgspec.UNSET
"""What a path leads to where there is nothing."""

_DECODER = msgspec.json.Decoder()
_ENCODER = msgspec.json.Encoder()


class NotJson(ValueError):
    """A text is no JSON, holds a lone surrogate, or is nested deeper than DEPTH."""


def decode(text: str) -> Any:
    """The value of a JSON text; the bare tokens `NaN` and `Infinity` are numbers. NotJson where it is none."""
    value = _decode(text)
    if text.count("[") + text.count("{") > DEPTH and is_deep(value):
        raise NotJson
    return value


def _decode(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        value = json.loads(text)
        if "\\ud" in text or "\\uD" in text:
            # As pairs, since of a key that stands twice an object keeps one value.
            json.dumps(json.loads(text, object_pairs_hook=list), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise NotJson from None
    return value


def encode(value: Any) -> str:
    """The JSON text of a value, as short as it can be; NaN and infinities as the bare tokens."""
    text = _ENCODER.encode(value).decode()
    # The fast encoder writes null for a number that is not finite.
    if "null" in text and not _finite(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    return not isinstance(value, list) or all(map(_finite, value))


def plain_text(value: Any) -> str | None:
    """A value as text: a text as it is, anything else as JSON; None for null and absent."""
    if isinstance(value, str):
        return value
    return None if value is None or value is ABSENT else encode(value)


def scalar_text(value: Any) -> str | None:
    """A text, number or boolean as text; None for null, absent, objects and lists."""
    if isinstance(value, str):
        return value
    return None if value is ABSENT or isinstance(value, (dict, list)) else plain_text(value)


def alike(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: numbers by value, and true is no number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number; NaN, which stands for none, is not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def follow(value: Any, path: tuple[str, ...]) -> Any:
    """What a path leads to: keys of objects, and places of lists in digits; ABSENT where there is nothing."""
    for key in path:
        if isinstance(value, dict):
            value = value.get(key, ABSENT)
        elif isinstance(value, list) and key.isascii() and key.isdigit() and (key == "0" or key[0] != "0"):
            value = value[int(key)] if int(key) < len(value) else ABSENT
        else:
            return ABSENT
    return value


def as_logged(text: str, path: tuple[str, ...]) -> str | None:
    """The number at a path with the digits that it is written with."""
    return scalar_text(follow(_load(text, parse_float=str, parse_int=str), path))


def _load(text: str, **hooks: Any) -> Any:
    """Decode what was decoded before. NotJson where a value that was dropped then is nested too deep."""
    try:
        return json.loads(text, **hooks)
    except RecursionError:
        raise NotJson from None


def finds_twice(paths: Collection[tuple[str, ...]]) -> Callable[[str, Any], bool]:
    """Make a test of a record's text and value: does a key of the paths stand twice in its object?"""
    parents: dict[tuple[str, ...], set[str]] = {}
    for path in paths:
        for depth, key in enumerate(path):
            parents.setdefault(path[:depth], set()).add(key)

    def twice(text: str, value: Any) -> bool:
        # Of a key that stands twice decoding keeps one, so that the value is written with fewer quotes than the text;
        # unless the text spells a quote otherwise.
        if "\\u0022" not in text and text.count('"') == _ENCODER.encode(value).count(b'"'):
            return False
        return _repeats(text, parents)

    return twice


class _Pairs(list[Any]):
    """The members of an object, in order, none dropped."""


def _repeats(text: str, parents: Mapping[tuple[str, ...], set[str]]) -> bool:
    record = _load(text, object_pairs_hook=_Pairs)
    for parent, keys in parents.items():
        found = record
        for key in parent:
            if isinstance(found, _Pairs):
                found = next((v for k, v in found if k == key), None)
            else:
                found = follow(found, (key,))
        if isinstance(found, _Pairs):
            names = [k for k, _ in found if k in keys]
            if len(names) != len(set(names)):
                return True
    return False
