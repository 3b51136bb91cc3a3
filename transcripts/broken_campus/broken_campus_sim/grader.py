"""The benchmark's first scoring pass, kept bug for bug.

It looks at the object that the harness went on with, and at what the tools returned since the last question. That
this object may be the harness's own is the mistake that was found later; it is never mended here.
"""

from __future__ import annotations

import re
from typing import Any

TIME = re.compile(r"(?<![0-9:.])([0-9]{1,2})(:[0-5][0-9])?\s*(a|p)\.?\s?m\b", re.I)
CLOCK = re.compile(r"(?<![0-9:.])([0-9]{1,2}):([0-5][0-9])(?![0-9:])(?!\s*[ap]\.?\s?m\b)", re.I)
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ROOM = re.compile(r"\b(?:room|rm\.?)\s*(?:no\.\s*|number\s+|#\s*)?([0-9]+[a-z]?)\b", re.I)
REFUSALS = re.compile(
    r"\b(?:do|does|did)(?:n't| not) (?:have|hold|list|cover|give|say)\b|\bcould(?:n't| ?not) (?:find|confirm|tell)\b"
    r"|\bcan(?:'t| ?not) (?:find|confirm|tell)\b|\bno (?:entry|information|record)\b|\bnothing (?:on|about)\b"
    r"|\bnot (?:listed|recorded|available)\b",
    re.I,
)


def specifics(text: str) -> set[str]:
    """Times, weekdays and rooms, each in one form."""
    found = set()
    for hour, minute, half in TIME.findall(text):
        if 1 <= int(hour) <= 12:
            found.add(f"{int(hour)}{minute if minute not in ('', ':00') else ''}{half.lower()}m")
    for hour, minute in CLOCK.findall(text):
        number = int(hour)
        if number > 23:
            continue
        if 1 <= number <= 12 and hour[0] != "0":
            found.add(f"{number}:{minute}")
        else:
            half = "pm" if number >= 12 else "am"
            found.add(f"{number % 12 or 12}{'' if minute == '00' else ':' + minute}{half}")
    lowered = text.lower()
    found.update(day for day in DAYS if re.search(rf"\b{day}s?\b", lowered))
    found.update({"noon": "12pm", "midnight": "12am"}[word] for word in re.findall(r"\b(?:noon|midnight)\b", lowered))
    found.update(f"room {number.lower()}" for number in ROOM.findall(text))
    return found


def returned(messages: list[dict[str, Any]]) -> str:
    """What the tools returned since the last question."""
    last = max(i for i, message in enumerate(messages) if message["role"] == "user")
    return "\n".join(m["content"] for m in messages[last:] if m["role"] == "tool")


def abstains(final: dict[str, Any]) -> bool:
    """A status other than `answered`, or a refusal in the text."""
    if final["status"] in ("not_found", "needs_clarification"):
        return True
    return bool(REFUSALS.search(final["answer"].replace("\u2019", "'")))


def citations(final: dict[str, Any]) -> set[str]:
    """The markers that the object cites; a source without one is cited as it stands."""
    found = set(re.findall(r"\[([A-Z][0-9]+)\]", final["answer"]))
    for source in final["sources"]:
        found.update(re.findall(r"\[([A-Z][0-9]+)\]", source) or [source.strip()])
    return found


def verdict(passed: bool, code: str) -> dict[str, Any]:
    """One axis's grade."""
    return {"pass": passed, "code": None if passed else code}


def raw_of(messages: list[dict[str, Any]]) -> str:
    """The raw response: the text of the last assistant message."""
    return next((m["content"] or "" for m in reversed(messages) if m["role"] == "assistant"), "")


def grade(answerable: bool, messages: list[dict[str, Any]], kept: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The grades of one run, by axis; of a run whose response the log cut there are none."""
    if kept["raw_chars"] > len(raw_of(messages)):
        return {axis: {"pass": None, "code": "TRUNCATED"} for axis in ("abstention", "confabulation", "citations")}
    final = kept["final"]
    seen = returned(messages)
    known = set(re.findall(r"\[([A-Z][0-9]+)\]", seen))
    return {
        "abstention": verdict(abstains(final) != answerable, "OVER_REFUSED" if answerable else "OVER_ANSWERED"),
        "confabulation": verdict(specifics(final["answer"]) <= specifics(seen), "FABRICATION"),
        "citations": verdict(citations(final) <= known, "FABRICATED_CITATION"),
    }
