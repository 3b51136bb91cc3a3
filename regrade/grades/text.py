"""Words that read a text: answer line, last line, numbers.

The strict words here are what graders are written in, so their meaning never changes. Lines end at LF, and a CR
before it is dropped. Positions are code points in the text that the word was given; a number's text has no
grouping commas, its position covers them.
"""

from __future__ import annotations

import decimal
import re
from decimal import Decimal
from typing import Any

import polars as pl

from regrade.errors import RuleError, one_line
from regrade.grades.words import SPAN, distinctly, first_of, span_series, word
from regrade.records import Span

__all__ = [
    "answer_line",
    "first_number",
    "first_of",
    "is_ask",
    "last_line",
    "last_number",
    "matches_menu",
    "number_after",
    "number_after_last_equals",
    "same_number",
    "same_text",
    "text_after_last",
    "whole",
]

SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Every character that `str.isspace` says is one: Python and the engine disagree on some unless told."""

_GROUPED = r"-?[0-9]{1,3}(?:,[0-9]{3})+"
_DECIMALS = r"(?:\.[0-9]+)?"
_PLAIN = r"-?[0-9]+" + _DECIMALS
NUMBER = re.compile(rf"{_GROUPED}(?![0-9]){_DECIMALS}|{_PLAIN}")
"""`-?`, ASCII digits with commas between whole groups of three, a decimal part."""
# The engine's regular expressions have no lookahead; before a first number there is no digit, so nothing is lost.
_FIRST_NUMBER = rf"\A([^0-9]*?)(?:({_GROUPED}{_DECIMALS})(?:[^0-9]|\z)|({_PLAIN}))"

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?")
_WIDE = decimal.Context(prec=1000, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[])


def stripped(text: str, start: int = 0, stop: int | None = None) -> Span:
    """Cut a slice out of a text without the white space round it; an empty one stands at `start`."""
    raw = text[start:stop]
    inner = raw.strip(SPACE)
    first = start + raw.find(inner)
    return Span(inner, first, first + len(inner))


def _stripped(raw: pl.Series, start: pl.Series) -> pl.Series:
    inner = raw.str.strip_chars(SPACE)
    lead = raw.str.len_chars() - raw.str.strip_chars_start(SPACE).str.len_chars()
    return span_series(inner, start + lead * (inner != ""))


@word(SPAN)
def answer_line(reply: str) -> Span | None:
    """Take the text after the last line that begins with `ANSWER:`, stripped.

    Case matters and no space may stand before it. Nothing after it is the empty text, which is an answer; no
    such line is no answer.
    """
    prefix = "\nANSWER:"
    at = f"\n{reply}".rfind(prefix)
    if at < 0:
        return None
    # One LF was put before the reply, so positions in it are one less.
    start = at + len(prefix) - 1
    end = reply.find("\n", start)
    return stripped(reply, start, None if end < 0 else end)


@answer_line.engine
def _answer_line(reply: pl.Series) -> pl.Series:
    # A byte search and slices are ten times as fast as a pattern that captures the text before the line.
    prefix = "\nANSWER:"
    rows = reply.to_frame("reply").select(text=pl.concat_str(pl.lit("\n"), pl.col("reply")))
    rows = rows.with_columns(
        at=pl.col("text").str.find_many([prefix]).list.last(), bytes=pl.col("text").cast(pl.Binary)
    ).select(
        before=pl.col("bytes").bin.slice(0, "at").cast(pl.String).str.len_chars(),
        after=pl.col("bytes").bin.slice(pl.col("at") + len(prefix)).cast(pl.String),
    )
    return _stripped(rows["after"].str.extract(r"\A([^\n]*)"), rows["before"] + len(prefix) - 1)


@word(SPAN)
def last_line(reply: str) -> Span | None:
    """Take the last line that is not only white space, stripped; none where there is no such line."""
    body = reply.rstrip(SPACE)
    return stripped(body, body.rfind("\n") + 1) if body else None


@last_line.engine
def _last_line(reply: pl.Series) -> pl.Series:
    body = reply.str.strip_chars_end(SPACE)
    line = body.str.extract(r"([^\n]+)\z").str.strip_chars_start(SPACE)
    return span_series(line, body.str.len_chars() - line.str.len_chars())


@word(SPAN)
def first_number(answer: str) -> Span | None:
    """Read the first number: `-?`, ASCII digits with thousands commas, and a decimal part.

    `1,000` is one number, `1,2` is two. The text has no commas; the position is the slice as it stands.
    """
    return _number(NUMBER.search(answer))


@first_number.engine
def _first_number(answer: pl.Series) -> pl.Series:
    before, grouped, plain = answer.str.extract_groups(_FIRST_NUMBER).struct.unnest()
    found = grouped.zip_with(grouped.is_not_null(), plain)
    digits = found.str.replace_all(",", "", literal=True)
    start = before.str.len_chars().cast(pl.Int64)
    return _spans(digits, start, start + found.str.len_chars().cast(pl.Int64))


def _spans(text: pl.Series, start: pl.Series, stop: pl.Series) -> pl.Series:
    frame = pl.DataFrame({"text": text, "start": start, "stop": stop})
    return frame.select(pl.when(pl.col("text").is_not_null()).then(pl.struct("text", "start", "stop"))).to_series()


def _from_tail(spans: pl.Series, tail: pl.Series, text: pl.Series) -> pl.Series:
    offset = text.str.len_chars().cast(pl.Int64) - tail.str.len_chars().cast(pl.Int64)
    inner, start, stop = spans.struct.unnest()
    return _spans(inner, start + offset, stop + offset)


def _number(match: re.Match[str] | None) -> Span | None:
    return match and Span(match.group().replace(",", ""), match.start(), match.end())


@word(SPAN)
def last_number(text: str) -> Span | None:
    """Read the last number, of the kind that `first_number` reads."""
    return _number(next(reversed(list(NUMBER.finditer(text))), None))


@last_number.engine
def _last_number(text: pl.Series) -> pl.Series:
    # No number reaches past the characters that numbers are made of, so the last run of them is enough.
    tail = text.str.extract(r"([-0-9,.]*[0-9][^0-9]*)\z")
    run = tail.str.extract(r"\A([-0-9,.]*[0-9])")
    return _from_tail(distinctly(last_number, [run], SPAN), tail, text)


@word(SPAN)
def number_after(text: str, marker: str) -> Span | None:
    """Read the first number after the last `marker`; none without a marker, or without a number after it."""
    at = text.rfind(marker)
    return None if at < 0 else _number(NUMBER.search(text, at + len(marker)))


@word(SPAN)
def number_after_last_equals(answer: str) -> Span | None:
    """Read the first number after the last `=`; none without `=`, or without a number after it."""
    at = answer.rfind("=")
    return None if at < 0 else _number(NUMBER.search(answer, at + 1))


@number_after_last_equals.engine
def _number_after_last_equals(answer: pl.Series) -> pl.Series:
    tail = answer.str.extract(r"=([^=]*)\z")
    return _from_tail(_first_number(tail), tail, answer)


@word(SPAN)
def whole(text: str) -> Span:
    """Take the whole text, as it is."""
    return Span(text, 0, len(text))


@whole.engine
def _whole(text: pl.Series) -> pl.Series:
    return span_series(text, pl.repeat(0, len(text), dtype=pl.Int64, eager=True))


@word(SPAN)
def text_after_last(text: str, marker: str) -> Span | None:
    """Take what follows the last `marker`, to the end of the text, stripped; none without a marker."""
    at = text.rfind(marker)
    return None if at < 0 else stripped(text, at + len(marker))


@word(pl.Boolean)
def is_ask(answer: str) -> bool:
    """Say whether an answer asks: it is `ASK`, or begins with `ASK:`."""
    return answer == "ASK" or answer.startswith("ASK:")


@is_ask.engine
def _is_ask(answer: pl.Series) -> pl.Series:
    return ((answer == "ASK") | answer.str.starts_with("ASK:")).fill_null(False)


@word(SPAN)
def matches_menu(reply: str, menu: list[str] | None) -> Span | None:
    """Take the last line where one of the menu's patterns matches the whole of it.

    Args:
        reply: any text; its last line that is not only white space counts, stripped.
        menu: regular expressions, tried in order; null or empty matches nothing.

    Returns:
        What the group `answer` holds where the pattern has one and it took part, else the line.

    Raises:
        RuleError: a pattern is no regular expression.
    """
    line = last_line.python(reply)
    if line is None:
        return None
    for pattern in menu or ():
        try:
            match = re.fullmatch(pattern, line.text)
        except re.error as error:
            raise RuleError(
                f"menu of the bank: found {one_line(pattern)!r}, which is no regular expression ({error}). Mend it."
            ) from error
        if match:
            named = "answer" if "answer" in match.re.groupindex and match.group("answer") is not None else 0
            start, stop = match.span(named)
            return Span(match.group(named), line.start + start, line.start + stop)
    return None


@word(pl.Boolean)
def same_number(value: str, answer: Any, tolerance: Any = None) -> bool:
    """Say whether a value is the answer: `|value - answer| <= tolerance`, in decimals.

    Args:
        value: text of a number; commas in it are dropped.
        answer: a number or its text; a float counts as its shortest text.
        tolerance: likewise; null is 0.

    Returns:
        False where the value or the answer is no number.
    """
    numbers = [to_decimal(number) for number in (value, answer, 0 if tolerance is None else tolerance)]
    if any(number is None for number in numbers):
        return False
    left, right, limit = (number for number in numbers if number is not None)
    return _WIDE.subtract(left, right).copy_abs() <= limit


def to_decimal(value: Any) -> Decimal | None:
    """Read a number or its text (ASCII digits, commas dropped) exactly; None where it is none."""
    text = str(value).replace(",", "").strip(SPACE)
    return Decimal(text) if _DECIMAL.fullmatch(text) else None


@word(pl.Boolean)
def same_text(value: str, answer: Any) -> bool:
    """Say whether two texts are the same, character for character; null equals nothing."""
    return bool(value == answer)
