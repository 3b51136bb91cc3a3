"""Made-up corpora with planted grader faults, lineages of unlike sizes, and draws from them.

For testing estimates, so that nothing of the package is used here: truths are counted, strata are drawn by numpy, and
what another corpus would hold is what the faults were planted from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

LINEAGES = (11, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
"""Configurations of each: one of 11, one of 4, one of 2, and ones."""
ITEMS = 24
RUNS = 3
HARD = 0.8
"""Spread of how hard the items are, on logits."""


@dataclass
class Planted:
    """What the faults of a world are drawn from: mean, and spread between lineages and between items, on logits."""

    penalty: float = 0.12
    credit: float = 0.08
    mended: float = 0.7
    """Chance that the candidate mends a fault of the frozen grader."""
    broken: float = 0.05
    """Chance that the candidate errs where the frozen grader did not."""
    of_lineage: float = 1.0
    of_item: float = 0.7


def logistic(x: np.ndarray | float) -> np.ndarray:
    return 1 / (1 + np.exp(-np.asarray(x)))


def logit(p: float) -> float:
    return float(np.log(p / (1 - p)))


class World:
    """One corpus: for each trial its lineage, configuration, item, truth and two grades, all as whole numbers."""

    def __init__(self, rng: np.random.Generator, planted: Planted, lineages: tuple[int, ...] = LINEAGES) -> None:
        self.rng, self.planted = rng, planted
        configurations = sum(lineages)
        lineage_of = np.repeat(np.arange(len(lineages)), lineages)
        self.skill = rng.normal(0.8, 0.5, len(lineages))[lineage_of] + rng.normal(0, 0.2, configurations)
        self.hard = rng.normal(0, HARD, ITEMS)
        self.configuration, self.item, _ = (each.ravel() for each in np.indices((configurations, ITEMS, RUNS)))
        self.lineage = lineage_of[self.configuration]
        n = len(self.item)
        self.truth = rng.random(n) < logistic(self.skill[self.configuration] - self.hard[self.item])
        on_lineage = rng.normal(0, planted.of_lineage, (3, len(lineages)))
        self.on_configuration = on_lineage[:, lineage_of]
        self.on_item = rng.normal(0, planted.of_item, (3, ITEMS))
        chance = [
            logistic(logit(mean) + on_lineage[kind][self.lineage] + self.on_item[kind][self.item])
            for kind, mean in enumerate((planted.penalty, planted.credit, planted.broken))
        ]
        wrong = rng.random(n) < np.where(self.truth, chance[0], chance[1])
        self.frozen = self.truth ^ wrong
        still = np.where(wrong, rng.random(n) >= planted.mended, rng.random(n) < chance[2])
        self.candidate = self.truth ^ still

    def move(self) -> np.ndarray:
        """0 failed to passed, 1 passed to failed, 2 both passed, 3 both failed."""
        return np.where(self.frozen == self.candidate, np.where(self.frozen, 2, 3), np.where(self.frozen, 1, 0))

    def others(self, lineages: int = 1500) -> Others:
        """What other lineages would come to on these items: the mean over many of them, each by its chances."""
        rng = self.rng
        skill = rng.normal(0.8, np.hypot(0.5, 0.2), (lineages, 1))
        on_lineage = rng.normal(0, self.planted.of_lineage, (3, lineages, 1))
        pairs = self._chances(logistic(skill - self.hard), on_lineage + self.on_item[:, None])
        return Others(*(float(np.mean(part.sum(1) / whole.sum(1))) for part, whole in pairs))

    def other_items(self, items: int = 1500) -> Others:
        """What these configurations would come to on other items: over all trials of many of them."""
        rng = self.rng
        passes = logistic(self.skill[:, None] - rng.normal(0, HARD, items))
        on_item = rng.normal(0, self.planted.of_item, (3, 1, items))
        pairs = self._chances(passes, self.on_configuration[:, :, None] + on_item)
        return Others(*(float(part.sum() / whole.sum()) for part, whole in pairs))

    def _chances(self, passes: np.ndarray, shift: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Part and whole of each rate of `Others`, a row a lineage or configuration and a column an item."""
        planted = self.planted
        penalty, credit, broken = (
            logistic(logit(mean) + shift[kind])
            for kind, mean in enumerate((planted.penalty, planted.credit, planted.broken))
        )
        rightly, wrongly = passes * penalty * planted.mended, (1 - passes) * (1 - credit) * broken
        return [(rightly, rightly + wrongly), (passes * penalty, passes), ((1 - passes) * credit, 1 - passes)]


class Others(NamedTuple):
    """Rates of other lineages, or of other items."""

    upheld: float
    """Of failures that the candidate passes."""
    false_penalty: float
    """These two of the frozen grader."""
    false_credit: float


MOVE_NAMES = ("fail_to_pass", "pass_to_fail", "both_passed", "both_failed")


def draw(
    rng: np.random.Generator, strata: dict[str, np.ndarray], sizes: dict[str, int]
) -> list[tuple[str, int, float]]:
    """Draw so many of each stratum's trials without replacement: (stratum, trial, probability)."""
    found = []
    for name, trials in strata.items():
        n = min(sizes[name], len(trials))
        found += [(name, int(i), n / len(trials)) for i in rng.choice(trials, n, replace=False)]
    return found
