"""Who fails where in the strong tier: constrained cells first, then families to their sums."""

from __future__ import annotations

from tool_loop_sim.configurations import BLIND, FAMILY_27B, LOST, POOLED, THINKING_OFF, Configuration
from tool_loop_sim.dice import Dice

Plans = dict[tuple[str, str, int], str]
LOADS = [13, 14, 12, 12, 11, 11, 10, 10, 9, 9, 8, 8, 8, 7, 7, 7, 6, 6, 6, 5, 4, 3]
UNIT_FORM_27B, UNIT_FORM_OTHERS = [3, 2, 2, 2, 2, 2], [2, 1, 1, 1, 1]
DEMANDS: list[tuple[str, str, int]] = [
    ("T09", "delete", 15),
    ("T09", "no_prefix", 5),
    ("T09", "no_line", 3),
    ("T14", "unit_form_wrong", 6),
    ("T10", "no_prefix", 3),
    ("T10", "no_line", 1),
    ("T10", "wrong", 14),
    ("T11", "no_prefix", 3),
    ("T11", "no_line", 1),
    ("T11", "wrong", 13),
    ("T12", "no_prefix", 2),
    ("T12", "no_line", 1),
    ("T12", "wrong", 13),
    ("T13", "no_prefix", 1),
    ("T13", "wrong", 1),
    ("T16", "no_prefix", 1),
    ("T16", "wrong", 1),
    ("T17", "no_prefix", 4),
    ("T17", "wrong", 1),
    ("T18", "no_prefix", 4),
    ("T19", "no_prefix", 2),
    ("T19", "wrong", 1),
    ("T20", "no_prefix", 2),
    ("T20", "menu", 2),
    ("T20", "wrong", 1),
    ("T04", "no_prefix", 2),
    ("T04", "call", 1),
    ("T04", "wrong", 1),
    ("T05", "no_prefix", 1),
    ("T05", "wrong", 1),
    ("T06", "no_prefix", 2),
    ("T06", "call", 1),
    ("T06", "wrong", 1),
    ("T08", "no_prefix", 1),
    ("T08", "no_line", 1),
    ("T21", "wrong", 3),
    ("T22", "wrong", 2),
    ("T24", "call", 1),
    ("T24", "wrong", 1),
    ("T26", "wrong", 3),
    ("T27", "call", 1),
    ("T27", "wrong", 1),
    ("T29", "wrong", 2),
    ("T30", "call", 1),
    ("T30", "wrong", 1),
    ("T32", "wrong", 1),
    ("T32", "no_line", 1),
    ("T34", "no_prefix", 1),
    ("T34", "wrong", 2),
    ("T37", "no_prefix", 1),
    ("T37", "wrong", 1),
    ("T39", "no_prefix", 1),
    ("T39", "wrong", 1),
    ("T41", "no_prefix", 1),
    ("T41", "wrong", 2),
    ("T45", "no_prefix", 2),
    ("T45", "wrong", 1),
    ("T46", "no_prefix", 1),
    ("T46", "call", 1),
    ("T46", "wrong", 1),
]
ASKS, GUESSES = 15, 6
GAINS = {THINKING_OFF[0]: 5, THINKING_OFF[1]: 6}


class Ledger:
    """Trials that are spoken for, and how loaded each configuration is."""

    def __init__(self, strong: list[Configuration]) -> None:
        """Give every configuration its target load; the two that drop prefixes come first."""
        self.dice = Dice("plan", "strong")
        self.plans: Plans = {}
        first = [*THINKING_OFF]
        others = self.dice.shuffled([one.name for one in strong if one.name not in first])
        self.room = dict(zip([*first, *others], LOADS, strict=True))
        self.gains = {name: GAINS.get(name, 3) for name in self.room}

    def free(self, name: str, item: str) -> list[int]:
        """Trials of an item that are still open."""
        return [rep for rep in range(3) if (name, item, rep) not in self.plans]

    def take(self, name: str, item: str, plan: str) -> None:
        """Fix one failing trial."""
        self.plans[(name, item, self.dice.pick(self.free(name, item)))] = plan
        self.room[name] -= 1
        if plan == "no_prefix":
            self.gains[name] -= 1

    def least_loaded(self, item: str, plan: str, barred: set[str]) -> str:
        """The configuration with most room, among those that may take it."""
        may = [
            name
            for name in self.room
            if name not in barred and self.free(name, item) and (plan != "no_prefix" or self.gains[name] > 0)
        ]
        return max(may, key=lambda name: (self.room[name], -len(name), name))


def plan_strong(strong: list[Configuration]) -> Plans:
    """Plans of all strong trials; those not named pass."""
    ledger = Ledger(strong)
    for _ in range(3):
        ledger.take(BLIND, "T09", "ask_blind")
    ledger.take(LOST, "T09", "ask_lost")
    ledger.take(POOLED, "T09", "ask")
    dense = [one.name for one in strong if one.lineage == FAMILY_27B and one.name not in THINKING_OFF]
    sparse = [one.name for one in strong if one.lineage != FAMILY_27B and one.name != BLIND]
    for names, counts in ((dense, UNIT_FORM_27B), (sparse, UNIT_FORM_OTHERS)):
        for name, count in zip(sorted(names, key=lambda n: (-ledger.room[n], n)), counts, strict=False):
            for _ in range(count):
                ledger.take(name, "T14", "unit_form")
    asking = {POOLED}
    for _ in range(ASKS):
        ledger.take(ledger.least_loaded("T09", "ask", asking), "T09", "ask")
    queue = [(item, plan) for item, plan, count in DEMANDS for _ in range(count)]
    dropped = ledger.dice.shuffled([pair for pair in queue if pair[1] == "no_prefix"])
    for name, gain in GAINS.items():
        for _ in range(gain):
            pair = next(pair for pair in dropped if ledger.free(name, pair[0]))
            ledger.take(name, *pair)
            dropped.remove(pair)
    rest = [pair for pair in queue if pair[1] != "no_prefix"] + dropped
    tight = [pair for pair in rest if pair[0] in ("T09", "T14")]
    for item, plan in [*tight, *ledger.dice.shuffled([pair for pair in rest if pair not in tight])]:
        ledger.take(ledger.least_loaded(item, plan, set(THINKING_OFF) if plan == "no_prefix" else set()), item, plan)
    for number in range(GUESSES):
        name = strong[(number * 5 + 2) % len(strong)].name
        item = f"T{29 + number % 4}"
        for rep in ledger.free(name, item)[:1]:
            ledger.plans[(name, item, rep)] = "pass_guess"
    return ledger.plans
