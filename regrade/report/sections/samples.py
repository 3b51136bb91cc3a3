"""Samples: the blind draws that are declared, and what is known of them."""

from __future__ import annotations

from typing import Any

from regrade.report.page import Page


def samples(page: Page) -> dict[str, Any] | None:
    """Frame, size and seed of each declared sample."""
    if not page.corpus.samples:
        return None
    drawn = dict(page.con.execute("select sample, count(*) from samples group by sample order by sample").fetchall())
    rows = [
        {"spec": spec, "known": page.summary["samples"][spec.name], "drawn": drawn.get(spec.name, 0)}
        for spec in page.corpus.samples
    ]
    return {"title": "Samples", "rows": rows}
