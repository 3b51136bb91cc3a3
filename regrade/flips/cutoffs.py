"""Cut-offs: what the figures come to where a tier's limit is set elsewhere, anywhere at all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from regrade.files.corpus import Tier
from regrade.flips.tiers import PassCount, as_written, pass_rate

WAYS = ("fail_to_pass", "pass_to_fail")


class Step(NamedTuple):
    """The configurations at or above a pass rate, which are the same down to the next lower rate that one has."""

    rate: Fraction | None
    """None where no configuration is left."""
    figures: dict[str, Any]
    """`{configurations, failed, passed, flips: {candidate: {fail_to_pass, pass_to_fail}}}`, of the axis counted."""


def steps(
    counts: Mapping[str, PassCount], gains: Mapping[str, Any], candidates: Iterable[str], min_trials: int
) -> list[Step]:
    """Every step that a limit can be on, by rising rate; the last has no configuration.

    Args:
        counts: pass counts on the primary axis, which decide who reaches a limit.
        gains: what `gains` gives for the axis that is counted.
        candidates: the candidates of that axis.
        min_trials: graded trials that a configuration must have.
    """
    rates = {
        name: rate
        for name, count in counts.items()
        if name in gains and sum(count) >= min_trials and (rate := pass_rate(count)) is not None
    }
    sums: dict[str, Any] = {"configurations": 0, "failed": 0, "passed": 0}
    flips = {name: dict.fromkeys(WAYS, 0) for name in candidates}
    found = [Step(None, {**sums, "flips": flips})]
    for rate, members in groupby(sorted(rates, key=lambda name: (-rates[name], name)), key=lambda name: rates[name]):
        flips = {name: dict(ways) for name, ways in flips.items()}
        for gain in (gains[member] for member in members):
            sums = {key: sums[key] + (1 if key == "configurations" else gain[key]) for key in sums}
            for name, moved in gain["candidates"].items():
                for way in WAYS:
                    flips[name][way] += moved[way]
        found.append(Step(rate, {**sums, "flips": flips}))
    return found[::-1]


def cutoffs(tier: Tier, every: Sequence[Step]) -> list[dict[str, Any]]:
    """One row a limit declared for `tier`, its own among them, by rising limit: the step that each is on."""
    limits = sorted({tier.min_pass_rate, *tier.cutoffs})
    return [{"min_pass_rate": limit, **_step(every, as_written(limit)).figures} for limit in limits]


def _step(every: Sequence[Step], limit: Fraction) -> Step:
    return next(step for step in every if step.rate is None or step.rate >= limit)


def curve(every: Sequence[Step], candidates: Sequence[str]) -> list[dict[str, Any]]:
    """One row a step with a configuration, by rising `min_pass_rate`, the highest limit that is on the step.

    Args:
        every: the steps.
        candidates: those of which a row has the flips.
    """
    return [
        {
            "min_pass_rate": _at_most(step.rate),
            **step.figures,
            "flips": {name: step.figures["flips"][name] for name in candidates},
        }
        for step in every
        if step.rate is not None
    ]


def _at_most(rate: Fraction) -> float:
    """The rate as a limit that, as it is written, is not above it."""
    limit = float(rate)
    return limit if as_written(limit) <= rate else math.nextafter(limit, 0)
