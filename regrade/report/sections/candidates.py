"""Candidates side by side: what each changes, both ways, on every axis and in every tier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regrade.report.charts import Chart, identifier
from regrade.report.page import Page, rule_states, ungrading


def candidates(page: Page) -> dict[str, Any] | None:
    """Moves, flips and recodes with what they come from."""
    axes = {axis: _axis(page, axis, block) for axis, block in page.summary["axes"].items() if block["candidates"]}
    if not axes:
        return None
    charts = {axis: _flips(page, axis) for axis, block in axes.items() if not block["new"]}
    return {"title": "Candidates", "axes": axes, "charts": charts}


def _flips(page: Page, axis: str) -> Chart:
    """Flips both ways under each candidate in the widest tier."""
    block = page.summary["axes"][axis]
    tier = block["tiers"][page.widest]
    rows = [
        (name, *(candidate["tiers"][page.widest][way]["trials"] for way in ("fail_to_pass", "pass_to_fail")))
        for name, candidate in block["candidates"].items()
    ]
    of = f"{tier['failed']:,} failed and {tier['passed']:,} passed trials in the tier {page.widest}"
    return Chart(
        kind="flips",
        name=f"flips_{identifier(axis)}",
        title=_finding(page, axis, rows, of),
        text=f"Bars of each candidate, on the axis {axis}: to the right fail to pass, to the left pass to fail.",
        columns=("candidate", "up", "down"),
        rows=rows,
        headings=("Candidate", "Fail to pass", "Pass to fail"),
        options={"axis": f"Trials that flip, of {of}"},
    )


def _finding(page: Page, axis: str, rows: Sequence[tuple[str, int, int]], of: str) -> str:
    """What the candidate that flips most comes to, others that flip as many being no more."""
    name, up, down = max(rows, key=lambda row: (row[1] + row[2], row[0]))
    if not up + down:
        return f"No candidate flips a trial from fail to pass or from pass to fail, of {of}"
    return (
        f"No candidate flips more trials between fail and pass than {name}: {up:,} from fail to pass and {down:,} from"
        f" pass to fail{page.bound(axis, name)}, of {of}"
    )


def _axis(page: Page, axis: str, block: dict[str, Any]) -> dict[str, Any]:
    shown = {
        name: {
            **candidate,
            "state": rule_states(page.summary, axis, name),
        }
        for name, candidate in block["candidates"].items()
    }
    first = next(iter(shown.values()))["tiers"]
    return {
        "tiers": list(first),
        "new": block["frozen"]["kind"] == "none",
        "candidates": shown,
        "ungrading": ungrading(shown),
        "measured": any(block["measures"] for candidate in shown.values() for block in candidate["tiers"].values()),
    }
