"""The proposal as Markdown (CommonMark with tables): text of a log is fenced or code, and never obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from regrade.report.explain import marked_rows
from regrade.report.proposal.blocks import (
    Block,
    Code,
    Heading,
    Line,
    Listing,
    Paragraph,
    Reading,
    Ref,
    Span,
    Strong,
    Table,
    Target,
    grouped,
    spans,
)
from regrade.signs import name, visible

WIDTH = 100
"""Columns of a reading."""

_ACTIVE = re.compile(r"[\\`*\[\]<>|~&$]|(?<!\w)_|_(?!\w)")
_OPENING = re.compile(r"^(\s*)([#+\-=>]|\d+(?=[.)](\s|$)))")
_RUNS = re.compile("`+")


def markdown(blocks: Iterable[Block]) -> str:
    """The blocks as one text, each apart from the next by an empty line."""
    return "\n\n".join(filter(None, map(_block, blocks))) + "\n"


def escaped(text: str) -> str:
    """A text on one line that means nothing to Markdown."""
    text = _ACTIVE.sub(lambda found: f"\\{found[0]}", name(text))
    return _OPENING.sub(
        lambda found: f"{found[1]}{found[2]}\\" if found[2].isdigit() else rf"{found[1]}\{found[2]}", text
    )


def code(text: str) -> str:
    """A text on one line as code, in more backticks than it has one after another."""
    text = name(text)
    ticks = "`" * (1 + max(map(len, _RUNS.findall(text)), default=0))
    if not text.strip(" "):
        return f"{ticks}(empty){ticks}" if not text else f"{ticks}{text}{ticks}"
    pad = " " if text[0] in " `" or text[-1] in " `" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fenced(text: str) -> str:
    """Lines of a text in a fence that is longer than any in it."""
    ticks = "`" * max(3, 1 + max(map(len, _RUNS.findall(text)), default=0))
    return f"{ticks}text\n{visible(text)}\n{ticks}"


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {_line(block.text)}"
        case Paragraph():
            return f"**{_line(block.text)}**" if block.stamp else _line(block.text)
        case Listing():
            return "\n".join(
                f"{f'{n}.' if block.numbered else '-'} {_line(item)}" for n, item in enumerate(block.items, 1)
            )
        case Table():
            return _table(block)
        case Reading():
            rows = marked_rows(block.text, block.marks, WIDTH) if block.marks else ()
            return fenced("\n".join(row.plain for row in rows) or block.text)


def _line(line: Line) -> str:
    return "".join(map(_span, spans(line)))


def _span(span: Span) -> str:
    match span:
        case Code():
            return code(span.text)
        case Strong():
            return f"**{escaped(span.text)}**"
        case Ref() | Target():
            return f"[{span.name}]"
    return escaped(span)


def _table(table: Table) -> str:
    rule = ["---:" if table.rows and table.is_number(place) else "---" for place in range(len(table.headings))]
    rows = [map(escaped, table.headings), rule, *(map(_cell, row) for row in table.rows)]
    refs = "".join(f" {_span(ref)}" for ref in table.refs)
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"**{escaped(table.caption)}**{refs}\n\n{lines}"


def _cell(value: Line | int | None) -> str:
    if value is None or isinstance(value, int):
        return str(grouped(value))
    # A bar ends a cell of a table in code too, unless it is escaped.
    return "".join(code(s.text).replace("|", "\\|") if isinstance(s, Code) else _span(s) for s in spans(value))
