"""Plans that fail on any item."""

from __future__ import annotations

from tool_loop_sim import phrases
from tool_loop_sim.tape import Tape
from tool_loop_sim.telling import (
    DELETE_ITEM,
    answered,
    change_of_mind,
    do_right,
    do_wrong,
    first_call,
    pick_wrong,
    text_call,
    worded,
    write_up,
)


def drops_prefix(tape: Tape) -> None:
    """Right acts and content, and no answer line."""
    item, dice, a = tape.item, tape.dice, tape.item.answer
    do_right(tape)
    if item.kind == "text":
        ending = dice.pick([a, a, a, f"{a} ", f"Answer:\n{a}", f"**Answer**\n\n{a}", f"ANSWER\n{a}"])
    else:
        value = worded(item, a, dice)
        forms = [
            "**ANSWER:** {v}",
            "Answer: {v}",
            "answer: {v}",
            "**Answer: {v}**",
            "Final answer: {v}",
            "> ANSWER: {v}",
            "- ANSWER: {v}",
            " ANSWER: {v}",
            "So, ANSWER: {v}",
            "{v}",
            "It is {v}",
            "The value is {v}",
            "Result: {v}",
            "`ANSWER: {v}`",
            "**{v}**",
            "ANSWER {v}",
            "In the end: {v}",
            "That makes {v}",
        ]
        ending = dice.pick(forms).replace("{v}", value)
    claims = dice.chance(0.1)
    facts = [f"{fact} {dice.pick(phrases.CLAIMS)}" for fact in item.facts] if claims else item.facts
    write_up(tape, facts, a, ending, own=claims)


def names_the_menu(tape: Tape) -> None:
    """The menu's own label in place of the prefix."""
    do_right(tape)
    write_up(tape, tape.item.facts, tape.item.answer, f"Job state: {tape.item.answer}")


def emits_call_as_text(tape: Tape) -> None:
    """A call that nobody read: the trial ends there, or goes on with something made up."""
    item, dice = tape.item, tape.dice
    steps = sum(len(phase) for phase in item.right)
    done = dice.below(steps) if dice.chance(0.5) else 0
    phase = tape.follow(item.right, limit=done)
    tape.say(text_call(tape, first_call(item.right, done)))
    for number in range(phase + 1, len(item.right)):
        tape.next_turn(number)
        tape.say(text_call(tape, first_call(item.right[number:])))
    if dice.chance(0.5):
        return
    tape.user(dice.pick(phrases.NUDGES))
    if dice.chance(0.35):
        tape.say(text_call(tape, first_call(item.right, done)))
        return
    plan = pick_wrong(item, dice)
    answer = dice.pick(plan.answers)
    ending = (
        answered(item, answer, dice)
        if dice.chance(0.7)
        else dice.pick([f"Answer: {answer}", f"It is {answer}.", dice.pick(phrases.EMPTY_WORDS)])
    )
    write_up(tape, plan.facts or item.facts, answer, ending)


def fails_in_form(tape: Tape) -> None:
    """Has its answer line, and fails."""
    item, dice = tape.item, tape.dice
    form = dice.weighted(
        ["plan", "skip", "gave_up", "empty_line", "two_lines", "verbose"],
        [0.48, 0.24, 0.07, 0.03, 0.05, 0.13 if item.kind == "text" else 0],
    )
    if form == "plan":
        plan = pick_wrong(item, dice)
        do_wrong(tape, plan)
        answer = dice.pick(plan.answers)
        write_up(tape, plan.facts or item.facts, answer, answered(item, answer, dice))
    elif form == "skip":
        tape.follow([[] for _ in item.right])
        write_up(tape, item.facts, item.answer, answered(item, item.answer, dice))
    elif form == "gave_up":
        tape.follow(item.right, limit=dice.between(0, 1))
        write_up(
            tape,
            [
                "I could not find it out.",
                "The tools do not tell.",
                "This cannot be settled from here.",
                "I do not have what it takes to answer.",
            ],
            "",
            answered(item, dice.pick(phrases.GIVE_UPS), dice),
            own=True,
        )
    elif form == "empty_line":
        do_right(tape)
        write_up(tape, item.facts, item.answer, "ANSWER:")
    elif form == "two_lines":
        do_right(tape)
        change_of_mind(tape, item.answer, dice.pick(pick_wrong(item, dice).answers))
    else:
        do_right(tape)
        forms = [
            "The answer is {a}.",
            "{a}.",
            "It is {a}",
            "**{a}**",
            '"{a}"',
            "{a} (see above)",
            "`{a}`",
            "I found {a}.",
            "{a}, as the tools show",
        ]
        write_up(tape, item.facts, item.answer, answered(item, dice.pick(forms).replace("{a}", item.answer), dice))


def fails_without_line(tape: Tape) -> None:
    """No answer line, and the last line is no stand-in for it."""
    item, dice = tape.item, tape.dice
    form = dice.weighted(
        ["dressed", "ends_on", "wrong", "empty", "cut", "stuck", "mid_line"], [0.3, 0.15, 0.22, 0.05, 0.08, 0.08, 0.12]
    )
    if form in ("empty", "cut", "stuck"):
        tape.follow(item.right, limit=dice.between(0, max(1, sum(len(p) for p in item.right) - 1)))
        if form == "empty":
            tape.say(dice.pick([None, ""]))
        elif form == "cut":
            words = (
                f"{dice.pick(phrases.GREETINGS)} {dice.pick(phrases.NARRATION)}"
                if dice.chance(0.5)
                else dice.pick(phrases.NARRATION)
            )
            tape.call([first_call(item.right)], words=words)
        else:
            tape.say(f"{dice.pick(phrases.OPENERS).replace('{s}', item.subject)} {dice.pick(phrases.EMPTY_WORDS)}")
        return
    plan = pick_wrong(item, dice)
    if form == "wrong":
        do_wrong(tape, plan)
        answer = dice.pick(plan.answers)
        write_up(
            tape,
            plan.facts or item.facts,
            answer,
            dice.pick(["Answer: {a}", "**ANSWER:** {a}", "It is {a}.", "{a}", "Final answer: {a}"]).replace(
                "{a}", worded(item, answer, dice)
            ),
        )
        return
    do_right(tape)
    if form == "ends_on":
        asked = f"{dice.pick(phrases.ASKS)[0].upper()}{dice.pick(phrases.ASKS)[1:]}"
        write_up(
            tape,
            item.facts,
            item.answer,
            asked if item.item == DELETE_ITEM and dice.chance(0.3) else dice.pick(phrases.CLOSERS),
            "",
        )
    elif form == "mid_line":
        start = dice.pick(
            ["So my final line is ANSWER:", "In your form: ANSWER:", "Hence ANSWER:", "That gives ANSWER:"]
        )
        after = f"\n{dice.pick(phrases.CLOSERS)}" if dice.chance(0.5) else ""
        write_up(tape, item.facts, item.answer, f"{start} {item.answer}.{after}", "")
    else:
        dress = dice.pick(
            [
                "**ANSWER:** {a}",
                "Answer: {a}",
                "answer: {a}",
                "`{a}`",
                "**{a}**",
                "It is {a}.",
                "Final answer: {a}",
                "- {a}",
                "Result: {a}",
                "## ANSWER: {a}",
                "**ANSWER: {a}**",
            ]
        )
        end = dress.replace("{a}", item.answer)
        write_up(
            tape, item.facts, item.answer, end if item.kind == "text" else f"{end}\n\n{dice.pick(phrases.CLOSERS)}"
        )
