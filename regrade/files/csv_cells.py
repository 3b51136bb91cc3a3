"""Guard the cells of a CSV file, which a spreadsheet would run as formulas."""

from __future__ import annotations

import re

NUMBER = re.compile(r"[+-]?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?")
"""A plain number: a sign, digits that may be grouped by thousands, a decimal part, an exponent, a percent sign."""

GUARD = "'"
SIGNS = "=+@\uff1d\uff0b\uff0d\uff20-"
"""How a formula begins; the full-width signs count in some spreadsheets."""
UNSEEN = r'\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff"'
"""What a spreadsheet, or a form that it saves in, may drop: then the sign behind it comes first."""
BREAKS = "\n\r\t;"
"""What begins a cell where commas are taken for text: quotes do not hold there, and lines of a cell become rows."""


def guard_cell(value: str) -> str:
    """The text to write as a CSV cell: with an apostrophe before what would run, otherwise unchanged.

    That may be the cell, or what follows a line break, a semicolon or a tab in it. A cell that is a plain number is no
    formula: `-6.5` stays as it is. What looks guarded is guarded once more, so that `bare_cell` gives every text back.
    """
    return _BARE.sub(GUARD, value)


def bare_cell(cell: str) -> str:
    """The text that `guard_cell` made a cell of."""
    return _GUARDED.sub("", cell)


def _live(mark: str) -> re.Pattern[str]:
    """Where something would run, with the mark that stands before it."""
    number = rf"\A{GUARD}*{NUMBER.pattern}\Z"
    formula = rf"(?:(?![{BREAKS}])[{UNSEEN}])*[{SIGNS}]"
    return re.compile(rf"(?!{number})(?<![^{BREAKS}]){mark}(?={GUARD}*{formula})|\A{mark}(?={GUARD}*[\t\r\n])")


_BARE, _GUARDED = _live(""), _live(GUARD)
