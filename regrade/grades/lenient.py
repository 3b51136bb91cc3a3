"""Words that read a reply as a person would: what of it is the reply, and which number it states.

They forgive what the strict words of `text` do not: thinking, an invented next question, bold prefixes, currency,
units, typographic signs. Positions are code points in the text that the word was given; the text of a number is
its ASCII digits, without grouping.
"""

from __future__ import annotations

import re

from regrade.grades.cut_off import breaks_off, without_closing
from regrade.grades.numerals import lone_numeral, numbers
from regrade.grades.text import SPACE, last_line, stripped
from regrade.grades.words import SPAN, word
from regrade.records import Span

__all__ = ["last_stated_number", "marked_answer", "numbers", "own_reply", "value_in"]

_THINK = r"(?:seed:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad)"
_OPEN = re.compile(
    rf"^\s*<{_THINK}>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|>(?:analysis|commentary)\b",
    re.MULTILINE | re.IGNORECASE,
)
_CLOSED = re.compile(
    rf"</{_THINK}>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final\b[^\n]*?<\|message\|>", re.IGNORECASE
)
_TASK = r"(?:question|problem|exercise|task|example)"
_LEAD = r"^[ \t>*_#]*"
_NEXT = re.compile(
    "|".join(
        (
            # a label, with what it labels or alone in its line
            rf"{_LEAD}(?:(?:Next |New )?(?:Q|Question|Problem|Exercise|Task)|Example[ ]+\#?\d+)\s*\#?\d*[*_]*\s*[:.]",
            rf"{_LEAD}(?:Question|Problem|Exercise|Task|Example)[ ]+\#?\d+[*_ \t\r]*$",
            rf"{_LEAD}(?i:(?:here(?: is|'s|’s) )?(?:the |a )?(?:next|another|new) {_TASK})\b[^\n]*?[:?]",
            # the other side's turn
            rf"{_LEAD}(?:Human|HUMAN|User|USER|Instruction|INSTRUCTION|Input)[*_]*\s*:",
            r"<\|(?:im_start|im_end|user|endoftext|eot_id|end|return|start)\|>",
            r"<start_of_turn>|<end_of_turn>|</s>|\[INST\]",
        )
    ),
    re.MULTILINE,
)


@word(SPAN)
def own_reply(text: str) -> Span | None:
    """Cut a reply down to what answers this item, stripped.

    A closed thinking block is no part of it, and where nothing follows one it is what stands before; a block that
    was never closed leaves no final reply. A new question that the model went on to invent ends it.
    """
    start, stop = max((closed.end() for closed in _CLOSED.finditer(text)), default=0), len(text)
    opened = _OPEN.search(text, start)
    if opened:
        return None
    if start and not text[start:].strip(SPACE):
        first = _OPEN.search(text)
        start, stop = (0, first.start()) if first else (start, stop)
    for found in _NEXT.finditer(text, start, stop):
        before = text[start : found.start()].rstrip(SPACE)
        # After a colon the question is being restated, at the very start likewise.
        if before and not before.endswith(":"):
            return stripped(text, start, found.start())
    return stripped(text, start, stop)


_STRICT_PREFIX = re.compile(
    r"^[ \t>*_#`\ufeff\u200b-]*(?:\d+[.)][ \t]+)?(?P<quote>[\"“']?)[*_]*(?:FINAL )?ANSWER[ \t*_`]*[:\uff1a][ \t]*[*_]*",
    re.MULTILINE,
)
_ANY_PREFIX = re.compile(_STRICT_PREFIX.pattern, re.MULTILINE | re.IGNORECASE)


@word(SPAN)
def marked_answer(reply: str) -> Span | None:
    """Take what stands after the last prefix that begins a line of the model's own reply, without its markup.

    The prefix may be bold, quoted, numbered or a heading. `ANSWER:` is preferred to the same in other case. After a
    prefix that ends its line the answer is the next line that is not empty.
    """
    own = own_reply.python(reply)
    if own is None:
        return None
    found = list(_STRICT_PREFIX.finditer(own.text)) or list(_ANY_PREFIX.finditer(own.text))
    if not found:
        return None
    after = own.start + found[-1].end()
    line = re.compile(r"\s*([^\n]*)").match(reply, after, own.stop)
    if line is None or not line[1]:
        return None
    start, stop = line.span(1)
    # A quotation mark that was opened before the prefix closes after the answer.
    quoted = found[-1]["quote"] and re.search(r"[\"”'][.\s]*\Z", line[1])
    return _unmarked(reply, start, start + quoted.start() if quoted else stop)


_MARKUP = re.compile(
    r"\A(?:(?P<mark>\*\*|__|`|\$\$|\$(?=.*\$\Z)|\*)(?P<a>.+)(?P=mark)|\\boxed\{(?P<b>[^{}]*)\}|\\\((?P<c>.+)\\\)"
    r"|\\text\{(?P<d>[^{}]*)\}|(?P<e>.+?)(?:\*\*|__)|[\"“‘'«<](?P<f>[^\"“”‘’'«»<>]+)[\"”’'»>])\Z"
)


def _unmarked(text: str, start: int, stop: int) -> Span:
    span = stripped(text, start, stop)
    while True:
        inner = _MARKUP.match(span.text) or _MARKUP.match(span.text.removesuffix("."))
        group = next((name for name in "abcdef" if inner and inner[name] is not None), None)
        if inner is None or group is None:
            return span
        first = (span.start or 0) + inner.start(group)
        span = stripped(text, first, first + len(inner[group]))


@word(SPAN)
def last_stated_number(reply: str) -> Span | None:
    """Read the last number that the model's own reply states; none where the reply breaks off before it."""
    own = own_reply.python(reply)
    body = None if own is None else without_closing(own.text)
    last = None if body is None else last_line.python(body)
    if own is None or body is None or last is None:
        return None
    found = list(numbers(body)) or list(numbers(body, weak=True))
    if not found:
        return None
    stated = max((number.stop or 0 for number in found if (number.start or 0) >= last.start), default=None)
    if breaks_off(body, last.start, stated):
        return None
    start = own.start or 0
    return Span(found[-1].text, (found[-1].start or 0) + start, (found[-1].stop or 0) + start)


_EQUALS = re.compile("[=\uff1d≈≅≃]")


@word(SPAN)
def value_in(answer: str) -> Span | None:
    """Read the number that an answer gives: the first after its last `=`, or its first where it has no `=`.

    `≈` counts as `=`. An equals sign within brackets belongs to a remark, and one that no number follows leaves the
    one before it.
    """
    outside = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", lambda remark: " " * len(remark.group()), answer)
    signs = [sign.start() for sign in _EQUALS.finditer(outside)]
    if not signs and not any(numbers(outside)):
        signs = [sign.start() for sign in _EQUALS.finditer(answer)][-1:]
    found = list(numbers(answer, answer=True)) or list(numbers(answer, weak=True, answer=True))
    after = (number for at in reversed(signs) for number in found if (number.start or 0) > at)
    return next(after, None) if signs else next(iter(found), None) or lone_numeral(answer)
