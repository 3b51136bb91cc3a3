"""The page of a packet: one file that shows the trials, keeps a reviewer's labels and saves them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from regrade.pages import engine, inline
from regrade.signs import tagged

PREVIEW = 80
"""Characters of a folded result that are seen without opening it."""


def review_page(records: Sequence[Mapping[str, Any]], key_sha256: str) -> str:
    """Make the page of one reviewer's packet; the same bytes for the same records.

    Args:
        records: at least one record of a packet, all of one sample and reviewer, in the order to be read: `sample`,
            `reviewer`, `id`, `instruction` (null if the item has none), `gold` (any value), `turns` (`role`, `text`,
            `calls` with `name`, `arguments`, `result`), `question`, `labels` (at most nine).
        key_sha256: SHA-256 of the sealed key, which the page states.

    Returns:
        An HTML file that needs no other and asks for none. It saves `verdicts-<reviewer>.json`.
    """
    [(sample, reviewer)] = {(record["sample"], record["reviewer"]) for record in records}
    pages = engine("regrade.review")
    pages.filters.update(shown=_shown, preview=_preview)
    style, style_digest = inline(pages, "review.css")
    script, script_digest = inline(pages, "review.js")
    return pages.get_template("review.html").render(
        sample=sample,
        reviewer=reviewer,
        key_sha256=key_sha256,
        trials=records,
        style=style,
        script=script,
        style_digest=style_digest,
        script_digest=script_digest,
    )


def _shown(value: Any) -> Markup:
    """Any value as hostile text: a text as it is, anything else as JSON."""
    return tagged(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _preview(text: str) -> Markup:
    """The first line of a text that is not blank, cut where it is long."""
    lines = text.strip().split("\n")
    whole = len(lines) == 1 and len(lines[0]) <= PREVIEW
    return tagged(lines[0][:PREVIEW] + ("" if whole else "\u2026")) if text else Markup("(no text)")
