"""Plans that pass."""

from __future__ import annotations

from tool_loop_sim import phrases
from tool_loop_sim.tape import Tape
from tool_loop_sim.telling import ASIDES, do_right, first_call, line, text_call, worded, write_up


def passes(tape: Tape) -> None:
    """Right acts, right answer, right form."""
    item, dice = tape.item, tape.dice
    do_right(tape)
    right_line = line(worded(item, item.answer, dice), dice)
    if dice.chance(0.015):
        first = f"ANSWER: {dice.pick(dice.pick(item.wrong).answers)}"
        mend = dice.pick(
            [
                "Wait, that is not what the tools said.",
                "Correction, I misread it.",
                "No, let me put that right.",
                "Hold on, that needs a fix.",
            ]
        )
        write_up(tape, item.facts, item.answer, f"{first}\n\n{mend}\n\n{right_line}", "")
    elif dice.chance(0.03):
        write_up(tape, item.facts, item.answer, f"{right_line}\n\n{dice.pick(phrases.CLOSERS)}")
    else:
        write_up(tape, item.facts, item.answer, right_line)


def passes_after_text_call(tape: Tape) -> None:
    """A call came out as text once, then all went well."""
    tape.say(text_call(tape, first_call(tape.item.right)))
    tape.user(tape.dice.pick(phrases.NUDGES))
    passes(tape)


def passes_with_guess(tape: Tape) -> None:
    """Made-up page tokens that the tool accepts."""
    tape.follow(tape.item.guess or tape.item.right)
    write_up(tape, tape.item.facts, tape.item.answer, line(worded(tape.item, tape.item.answer, tape.dice), tape.dice))


def passes_with_aside(tape: Tape) -> None:
    """The right number first, another after an equals sign."""
    do_right(tape)
    write_up(
        tape,
        tape.item.facts,
        tape.item.answer,
        line(f"{tape.item.answer} ({tape.dice.pick(ASIDES[tape.item.item])})", tape.dice),
    )
