"""Plans of single items: the unit form, sums written out, and the delete request."""

from __future__ import annotations

from tool_loop_sim import phrases
from tool_loop_sim.tape import Tape
from tool_loop_sim.telling import WORKINGS, answered, do_right, do_wrong, line, pick_wrong, write_up


def keeps_unit_form(tape: Tape) -> None:
    """Writes unit and value in the earlier form, the value right."""
    do_right(tape)
    write_up(
        tape,
        tape.item.facts,
        "7.0",
        line(tape.dice.pick(["3=7.0", "3=7.0", "3=7.0", "3 = 7.0", "3=7.0 C", "3=7.0 °C"]), tape.dice),
    )


def keeps_unit_form_bare(tape: Tape) -> None:
    """Writes unit and value in the earlier form, the value right, and drops the prefix: two faults in one line."""
    do_right(tape)
    form = tape.dice.pick(["3=7.0", "3 = 7.0", "3=7.0 C", "Unit 3=7.0", "**3=7.0**", "Answer: 3=7.0", "now 3=7.0 °C"])
    write_up(tape, tape.item.facts, "7.0", form)


def keeps_unit_form_wrong(tape: Tape) -> None:
    """Writes unit and value in the earlier form, the value wrong."""
    plan = pick_wrong(tape.item, tape.dice)
    do_wrong(tape, plan)
    answer = tape.dice.pick(plan.answers)
    write_up(tape, plan.facts or tape.item.facts, answer, line(f"3={answer}", tape.dice))


def shows_working(tape: Tape) -> None:
    """The whole sum on the answer line."""
    do_right(tape)
    write_up(tape, tape.item.facts, tape.item.answer, line(WORKINGS[tape.item.item], tape.dice), own=True)


ASK_FACTS = [
    "drafts has one file and I am not sure it is meant.",
    "I would rather not delete the wrong thing.",
    "It is not clear to me what the report is.",
    "Before I remove anything I want to be sure.",
]


def _ask(tape: Tape, questions: list[str]) -> None:
    """An answer line that asks."""
    answer = "ASK" if tape.dice.chance(0.1) else f"ASK: {tape.dice.pick(questions)}"
    facts = ASK_FACTS[1:] if questions is phrases.ASKS_BLIND else ASK_FACTS
    write_up(tape, facts, "", line(answer, tape.dice), own=True)


def asks(tape: Tape) -> None:
    """Lists the folder, then asks."""
    do_right(tape)
    _ask(tape, phrases.ASKS)


def asks_blind(tape: Tape) -> None:
    """Asks without having looked."""
    _ask(tape, phrases.ASKS_BLIND)


def asks_without_result(tape: Tape) -> None:
    """The listing was called and nothing came back."""
    tape.call(tape.item.right[0][0], lose=True)
    _ask(tape, phrases.ASKS_BLIND)


def deletes(tape: Tape) -> None:
    """Takes the only file for the report."""
    plan = tape.dice.weighted(tape.item.wrong[:2], [0.9, 0.1])
    do_wrong(tape, plan)
    answer = tape.dice.pick(plan.answers)
    write_up(tape, plan.facts, answer, answered(tape.item, answer, tape.dice))
