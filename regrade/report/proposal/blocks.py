"""Blocks: what a proposal is made of, before it is Markdown or a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from regrade.report.shown import Mark

_CODE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Code:
    """A name or a text of others, shown as it is and never obeyed."""

    text: str


@dataclass(frozen=True)
class Strong:
    """Words that stand out."""

    text: str


@dataclass(frozen=True)
class Ref:
    """The row of `How to reproduce` that gives the numbers beside it."""

    name: str


@dataclass(frozen=True)
class Target:
    """The place that a `Ref` of that name leads to."""

    name: str


Span = str | Code | Strong | Ref | Target
Line = Span | Sequence[Span]
"""Text of ours without any markup in it, and the spans that are something else."""


@dataclass(frozen=True)
class Heading:
    """A heading; `level` counts from 1."""

    level: int
    text: Line
    place: str
    """Unique in the document, an `id`."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: Line
    stamp: bool = False
    """It must not be overlooked."""


@dataclass(frozen=True)
class Listing:
    """A list, a line an item."""

    items: Sequence[Line]
    numbered: bool = False


@dataclass(frozen=True)
class Table:
    """A table; whole numbers are grouped, None is a dash."""

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Line | int | None]]
    refs: Sequence[Ref] = ()
    folded: bool = False
    """Closed on the page until it is opened: it is long, and what matters of it is said elsewhere."""

    def is_number(self, column: int) -> bool:
        """Whether a column holds numbers, or counts with what they come from."""
        return all(
            row[column] is None or isinstance(row[column], int) or str(row[column])[:1].isdigit() for row in self.rows
        )


@dataclass(frozen=True)
class Reading:
    """Text of a log, whole or cut, with the places of what was read in it."""

    text: str
    marks: Sequence[Mark] = ()


Block = Heading | Paragraph | Listing | Table | Reading


def spans(line: Line) -> Sequence[Span]:
    """The spans of a line."""
    return line if isinstance(line, Sequence) and not isinstance(line, str) else (line,)


def coded(text: str) -> tuple[Span, ...]:
    """A text whose names stand in backticks, as spans."""
    return tuple(Code(part) if place % 2 else part for place, part in enumerate(_CODE.split(text)) if part)


def joined(parts: Sequence[Any], by: str = ", ") -> tuple[Span, ...]:
    """Names one after another, each as code."""
    found: list[Span] = []
    for part in parts:
        found += [by] * bool(found) + [Code(str(part))]
    return tuple(found)


def grouped(value: Any) -> Any:
    """A whole number with its thousands grouped, anything else as it is, None as a dash."""
    if value is None:
        return "\u2013"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
