"""Integrity: whether every record is accounted for, and what the figures rest on."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median_low
from typing import Any

from regrade.report.page import Page

REJECTS, FILES, PAIRS = 50, 200, 50
"""Rows shown of rejected records, of files, and of configurations that reply alike."""


def integrity(page: Page) -> dict[str, Any]:
    """Files, records, rejects, coverage, parity, versions, and the trials that did not end by themselves."""
    rejects = page.con.execute(
        "select path, line, reason, excerpt from rejects join files using (file_id) "
        f"order by file_id, member nulls first, line nulls first, reason, excerpt limit {REJECTS}"
    ).fetchall()
    files = page.con.execute(
        f"select path, format, records, loaded, rejected, bytes, sha256 from files order by file_id limit {FILES}"
    ).fetchall()
    return {
        "title": "Integrity",
        "corpus": page.summary["corpus"],
        "versions": page.summary["versions"],
        "axes": page.summary["axes"],
        "rejects": rejects,
        "files": files,
        "identical": page.summary["corpus"]["identical"][:PAIRS],
        "coverage": _coverage(page),
        "stopped": list(_stopped(page.summary["corpus"]["stopped"])),
    }


def _stopped(counts: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What ended trials, or the log that they are of, each with its record."""
    kinds = [(f"limit: {kind}", record) for kind, record in counts["limit"].items()]
    if counts["error"]["trials"]:
        kinds.append(("error", counts["error"]))
    yield from kinds
    if len(kinds) > 1:
        yield "any of these, each trial once", counts["any"]
    yield from ((f"log: {status}", record) for status, record in counts["log"].items())


def _coverage(page: Page) -> dict[str, int] | None:
    """Trials a configuration: least, median (the lower of two), most, and how many have fewer than the most."""
    query = "select count(*) as trials from trials group by configuration order by trials"
    counts = [trials for (trials,) in page.con.execute(query).fetchall()]
    if not counts:
        return None
    return {
        "configurations": len(counts),
        "least": counts[0],
        "median": median_low(counts),
        "most": counts[-1],
        "fewer": sum(trials < counts[-1] for trials in counts),
    }
