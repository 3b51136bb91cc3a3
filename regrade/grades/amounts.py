"""Texts that are a number and nothing else but what dresses it, such as `$1,250.00` and `**35%**`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from regrade.grades.numerals import numbers
from regrade.grades.text import to_decimal
from regrade.records import Span

LONGEST = 100
"""Characters of a text that may be a number."""

_MONEY = r"[$€£¥₹₽₩]|\b(?:USD|EUR|GBP|CHF|JPY|INR)\b|\b(?:dollars?|euros?|pounds?)\b"
_DRESS = re.compile(rf"(?:[\s*_`%.]|\\[()\[\],!%$ ]|{_MONEY})*")
_DRESSED = re.compile(rf"\d(?:,|\{{,\}}|\\,|['’\s])\d{{3}}|{_MONEY}")
_BEHIND = re.compile(rf"\s?(?:{_MONEY})")


def amount(text: Any) -> str | None:
    """Read the number that a text is, as ASCII digits; None where it is more or less than one number."""
    plain = str(text)
    if len(plain) > LONGEST:
        return None
    if "," not in plain and to_decimal(plain) is not None:
        return plain
    found = list(numbers(plain, answer=True))
    if len(found) != 1:
        return None
    before, after = plain[: found[0].start], plain[found[0].stop :]
    return found[0].text if _DRESS.fullmatch(before) and _DRESS.fullmatch(after) else None


def dressed_amount(text: str) -> Span | None:
    """Read the only number of a text where it is written with thousands set off, or with a currency."""
    found = list(islice(numbers(text, answer=len(text) <= LONGEST), 2))
    if len(found) != 1:
        return None
    start, stop = found[0].start or 0, found[0].stop or 0
    behind = _BEHIND.match(text, stop)
    return found[0] if behind or _DRESSED.search(text[max(0, start - 4) : stop]) else None


def is_number(gold: Any) -> bool:
    """Whether a gold is a number: by its `kind`, else by its answer; of a list of answers, each."""
    known = gold if isinstance(gold, Mapping) else {"answer": gold}
    answer = known.get("answer")
    answers = answer if isinstance(answer, list) else [answer]
    if known.get("kind") is not None:
        return bool(known["kind"] == "number")
    return bool(answers) and all(
        isinstance(each, str | int | float) and not isinstance(each, bool) and amount(stated(each)) for each in answers
    )


_WORKED = re.compile(r"(?:\A|\n)####\s*([^\n]+?)\s*\Z")


def stated(answer: Any) -> Any:
    """Take what a gold that works its answer out states in its last line, after `####`; any other gold as it is."""
    worked = _WORKED.search(answer) if isinstance(answer, str) else None
    return worked[1] if worked else answer
