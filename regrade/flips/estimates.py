"""Estimates: a rate with its denominators and intervals, by configuration or pooled, and the gaps to the leader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regrade.files.corpus import Metric
from regrade.flips.cells import Cell, Cells, pool
from regrade.flips.stats import Pair, ceiling, gap_interval, item_interval, undefined, wilson


def estimate(spec: Metric, cells: Cells, bounds: Pair) -> dict[str, Any]:
    """A rate over some trials: `{trials, items, graded, measured, of_graded, of_all}`.

    `of_graded` is over the trials that passed or failed, `of_all` over the ungraded ones too, null where there is none.
    Each is `{count, n, rate, ceiling, ceiling_of, trial_interval, item_interval}`: `count` of `n` trials, or the sums
    of the two measures. The ceiling, by the rule of three, is what a zero may stand for, null where there is none:
    `ceiling_of` `trials` a share of trials like these, and of `items`, for a ratio, the share of items with some of
    its part (three over those that have any of its whole). An interval is `{low, high, undefined}`, the last of them
    null or the reason; it reaches no further than `bounds`, as `read_bounds` gives them.
    """
    totals = pool([{"": cell} for cell in cells.values()]).get("", Cell(0, 0, 0, 0, 0, 0, 0))
    some_ungraded = totals.graded < totals.trials
    return {
        "trials": totals.trials,
        "items": len(cells),
        "graded": totals.graded,
        "measured": totals.measured,
        "of_graded": _rate(spec, [(cell.part, cell.whole) for cell in cells.values()], bounds),
        "of_all": _rate(spec, [(cell.part_of_all, cell.whole_of_all) for cell in cells.values()], bounds)
        if some_ungraded
        else None,
    }


def _rate(spec: Metric, pairs: list[Pair], bounds: Pair) -> dict[str, Any]:
    part, whole = sum(part for part, _ in pairs), sum(whole for _, whole in pairs)
    of_trials = bool(spec.counts)
    trials = (
        wilson(int(part), int(whole))
        if of_trials
        else undefined("what is measured within one trial is not independent")
    )
    return {
        "count": part,
        "n": whole,
        "rate": part / whole if whole else None,
        # What is measured within one item is not independent, items are; parts may be below zero and cancel.
        "ceiling": ceiling(part, int(whole))
        if of_trials
        else ceiling(sum(abs(part) for part, _ in pairs), sum(bool(whole) for _, whole in pairs)),
        "ceiling_of": "trials" if of_trials else "items",
        "trial_interval": trials._asdict(),
        "item_interval": item_interval(pairs, rate=of_trials).within(bounds)._asdict(),
    }


def compare(
    spec: Metric, by_configuration: Mapping[str, Cells], arms: Mapping[str, str | None], bounds: Pair
) -> list[dict[str, Any]]:
    """Compare the configurations of each arm with their leader, over graded trials, and over all where some are not.

    Returns:
        For each arm `{arm, of_graded, of_all}`, the last two `{leader, gaps: {configuration: {gap, items,
        item_interval, called}}}` or null. The leader has the best rate, among equals the most trials; a gap is how far
        behind it another is, paired over items, and is called `supported` where its interval excludes zero,
        `suggestive` where it does not, and nothing where there is none. Nothing where the metric does not say which end
        is best. Arms are asked different things, so that nobody leads across them; an arm with one rate has no gap and
        is left out.

    Args:
        spec: the metric.
        by_configuration: the cells of each.
        arms: the arm of each.
        bounds: of the metric, as `read_bounds` gives them.
    """
    if spec.best is None:
        return []
    by_arm: dict[str | None, dict[str, Cells]] = {}
    for name, cells in by_configuration.items():
        by_arm.setdefault(arms.get(name), {})[name] = cells
    found = []
    for arm in sorted(by_arm, key=lambda arm: (arm is None, arm or "")):
        some_ungraded = any(cell.graded < cell.trials for cells in by_arm[arm].values() for cell in cells.values())
        graded = _gaps(spec, _rates(by_arm[arm], "of_graded"), bounds)
        of_all = _gaps(spec, _rates(by_arm[arm], "of_all"), bounds) if some_ungraded else None
        if graded or of_all:
            found.append({"arm": arm, "of_graded": graded, "of_all": of_all})
    return found


def _rates(by_configuration: Mapping[str, Cells], over: str) -> dict[str, dict[str, Pair]]:
    pairs = {
        name: {
            item: (cell.part, cell.whole) if over == "of_graded" else (cell.part_of_all, cell.whole_of_all)
            for item, cell in cells.items()
        }
        for name, cells in by_configuration.items()
    }
    return {name: by_item for name, by_item in pairs.items() if any(whole for _, whole in by_item.values())}


def _gaps(spec: Metric, pairs: Mapping[str, Mapping[str, Pair]], bounds: Pair) -> dict[str, Any] | None:
    if len(pairs) < 2:
        return None
    sums = {name: tuple(map(sum, zip(*by_item.values(), strict=True))) for name, by_item in pairs.items()}
    sign = 1 if spec.best == "highest" else -1
    leader = min(sums, key=lambda name: (-sign * sums[name][0] / sums[name][1], -sums[name][1], name))
    gaps, widest = {}, bounds[1] - bounds[0]
    for name in sorted(set(pairs) - {leader}):
        ahead, behind = (leader, name) if sign > 0 else (name, leader)
        gap = sums[ahead][0] / sums[ahead][1] - sums[behind][0] / sums[behind][1]
        interval = gap_interval(pairs[ahead], pairs[behind], rate=bool(spec.counts)).within((-widest, widest))
        items = {item for each in (leader, name) for item, (_, whole) in pairs[each].items() if whole}
        gaps[name] = {
            "gap": gap,
            "items": len(items),
            "item_interval": interval._asdict(),
            "called": ("supported" if interval.excludes_zero else "suggestive") if gap else None,
        }
    return {"leader": leader, "gaps": gaps}
