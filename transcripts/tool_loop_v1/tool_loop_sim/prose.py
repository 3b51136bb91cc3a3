"""Laying out a reply, and writing a call as text."""

from __future__ import annotations

import json

from tool_loop_sim import phrases
from tool_loop_sim.configurations import STYLES
from tool_loop_sim.dice import Dice
from tool_loop_sim.model import Call, Item


def sentence_set(item: Item, facts: list[str], answer: str, dice: Dice) -> tuple[str, str, str]:
    """An opener, a fact and a closer."""
    opener = dice.pick(phrases.OPENERS).replace("{s}", item.subject)
    added = dice.pick(phrases.ADDS)
    return f"{opener} {added}".strip(), dice.pick(facts).replace("{a}", answer), dice.pick(phrases.CLOSERS)


def body(item: Item, facts: list[str], answer: str, weights: list[float], dice: Dice) -> str:
    """The reply without its answer line, laid out in one of the styles."""
    opener, fact, closer = sentence_set(item, facts, answer, dice)
    style = dice.weighted(STYLES, weights)
    if style == "terse":
        return dice.pick(
            [fact, fact, fact, fact, fact, opener, f"{fact} {closer}", f"{dice.pick(phrases.GREETINGS)} {fact}"]
        )
    if style == "plain":
        return dice.pick([f"{opener} {fact}", f"{fact} {opener}", f"{opener}\n\n{fact}"])
    if style == "chatty":
        return f"{dice.pick(phrases.GREETINGS)} {opener} {fact}{dice.pick([' ', chr(10) + chr(10)])}{closer}"
    if style == "bullets":
        mark = dice.pick(["-", "*", "•"])
        return "\n".join(f"{mark} {line}" for line in ([opener, fact, closer] if dice.chance(0.5) else [opener, fact]))
    if style == "markdown":
        head = dice.pick(phrases.HEADS)
        return dice.pick(
            [
                f"### {head}\n\n{fact}\n\n{opener}",
                f"**{head}:** {fact}\n\n{opener} {closer}",
                f"## {head}\n{opener}\n- **Finding:** {fact}",
            ]
        )
    if style == "steps":
        lines = [opener, fact, closer] if dice.chance(0.6) else [opener, fact]
        mark = dice.pick([".", ")"])
        return "\n".join(f"{n}{mark} {line}" for n, line in enumerate(lines, 1))
    if style == "note":
        aside = closer[:-1] if closer.startswith("I ") else closer[0].lower() + closer[1:-1]
        return f"{dice.pick(['Note', 'Result', 'Update', 'Brief'])}: {fact} ({aside})\n{opener}"
    if style == "long":
        way = f"{dice.pick(phrases.WAYS)} {dice.pick(phrases.WAYS_ON)} {opener}"
        return f"{way}\n\n{fact} {dice.pick(phrases.REASONS)}\n\n{closer} {dice.pick(phrases.OFFERS)}"
    did, found = (
        dice.pick(["What I did", "Done", "Steps", "Checked"]),
        dice.pick(["What I found", "Found", "Seen", "Outcome"]),
    )
    return f"{did}: {opener}\n{found}: {fact}"


def decoy(call: Call, dice: Dice) -> str:
    """A paragraph that only looks like a call: inline code in a sentence, or an object in a fence."""
    name, arguments = call
    inline = ", ".join(f"{k}={json.dumps(v)}" for k, v in arguments.items())
    if dice.chance(0.5):
        text = dice.pick(
            [
                "My source was `{c}` in the loop above.",
                "For the record, I used `{c}` to get there.",
                "This rests on `{c}`, nothing else.",
                "See the output of `{c}` if in doubt.",
            ]
        )
        return text.replace("{c}", f"{name}({inline})")
    lead = dice.pick(["The call I made:", "For reference:", "Call used:", "What I sent:"])
    return f"{lead}\n```json\n{json.dumps({'name': name, 'arguments': arguments})}\n```"


def call_as_text(dialect: str, call: Call, dice: Dice) -> str:
    """A call written out in a dialect that the runner does not read."""
    name, arguments = call
    as_json = json.dumps(arguments, ensure_ascii=False)
    if dialect == "tool_tag":
        return f'<tool_call>\n{{"name": "{name}", "arguments": {as_json}}}\n</tool_call>'
    if dialect == "function_tag":
        inner = "\n".join(f"<parameter={k}>{v}</parameter>" for k, v in arguments.items())
        return f"<function={name}>\n{inner}\n</function>"
    if dialect == "bracket_calls":
        return f'[TOOL_CALLS] [{{"name": "{name}", "arguments": {as_json}}}]'
    if dialect == "python_tag":
        return f'<|python_tag|>{{"name": "{name}", "parameters": {as_json}}}'
    if dialect == "pythonic":
        inner = ", ".join(f"{k}={json.dumps(v, ensure_ascii=False)}" for k, v in arguments.items())
        return f"[{name}({inner})]"
    if dialect == "bare_object":
        return f'{{"name": "{name}", "{dice.pick(["arguments", "parameters"])}": {as_json}}}'
    if dialect == "section":
        begin = f"<|tool_calls_section_begin|>\n<|tool_call_begin|>functions.{name}:{dice.below(3)}"
        return f"{begin}<|tool_call_argument_begin|>{as_json}<|tool_call_end|>"
    inner = "\n".join(f'<parameter name="{k}">{v}</parameter>' for k, v in arguments.items())
    return f'<invoke name="{name}">\n{inner}\n</invoke>'
