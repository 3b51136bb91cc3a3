"""What a trial says: an answer, a refusal, a question back, with the sources that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from broken_campus_sim import phrases
from broken_campus_sim.cases import MANDATED
from broken_campus_sim.dice import Dice
from broken_campus_sim.world import Case, line

Said = tuple[str, str, list[str]]
"""Answer, status, sources."""


def in_form(text: str, dice: Dice) -> str:
    """Write each marked time, weekday and room in one of its forms."""
    style = dice.below(6)
    return re.sub(r"<([^<>]*)>", lambda found: _form(found[1], style, dice), text)


def _form(slot: str, style: int, dice: Dice) -> str:
    if slot.startswith("room "):
        return dice.pick([slot, slot, slot, f"Room {slot[5:]}", f"rm. {slot[5:]}", f"room no. {slot[5:]}"])
    time = re.fullmatch(r"(\d+)(:\d\d)? ([AP])M", slot)
    if time is None:
        return slot
    hour, minute, half = int(time[1]), time[2] or "", time[3]
    clock = hour + 12 if half == "P" and hour < 12 else hour
    if style == 0 and (clock > 12 or clock < 10):
        return f"{clock:02d}{minute or ':00'}"
    if style == 1 and slot == "12 PM":
        return "noon"
    forms = [
        slot,
        slot,
        f"{hour}{minute}{half}M",
        f"{hour}{minute} {half.lower()}.m.",
        f"{hour}{minute or ':00'} {half}M",
    ]
    return [*forms, f"{hour}{minute} {half.lower()}m"][style]


def dressed(text: str, dice: Dice) -> str:
    """A sentence with what may stand before and after it."""
    return dice.pick(phrases.LEADS) + text + dice.pick(phrases.TAILS)


def sources(chunks: Sequence[str], dice: Dice) -> list[str]:
    """Chunks as they are cited: the whole line, or its marker."""
    if dice.chance(0.75):
        return [line(chunk) for chunk in chunks]
    return [f"[{chunk}]" for chunk in chunks] if dice.chance(0.6) else [line(chunk).rstrip(".") for chunk in chunks]


def answers(chunk: str, returned: Sequence[str], dice: Dice) -> Said:
    """The fact of a chunk; some replies cite another returned chunk as well."""
    text = dressed(in_form(dice.pick(phrases.ANSWERS[chunk]), dice), dice)
    used = [chunk] if dice.chance(0.85) else [chunk, *(c for c in returned if c != chunk)][:2]
    text += f" [{chunk}]" if dice.chance(0.12) else ""
    return text, "answered", sources(used, dice)


def over_answers(case: Case, returned: Sequence[str], dice: Dice) -> Said:
    """A true fact in place of the one that is asked for."""
    known = [(chunk, text) for chunk, text in phrases.OVER[case.item] if chunk in returned]
    if not known:
        return "", "answered", []
    chunk, text = dice.pick(known)
    return dressed(in_form(text, dice), dice), "answered", sources([chunk], dice)


def fabricates(returned: Sequence[str], dice: Dice) -> Said:
    """A day, a time and a place that nothing returned."""
    text = dice.pick(phrases.INVENTED).format(
        day=dice.pick(phrases.INVENTED_DAYS),
        time=dice.pick(phrases.INVENTED_TIMES),
        room=dice.pick(phrases.INVENTED_ROOMS),
    )
    return dressed(text, dice), "answered", sources(list(returned)[:1], dice)


def refuses(case: Case, manner: str, returned: Sequence[str], dice: Dice) -> Said:
    """A refusal, in the manner of the configuration."""
    if manner == "flat":
        return MANDATED, "not_found", []
    if manner == "hedge" and len(returned) > 1:
        x, y = (in_form(dice.pick(phrases.NEAR[chunk]), dice) for chunk in dice.shuffled(list(returned))[:2])
        text = dice.pick(phrases.HEDGES).format(x=x, y=y, s=case.subject)
        return text, "needs_clarification", sources(list(returned)[:2], dice) if dice.chance(0.5) else []
    text = dice.pick(phrases.REFUSALS).format(s=case.subject) + dice.pick(phrases.REFUSAL_TAILS)
    if returned and dice.chance(0.3):
        text += f" The nearest entry is {in_form(dice.pick(phrases.NEAR[returned[0]]), dice)}."
    if dice.chance(0.1):
        text = MANDATED
    return text, "not_found", sources(list(returned)[:1], dice) if returned and dice.chance(0.15) else []
