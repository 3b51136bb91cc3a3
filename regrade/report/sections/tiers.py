"""Tiers and cut-offs: the frozen grades, what they come to at any other limit, and who would change tier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regrade.report.charts import Chart
from regrade.report.page import Page, share

LINES = 6
"""Candidates in a curve at most, declared ones."""
LIMITS = 150
"""Limits in a curve at most."""
MOST = 500
"""Rows of a table at most."""


def tiers(page: Page) -> dict[str, Any]:
    """The frozen grades of each tier by axis, the codes of its failures, every limit, and the changes of tier."""
    return {
        "title": "Tiers",
        "axes": {axis: {**block, "codes": _codes(block["tiers"])} for axis, block in page.summary["axes"].items()},
        "limits": {tier.name: tier for tier in page.corpus.tiers},
        "changes": _changes(page),
        "most": MOST,
        "charts": _curves(page),
    }


def _codes(blocks: dict[str, Any]) -> dict[str | None, dict[str, int]]:
    """Failed trials by code and tier, those without a code last, under None."""
    names = sorted({code for block in blocks.values() for code in block["codes"]})
    rows: dict[str | None, dict[str, int]] = {
        code: {tier: block["codes"].get(code, 0) for tier, block in blocks.items()} for code in names
    }
    bare = {tier: block["failed"] - sum(block["codes"].values()) for tier, block in blocks.items()}
    return {**rows, None: bare} if any(bare.values()) else rows


def _changes(page: Page) -> dict[str, Any]:
    """By candidate those that rise, fall, and cross a limit and stay."""
    found = {}
    for name, changes in page.primary["tier_changes"].items():
        rises = [change for change in changes if set(change["to"]) - set(change["from"])]
        falls = [change for change in changes if change not in rises and set(change["from"]) - set(change["to"])]
        stays = [change for change in changes if change not in rises and change not in falls]
        found[name] = {"rows": changes, "rises": len(rises), "falls": len(falls), "stays": len(stays)}
        found[name]["few"] = any(change["by_trials"] for change in changes)
    return found


def _curves(page: Page) -> dict[str, Chart]:
    """A curve for each number of trials that a declared tier asks for, of the primary axis."""
    held: dict[str, list[str]] = {}
    for tier in page.corpus.tiers:
        told = page.primary["curve"][tier.name]
        held.setdefault(told.get("as", tier.name), []).append(tier.name)
    return {
        first: _curve(page, first, names)
        for first, names in held.items()
        if len(page.primary["curve"][first]["rows"]) > 1 and page.declared
    }


def _curve(page: Page, first: str, names: Sequence[str]) -> Chart:
    told = page.primary["curve"][first]
    limits = {tier.name: tier.min_pass_rate for tier in page.corpus.tiers if tier.name in names}
    # The rows rise, so the first that is not below a limit is the step that the limit is on.
    above = {name: [row for row in told["rows"] if row["min_pass_rate"] >= limit] for name, limit in limits.items()}
    reached = {name: rows[0] for name, rows in above.items() if rows}
    shown = page.declared[:LINES]
    rows = _thin(told["rows"], list(reached.values()))
    columns = [f"{way}_{number}" for number in range(len(shown)) for way in ("up", "down")]
    return Chart(
        kind="curve",
        name=f"curve_{told['min_trials']}",
        title=_finding(page, shown, reached or {"the lowest pass rate": told["rows"][0]})
        + _together(shown, told["rows"])
        + (f"; {len(rows)} of {len(told['rows'])} limits are drawn" if len(rows) < len(told["rows"]) else ""),
        text="Steps over the limit from 0% to 100%: above, of each candidate the share of failed trials that flip to"
        " pass; in the middle that of passed trials that flip to fail; below, the configurations at or above the"
        " limit. Upright lines mark the declared limits.",
        columns=("limit", "configurations", "failed", "passed", *columns),
        rows=[
            (
                row["min_pass_rate"],
                *(row[key] for key in ("configurations", "failed", "passed")),
                *(row["flips"][name][way] for name in shown for way in ("fail_to_pass", "pass_to_fail")),
            )
            for row in rows
        ],
        headings=(
            "Limit, up to",
            "Configurations",
            "Failed",
            "Passed",
            *(f"{name}: {way}" for name in shown for way in ("fail to pass", "pass to fail")),
        ),
        options={"candidates": shown, "tiers": list(limits), "limits": list(limits.values())},
    )


def _finding(page: Page, shown: Sequence[str], reached: dict[str, dict[str, Any]]) -> str:
    """What the candidate that flips most comes to at each declared limit."""

    def most(name: str) -> tuple[int, str]:
        return (sum(sum(row["flips"][name].values()) for row in reached.values()), name)

    name = max(shown, key=most)
    told = []
    for tier, row in reached.items():
        up, down = row["flips"][name]["fail_to_pass"], row["flips"][name]["pass_to_fail"]
        told.append(
            f"{up:,} of {row['failed']:,} failed trials to pass ({share(up, row['failed'])}) and {down:,} of"
            f" {row['passed']:,} passed to fail ({share(down, row['passed'])}) at the limit of {tier}"
        )
    return f"{name} flips {'; '.join(told)}{page.bound(page.corpus.axis, name)}"


def _together(shown: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """Whose lines lie on one another in a panel, so that one of them is not seen."""
    told = ""
    for way in ("fail_to_pass", "pass_to_fail"):
        lines: dict[tuple[int, ...], list[str]] = {}
        for name in shown:
            lines.setdefault(tuple(row["flips"][name][way] for row in rows), []).append(name)
        for names in lines.values():
            if len(names) > 1:
                told += f"; from {way.replace('_', ' ')} the lines of {' and '.join(names)} lie on one another"
    return told


def _thin(rows: Sequence[dict[str, Any]], kept: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most `LIMITS` rows, evenly, the last and some among them."""
    if len(rows) <= LIMITS:
        return list(rows)
    step = -(-len(rows) // (LIMITS - len(kept) - 1))
    chosen = {*range(0, len(rows), step), len(rows) - 1, *(rows.index(row) for row in kept)}
    return [rows[number] for number in sorted(chosen)]
