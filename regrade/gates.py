"""What `--fail-on` can name: gates that are checked when everything is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from regrade.errors import GateFailed, RegradeError, near
from regrade.flips.tallies import DIRECTIONS
from regrade.report.page import plural


def _count(number: int, noun: str, more: str = "") -> str | None:
    return plural(number, noun) + more if number else None


def _flips(summary: dict[str, Any]) -> int:
    blocks = [c["tiers"]["all"] for a in summary["axes"].values() for c in a["candidates"].values()]
    return sum(block[move]["trials"] for block in blocks for move in DIRECTIONS)


FAIL_ON: dict[str, Callable[[dict[str, Any]], str | None]] = {
    "rejects": lambda s: _count(s["corpus"]["rejected"], "rejected record"),
    "flips": lambda s: _count(_flips(s), "flip"),
    "draft": lambda s: _count(sum(not r["locked"] for r in s["rules"].values()), "draft rule"),
    "harness_parse": lambda s: _count(
        s["corpus"]["signals"].get("call_like_text", 0), "trial", " with unparsed call-like text"
    ),
}
"""Each gate: what it found in a summary, or None."""


def known_gates(names: Sequence[str]) -> None:
    """Refuse an unknown name, before any work is done."""
    for name in names:
        if name not in FAIL_ON:
            raise RegradeError(f"Unknown gate {name!r} for --fail-on.{near(name, FAIL_ON)}")


def check_gates(summary: dict[str, Any], names: Sequence[str]) -> None:
    """GateFailed where something that `--fail-on` names is there. The outputs are written already."""
    found = [f"{name}: {message}" for name in names if (message := FAIL_ON[name](summary))]
    if found:
        raise GateFailed(f"--fail-on: {'; '.join(found)}. The report is written.")
