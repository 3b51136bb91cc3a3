"""The benchmark's frozen grader, kept bug for bug.

It looks at two things only: the text of the last assistant message and the names of the tools that were
called. It is never changed: later ideas about grading live elsewhere and are compared with what this says.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

PREFIX = "ANSWER:"
NUMBER = re.compile(r"-?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?")


def content_text(content: Any) -> str:
    """The text of a message: null is the empty text, parts are joined with nothing between."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content if part.get("type") == "text")


def last_reply(messages: list[dict[str, Any]]) -> str:
    """The text of the last assistant message."""
    for message in reversed(messages):
        if message["role"] == "assistant":
            return content_text(message.get("content"))
    return ""


def lines_of(text: str) -> list[str]:
    """Lines end at LF; a CR just before it is dropped."""
    pieces = text.split("\n")
    ended = [piece[:-1] if piece.endswith("\r") else piece for piece in pieces[:-1]]
    return [*ended, pieces[-1]]


def answer_line(text: str) -> str | None:
    """What stands after the last line that begins with the prefix; None without such a line."""
    found = None
    for line in lines_of(text):
        if line.startswith(PREFIX):
            found = line[len(PREFIX) :].strip()
    return found


def first_number(text: str | None) -> str | None:
    """The first number of a text, thousands commas dropped."""
    if text is None:
        return None
    match = NUMBER.search(text)
    return match.group(0).replace(",", "") if match else None


def called_tools(messages: list[dict[str, Any]]) -> list[str]:
    """Names of the tools called, in order."""
    return [
        call["function"]["name"]
        for message in messages
        if message["role"] == "assistant"
        for call in message.get("tool_calls") or []
    ]


def read_answer(gold: dict[str, Any], answer: str | None) -> str | None:
    """A number item reads the first number of the answer, a text item the whole answer."""
    return first_number(answer) if gold["kind"] == "number" else answer


def matches(gold: dict[str, Any], value: str | None) -> bool:
    """Does a value that was read meet the gold answer?"""
    if value is None:
        return False
    if gold["kind"] == "number":
        off = abs(Decimal(value) - Decimal(str(gold["answer"])))
        return off <= Decimal(str(gold.get("tolerance", 0)))
    return bool(value == gold["answer"])


def calls_met(gold: dict[str, Any], messages: list[dict[str, Any]]) -> bool:
    """Every required tool was called and no forbidden one."""
    used = set(called_tools(messages))
    return all(tool in used for tool in gold["calls"]) and not any(tool in used for tool in gold["never"])


def grade(gold: dict[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The frozen grade of one transcript."""
    value = read_answer(gold, answer_line(last_reply(messages)))
    passed = matches(gold, value) and calls_met(gold, messages)
    return {"pass": passed, "code": None if passed else gold["code"], "read": value}
