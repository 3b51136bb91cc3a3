"""How deep JSON may be nested."""

from __future__ import annotations

from itertools import chain
from typing import Any

DEPTH = 200
"""Lists and objects inside one another, at most. Deeper ones would fail or not as the call stack happens to be."""


def is_deep(value: Any, depth: int = DEPTH) -> bool:
    """Whether a JSON value is nested deeper than so many lists and objects."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(depth):
        inside = chain.from_iterable(one.values() if isinstance(one, dict) else one for one in level)
        level = [one for one in inside if isinstance(one, (dict, list))]
    return bool(level)
