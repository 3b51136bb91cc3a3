r"""Boxed answers of LaTeX: `\boxed{...}`, braces balanced."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"(?P<box>\\(?:f?boxed|fbox|framebox)(?:\s*(?P<brace>\{)|\s+(?P<bare>[^\s{}$\\]*[^\s{}$\\.,;:!?])))"
    r"|\\.|(?P<open>\{)|(?P<close>\})",
    re.DOTALL,
)


def last_boxed(text: str) -> str | None:
    """Take what the last box holds, stripped; an empty box counts only where every box is empty."""
    boxes: dict[int, str] = {}
    # Where the content of each open brace begins; None for one that is no box.
    depths: list[int | None] = []
    for token in _TOKEN.finditer(text):
        if token["bare"]:
            boxes[token.start()] = token["bare"]
        elif token["brace"]:
            depths.append(token.end())
        elif token["open"]:
            depths.append(None)
        elif token["close"] and depths:
            first = depths.pop()
            if first is not None:
                boxes[first] = text[first : token.start()].strip()
    full = [at for at in boxes if boxes[at]]
    return boxes[max(full or boxes)] if boxes else None
