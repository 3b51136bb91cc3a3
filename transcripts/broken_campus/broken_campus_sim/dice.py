"""Seeded choices that stay the same between Python versions: only `random()` of the generator is used."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

SEED = "broken_campus/1"
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

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """One of the options by weight."""
        left = self._next() * sum(weights)
        for option, weight in zip(options, weights, strict=True):
            left -= weight
            if left < 0:
                return option
        return options[-1]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """The options in another order."""
        keyed = [(self._next(), index) for index in range(len(options))]
        return [options[index] for _, index in sorted(keyed)]

    def hexes(self, count: int) -> str:
        """Some hexadecimal digits."""
        return "".join("0123456789abcdef"[self.below(16)] for _ in range(count))
