"""Whether a reply that states numbers was cut off before it came to its answer."""

from __future__ import annotations

import re

from regrade.grades.text import SPACE

_RULE = re.compile(r"\n[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_MARKS = re.compile(r"(?<=\S)(?:\*{1,3}|_{1,3}|`+|~~)[.]?\Z")


def without_closing(text: str) -> str:
    """Cut a reply's end where only markup stands: rules, and the marks that close bold, italics or code."""
    body = text.rstrip(SPACE)
    while closing := _RULE.search(body) or _closing_marks(body):
        body = body[: closing.start()].rstrip(SPACE)
    return body


def _closing_marks(body: str) -> re.Match[str] | None:
    closing = _MARKS.search(body)
    # Marks close only what they opened; otherwise the sign is an operator at the end of half a calculation.
    opener = rf"(?<![\w)]){re.escape(closing.group().rstrip('.'))}(?=\S)" if closing else ""
    return closing if closing and re.search(opener, body[: closing.start()]) else None


_WORDS = (
    "the a an of by to and or is are was with from for in on at per that so then we each because but as if when than "
    "whom whose which how have has equals equal gives means let's"
)
_DANGLING = re.compile(
    rf"(?:[+*/×÷=(\[,:\u2212-]|\b(?:{'|'.join(_WORDS.split())})|\bhow (?:many|much)|\b(?:we|let's|let us) \w+)\Z",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[.!?。:)\]}*_`$|\"'”’%>]\Z")
_ENTRY = re.compile(r"[ \t>*_#]*(?:(?:Step|Part|Case|Item|Stage)\s+\d|[(\[]?\d+[.):]\s)", re.IGNORECASE)
_PLAN = re.compile(
    r"[ \t>*_#]*(?:first|now|next|then|so we|let(?:'s| us|\s\w\b)|to (?:find|calculate|compute|get|determine|work)"
    r"|since|because|if|when)\b",
    re.IGNORECASE,
)
_ENDINGS = frozenset(("s", "es", "d", "ed", "ing", "ly", "er", "ers", "r", "n", "y"))


def breaks_off(text: str, start: int, stated: int | None) -> bool:
    """Say whether a reply ends in mid-sentence or at a step's number.

    Args:
        text: the reply without what closes its markup.
        start: where its last line begins.
        stated: where the last number of that line stops; None where it states none.
    """
    line, rest = text[start:], text[len(text) if stated is None else stated :]
    open_end = re.sub(r"\s*(?:\.{3,}|…)\Z", "", line)
    if rest.strip(SPACE) != "," and _DANGLING.search(open_end):
        return True
    numbered = stated is None and any(map(str.isdigit, line))
    if numbered and not any(map(str.isalpha, line)):
        return True
    if _ENDED.search(line):
        return False
    if numbered or (_ENTRY.match(line) and (stated is None or len(rest.split()) > 3)):
        return True
    return (stated is None and bool(_PLAN.match(line))) or _is_half_a_word(text)


def _is_half_a_word(text: str) -> bool:
    """Say whether the last word is the beginning of one that the text has used, and no word of it itself."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    last = words.pop() if words and text[-1:].isalpha() else ""
    longer = {word[len(last) :] for word in words if word.startswith(last)}
    return len(last) > 2 and bool(longer) and "" not in longer and not longer & _ENDINGS
