"""Words that read a reply as a person would: what of it is the reply, and which number it states.

They forgive what the strict words of `text` do not: thinking, an invented next question, bold prefixes, currency,
units, typographic signs. Positions are code points in the text that the word was given; the text of a number is
its ASCII digits, without grouping.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from regrade.grades.text import SPACE, last_line, stripped
from regrade.grades.words import SPAN, word
from regrade.records import Span

__all__ = ["last_stated_number", "marked_answer", "numbers", "own_reply", "value_in"]

_THINK = r"(?:think|thinking|thought|reasoning|reflection)"
_OPEN = re.compile(rf"^\s*<{_THINK}>|\[THINK\]|◁think▷", re.MULTILINE | re.IGNORECASE)
_CLOSED = re.compile(rf"</{_THINK}>|\[/THINK\]|◁/think▷", re.IGNORECASE)
_NEXT = re.compile(
    r"^[ \t>*_#]*(?:(?:Next |New )?(?:Q|Question|Problem|Exercise)\s*#?\d*[*_]*\s*[:.]"
    r"|(?:Human|User|Instruction|Input)[*_]*\s*:)"
    r"|<\|(?:im_start|im_end|user|endoftext|eot_id|end)\|>|<start_of_turn>|<end_of_turn>|</s>|\[INST\]",
    re.MULTILINE,
)


@word(SPAN)
def own_reply(text: str) -> Span | None:
    """Cut a reply down to what answers this item, stripped.

    A closed thinking block is no part of it; one that was never closed leaves no final reply. A new question that
    the model went on to invent ends it.
    """
    start = max((closed.end() for closed in _CLOSED.finditer(text)), default=0)
    if _OPEN.search(text, start):
        return None
    for found in _NEXT.finditer(text, start):
        before = text[start : found.start()].rstrip(SPACE)
        # After a colon the question is being restated, at the very start likewise.
        if before and not before.endswith(":"):
            return stripped(text, start, found.start())
    return stripped(text, start)


_STRICT_PREFIX = re.compile(r"^[ \t>*_#`-]*(?:FINAL )?ANSWER[ \t*_`]*[:\uff1a][ \t]*[*_]*", re.MULTILINE)
_ANY_PREFIX = re.compile(_STRICT_PREFIX.pattern, re.MULTILINE | re.IGNORECASE)


@word(SPAN)
def marked_answer(reply: str) -> Span | None:
    """Take what stands after the last prefix that begins a line of the model's own reply, without its markup.

    The prefix may be bold, quoted or a heading. `ANSWER:` is preferred to the same in other case. After a prefix
    that ends its line the answer is the next line that is not empty.
    """
    own = own_reply.python(reply)
    if own is None:
        return None
    found = list(_STRICT_PREFIX.finditer(own.text)) or list(_ANY_PREFIX.finditer(own.text))
    if not found:
        return None
    after = own.start + found[-1].end()
    line = re.compile(r"\s*([^\n]*)").match(reply, after, own.stop)
    return _unmarked(reply, *line.span(1)) if line and line[1] else None


_MARKUP = re.compile(
    r"\A(?:(?P<mark>\*\*|__|`|\$\$|\$(?=.*\$\Z)|\*)(?P<a>.+)(?P=mark)|\\boxed\{(?P<b>[^{}]*)\}|\\\((?P<c>.+)\\\)"
    r"|\\text\{(?P<d>[^{}]*)\}|(?P<e>.+?)(?:\*\*|__))\Z"
)


def _unmarked(text: str, start: int, stop: int) -> Span:
    span = stripped(text, start, stop)
    while True:
        inner = _MARKUP.match(span.text) or _MARKUP.match(span.text.removesuffix("."))
        group = next((name for name in "abcde" if inner and inner[name] is not None), None)
        if inner is None or group is None:
            return span
        first = (span.start or 0) + inner.start(group)
        span = stripped(text, first, first + len(inner[group]))


_MINUS = "-\u2212\u2013\ufe63\uff0d"
_MONEY = r"(?:US\$|R\$|[$€£¥₹₽₩]|(?:USD|EUR|GBP|CHF|JPY|INR|Rs\.?)(?=[ \d]))"
_VULGAR = "".join(c for c in map(chr, range(0xBC, 0x2190)) if "⁄" in unicodedata.normalize("NFKC", c) and c != "⁄")
_GAP = r"(?:,|\{,\}|\\,|['’\u00a0\u2009\u202f])"
_NUMBER = re.compile(
    rf"(?P<sign>[{_MINUS}+][ ]?|\b(?:minus|negative)[ ])?(?:\\?{_MONEY}[ ]?)?(?P<inner>[{_MINUS}](?=[\d.]))?"
    r"(?:"
    r"(?P<base>10)(?:(?:\^|\*\*)\{?(?P<ten>[-+−]?\d{1,4}(?!\d))\}?|(?P<tens>[⁻⁺]?[⁰¹²³⁴-⁹]{1,4}))"
    r"|(?P<european>\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)|\d+,\d{2}(?=[ \u00a0]?€))"
    r"|(?P<dotted>\d+(?:\.\d+){2,}|\d+/\d+/\d+)"
    rf"|(?:(?P<whole>\d{{1,20}})[ \u00a0]?)?(?P<vulgar>[{_VULGAR}])"
    r"|(?:(?P<mixed>\d{1,20})[ ])?(?P<top>\d{1,20})[/⁄](?P<bottom>\d{1,20})(?![\d/.])"
    rf"|(?P<digits>(?:\d{{1,3}}(?:{_GAP}\d{{3}})+(?!\d)|\d{{1,2}}(?:,\d{{2}})+,\d{{3}}(?!\d)|\d+)(?:\.\d+)?|\.\d+)"
    r"(?:[eE](?P<e>[+-]?\d{1,4})(?![\w.])|\s?(?:[x×*·]|\\times|\\cdot)\s?10"
    r"(?:(?:\^|\*\*)\{?(?P<power>[-+−]?\d{1,4}(?!\d))\}?|(?P<raised>[⁻⁺]?[⁰¹²³⁴-⁹]{1,4})))?"
    r")"
)
_MARKER = re.compile(r"^[ \t>*_#]*(?:(?:Step|Part|Case|Item|Stage)\s+|[(\[]?)$", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b|\s*\]\(?")


def numbers(text: str, *, weak: bool = False) -> Iterator[Span]:
    """Find the numbers that a text states, in order.

    Digits that belong to a name or to the exponent of a unit (`s14`, `m^2`, `m2`), step numbers and list markers
    are none. A dash is a minus only where nothing stands before it that it could join.

    Args:
        text: any text.
        weak: also find ordinals (`3rd`) and bracketed references (`[2]`), which are seldom the answer.
    """
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
        sign = "-" if found["inner"] or _is_minus(found["sign"], before) else ""
        start = found.start() if sign or not found["sign"] else found.end("sign")
        yield Span(sign + _digits(found), start, found.end())


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
    previous = str(int(_ascii(found["digits"])) - 1) if re.fullmatch(r"\d{1,9}", found["digits"] or "") else None
    return bool(previous and re.search(rf"^[ \t>*_#(\[]*{previous}[.):]\s", text[: found.start()], re.MULTILINE))


def _in_a_name(text: str, found: re.Match[str], first: int) -> bool:
    before = text[max(0, first - 2) : first]
    joined = before[-1:].isalpha() or before[-1:] in ("_", "^") or before.endswith(("^{", "_{", "**"))
    # Currency codes end in letters too; bold text begins with the sign of a power.
    if before[-1:].isalpha():
        return found.start() == first or found["sign"] is not None
    if before.endswith("**"):
        return text[max(0, first - 3) : first - 2].isalnum()
    if found["sign"] and text[: found.start()][-1:] in ("^", "_"):
        return True
    return joined


def _is_minus(sign: str | None, before: str) -> bool:
    if not sign or sign.startswith("+"):
        return False
    line = before[before.rfind("\n") + 1 :]
    joins = line.rstrip(SPACE)[-1:]
    if sign[-1] == " " and sign[0] in _MINUS:
        # Set off by a space it is a bullet, a dash or a subtraction, unless it follows an equals sign or a colon.
        return joins in ("=", ":", "\u2248")
    return not (joins.isalnum() or joins in (*"%)]}°", "\u20ac")) or (line != line.rstrip(SPACE) and joins.isalpha())


def _digits(found: re.Match[str]) -> str:
    if found["european"]:
        return _ascii(found["european"]).replace(".", "").replace(",", ".")
    if found["vulgar"]:
        return str(int(found["whole"] or 0) + Decimal(str(unicodedata.numeric(found["vulgar"]))))
    if found["bottom"]:
        return _ratio(found) if int(found["bottom"]) else _ascii(found["top"])
    exponent = next((found[name] for name in ("ten", "tens", "e", "power", "raised") if found[name]), "")
    digits = re.sub(_GAP, "", _ascii(found["digits"] or "1"))
    exponent = _ascii(unicodedata.normalize("NFKC", exponent).replace("\u2212", "-"))
    return f"{digits}e{exponent}" if exponent else digits


def _ratio(found: re.Match[str]) -> str:
    return format(int(found["mixed"] or 0) + Decimal(int(found["top"])) / Decimal(int(found["bottom"])), "f")


def _ascii(text: str) -> str:
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


_DANGLING = re.compile(
    r"(?:[+*/×÷=(\[,:\u2212-]|\b(?:the|an?|of|by|to|and|or|is|are|was|with|from|for|in|on|at|per|that|so|then|we|each))\Z",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[.!?…。:)\]}*_`$|\"'”’%>]\Z")


@word(SPAN)
def last_stated_number(reply: str) -> Span | None:
    """Read the last number that the model's own reply states; none where the reply breaks off before it."""
    own = own_reply.python(reply)
    last = None if own is None else last_line.python(own.text)
    if own is None or last is None:
        return None
    found = list(numbers(own.text)) or list(numbers(own.text, weak=True))
    line_start = last.start or 0
    stated = max((number.stop or 0 for number in found if (number.start or 0) >= line_start), default=None)
    if not found or _breaks_off(last.text, None if stated is None else stated - line_start):
        return None
    start = own.start or 0
    return Span(found[-1].text, (found[-1].start or 0) + start, (found[-1].stop or 0) + start)


def _breaks_off(line: str, stated: int | None) -> bool:
    """Say whether a last line, whose last number stops at `stated`, ends in mid-sentence or at a step's number."""
    rest = line[stated:]
    numbered = stated is None and any(map(str.isdigit, line))
    if _DANGLING.search(line) or (numbered and not any(map(str.isalpha, line))):
        return True
    return not _ENDED.search(line) and (numbered or len(rest.split()) > 3)


@word(SPAN)
def value_in(answer: str) -> Span | None:
    """Read the number that an answer gives: the first after its last `=`, or its first where it has no `=`.

    An equals sign within brackets belongs to a remark.
    """
    outside = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", lambda remark: " " * len(remark.group()), answer)
    at = outside.rfind("=")
    if at < 0 and not any(numbers(outside)):
        at = answer.rfind("=")
    found = list(numbers(answer)) or list(numbers(answer, weak=True))
    return next((number for number in found if (number.start or 0) > at), None)
