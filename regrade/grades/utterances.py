"""What of a reply is said by the model in its own voice, and how that falls into sentences."""

from __future__ import annotations

import re

from regrade.grades.text import SPACE

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))

_NOT_SAID = (
    # code: fenced, indented after a blank line, or in backticks
    r"^ {0,3}(?P<fence>```+|~~~+)[^\n]*\n.*?(?:^ {0,3}(?P=fence)[`~]*[ \t\r]*$|\Z)|```.*?(?:```|\Z)",
    r"(?:\A|\n[ \t\r]*\n)(?:(?: {4}|\t)[^\n]*(?:\n|\Z))+",
    r"`[^`\n]*`",
    # what others said
    r"^[ \t]*>[^\n]*",
    r"\"[^\"\n]*\"|“[^”]*”|«[^»]*»|(?<!\w)'[^'\n]*'(?!\w)|‘[^‘\n]*?’(?!\w)",
    # what was asked for and is delivered after an announcement
    r"^[^\n]*\b(?:here (?:is|are)|here's|here’s|below is)\b[^\n]*\b(?:e-?mail|letter|message|draft|note|reply|dialogu?e"
    r"|translation|poem|story|script|text)\b[^\n]*:[ \t\r*]*$.*",
)
_SILENT = re.compile("|".join(_NOT_SAID), re.MULTILINE | re.DOTALL | re.IGNORECASE)


def visible(reply: str) -> str:
    """Drop the characters that have no width, and the white space round what is left."""
    return reply.translate(_INVISIBLE).strip(SPACE)


def in_own_voice(reply: str) -> str:
    """Keep what the model says itself: no code, no quotation, nothing that it delivers; apostrophes are plain."""
    return _SILENT.sub(" ", "\n".join(reply.split("\r\n"))).replace("\u2019", "'")


_END = re.compile(r"(?<=[.!?？。])[\"'”’)*_]*\s+|\n+")


def sentences(text: str) -> list[str]:
    """Cut a text into sentences and lines, none of them empty."""
    return [sentence for part in _END.split(text) if part and (sentence := part.strip(SPACE))]


_COURTESY = re.compile(
    r"\W*(?:many |kind )?(?:thanks|thank you|regards|best|cheers)\b[^.!?\n]*[.!]*\s*\Z", re.IGNORECASE
)


def closing_sentences(reply: str) -> list[str]:
    """Take the sentences of the last paragraph that is more than a courtesy or a list."""
    paragraphs = [part for part in re.split(r"\n\s*\n", in_own_voice(reply).strip(SPACE)) if part.strip(SPACE)]
    while len(paragraphs) > 1 and all(map(is_courtesy_or_entry, paragraphs[-1].strip("\n").split("\n"))):
        paragraphs.pop()
    return sentences(paragraphs[-1]) if paragraphs else []


def is_courtesy_or_entry(line: str) -> bool:
    """Say whether a line only thanks or greets, or is the entry of a list."""
    return bool(_COURTESY.match(line) or _ENTRY.match(line))


_ENTRY = re.compile(r"\s*(?:[-*+•]|\(?[\da-zA-Z][.)])\s")
