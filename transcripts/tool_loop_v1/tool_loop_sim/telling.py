"""What all plans share: acting along a path, and wording the final message."""

from __future__ import annotations

from tool_loop_sim import phrases, prose
from tool_loop_sim.configurations import STYLES
from tool_loop_sim.dice import Dice
from tool_loop_sim.model import Call, Item, Path, Wrong
from tool_loop_sim.tape import Tape

UNIT_ITEM, DELETE_ITEM = "T14", "T09"
COMMON_SHARE, COMMON_WORDINGS = 0.8, 5
ASIDES = {
    "T14": ["raw=44.6", "F=44.6", "unit=3"],
    "T13": ["raw=70.7", "F=70.7"],
    "T15": ["in=12.5", "inches=12.5"],
    "T05": ["before=118", "old=118"],
    "T22": ["old=300", "before=300"],
    "T30": ["pages=3", "rows=6"],
    "T03": ["tickets=2", "n=2"],
    "T42": ["files=3", "n=3"],
}
WORKINGS = {
    "T03": "7.25 + 5.25 = 12.5",
    "T41": "1150 + 980 + 1350 = 3480",
    "T42": "41.5 + 63 + 18.25 = 122.75",
    "T34": "K-601, K-605 = 2",
}


def pick_wrong(item: Item, dice: Dice) -> Wrong:
    """One of the item's ways to go wrong; deleting has a plan of its own."""
    options = item.wrong[2:] if item.item == DELETE_ITEM else item.wrong
    return dice.weighted(options, [w.weight for w in options])


def line(answer: str, dice: Dice) -> str:
    """The required line."""
    return dice.weighted(
        [f"ANSWER: {answer}", f"ANSWER:{answer}", f"ANSWER:  {answer}", f"ANSWER: {answer} "], [0.9, 0.04, 0.03, 0.03]
    )


def worded(item: Item, answer: str, dice: Dice) -> str:
    """A right or wrong value in the dress that a number item allows, now and then behind a name and `=`."""
    if item.kind != "number" or not answer.replace(".", "").replace(",", "").isdigit():
        return answer
    if answer.isdigit() and len(answer) == 4 and int(answer) < 4000 and dice.chance(0.4):
        answer = f"{answer[0]},{answer[1:]}"
    if dice.chance(0.05):
        name = dice.pick(["temp", "reading"] if " C" in item.suffixes else ["value", "result", "found"])
        answer = f"{name}{dice.pick(['=', ' = '])}{answer}"
    return answer + dice.pick(item.suffixes) + dice.weighted(["", " (checked)", ".", " now"], [0.88, 0.04, 0.04, 0.04])


def answered(item: Item, answer: str, dice: Dice) -> str:
    """The required line with a dressed answer; in a few replies words follow it."""
    written = line(worded(item, answer, dice), dice)
    return f"{written}\n\n{dice.pick(phrases.CLOSERS)}" if dice.chance(0.03) else written


def write_up(
    tape: Tape, facts: list[str], answer: str, ending: str, lead: str | None = None, own: bool = False
) -> None:
    """The final message: body, perhaps a decoy, words about the form and a lead, and the ending.

    Unless a plan needs its own facts told, the body is often one of the item's common wordings, which say nothing
    of how the trial went: that is how passes and failures come to share whole forms.
    """
    item, dice, words, styles = tape.item, tape.dice, tape.dice, tape.who.styles
    if dice.chance(0.006):
        tape.say(ending)
        return
    if not own and dice.chance(COMMON_SHARE):
        words, styles = Dice("wording", item.item, dice.below(COMMON_WORDINGS)), [1.0] * len(STYLES)
        facts = phrases.NEUTRAL
    parts = [prose.body(item, facts, answer, styles, words)]
    if words.chance(0.03):
        call = next((call for phase in reversed(item.right) for step in reversed(phase) for call in step), None)
        if call:
            parts.append(prose.decoy(call, words))
    if ending and words.chance(0.05):
        parts.append(words.pick(phrases.RECITALS))
    lead = words.pick(phrases.LEADS) if lead is None else lead
    if lead:
        parts.append(lead)
    gap = words.pick(["\n\n", "\n\n", "\n"])
    tape.say(gap.join([*parts, ending]) if ending else gap.join(parts))


def change_of_mind(tape: Tape, first: str, second: str) -> None:
    """Two answer lines in one final message."""
    item, dice = tape.item, tape.dice
    lines = [line(worded(item, answer, dice), dice) for answer in (first, second)]
    write_up(tape, item.facts, item.answer, f"\n\n{dice.pick(phrases.CHANGES)}\n\n".join(lines), "")


def do_right(tape: Tape) -> None:
    """The whole path as it should be walked."""
    tape.wander()
    tape.follow(tape.item.right)
    tape.look_again()


def do_wrong(tape: Tape, plan: Wrong) -> None:
    """A wrong path, or the right one where only the conclusion is wrong."""
    acts_early = tape.item.family == "clarify_before_acting" and plan.path is not None
    if plan.path is None:
        do_right(tape)
    else:
        tape.follow(plan.path, phrases.EARLY if acts_early else None)


def first_call(path: Path, skip: int = 0) -> Call:
    """The call that a path would make after some steps."""
    steps = [step for phase in path for step in phase]
    return steps[min(skip, len(steps) - 1)][0]


def text_call(tape: Tape, call: Call) -> str:
    """A call as text, often after a sentence."""
    dice = tape.dice
    text = prose.call_as_text(tape.who.dialect if dice.chance(0.9) else "bare_object", call, dice)
    if dice.chance(0.75):
        opener = dice.pick(
            [
                f"I need {tape.item.subject} for this.",
                f"To answer I look at {tape.item.subject}.",
                f"Let me query {tape.item.subject}.",
                f"{tape.item.subject[0].upper()}{tape.item.subject[1:]} comes first.",
            ]
        )
        lead = dice.pick(
            [
                dice.pick(phrases.NARRATION),
                opener,
                f"{dice.pick(phrases.GREETINGS)} {dice.pick(phrases.NARRATION)}",
                f"{dice.pick(phrases.GREETINGS)} {opener}",
                f"{opener} {dice.pick(phrases.NARRATION)}",
            ]
        )
        text = f"{lead}\n{dice.pick(['', chr(10)])}{text}"
    if dice.chance(0.15):
        text = f"{text}\n\n{dice.pick(phrases.EMPTY_WORDS)}"
    return text
