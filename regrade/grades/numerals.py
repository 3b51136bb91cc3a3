"""Numbers as people write them: signs, grouping, currency, fractions, powers of ten, digits of other scripts.

The text of a number is its ASCII digits, without grouping; its position covers what was written, in code points.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from regrade.grades.text import SPACE
from regrade.records import Span

_MINUS = "-\u2010\u2011\u2212\u2013\ufe63\uff0d"
_MONEY = r"(?:US\$|R\$|[$€£¥₹₽₩]|(?:USD|EUR|GBP|CHF|JPY|INR|Rs\.?)(?=[ \d]))"
_VULGAR = "".join(c for c in map(chr, range(0xBC, 0x2190)) if "⁄" in unicodedata.normalize("NFKC", c) and c != "⁄")
_GAP = r"(?:,|\{,\}|\\,|['’\u00a0\u2009\u202f])"
# Groups set off by plain spaces are one number only where no other number stands beside them.
_SPACED = r"(?<![\d.,][ ])(?<!\d)[1-9]\d{0,2}(?:[ ]\d{3})+(?![\d/]|[ ]\d)"
_NUMBER = re.compile(
    rf"(?P<sign>[{_MINUS}+][ ]?|\b(?:minus|negative)[ ])?(?:\\?{_MONEY}[ ]?)?(?P<inner>[{_MINUS}](?=[\d.]))?"
    r"(?:"
    r"(?P<base>10)(?:(?:\^|\*\*)\{?(?P<ten>[-+−]?\d{1,4}(?!\d))\}?|(?P<tens>[⁻⁺]?[⁰¹²³⁴-⁹]{1,4}))"
    r"|(?P<european>\d{1,3}(?:[. \u00a0\u202f]\d{3})+,\d{1,2}(?!\d)|\d+,\d{2}(?=[ \u00a0]?€))"
    r"|(?P<dotted>\d+(?:\.\d+){2,}|\d+/\d+/\d+)"
    rf"|(?:(?P<whole>\d{{1,20}})[ \u00a0]?)?(?P<vulgar>[{_VULGAR}])"
    r"|(?:(?P<mixed>\d{1,20})[ ])?(?P<top>\d{1,20})[/⁄](?P<bottom>\d{1,20})(?![\d/.])"
    rf"|(?P<digits>(?:{_SPACED}|\d{{1,3}}(?:{_GAP}\d{{3}})+(?!\d)|\d{{1,2}}(?:,\d{{2}})+,\d{{3}}(?!\d)|\d+)(?:\.\d+)?|\.\d+)"
    r"(?:[eE](?P<e>[+-]?\d{1,4})(?![\w.])|\s?(?:[x×*·]|\\times|\\cdot)\s?10"
    r"(?:(?:\^|\*\*)\{?(?P<power>[-+−]?\d{1,4}(?!\d))\}?|(?P<raised>[⁻⁺]?[⁰¹²³⁴-⁹]{1,4})))?"
    r")"
)
_MARKER = re.compile(r"^[ \t>*_#]*(?:(?:Step|Part|Case|Item|Stage)\s+|[(\[]?)$", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b|\s*\]\(?")


def numbers(text: str, *, weak: bool = False, answer: bool = False) -> Iterator[Span]:
    """Find the numbers that a text states, in order.

    Digits that belong to a name or to the exponent of a unit (`s14`, `m^2`, `m2`), step numbers and list markers
    are none. A dash is a minus only where nothing stands before it that it could join.

    Args:
        text: any text.
        weak: also find ordinals (`3rd`) and bracketed references (`[2]`), which are seldom the answer.
        answer: the text is an answer, so that what begins it is a sign and no bullet.
    """
    text = _SEPARATOR.sub(lambda sign: "." if sign.group() in "\uff0e\u066b" else ",", text)
    for found in _NUMBER.finditer(text):
        first = min(found.start(name) for name in _KINDS if found[name] is not None)
        before = text[: found.start()]
        if found["dotted"] or _in_a_name(text, found, first):
            continue
        line = text[text.rfind("\n", 0, first) + 1 : first]
        after = text[found.end() : found.end() + 3]
        if not found["sign"] and _MARKER.match(line) and _marks(text, found, line):
            continue
        if not weak and (_ORDINAL.match(after) and (after[0] != "]" or line.endswith("["))):
            continue
        sign = "-" if found["inner"] or _is_minus(found["sign"], before, answer) else ""
        start = found.start() if sign or not found["sign"] else found.end("sign")
        yield Span(sign + _digits(found), start, found.end())


# Between digits of their own script these are the decimal point and the comma; elsewhere they are punctuation.
_SEPARATOR = re.compile(r"(?<=[\uff10-\uff19])[\uff0e\uff0c](?=[\uff10-\uff19])|(?<=\d)[\u066b\u066c](?=\d)")

_KINDS = ("base", "european", "dotted", "whole", "vulgar", "mixed", "top", "digits")


def _marks(text: str, found: re.Match[str], line: str) -> bool:
    """Say whether a number that begins its line is the number of a step or of a list entry."""
    if any(map(str.isalpha, line)):
        return True
    if not re.compile(r"[.):](?:\s|\Z|\*)").match(text, found.end()):
        return False
    if not re.compile(r"[.):*]*[ \t\r]*(?:\n|\Z)").match(text, found.end()):
        return True
    # Alone in its line it is an answer, unless it goes on from the entry before.
    if found["digits"] == "1" and _STEPS.search(text[: found.start()]):
        return True
    previous = str(int(_ascii(found["digits"])) - 1) if re.fullmatch(r"\d{1,9}", found["digits"] or "") else None
    return bool(previous and re.search(rf"^[ \t>*_#(\[]*{previous}[.):]\s", text[: found.start()], re.MULTILINE))


_STEPS = re.compile(r"\b(?:steps?|plan|following)\b[^\n]*\s*\Z", re.IGNORECASE)


def _in_a_name(text: str, found: re.Match[str], first: int) -> bool:
    before = text[max(0, first - 2) : first]
    joined = before[-1:].isalpha() or before[-1:] in ("_", "^") or before.endswith(("^{", "_{", "**"))
    # Currency codes end in letters too; bold text begins with the sign of a power.
    if before[-1:].isalpha():
        return found.start() == first or found["sign"] is not None
    if before in ("**", "__"):
        return text[max(0, first - 3) : first - 2].isalnum()
    if found["sign"] and text[: found.start()].endswith(("^", "_", "^{", "_{")):
        return True
    return joined


def _is_minus(sign: str | None, before: str, answer: bool) -> bool:
    if not sign or sign.startswith("+"):
        return False
    line = before[before.rfind("\n") + 1 :]
    joins = line.rstrip(SPACE)[-1:]
    if sign[-1] == " " and sign[0] in _MINUS:
        # Set off by a space it is a bullet, a dash or a subtraction, unless a value is announced just before.
        return bool(_ANNOUNCED.search(line)) or (answer and not before.strip(SPACE))
    return not (joins.isalnum() or joins in (*"%)]}°", "\u20ac")) or (line != line.rstrip(SPACE) and joins.isalpha())


_ANNOUNCED = re.compile(r"(?:[=:\u2248]|\b(?:is|are|was|were|be|equals))[\s*_]*\Z", re.IGNORECASE)


def _digits(found: re.Match[str]) -> str:
    if found["european"]:
        return _ascii(found["european"]).translate(_EUROPEAN)
    if found["vulgar"]:
        top, _, bottom = unicodedata.normalize("NFKC", found["vulgar"]).partition("⁄")
        return format(int(found["whole"] or 0) + Decimal(top) / Decimal(bottom or 1), "f")
    if found["bottom"]:
        return _ratio(found) if int(found["bottom"]) else _ascii(found["top"])
    exponent = next((found[name] for name in ("ten", "tens", "e", "power", "raised") if found[name]), "")
    digits = re.sub(rf"{_GAP}|[ ]", "", _ascii(found["digits"] or "1"))
    exponent = _ascii(unicodedata.normalize("NFKC", exponent).replace("\u2212", "-"))
    return f"{digits}e{exponent}" if exponent else digits


_EUROPEAN = str.maketrans({".": None, " ": None, "\u00a0": None, "\u202f": None, ",": "."})


def _ratio(found: re.Match[str]) -> str:
    return format(int(found["mixed"] or 0) + Decimal(int(found["top"])) / Decimal(int(found["bottom"])), "f")


def _ascii(text: str) -> str:
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def lone_numeral(text: str) -> Span | None:
    """Read an answer whose first word is one character that stands for a number, though it is no digit: `⑤`, `五`."""
    word = re.match(r"\s*(\S)(?:\s|\Z)", text)
    value = unicodedata.numeric(word[1], None) if word else None
    return None if word is None or value is None else Span(format(Decimal(str(value)).normalize(), "f"), *word.span(1))
