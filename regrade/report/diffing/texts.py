"""Texts that differ between the sides: line by line where they are ours to read, marked where they are replies."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any

from regrade.report.shown import Mark, Piece, pieces


def line_changes(one: str | None, other: str | None) -> list[tuple[str, str]]:
    """The lines of two texts in one order, each with `same`, `a` or `b` for where it stands."""
    left, right = (one or "").splitlines(), (other or "").splitlines()
    lines: list[tuple[str, str]] = []
    for kind, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += [("same", line) for line in left[i:j]]
        else:
            lines += [("a", line) for line in left[i:j]] + [("b", line) for line in right[k:m]]
    return lines


def excerpt_pieces(changed: Mapping[str, Any], side: str) -> list[Piece]:
    """The excerpt of a changed reply on one side, the stretch that differs marked."""
    told = changed[side]
    mark = Mark(
        told["start"], told["stop"], side.upper(), frozen=side == "a", candidate=side == "b", readers="what differs"
    )
    return pieces(told["text"], [mark])
