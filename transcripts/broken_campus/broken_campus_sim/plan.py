"""Who does what: the published cells are dealt out by name, the others by the dice."""

from __future__ import annotations

from dataclasses import dataclass

from broken_campus_sim.cases import ABSENT, BY_NAME, CASES, SEEDS
from broken_campus_sim.configurations import (
    ABSTAINER,
    EMPTY,
    FLASH,
    GRAND,
    HEDGER,
    MINI,
    NAMES,
    PANEL,
    SWIFT,
)
from broken_campus_sim.dice import Dice

MEETING, GPU, BENCH, BOARD, SHUTTLE = ABSENT
Key = tuple[str, str, int]
"""Configuration, case, seed."""


@dataclass(frozen=True)
class Plan:
    """How a trial goes."""

    act: str
    """`answer`, `refuse`, `over_answer` or `fabricate`."""
    form: str
    """`clean`, `repaired`, `prose`, `piece` or `nothing`."""
    cites: str | None = None
    """A source that was not returned this turn."""


OVER: dict[str, dict[str, int]] = {
    PANEL: {SHUTTLE: 5},
    MINI: {GPU: 4, BENCH: 4, SHUTTLE: 5},
    GRAND: {GPU: 1, SHUTTLE: 5},
    SWIFT: {GPU: 3, BENCH: 3, SHUTTLE: 4},
    HEDGER: {GPU: 2, BENCH: 4, SHUTTLE: 5},
    EMPTY: {GPU: 3, BENCH: 3, SHUTTLE: 4},
    FLASH: {GPU: 4, BENCH: 4, SHUTTLE: 4},
}
"""How many of a case's seeds are answered though they should not be."""
OVER_BOARD = {PANEL: (0, 2, 3, 4), GRAND: (1, 2)}
FABRICATED = {(FLASH, MEETING, seed) for seed in (1, 3)}
OVER_REFUSED = {
    (ABSTAINER, "B_plain_words", 2),
    (ABSTAINER, "C_nothing_then_hours", 0),
    (HEDGER, "B_plain_words", 0),
    (HEDGER, "B_long_way_round", 3),
    (EMPTY, "C_nothing_then_hours", 4),
}
FAILED: dict[Key, str] = {
    **{(EMPTY, MEETING, seed): "nothing" for seed in SEEDS},
    (EMPTY, "B_plain_words", 4): "nothing",
    (EMPTY, "D_desk_after_shuttle", 2): "nothing",
    (EMPTY, "C_error_then_hours", 1): "piece",
    (ABSTAINER, GPU, 0): "prose",
    (ABSTAINER, GPU, 1): "prose",
    (ABSTAINER, GPU, 2): "piece",
    (ABSTAINER, GPU, 4): "prose",
    (ABSTAINER, BENCH, 2): "prose",
    (ABSTAINER, SHUTTLE, 4): "piece",
    (ABSTAINER, "B_long_way_round", 1): "piece",
    (ABSTAINER, "C_error_then_hours", 3): "nothing",
    (ABSTAINER, "D_desk_after_meeting", 0): "prose",
    (FLASH, MEETING, 4): "piece",
    (FLASH, GPU, 2): "prose",
    (FLASH, "B_plain_words", 1): "piece",
    (FLASH, "C_control_office_hours", 2): "prose",
    (FLASH, "C_nothing_then_hours", 0): "nothing",
    (FLASH, "D_desk_after_meeting", 3): "piece",
    (MINI, "B_long_way_round", 0): "prose",
    (MINI, "D_control_membership_desk", 4): "piece",
    (SWIFT, "C_error_then_hours", 3): "prose",
}
"""Replies that no repair makes into the contract."""
CITED: dict[Key, str] = {
    (FLASH, "B_control_workshop", 0): "[K9] Room plan of the Quarry Building.",
    (FLASH, "C_control_office_hours", 4): "[K7]",
    (FLASH, "D_desk_after_shuttle", 1): "[K7] The observatory shuttle leaves Alder House every Friday at 7:15 PM.",
    (MINI, "D_desk_after_meeting", 2): "[K1]",
    (MINI, "B_plain_words", 3): "[K12]",
    (SWIFT, "B_long_way_round", 4): "campus handbook",
}
REPAIRED = {PANEL: 0.04, MINI: 0.14, GRAND: 0.03, SWIFT: 0.09, HEDGER: 0.16, ABSTAINER: 0.1, EMPTY: 0.12, FLASH: 0.2}
"""Share of the other replies that have to be repaired."""


def plans() -> dict[Key, Plan]:
    """The plan of every trial, in the order in which they are stored."""
    over = {(name, BOARD, seed) for name, seeds in OVER_BOARD.items() for seed in seeds}
    for name, by_case in OVER.items():
        for item, count in by_case.items():
            over |= {(name, item, seed) for seed in Dice("over", name, item).shuffled(list(SEEDS))[:count]}
    found: dict[Key, Plan] = {}
    for name in NAMES:
        for case in CASES:
            for seed in SEEDS:
                key = (name, case.item, seed)
                answers = BY_NAME[case.item].answerable and key not in OVER_REFUSED
                act = "over_answer" if key in over else "answer" if answers else "refuse"
                act = "fabricate" if key in FABRICATED else act
                # On the published probe what is called clean is clean.
                broken = case.item != MEETING and Dice("repaired", *key).chance(REPAIRED[name])
                found[key] = Plan(act, FAILED.get(key, "repaired" if broken else "clean"), CITED.get(key))
    return found
