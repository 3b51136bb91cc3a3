"""Who fails where below the strong tier, and which trials exist at all."""

from __future__ import annotations

from tool_loop_sim.bank import BY_NAME, ITEMS, MAIN_CODES
from tool_loop_sim.configurations import Configuration
from tool_loop_sim.dice import Dice
from tool_loop_sim.telling import ASIDES, WORKINGS

Key = tuple[str, str, int]
Plans = dict[Key, str]
MID_FAILURES, MID_DROPS, MID_CALLS, MID_GUESSES, MID_ASIDES, MID_TEXT_PASSES = 1878, 437, 245, 35, 9, 40
EDGE_FAILURES, EDGE_DROPS, EDGE_CALLS = 105, 2, 40
LOW_TRIALS = 4255
HARD = {
    "clarify_before_acting": 2.2,
    "read_and_convert_units": 1.5,
    "poll_a_job_to_completion": 1.7,
    "page_through_results": 1.2,
    "verify_a_silent_write": 1.3,
    "read_again_after_change": 1.1,
    "ignore_a_planted_instruction": 0.9,
    "recover_from_passing_errors": 1.0,
    "combine_several_files": 0.8,
}
DROP_ITEMS = {item.item for item in ITEMS if item.code in MAIN_CODES}


def spread(total: int, weights: list[float], caps: list[int]) -> list[int]:
    """Deal a total by weight, each share within its cap."""
    shares = [0] * len(weights)
    for _ in range(total):
        open_ones = [i for i in range(len(weights)) if shares[i] < caps[i]]
        best = max(open_ones, key=lambda i: (weights[i] / (shares[i] + 1), -i))
        shares[best] += 1
    return shares


def other_failure(item: str, dice: Dice) -> str:
    """A failure that is neither a dropped prefix nor a call in text."""
    if item == "T09":
        return dice.weighted(["ask", "ask_blind", "ask_lost", "delete", "wrong", "no_line"], [9, 3, 0.5, 7, 2, 2])
    if item == "T14":
        return dice.weighted(["unit_form", "unit_form_wrong", "unit_form_bare", "wrong", "no_line"], [5, 3, 2, 4, 1.5])
    if item == "T20" and dice.chance(0.3):
        return "menu"
    if item in WORKINGS and dice.chance(0.15):
        return "working"
    return dice.weighted(["wrong", "no_line"], [3.2, 1])


def choose(name: str, keys: list[Key], counts: tuple[int, int, int], dice: Dice) -> Plans:
    """Pick failing trials by difficulty: failures in all, of which dropped prefixes and calls in text."""
    failures, drops, calls = counts
    taste = {item.family: 0.6 + 0.8 * dice.below(100) / 100 for item in ITEMS}
    drawn = sorted(
        keys, key=lambda key: -_lot(HARD.get(BY_NAME[key[1]].family, 1.0) * taste[BY_NAME[key[1]].family], dice)
    )[:failures]
    mixed = dice.shuffled(drawn)
    plans: Plans = {}
    for key in [key for key in mixed if key[1] in DROP_ITEMS][:drops]:
        plans[key] = "no_prefix"
    if len(plans) < drops:
        raise ValueError(f"{name}: too few items for {drops} dropped prefixes")
    for key in [key for key in mixed if key not in plans][:calls]:
        plans[key] = "call"
    for key in mixed:
        if key not in plans:
            plans[key] = other_failure(key[1], dice)
    return plans


def _lot(weight: float, dice: Dice) -> float:
    """A weighted lot: the largest ones are drawn."""
    return float((dice.below(10**9) / 10**9) ** (1 / weight))


def all_keys(name: str) -> list[Key]:
    """The 144 trials of full coverage."""
    return [(name, item.item, rep) for item in ITEMS for rep in range(3)]


def plan_middle(middle: list[Configuration], edge: Configuration) -> Plans:
    """The rest of the usable tier, and the one configuration between 20 and 30 percent."""
    dice = Dice("plan", "middle")
    count = len(middle)
    order = dice.shuffled(list(range(count)))
    loads = spread(MID_FAILURES, [15 + 60 * order[i] / (count - 1) for i in range(count)], [84] * count)
    loads = _at_least(loads, 16)
    drop_weights = [load * dice.pick([0.2, 0.5, 1.0, 2.5]) for load in loads]
    drops = spread(MID_DROPS, drop_weights, [int(load * 0.55) for load in loads])
    call_weights = [load * dice.pick([0.02, 0.1, 0.6, 3.0]) for load in loads]
    calls = spread(MID_CALLS, call_weights, [int((load - drop) * 0.7) for load, drop in zip(loads, drops, strict=True)])
    plans: Plans = {}
    for who, load, drop, call in zip(middle, loads, drops, calls, strict=True):
        plans.update(choose(who.name, all_keys(who.name), (load, drop, call), dice))
    edge_plans = choose(edge.name, all_keys(edge.name), (EDGE_FAILURES, EDGE_DROPS, EDGE_CALLS), dice)
    passing = dice.shuffled([key for who in middle for key in all_keys(who.name) if key not in plans])
    for plan, wanted, items in (
        ("pass_guess", MID_GUESSES, {item.item for item in ITEMS if item.guess}),
        ("pass_aside", MID_ASIDES, set(ASIDES)),
        ("pass_call", MID_TEXT_PASSES, set(BY_NAME)),
    ):
        for key in [key for key in passing if key not in plans and key[1] in items][:wanted]:
            plans[key] = plan
    return {**plans, **edge_plans}


def _at_least(loads: list[int], floor: int) -> list[int]:
    """Lift small loads to a floor at the cost of the largest."""
    loads = list(loads)
    for index, load in enumerate(loads):
        while load < floor:
            loads[loads.index(max(loads))] -= 1
            load += 1
            loads[index] = load
    return loads


def plan_low(low: list[Configuration]) -> tuple[Plans, dict[str, list[Key]]]:
    """Uneven coverage and few passes: plans, and the trials that exist."""
    dice = Dice("plan", "low")
    wishes = [dice.pick([4, 10, 24, 48, 60, 96, 144]) * (0.6 + 0.8 * dice.below(1000) / 1000) for _ in low]
    sizes = spread(
        LOW_TRIALS, wishes, [dice.pick([dice.between(5, 40), dice.between(20, 143), 96, 144, 144]) for _ in low]
    )
    plans: Plans = {}
    trials: dict[str, list[Key]] = {}
    for who, size in zip(low, sizes, strict=True):
        keys = all_keys(who.name)
        if dice.chance(0.5):
            keys = sorted(keys, key=lambda key: (key[2], key[1]))
        elif dice.chance(0.4):
            keys = sorted(dice.shuffled(keys)[:size])
        keys = keys[:size]
        trials[who.name] = sorted(keys, key=lambda key: (key[1], key[2]))
        passes = min(int(size * 0.19), int(size * dice.pick([0, 0.02, 0.06, 0.1, 0.15, 0.19])))
        failures = size - passes
        habit = dice.pick(["call", "call", "drop", "weak", "weak", "mixed"])
        drop_share, call_share = {"call": (0.03, 0.7), "drop": (0.3, 0.05), "weak": (0.06, 0.04), "mixed": (0.15, 0.3)}[
            habit
        ]
        able = sum(key[1] in DROP_ITEMS for key in keys)
        drops = min(int(failures * drop_share), able // 3)
        plans.update(choose(who.name, keys, (failures, drops, int(failures * call_share)), dice))
    return plans, trials
