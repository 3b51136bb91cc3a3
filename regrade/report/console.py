"""The terminal: where text goes that a person reads, with names that cannot steer it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from io import TextIOWrapper

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from regrade.flips.tallies import SPREAD_KEYS
from regrade.signs import name

WIDTH = 120
"""Columns where standard output is no terminal."""


def console() -> Console:
    """Standard output: plain where it is no terminal, and without failing on a character that it cannot encode."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    terminal = sys.stdout.isatty()
    return Console(
        file=sys.stdout,
        width=None if terminal else WIDTH,
        no_color=None if terminal else True,
        highlight=False,
        markup=False,
        emoji=False,
    )


def line(text: object, style: str = "") -> Text:
    """One line of text, names in it shown by `name`; it folds where it is too long."""
    return Text(name(text), style=style, overflow="fold")


def spread_text(count: Mapping[str, int]) -> str:
    """A number of trials, and in brackets the distinct items, configurations, weights and lineages of them."""
    if not count["trials"]:
        return "0"
    return f"{count['trials']:,} ({'/'.join(f'{count[key]:,}' for key in SPREAD_KEYS[1:])})"


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1) -> Table:
    """A table whose cells fold and are never cut.

    Args:
        title: stands above it.
        columns: headings.
        rows: cells as text or numbers, numbers grouped by thousands.
        left: how many columns, from the first, are flush left.
    """
    made = Table(
        title=line(title, "bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    for place, heading in enumerate(columns):
        made.add_column(line(heading), justify="left" if place < left else "right", overflow="fold")
    for row in rows:
        made.add_row(*(line(f"{cell:,}" if isinstance(cell, int) else cell) for cell in row))
    return made
