"""The header: which corpus, whether it is simulated, and what must be known before any figure."""

from __future__ import annotations

from typing import Any

from regrade.report.page import Page, has_gap


def head(page: Page) -> dict[str, Any]:
    """Name, stamp, warnings and parity gaps."""
    axes = page.summary["axes"]
    return {
        "title": page.corpus.name,
        "gaps": {axis: block["parity"] for axis, block in axes.items() if has_gap(block["parity"])},
    }
