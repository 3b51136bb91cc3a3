"""Names: what a chart calls things by, short and each of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from regrade.report.charts import MOST, label


def short(names: Iterable[str], most: int = MOST) -> list[str]:
    """The names with at most about `most` characters; what is alike once it is cut bears a number."""
    met: Counter[str] = Counter()
    found = []
    for name in names:
        text = label(name, most)
        met[text] += 1
        found.append(text if met[text] == 1 else f"{text} ({met[text]})")
    return found
