"""Plain-Python what-if rules and signals, used only to check the corpus against its figures."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tool_loop_sim import grader

STARTS = re.compile(
    r"(?m)^(?:<tool_call>|<function=\w+>|\[TOOL_CALLS\]|<\|python_tag\|>\{"
    r"|<\|tool_call_begin\|>|<invoke name=\"[^\"\n]+\">)"
)
PYTHONIC = re.compile(r"\[(?:\w+\([^\n]*\)(?:, )?)+\]")


@dataclass(frozen=True)
class Seen:
    """What can be said about a trial from outside: status, code, answer line, flips and the signal."""

    passed: bool
    code: str | None
    line: bool
    flips: frozenset[str]
    call_like: bool

    def behaviour(self) -> tuple[Any, ...]:
        """The behaviour class, as anybody could compute it from the text."""
        return ("passed" if self.passed else "failed", self.code, tuple(sorted(self.flips)), self.line, self.call_like)


def arguments_of(call: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call, logged as text or as an object; an empty object where they are not JSON."""
    raw = call["function"]["arguments"]
    if isinstance(raw, dict):
        return raw
    try:
        parsed = json.loads(raw)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def last_line(text: str) -> str | None:
    """The last line that is not empty, stripped."""
    kept = [line.strip() for line in grader.lines_of(text) if line.strip()]
    return kept[-1] if kept else None


def last_equals(gold: dict[str, Any], messages: list[dict[str, Any]]) -> bool:
    """Passed when a number item reads the number after the last equals sign."""
    answer = grader.answer_line(grader.last_reply(messages))
    value = grader.read_answer(gold, answer)
    if gold["kind"] == "number" and answer is not None and "=" in answer:
        value = grader.first_number(answer.rsplit("=", 1)[1]) or value
    return grader.matches(gold, value) and grader.calls_met(gold, messages)


def is_ask(answer: str | None) -> bool:
    """An answer that asks."""
    return answer is not None and (answer == "ASK" or answer.startswith("ASK:"))


def ask_accepted(gold: dict[str, Any], messages: list[dict[str, Any]]) -> bool:
    """Passed when a grounded question counts."""
    if "ask" in gold and is_ask(grader.answer_line(grader.last_reply(messages))):
        final = max(i for i, m in enumerate(messages) if m["role"] == "assistant")
        answered = {m["tool_call_id"] for m in messages[:final] if m["role"] == "tool"}
        grounded = {
            call["function"]["name"]
            for m in messages[:final]
            if m["role"] == "assistant"
            for call in m.get("tool_calls") or []
            if call["id"] in answered
        }
        used = set(grader.called_tools(messages))
        if all(t in grounded for t in gold["ask"]["after"]) and not any(t in used for t in gold["ask"]["never"]):
            return True
    return bool(grader.grade(gold, messages)["pass"])


def menu_accepted(gold: dict[str, Any], messages: list[dict[str, Any]]) -> bool:
    """Passed when a bare menu line counts where there is no answer line."""
    text = grader.last_reply(messages)
    line = last_line(text)
    if "menu" in gold and grader.answer_line(text) is None and line is not None:
        for pattern in gold["menu"]:
            match = re.fullmatch(pattern, line)
            if match:
                answer = match.groupdict().get("answer") or line
                value = grader.read_answer(gold, answer)
                return grader.matches(gold, value) and grader.calls_met(gold, messages)
    return bool(grader.grade(gold, messages)["pass"])


def guessed_token(gold: dict[str, Any], messages: list[dict[str, Any]]) -> bool:
    """Was a page asked for with a token that no earlier result gave?"""
    if "tokens" not in gold:
        return False
    rule = gold["tokens"]
    issued: set[Any] = {rule["first"]}
    for message in messages:
        if message["role"] == "tool":
            found = json.loads(message["content"])
            if isinstance(found, dict) and found.get("next") is not None:
                issued.add(found["next"])
        for call in message.get("tool_calls") or []:
            if call["function"]["name"] == rule["call"]:
                used = arguments_of(call)
                if rule["argument"] in used and used[rule["argument"]] not in issued:
                    return True
    return False


def last_line_fallback(gold: dict[str, Any], messages: list[dict[str, Any]]) -> bool:
    """Passed when the last non-empty line stands in for a missing answer line."""
    text = grader.last_reply(messages)
    answer = grader.answer_line(text)
    value = grader.read_answer(gold, last_line(text) if answer is None else answer)
    return grader.matches(gold, value) and grader.calls_met(gold, messages)


def outside_fences(text: str) -> list[str]:
    """Lines that are not inside a fenced block."""
    kept, inside = [], False
    for line in grader.lines_of(text):
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            kept.append(line)
    return kept


def is_call_object(line: str) -> bool:
    """A line that is wholly a JSON object with a name and arguments."""
    if not (line.startswith("{") and line.rstrip().endswith("}")):
        return False
    try:
        found = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict) and "name" in found and ("arguments" in found or "parameters" in found)


def call_like(messages: list[dict[str, Any]]) -> bool:
    """Does an assistant turn without a parsed call hold the text of one?"""
    for message in messages:
        if message["role"] != "assistant" or message.get("tool_calls"):
            continue
        text = grader.content_text(message.get("content"))
        if STARTS.search(text):
            return True
        if any(is_call_object(line) or PYTHONIC.fullmatch(line.rstrip()) for line in outside_fences(text)):
            return True
    return False


def observe(gold: dict[str, Any], messages: list[dict[str, Any]]) -> Seen:
    """Everything the plain rules say about one transcript."""
    frozen = grader.grade(gold, messages)
    passed = frozen["pass"]
    candidates = {
        "last_equals": last_equals(gold, messages),
        "ask_accepted": ask_accepted(gold, messages),
        "menu_accepted": menu_accepted(gold, messages),
        "issued_tokens": passed and not guessed_token(gold, messages),
        "last_line_fallback": last_line_fallback(gold, messages),
    }
    line = grader.answer_line(grader.last_reply(messages)) is not None
    flips = frozenset(name for name, after in candidates.items() if after != passed)
    return Seen(passed, frozen["code"], line, flips, call_like(messages))
