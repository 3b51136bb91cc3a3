"""Surface forms: how far passes and failures are worded alike, and which look-alikes stand on which side."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Any

from tool_loop_sim import grader, whatif
from tool_loop_sim.bank import BY_NAME
from tool_loop_sim.figures import Row

ENOUGH = 10
CALL_IN_PROSE = re.compile(r"\w `\w+\([^`\n]*\)`")
CALL_IN_FENCE = re.compile(r'```json\r?\n\{"name": ')


def mask(text: str) -> str:
    """Digits to 0; addresses, paths, identifiers and capitalised words to N."""
    text = re.sub(r"[\w.+-]+@[\w.-]+", "N", text)
    text = re.sub(r"\b\w+(?:[._/=]\w+)+\b", "N", text)
    text = re.sub(r"\b[A-Z][\w-]*", "N", text)
    text = re.sub(r"\d+(?:[.,]\d+)*", "0", text)
    return re.sub(r"(?:N[ ,:]*)+", "N ", text)


def reply_of(row: Row) -> str:
    """The final assistant text."""
    return grader.last_reply(row.record["messages"])


def shared_failures(rows: list[Row]) -> Counter[str]:
    """By family, failures whose whole masked reply is also that of some pass of the family."""
    masked = [(row, mask(reply_of(row))) for row in rows]
    passes = {(row.family, text) for row, text in masked if row.seen.passed}
    return Counter(row.family for row, text in masked if row.failed and (row.family, text) in passes)


def cells(rows: list[Row]) -> dict[tuple[Any, ...], list[str]]:
    """Masked replies by family and behaviour, where a behaviour is what the plain rules see."""
    found: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for row in rows:
        status, _, flips, line, call = row.seen.behaviour()
        found[row.family, status, flips, line, call].append(mask(reply_of(row)))
    return found


def rare(found: dict[tuple[Any, ...], list[str]]) -> int:
    """Cells that cannot have many forms, since they have few trials."""
    return sum(len(texts) < ENOUGH for texts in found.values())


def look_alikes(row: Row) -> set[str]:
    """What the trial has that an audit may take for a finding, or stumble over."""
    messages, text, kind = row.record["messages"], reply_of(row), BY_NAME[row.item].kind
    lines, answer = grader.lines_of(text), grader.answer_line(text) or ""
    at = [number for number, line in enumerate(lines) if line.startswith(grader.PREFIX)]
    aside = [line for line in lines if not line.startswith(grader.PREFIX)]
    spelled = re.search(r"(?i)\banswer:", "\n".join(aside).replace(grader.PREFIX, ""))
    calls = [call["function"]["arguments"] for m in messages for call in m.get("tool_calls") or ()]
    spoken = [grader.content_text(m["content"]) for m in messages if m.get("tool_calls")]
    marks = {
        "text after the answer line": bool(at) and any(line.strip() for line in lines[at[-1] + 1 :]),
        "prefix recited, then an answer line": bool(at) and any(grader.PREFIX in line for line in aside),
        "prefix in mid-line alone": not at and grader.PREFIX in text,
        "another spelling, then an answer line": bool(at) and bool(spelled),
        "another spelling alone": not at and bool(spelled),
        "equals in a number answer, both readings agree": kind == "number" and "=" in answer
        and grader.first_number(answer) == grader.first_number(answer.rpartition("=")[2]),
        "equals in a text answer": kind == "text" and "=" in answer,
        "two answer lines": len(at) == 2,
        "empty answer line": bool(at) and not answer,
        "CRLF": "\r\n" in text,
        "call in prose": not row.seen.call_like and bool(CALL_IN_PROSE.search(text)),
        "call in a fence": not row.seen.call_like and bool(CALL_IN_FENCE.search(text)),
        "call text beside a parsed call": any(whatif.call_like([{"role": "assistant", "content": t}]) for t in spoken),
        "arguments as an object": any(isinstance(given, dict) for given in calls),
        "arguments that are not JSON": any(isinstance(given, str) and given[-1:] != "}" for given in calls),
        "content in parts": any(isinstance(m["content"], list) for m in messages),
        "null content": any(m["content"] is None for m in messages),
    }  # fmt: skip
    return {name for name, there in marks.items() if there}


def sides(rows: list[Row]) -> dict[str, tuple[int, int]]:
    """How many failed and passed trials have each look-alike."""
    counts = Counter((name, row.seen.passed) for row in rows for name in look_alikes(row))
    return {name: (counts[name, False], counts[name, True]) for name in sorted({name for name, _ in counts})}


def side_counts(rows: list[Row]) -> dict[str, Any]:
    """Counts that are printed and bound to no figure."""
    shared, found = shared_failures(rows), cells(rows)
    return {
        "failures worded whole like a pass of the family": (sum(shared.values()), dict(shared)),
        f"cells, of which under {ENOUGH} trials": (len(found), rare(found)),
        **{f"{name} (failed, passed)": pair for name, pair in sides(rows).items()},
    }
