"""The terminal: where text goes that a person reads, with names that cannot steer it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from io import TextIOWrapper

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from regrade.flips.tallies import SPREAD_KEYS
from regrade.signs import name

WIDTH = 120
"""Columns where standard output is no terminal."""
BETWEEN = 2
"""Spaces between two columns."""
NAME = 12
"""Characters of a name that stands in a heading as it is."""


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
    """A table whose cells fold, between words where there is room for them, and are never cut.

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
    headings = [heading_lines(heading) for heading in columns]
    cells = [[line(f"{cell:,}" if isinstance(cell, int) else cell) for cell in row] for row in rows]
    shown = [[*heading, *(row[place] for row in cells)] for place, heading in enumerate(headings)]
    widths = column_widths([[text.plain for text in column] for column in shown], console().width)
    for place, (heading, width) in enumerate(zip(headings, widths, strict=True)):
        justify: JustifyMethod = "left" if place < left else "right"
        made.add_column(Text("\n").join(heading), justify=justify, overflow="fold", width=width)
    for row in cells:
        made.add_row(*row)
    return made


def print_declaration(text: str) -> None:
    """Print the `[[sample]]` that corpus.toml lacks."""
    for each in ("corpus.toml has no such sample. Declare it, so that an audit takes its verdicts:", *text.split("\n")):
        console().print(line(each), soft_wrap=True)


def heading_lines(heading: str) -> list[Text]:
    """A heading, where it is a long name in the lines that its underscores part it into."""
    if " " in heading or len(heading) <= NAME:
        return [line(heading)]
    lines = [""]
    for part in re.findall("[^_]*_+|[^_]+", heading):
        if lines[-1] and len(lines[-1]) + len(part) > NAME:
            lines.append("")
        lines[-1] += part
    return [line(each) for each in lines]


def column_widths(columns: Sequence[Sequence[str]], width: int) -> list[int | None]:
    """Widths of columns in which no word is broken, None for each where that is not to be had, or needs no care.

    Args:
        columns: the texts of each.
        width: what is to hold them.
    """
    least = [max((cell_len(word) for text in texts for word in text.split()), default=0) for texts in columns]
    most = [max(map(cell_len, texts), default=0) for texts in columns]
    room = width - BETWEEN * (len(columns) - 1) - sum(least)
    wanted = sum(most) - sum(least)
    if room < 0 or room >= wanted:
        return [None] * len(columns)
    return [low + room * (high - low) // wanted for low, high in zip(least, most, strict=True)]
