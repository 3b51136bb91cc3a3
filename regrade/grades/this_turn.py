"""What a text of sections holds of its last turn: what was retrieved, and the reply."""

from __future__ import annotations

import re

_SECTION = re.compile(r"^[ \t]*\[(retrieved|reply)\][ \t\r]*$\n?", re.MULTILINE | re.IGNORECASE)


def retrieved_and_reply(text: str) -> tuple[str | None, str]:
    """Cut a text at its lines `[retrieved]` and `[reply]`.

    Returns:
        Everything that was retrieved since the reply before, None where the text has no such section; and the last
        reply, which is the whole text where it has no section at all.
    """
    marks = [*_SECTION.finditer(text)]
    if not marks:
        return None, text
    stops = [mark.start() for mark in marks[1:]] + [len(text)]
    sections = [(mark[1].lower(), text[mark.end() : stop]) for mark, stop in zip(marks, stops, strict=True)]
    replies = [number for number, (name, _) in enumerate(sections) if name == "reply"]
    last = replies[-1] if replies else len(sections)
    before = replies[-2] + 1 if len(replies) > 1 else 0
    retrieved = [body for name, body in sections[before:last] if name == "retrieved"]
    return "\n".join(retrieved) if retrieved else None, sections[last][1] if replies else ""
