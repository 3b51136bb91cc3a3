"""The script that people write today: one loop that reads every line, grades the trial and writes its grades.

`python script.py CORPUS OUT` needs orjson and nothing of the toolkit, and knows one benchmark only: the frozen grader
of the tool loop and six changes to it, each alone, are written out by hand. A line of OUT is a trial: its key, and
under the name of each candidate the status, the code and the value read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson

COLUMNS = (
    "frozen",
    "ask_accepted",
    "format_code",
    "issued_tokens",
    "last_equals",
    "last_line_fallback",
    "menu_accepted",
)

_first_number = re.compile(r"-?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?").search

Grade = tuple[str, str | None, str | None]
"""Status, code, value."""
Message = dict[str, Any]


class Item:
    """What the bank says of one item, ready to be compared with."""

    __slots__ = ("answer", "ask", "calls", "code", "is_number", "menu", "never", "tokens", "tolerance")

    def __init__(self, gold: dict[str, Any]):
        self.is_number = gold["kind"] == "number"
        self.answer = Decimal(str(gold["answer"])) if self.is_number else gold["answer"]
        self.tolerance = Decimal(str(gold.get("tolerance") or 0))
        self.code = gold["code"]
        self.calls = frozenset(gold.get("calls") or ())
        self.never = frozenset(gold.get("never") or ())
        self.ask = gold.get("ask")
        self.tokens = gold.get("tokens")
        self.menu = [re.compile(form).fullmatch for form in gold.get("menu") or ()]

    def read(self, answer: str, start: int = 0) -> str | None:
        """The value in an answer: its first number, or all of it."""
        if not self.is_number:
            return answer
        found = _first_number(answer, start)
        return found and found.group().replace(",", "")

    def accepts(self, value: str | None) -> bool:
        if value is None:
            return False
        if self.is_number:
            return abs(Decimal(value) - self.answer) <= self.tolerance
        return value == self.answer

    def allows(self, messages: list[Message]) -> bool:
        """Whether every tool that is wanted was called, and none that is not."""
        called = {call["function"]["name"] for m in messages if "tool_calls" in m for call in m["tool_calls"]}
        return self.calls <= called and not self.never & called


def main(corpus: Path, out: Path) -> None:
    """Grade every trial of a corpus."""
    bank = {entry["item"]: Item(entry["gold"]) for entry in orjson.loads((corpus / "bank.json").read_bytes())}
    loads, dumps, newline = orjson.loads, orjson.dumps, orjson.OPT_APPEND_NEWLINE
    with open(out, "wb", buffering=1 << 20) as grades:
        write = grades.write
        for path in sorted((corpus / "trials").glob("*.jsonl")):
            with open(path, "rb", buffering=1 << 20) as lines:
                for line in lines:
                    trial = loads(line)
                    row = grade(bank[trial["episode"]], trial["messages"])
                    row["trial"] = (trial["config"], trial["episode"], trial["rep"])
                    write(dumps(row, option=newline))


def grade(item: Item, messages: list[Message]) -> dict[str, Any]:
    """The frozen grade of a trial and that of each candidate."""
    at, reply = last_reply(messages)
    answer = answer_line(reply)
    value = None if answer is None else item.read(answer)
    is_right = item.accepts(value)
    allowed = is_right and item.allows(messages)
    frozen: Grade = ("passed", None, value) if allowed else ("failed", item.code, value)
    row: dict[str, Any] = dict.fromkeys(COLUMNS, frozen)
    if answer is None:
        row["format_code"] = ("failed", "FORMAT", None)
        line = last_line(reply)
        if line is not None:
            row["last_line_fallback"] = anew(item, item.read(line), messages)
            if item.menu and (chosen := chosen_form(item, line)) is not None:
                row["menu_accepted"] = anew(item, item.read(chosen), messages)
        return row
    if item.is_number:
        equals = answer.rfind("=")
        if equals >= 0 and (after := item.read(answer, equals + 1)) is not None:
            row["last_equals"] = anew(item, after, messages)
    if item.tokens and allowed and guesses(item.tokens, messages):
        row["issued_tokens"] = ("failed", item.code, value)
    if item.ask and not allowed and (answer == "ASK" or answer.startswith("ASK:")) and grounded(item.ask, messages, at):
        row["ask_accepted"] = ("passed", None, value)
    return row


def anew(item: Item, value: str | None, messages: list[Message]) -> Grade:
    """The grade under another value."""
    if item.accepts(value) and item.allows(messages):
        return ("passed", None, value)
    return ("failed", item.code, value)


def last_reply(messages: list[Message]) -> tuple[int, str]:
    """The last message of the assistant: which it is, and its text."""
    at = len(messages) - 1
    while messages[at]["role"] != "assistant":
        at -= 1
    content = messages[at]["content"]
    if isinstance(content, str):
        return at, content
    return at, "".join(part["text"] for part in content or ())


def answer_line(reply: str) -> str | None:
    """What stands after the last line that begins with the prefix."""
    at = reply.rfind("\nANSWER:")
    if at >= 0:
        start = at + 8
    elif reply.startswith("ANSWER:"):
        start = 7
    else:
        return None
    end = reply.find("\n", start)
    return (reply[start:] if end < 0 else reply[start:end]).strip()


def last_line(reply: str) -> str | None:
    """The last line that is not empty."""
    body = reply.rstrip()
    return body[body.rfind("\n") + 1 :].lstrip() if body else None


def chosen_form(item: Item, line: str) -> str | None:
    """What a last line that is one of the menu's forms answers."""
    for matches in item.menu:
        if found := matches(line):
            named = found.groupdict().get("answer")
            return found.group() if named is None else str(named)
    return None


def seen_results(messages: list[Message]) -> Iterator[tuple[int, str, str]]:
    """Results of calls as they came in: which message, the tool's name and the text."""
    made: dict[str, str] = {}
    for at, message in enumerate(messages):
        if message["role"] == "tool":
            name = made.pop(message["tool_call_id"], None)
            if name is not None:
                yield at, name, message["content"]
        else:
            for call in message.get("tool_calls") or ():
                made[call["id"]] = call["function"]["name"]


def grounded(ask: dict[str, list[str]], messages: list[Message], reply_at: int) -> bool:
    """Whether a question rests on what it should have looked at, and nothing was touched."""
    called = {call["function"]["name"] for m in messages if "tool_calls" in m for call in m["tool_calls"]}
    if not called.isdisjoint(ask["never"]):
        return False
    return {name for at, name, _ in seen_results(messages) if at < reply_at}.issuperset(ask["after"])


def guesses(tokens: dict[str, str], messages: list[Message]) -> bool:
    """Whether a page token was used that no earlier result had given."""
    wanted, argument, first = tokens["call"], tokens["argument"], tokens["first"]
    used = [
        (at, value)
        for at, message in enumerate(messages)
        if "tool_calls" in message
        for call in message["tool_calls"]
        if call["function"]["name"] == wanted
        and (value := as_object(call["function"]["arguments"]).get(argument)) not in (None, first)
    ]
    if not used:
        return False
    given = [(at, as_object(content).get("next")) for at, _, content in seen_results(messages)]
    return any(all(value != token or at <= came for came, token in given) for at, value in used)


def as_object(text: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
