"""The letter that a reply to a multiple-choice question chooses."""

from __future__ import annotations

import re
import unicodedata

from regrade.grades.boxes import last_boxed

_OPENERS = r"[ \t*_$(\[{`\"'“‘<]*(?:(?:\\(?:text|textbf|boxed|mathrm|mathbf)\{|\\\()[ ]*)*\(?"
_CLOSERS = r"[ \t)*_`$}\]\"'”’>\\]*"
_LETTER = rf"{_OPENERS}([A-J])(?![A-Za-z0-9]|['’][a-z])"
# In lower case it is a letter only where its line ends.
_SMALL = rf"{_OPENERS}([a-j])(?=[.,:]?{_CLOSERS}[.]?$)"
_REJECTED = (
    rf"(?!{_CLOSERS}(?:would|could|might|cannot|can't|fails?|ignores|looks|seems"
    r"|is (?:wrong|incorrect|false|not|tempting))\b)"
)

_LABELS = "answer|antwort|lösung|respuesta|réponse|reponse|risposta|resposta|antwoord|svar|choice|option|ответ"
_LINKS = r"[ \t]+(?:is|ist|es|est|è|é|would be|must be)\b|[ \t*_\"]*[:=]"
_CJK_LABELS = "答案|答え|正解|解答|정답|답"
_CJK_LINKS = r"[ \t*_]*[:=是为為は은는选選]"
_STATED = re.compile(
    rf"(?i:(?:\b(?:{_LABELS})(?:{_LINKS})|(?:{_CJK_LABELS})(?:{_CJK_LINKS}))[ \t]*)(?:{_LETTER}{_REJECTED}|{_SMALL})",
    re.MULTILINE,
)
_ALONE = re.compile(rf"^{_OPENERS}([A-J])[.:]?{_CLOSERS}[.]?[ \t\r]*$", re.MULTILINE)
_ENTRY = re.compile(rf"^{_OPENERS}([A-HJ]){_CLOSERS}(?:[.:),]|[ \t]*[—–]|[ ]-[ ]|$)(?!,? [A-HJ]\b)", re.MULTILINE)
_PICKED = re.compile(
    r"(?<!not )(?<!n't )\b(?i:choose|chose|pick|picked|select|selected|go with|going with|opt for|must be|guess)\b[ ]+"
    rf"(?:(?:option|choice|answer|letter) )?{_LETTER}"
)
_RIGHT = re.compile(r"\b([A-J])\)? is (?:the (?:one|answer|correct|right|best|only)|correct|right|best)\b")
_NAMED = re.compile(rf"\b(?i:it is|it's|option|choice|letter)\b[ ]*{_LETTER}{_REJECTED}")
_CAPITAL = re.compile(r"(?<![\w'’])([A-J])(?![\w'’])")

_ARTICLE = re.compile(r"(?:A|I)(?= (?!(?:because|over|since|as|rather|instead|not|here)\b)[a-z])|I(?=[ .]*\Z)")
"""A capital that is a word: the article, or the pronoun."""
_NAME = re.compile(
    r"(?<!\w)(?:(?!(?:So|Thus|Hence|Therefore|Then|Only|Answer|Row|Case|Statement)\b)[A-Z][a-z]{2,}"
    r"|vitamin|hepatitis|plan|type) \Z"
)
"""What makes of the capital after it a part of a name (`Vitamin C`)."""


def chosen_letter(reply: str) -> str | None:
    """Read the letter that a reply chooses, in any script's form of it; None where it chooses none.

    What the reply states as its answer counts most, then a box, a line that is only a letter, the letter that the
    reply opens with, and a choice in words; last any capital that is no word. The last two count only where the
    reply is not cut off after them.
    """
    text = unicodedata.normalize("NFKC", reply)
    stated = [(found[1] or found[2]).upper() for found in _STATED.finditer(text)]
    boxed = re.fullmatch(rf"{_LETTER}{_CLOSERS}[.]?", last_boxed(text) or "")
    if stated or boxed:
        return stated[-1] if stated else boxed and boxed[1]
    return _alone(text) or _opening(text) or _last(_PICKED, text) or _last(_RIGHT, text) or _loose(text)


def _alone(text: str) -> str | None:
    lines = [found for found in _ALONE.finditer(text) if found[0].strip(" .\r") != "I"]
    # Several are headings, unless the reply ends with one.
    if len({found[1] for found in lines}) == 1 or (lines and not text[lines[-1].end() :].strip()):
        return lines[-1][1]
    return None


def _opening(text: str) -> str | None:
    entries = list(_ENTRY.finditer(text))
    first = entries[0] if entries else None
    # Where each option has its line, the first opens a list.
    if first is None or first.start() > 0 or len({entry[1] for entry in entries}) > 1:
        return None
    return first[1] if re.compile(_REJECTED).match(text, first.end()) else None


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    found = _letters(pattern, text)
    return found[-1][1] if found else None


def _letters(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    return [found for found in pattern.finditer(text) if not _ARTICLE.match(text, found.start(1))]


def _loose(text: str) -> str | None:
    capitals = [
        found
        for found in _letters(_CAPITAL, text)
        if not _NAME.search(text[max(0, found.start(1) - 20) : found.start(1)])
    ]
    found = _letters(_NAMED, text) or capitals
    return found[-1][1] if found and not _is_cut_off(text[found[-1].end() :]) else None


def _is_cut_off(rest: str) -> bool:
    """Say whether a reply goes on after a letter and then ends in mid-sentence."""
    rest = rest.rstrip(" \t\r\n*_`$\"'”’)]}")
    if not rest or rest[-1] in ".!?。:>":
        return False
    return bool(re.search(r"[.!?]\s+\w", rest)) or len(rest.split()) > 3
