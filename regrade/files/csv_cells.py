"""Guard the cells of a CSV file, which a spreadsheet would run as formulas."""

from __future__ import annotations

import re

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a cell begins that a spreadsheet may run; the full-width signs count in some."""

NUMBER = re.compile(r"[+-]?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?")
"""A plain number: a sign, digits that may be grouped by thousands, a decimal part, an exponent, a percent sign."""

GUARD = "'"


def guard_cell(value: str) -> str:
    """The text to write as a CSV cell: with a leading apostrophe where it would run, otherwise unchanged.

    A plain number is no formula: `-6.5` stays as it is. A text that looks guarded is guarded once more, so that
    `bare_cell` gives every text back.
    """
    return GUARD + value if _runs(value.lstrip(GUARD)) else value


def bare_cell(cell: str) -> str:
    """The text that `guard_cell` made a cell of."""
    return cell[1:] if cell.startswith(GUARD) and _runs(cell.lstrip(GUARD)) else cell


def _runs(value: str) -> bool:
    return value.startswith(STARTS) and NUMBER.fullmatch(value) is None
