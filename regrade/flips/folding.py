"""Folding: what a candidate has of a metric or band just as the frozen grader has it is told once.

`{"as": "frozen"}` stands for it: for a whole block, for a part of a split beside its `values`, for the record of a
configuration or panel. Most candidates move a few configurations, and every block has every figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regrade.grades.plan import FROZEN

SAME = {"as": FROZEN}
RECORDS = ("configurations", "panels")

Blocks = Mapping[str, Any]
"""Of each candidate the block of a metric or band, null where it is undefined."""


def fold(candidates: Blocks) -> dict[str, Any]:
    """Put a reference in the place of all that is as under `frozen`; without frozen figures nothing is."""
    frozen = candidates.get(FROZEN)
    return {
        name: block if name == FROZEN or block is None or frozen is None else _folded(block, frozen)
        for name, block in candidates.items()
    }


def unfold(candidates: Blocks) -> dict[str, Any]:
    """Give back what `fold` was given."""
    frozen = candidates.get(FROZEN)
    return {
        name: block if name == FROZEN or block is None or frozen is None else _unfolded(block, frozen)
        for name, block in candidates.items()
    }


def _folded(block: dict[str, Any], frozen: dict[str, Any]) -> dict[str, Any]:
    if block == frozen:
        return {key: block[key] for key in ("values",) if key in block} | SAME
    found = dict(block)
    for kind in RECORDS:
        there = frozen[kind]
        found[kind] = {
            name: dict(SAME) if record and record == there.get(name) else record for name, record in block[kind].items()
        }
    return found | _splits(block, frozen, _folded)


def _unfolded(block: dict[str, Any], frozen: dict[str, Any]) -> dict[str, Any]:
    if block.get("as") == FROZEN:
        return frozen
    found = dict(block)
    for kind in RECORDS:
        found[kind] = {name: frozen[kind][name] if record == SAME else record for name, record in block[kind].items()}
    return found | _splits(block, frozen, _unfolded)


def _splits(block: dict[str, Any], frozen: dict[str, Any], each: Any) -> dict[str, Any]:
    """The splits of a block, each part beside the frozen one of its values."""
    if "by" not in block:
        return {}
    splits = []
    for split, other in zip(block["by"], frozen["by"], strict=True):
        # By the values as text, since a list in a gold is no key.
        there = {repr(part["values"]): part for part in other["parts"]}
        parts = [
            each(part, there[repr(part["values"])]) if repr(part["values"]) in there else part
            for part in split["parts"]
        ]
        splits.append({**split, "parts": parts})
    return {"by": splits}
