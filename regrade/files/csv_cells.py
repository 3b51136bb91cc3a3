"""Guard the cells of a CSV file, which a spreadsheet would run as formulas."""

from __future__ import annotations

import re

NUMBER = re.compile(r"[+-]?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?")
"""A plain number: a sign, digits that may be grouped by thousands, a decimal part, an exponent, a percent sign."""

GUARD = "'"
SIGNS = "=+@\uff1d\uff0b\uff0d\uff20-"
"""How a formula begins; the full-width signs count in some spreadsheets."""
UNSEEN = r"\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff"
"""What a spreadsheet, or a form that it saves in, may drop: then the sign behind it comes first."""

_LIVE = rf"(?={GUARD}*(?:[\t\r\n]|(?!{NUMBER.pattern}\Z)[{UNSEEN}]*[{SIGNS}]))"
_BARE = re.compile(rf"\A{_LIVE}")
_GUARDED = re.compile(rf"\A{GUARD}{_LIVE}")


def guard_cell(value: str) -> str:
    """The text to write as a CSV cell: with a leading apostrophe where it would run, otherwise unchanged.

    A plain number is no formula: `-6.5` stays as it is. A text that looks guarded is guarded once more, so that
    `bare_cell` gives every text back.
    """
    return _BARE.sub(GUARD, value)


def bare_cell(cell: str) -> str:
    """The text that `guard_cell` made a cell of."""
    return _GUARDED.sub("", cell)
