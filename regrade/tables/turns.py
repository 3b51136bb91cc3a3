"""A transcript's messages, as chat APIs write them, to its turns and its calls, each call with its result.

Both are plain tuples, since there are millions of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regrade.tables.decoding import ABSENT, plain_text, scalar_text

StoredTurn = tuple[str, str]
"""Role and text."""
StoredCall = tuple[int, int, str, str, str | None, int | None]
"""The turn, the number of the call in it, name, arguments, result, and the turn in which the result came."""
MadeCall = tuple[str | None, str, str]
"""A call as its message has it: id, name, arguments."""


class Unreadable(ValueError):
    """Messages are not of the shape that chat APIs write."""


def content_text(content: Any) -> str:
    """The text of a message's content: null is the empty text, parts are joined with nothing between."""
    if isinstance(content, str):
        return content
    if content is None or content is ABSENT:
        return ""
    if not isinstance(content, list):
        raise Unreadable
    return "".join(_part_text(part) for part in content)


def _part_text(part: Any) -> str:
    if isinstance(part, dict):
        return plain_text(part.get("text")) or ""
    if part is not None and not isinstance(part, str):
        raise Unreadable
    return part or ""


def turns_of(messages: Any) -> tuple[list[StoredTurn], list[StoredCall]]:
    """The turns and the calls of a list of messages. Unreadable where it is no list, or one of them is no message."""
    if not isinstance(messages, list):
        raise Unreadable
    turns: list[StoredTurn] = []
    made: dict[int, list[MadeCall]] = {}
    for message in messages:
        if not isinstance(message, dict) or not isinstance(role := message.get("role"), str):
            raise Unreadable
        content = message.get("content")
        if "tool_calls" in message or "function_call" in message:
            calls = _calls(message)
            if calls:
                made[len(turns)] = calls
        turns.append((role, content if isinstance(content, str) else content_text(content)))
    return turns, list(_with_results(turns, messages, made)) if made else []


def _calls(message: dict[str, Any]) -> list[MadeCall]:
    listed, single = message.get("tool_calls"), message.get("function_call")
    if listed is None:
        if single is None:
            return []
        if not isinstance(single, dict):
            raise Unreadable
        return [_call(None, plain_text(single.get("name")), single.get("arguments"))]
    if not isinstance(listed, list):
        raise Unreadable
    return [_listed(call) for call in listed]


def _listed(call: Any) -> MadeCall:
    if not isinstance(call, dict):
        raise Unreadable
    function = call.get("function")
    name = arguments = None
    if isinstance(function, dict):
        name, arguments = function.get("name"), function.get("arguments")
    elif isinstance(function, str):
        # As some harnesses flatten it, with the arguments beside.
        name, arguments = function, call.get("args")
    name = call.get("name") if name is None else name
    arguments = call.get("arguments") if arguments is None else arguments
    return _call(scalar_text(call.get("id")), scalar_text(name), arguments)


def _call(call_id: str | None, name: str | None, arguments: Any) -> MadeCall:
    if name is None:
        raise Unreadable
    return call_id, name, plain_text(arguments) or ""


def _with_results(
    turns: list[StoredTurn], messages: list[Any], made: dict[int, list[MadeCall]]
) -> Iterator[StoredCall]:
    """The calls, each joined to the message that answers it.

    A message answers a call by its id, or by the tool's name where the message has no id. Calls of one turn under one
    id take their answers in order, and an answer that comes after the id is called anew is that later call's.
    """
    by_id: dict[str, list[int]] = {}
    by_name: dict[str, list[int]] = {}
    for at, (role, _) in enumerate(turns):
        if role == "tool" or role == "function":
            answers_id = scalar_text(messages[at].get("tool_call_id")) if role == "tool" else None
            if answers_id is not None:
                by_id.setdefault(answers_id, []).append(at)
            elif (name := scalar_text(messages[at].get("name"))) is not None:
                by_name.setdefault(name, []).append(at)
    called: dict[tuple[str | None, str | None], list[int]] = {}
    for at, calls in made.items():
        for call in calls:
            called.setdefault(_alike(call), []).append(at)
    for at, calls in made.items():
        taken: dict[tuple[str | None, str | None], int] = {}
        for number, call in enumerate(calls):
            call_id, name, arguments = call
            alike = _alike(call)
            place = taken[alike] = taken.get(alike, -1) + 1
            anew = next((turn for turn in called[alike] if turn > at), len(turns))
            mine = [] if call_id is None else by_id.get(call_id, [])
            if name in by_name:
                mine = sorted(mine + by_name[name])
            answers = [turn for turn in mine if at < turn < anew]
            answered = answers[place] if place < len(answers) else None
            yield at, number, name, arguments, None if answered is None else turns[answered][1], answered


def _alike(call: MadeCall) -> tuple[str | None, str | None]:
    """What a call shares with another that an answer could be meant for as well."""
    return (None, call[1]) if call[0] is None else (call[0], None)


def last_reply(turns: list[StoredTurn]) -> tuple[str, int | None]:
    """The text of the last assistant turn, and which turn it is; the empty text and None where there is none."""
    for at in range(len(turns) - 1, -1, -1):
        role, text = turns[at]
        if role == "assistant":
            return text, at
    return "", None
