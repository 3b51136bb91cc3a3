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
        skill = rng.normal(0.8, 0.5, len(lineages))[lineage_of] + rng.normal(0, 0.2, configurations)
        self.hard = rng.normal(0, 0.8, ITEMS)
        self.configuration, self.item, _ = (each.ravel() for each in np.indices((configurations, ITEMS, RUNS)))
        self.lineage = lineage_of[self.configuration]
        n = len(self.item)
        self.truth = rng.random(n) < logistic(skill[self.configuration] - self.hard[self.item])
        on_lineage = rng.normal(0, planted.of_lineage, (3, len(lineages)))
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
        planted, rng = self.planted, self.rng
        skill = rng.normal(0.8, np.hypot(0.5, 0.2), (lineages, 1))
        passes = logistic(skill - self.hard)
        on_lineage = rng.normal(0, planted.of_lineage, (3, lineages, 1))
        penalty, credit, broken = (
            logistic(logit(mean) + on_lineage[kind] + self.on_item[kind])
            for kind, mean in enumerate((planted.penalty, planted.credit, planted.broken))
        )
        rightly = (passes * penalty * planted.mended).sum(1)
        wrongly = ((1 - passes) * (1 - credit) * broken).sum(1)
        return Others(
            float(np.mean(rightly / (rightly + wrongly))),
            float(np.mean((passes * penalty).sum(1) / passes.sum(1))),
            float(np.mean(((1 - passes) * credit).sum(1) / (1 - passes).sum(1))),
        )


class Others(NamedTuple):
    """Mean rates of other lineages."""

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
