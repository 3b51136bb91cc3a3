"""From a plan to a transcript: each plan has a way to act and words, and a check of what it must look like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tool_loop_sim import failing, passing, special, whatif
from tool_loop_sim.configurations import Configuration
from tool_loop_sim.dice import Dice
from tool_loop_sim.model import Item
from tool_loop_sim.tape import Tape

Expect = Callable[[whatif.Seen], bool]
NONE: frozenset[str] = frozenset()


def exactly(passed: bool, has_line: bool, flips: set[str], call: bool = False) -> Expect:
    """An expectation on everything that can be seen."""
    return lambda seen: (
        (seen.passed, seen.line, seen.flips, seen.call_like) == (passed, has_line, frozenset(flips), call)
    )


PLANS: dict[str, tuple[Callable[[Tape], None], Expect]] = {
    "pass": (passing.passes, exactly(True, True, set())),
    "pass_call": (passing.passes_after_text_call, exactly(True, True, set(), True)),
    "pass_guess": (passing.passes_with_guess, exactly(True, True, {"issued_tokens"})),
    "pass_aside": (passing.passes_with_aside, exactly(True, True, {"last_equals"})),
    "no_prefix": (
        failing.drops_prefix,
        lambda s: (
            not s.passed and not s.line and not s.call_like and s.flips - {"menu_accepted"} == {"last_line_fallback"}
        ),
    ),
    "menu": (failing.names_the_menu, exactly(False, False, {"menu_accepted"})),
    "call": (failing.emits_call_as_text, lambda s: not s.passed and s.flips == NONE and s.call_like),
    "wrong": (failing.fails_in_form, exactly(False, True, set())),
    "no_line": (failing.fails_without_line, exactly(False, False, set())),
    "unit_form": (special.keeps_unit_form, exactly(False, True, {"last_equals"})),
    "unit_form_wrong": (special.keeps_unit_form_wrong, exactly(False, True, set())),
    "unit_form_bare": (special.keeps_unit_form_bare, exactly(False, False, set())),
    "working": (special.shows_working, exactly(False, True, {"last_equals"})),
    "ask": (special.asks, exactly(False, True, {"ask_accepted"})),
    "ask_blind": (special.asks_blind, exactly(False, True, set())),
    "ask_lost": (special.asks_without_result, exactly(False, True, set())),
    "delete": (special.deletes, exactly(False, True, set())),
}


def play(item: Item, who: Configuration, rep: int, plan: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Messages and final state of one trial; wordings that say something else than planned are thrown again."""
    write, expected = PLANS[plan]
    gold = item.gold()
    for attempt in range(80):
        tape = Tape(item, who, Dice("trial", who.name, item.item, rep, attempt))
        write(tape)
        if expected(whatif.observe(gold, tape.messages)):
            return tape.messages, tape.world.final_state()
    raise ValueError(f"plan {plan} cannot be told for {who.name}/{item.item}/{rep}")
