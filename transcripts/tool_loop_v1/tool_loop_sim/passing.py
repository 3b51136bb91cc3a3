"""Plans that pass."""

from __future__ import annotations

from tool_loop_sim import phrases
from tool_loop_sim.tape import Tape
from tool_loop_sim.telling import (
    ASIDES,
    answered,
    change_of_mind,
    do_right,
    first_call,
    line,
    pick_wrong,
    text_call,
    write_up,
)


def passes(tape: Tape) -> None:
    """Right acts, right answer, right form."""
    item, dice = tape.item, tape.dice
    do_right(tape)
    if dice.chance(0.015):
        change_of_mind(tape, dice.pick(pick_wrong(item, dice).answers), item.answer)
    else:
        write_up(tape, item.facts, item.answer, answered(item, item.answer, dice))


def passes_after_text_call(tape: Tape) -> None:
    """A call came out as text once, then all went well."""
    tape.say(text_call(tape, first_call(tape.item.right)))
    tape.user(tape.dice.pick(phrases.NUDGES))
    passes(tape)


def passes_with_guess(tape: Tape) -> None:
    """Made-up page tokens that the tool accepts."""
    tape.follow(tape.item.guess or tape.item.right)
    write_up(tape, tape.item.facts, tape.item.answer, answered(tape.item, tape.item.answer, tape.dice))


def passes_with_aside(tape: Tape) -> None:
    """The right number first, another after an equals sign."""
    do_right(tape)
    write_up(
        tape,
        tape.item.facts,
        tape.item.answer,
        line(f"{tape.item.answer} ({tape.dice.pick(ASIDES[tape.item.item])})", tape.dice),
    )
