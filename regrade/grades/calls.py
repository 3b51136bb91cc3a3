"""Words about the tool calls of a trial; no calls and null are the same, and no word here returns null."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import polars as pl

from regrade.grades.words import TEXTS, distinctly, word
from regrade.records import Call, Turn

__all__ = ["grounded", "missing", "names", "present", "unissued"]


@word(TEXTS, instead=())
def names(calls: Sequence[Call]) -> list[str]:
    """List the tools called, in order, one entry a call."""
    return [call.name for call in calls]


@names.engine
def _names(calls: pl.Series) -> pl.Series:
    return _each(calls, pl.element().struct.field("name"))


def _each(calls: pl.Series, part: pl.Expr) -> pl.Series:
    parts = calls.list.eval(part)
    return parts.zip_with(parts.is_not_null(), pl.Series([[]], dtype=parts.dtype))


@word(TEXTS, instead=())
def missing(calls: Sequence[Call], wanted: list[str] | None) -> list[str]:
    """List those of the wanted tools that no call has, in wanted's order."""
    return _without(names.python(calls), wanted)


@missing.engine
def _missing(calls: pl.Series, wanted: pl.Series) -> pl.Series:
    return distinctly(_without, [_names(calls), wanted], TEXTS)


@word(TEXTS, instead=())
def present(calls: Sequence[Call], unwanted: list[str] | None) -> list[str]:
    """List those of the unwanted tools that some call has, in unwanted's order."""
    return _within(names.python(calls), unwanted)


@present.engine
def _present(calls: pl.Series, unwanted: pl.Series) -> pl.Series:
    return distinctly(_within, [_names(calls), unwanted], TEXTS)


def _without(called: list[str], tools: list[str] | None) -> list[str]:
    return [tool for tool in tools or () if tool not in called]


def _within(called: list[str], tools: list[str] | None) -> list[str]:
    return [tool for tool in tools or () if tool in called]


@word(pl.Boolean, instead=())
def grounded(
    calls: Sequence[Call], turns: Sequence[Turn] | None, after: list[str] | None, never: list[str] | None
) -> bool:
    """Say whether what the reply says rests on the tools that it should, and on none that it should not.

    Args:
        calls: the trial's calls.
        turns: the trial's turns; the reply is the last assistant turn. Null: the reply comes after every call.
        after: tools that must each have been called, and have had a result, in turns before the reply.
        never: tools that must not have been called at all.
    """
    spoken = None if turns is None else [turn.role == "assistant" for turn in turns]
    return _rests_on([_known_from(call) for call in calls], names.python(calls), spoken, after, never)


@grounded.engine
def _grounded(calls: pl.Series, turns: pl.Series, after: pl.Series, never: pl.Series) -> pl.Series:
    # The texts of turns and results do not matter here, and would make every row distinct.
    call = pl.element().struct
    seen = pl.coalesce(call.field("answered"), call.field("turn"))
    known = _each(calls, pl.when(call.field("result").is_not_null()).then(seen))
    spoken = turns.list.eval(pl.element().struct.field("role") == "assistant")
    return distinctly(_rests_on, [known, _names(calls), spoken, after, never], pl.Boolean)


def _rests_on(
    known_from: list[int | None],
    called: list[str],
    spoken: list[bool] | None,
    after: list[str] | None,
    never: list[str] | None,
) -> bool:
    reply = max((i for i, by_assistant in enumerate(spoken or ()) if by_assistant), default=0)
    known = {
        name
        for turn, name in zip(known_from, called, strict=True)
        if turn is not None and (spoken is None or turn < reply)
    }
    return known.issuperset(after or ()) and not _within(called, never)


@word(TEXTS, instead=())
def unissued(calls: Sequence[Call], call: str | None, argument: str | None, first: Any) -> list[str]:
    """List the values that a tool was called with though nothing had issued them, each once, in order of use.

    A value is issued where a result that came in an earlier turn, of any tool, is a JSON object with that value
    as `next`. Calls of one turn were written together, before any of their results was seen.

    Args:
        calls: the trial's calls.
        call: the tool in question; null: nothing is asked.
        argument: name of its argument. Arguments that are not a JSON object, or lack it, or have null there,
            use nothing.
        first: the value that may be used without being issued; null is none.

    Returns:
        The values as text: a text as it is, a whole number without a fraction, any other as JSON.
    """
    if call is None or argument is None:
        return []
    found: dict[str, None] = {}
    for use in calls:
        value = None if use.name != call else _key(use.arguments, argument)
        if value is None or value == _as_text(first):
            continue
        earlier = [c for c in calls if (seen := _known_from(c)) is not None and seen < use.turn]
        if all(value != _key(c.result, "next") for c in earlier):
            found[value] = None
    return list(found)


def _known_from(call: Call) -> int | None:
    """The turn in which a call's result came; without a place of its own, that of the call; None without a result."""
    if call.result is None:
        return None
    return call.turn if call.answered is None else call.answered


def _key(text: str | None, key: str) -> str | None:
    try:
        value = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return _as_text(value.get(key)) if isinstance(value, dict) else None


def _as_text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    # Half of a surrogate pair is legal in JSON and in Python, but no column of text can hold it.
    return text.encode("utf-8", "backslashreplace").decode()
