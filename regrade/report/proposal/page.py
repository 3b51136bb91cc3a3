"""The proposal as a page: the report's engine and style, one file, nothing that runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regrade.pages import inline
from regrade.report.build import page_engine
from regrade.report.page import Page
from regrade.report.proposal.blocks import Block, Heading, grouped, spans
from regrade.report.shown import pieces
from regrade.signs import tagged


def proposal_page(page: Page, blocks: Sequence[Block]) -> str:
    """Make the page as text; the same bytes for the same blocks.

    Args:
        page: the audit.
        blocks: the content; the first is the title.
    """
    pages = page_engine(page)
    pages.globals.update(kind=_kind, spans=spans, grouped=grouped, pieces=pieces)
    pages.filters["tagged"] = tagged
    parts: list[list[Block]] = []
    for block in blocks:
        if isinstance(block, Heading) and block.level <= 2:
            parts.append([])
        parts[-1].append(block)
    style = inline(pages, "page.css")
    whole = pages.get_template("proposal.html")
    return whole.render(style=style, script=None, head=parts[0], parts=parts[1:])


def _kind(value: Any) -> str:
    return type(value).__name__.lower()
