"""The field of a JSON object that a reply gives: in a fence or in prose, one object of several, whole or broken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from regrade.grades.json_mending import AS_WRITTEN, closing, mended
from regrade.grades.words import SPAN, word
from regrade.records import Span

__all__ = ["field_text", "field_value"]


@word(SPAN)
def field_text(text: str, field: str) -> Span | None:
    """Take the text of a field as `field_value` gives it, a list or an object as JSON; it has no position."""
    value = field_value(text, field)
    if value is None:
        return None
    return Span(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def field_value(text: str, field: str | None = None) -> Any:
    """Take a field of the last object in a text that has it at its top, else of the last that has it further in.

    An object that is shown as an example, or whose field is a blank to be filled in, counts only where there is no
    other. What is broken is mended.

    Args:
        text: any text.
        field: name of the field; None is `answer`, else the last field of the object.

    Returns:
        A text, or a list or an object of texts: scalars are text, numbers as they are written. None for null, and
        where no object has the field.
    """
    if field is not None and field not in text:
        return None
    objects = [(_is_example(text[max(0, start - _LEADING) : start]), value) for start, value in _objects(text)]
    for everywhere in (False, True):
        found = [(shown, each) for shown, value in objects for each in _fields(value, field, everywhere)]
        own = [each for shown, each in found if not (shown or _is_blank(each))] or [each for _, each in found]
        if own:
            return _as_text(own[-1])
    return None


def _fields(value: Any, field: str | None, everywhere: bool) -> Iterator[Any]:
    if isinstance(value, dict):
        if field is None:
            yield from [value.get("answer", part) for part in value.values()][-1:]
        elif field in value:
            yield value[field]
    if everywhere and isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _fields(part, field, everywhere)


_LEADING = 300
"""Characters before an object that may introduce it."""
_EXAMPLE = re.compile(
    r"(?!.*\b(?:my|final|here)\b).*\b(?:examples?|e\.g\.|templates?|schema|shape|format|looks? like|sample)(?!\w)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\s*(?:[`~]{3,}\w*\s*)?\Z")
_BLANK = re.compile(r"\s*(?:<[^<>]*>|\[[^\[\]]*\]|\.\.\.|…|string|text|value)\s*")


def _is_example(before: str) -> bool:
    """Say whether the line that leads up to an object introduces it as an example."""
    leading = before[: _FENCE.search(before).start()] if before else ""  # type: ignore[union-attr]
    return bool(_EXAMPLE.match(leading, leading.rfind("\n") + 1))


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and bool(_BLANK.fullmatch(value))


def _as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _as_text(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_as_text(part) for part in value]
    return value if value is None or isinstance(value, str) else json.dumps(value)


_OPENS = re.compile(r"""\{(?=\s*(?:["'\u201c]|[A-Za-z_]\w*\s*:))""")
_STOPS = re.compile(r"\n```|\n(?=\{)")


def _objects(text: str) -> Iterator[tuple[int, Any]]:
    """The objects in a text, in order, each with its place; what stands in one is no other."""
    at = read = 0
    while opening := _OPENS.search(text, at):
        start = opening.start()
        value, at = _parsed(text, start)
        if value is None and start >= read:
            end = closing(text, start)
            stop = _STOPS.search(text, start)
            # In one that never closes a whole one may stand.
            read = end or (stop.start() if stop else len(text))
            value, at = mended(text[start:read]), end or at
        if isinstance(value, dict) and value:
            yield start, value


def _parsed(text: str, at: int) -> tuple[Any, int]:
    try:
        return AS_WRITTEN.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at + 1
