"""Seeded choices that stay the same between Python versions: only `random()` of the generator is used."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

SEED = "kremis/1"
T = TypeVar("T")


class Dice:
    """A generator seeded by a name."""

    def __init__(self, *name: object) -> None:
        """Seed from the corpus seed and a name."""
        text = "/".join([SEED, *(str(part) for part in name)])
        self._next = random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")).random

    def below(self, limit: int) -> int:
        """An integer from 0 to limit - 1."""
        return int(self._next() * limit)

    def between(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, share: float) -> bool:
        """True in this share of throws."""
        return self._next() < share

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.below(len(options))]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """The options in another order."""
        keyed = [(self._next(), index) for index in range(len(options))]
        return [options[index] for _, index in sorted(keyed)]
