"""How a reply looks: JSON in many layouts, JSON that has to be repaired, prose, pieces, nothing."""

from __future__ import annotations

import json
import re

from broken_campus_sim.dice import Dice
from broken_campus_sim.wording import Said


def as_object(said: Said, dice: Dice) -> dict[str, object]:
    """The reply as an object, its keys in one of the usual orders."""
    answer, status, sources = said
    whole: dict[str, object] = {"answer": answer, "status": status, "sources": sources}
    orders = ("answer status sources", "answer status sources", "answer sources status", "status answer sources")
    return {name: whole[name] for name in dice.pick(orders).split()}


def layout(found: dict[str, object], style: str, dice: Dice) -> str:
    """JSON as it should be."""
    ascii_only = dice.chance(0.4)
    if style == "compact":
        return json.dumps(found, separators=(",", ":"), ensure_ascii=ascii_only)
    indent = {"spaced": None, "two": 2, "four": 4}[style]
    return json.dumps(found, indent=indent, ensure_ascii=ascii_only) + dice.pick(["", "", "", "\n"])


def clean(said: Said, style: str, dice: Dice) -> str:
    """JSON that meets the contract as it stands."""
    return layout(as_object(said, dice), style, dice)


def repaired(said: Said, style: str, dice: Dice) -> str:
    """JSON that meets the contract once it is repaired."""
    found = as_object(said, dice)
    text = layout(found, style, dice).rstrip()
    lines = layout(found, "two", dice).rstrip()
    way = dice.below(13)
    if way == 0:
        return f"```json\n{text}\n```"
    if way == 1:
        return f"{dice.pick(['Here is the result:', 'Final reply:', 'My answer, as JSON:'])}\n\n```\n{text}\n```"
    if way == 2:
        return f"{dice.pick(['Sure!', 'I have searched the entries.', 'Result below.'])}\n{text}"
    if way == 3:
        return f"{text}\n\n{dice.pick(['I hope that helps.', 'Let me know if you need more.', '(end of reply)'])}"
    if way == 4 or (way > 10 and "'" in said[0]):
        return f"{lines[:-2]},\n}}"
    if way == 5:
        return str(found)
    if way == 6:
        return text[:-1].rstrip()
    if way == 7:
        return re.sub(r'("status": "\w+"),\n', r"\1\n", layout({"status": said[1], **found}, "two", dice).rstrip())
    if way == 8:
        return lines.replace(",\n", ", // as asked\n", 1)
    if way == 9:
        return re.sub(r'"(answer|status|sources)":', r"\1:", text)
    if way == 10:
        return dice.pick([f"json\n{text}", f"result = {text};", f"<output>\n{text}\n</output>"])
    bare = json.dumps(found["answer"], ensure_ascii=False)
    return json.dumps(found, ensure_ascii=False).replace(bare, str(found["answer"]))


def prose(said: Said, dice: Dice) -> str:
    """Text where an object was asked for."""
    answer, status, sources = said
    listed = "; ".join(sources) or "none"
    return dice.pick(
        [
            answer,
            answer,
            f"{answer}\n\nSources: {listed}",
            f"**Answer:** {answer}\n**Status:** {status}",
            f"answer: {answer}\nstatus: {status}\nsources: {listed}",
            f"- answer: {answer}\n- status: {status}\n- sources: {listed}",
            f"### Reply\n\n{answer}\n\n_Status: {status}_",
            f"<answer>{answer}</answer>\n<status>{status}</status>",
            f"| answer | status |\n| --- | --- |\n| {answer} | {status} |",
            f"({status}) {answer}",
        ]
    )


def piece(said: Said, query: str, dice: Dice) -> str:
    """Something with braces that no repair makes into the contract; a refusal in it can still be read."""
    answer, status, sources = said
    quoted = json.dumps(answer)
    return dice.pick(
        [
            f'{{"answer": {quoted}',
            f'{{"answer": {quoted}, "status',
            f'{{"answer": {quoted}, "status": "{status}", "sour',
            f'{{\n  "answer": {quoted},\n  "status": "{status}"\n}}',
            f'```json\n{{\n  "answer": {quoted},\n',
            f'{{"response": {quoted}, "state": "{status}"}}',
            f'{{"final": {{"answer": {quoted}, "status": "{status}", "sources": []}}}}',
            f'{answer}\n<tool_call>{{"name": "search_campus", "arguments": {{"query": "{query}"}}}}</tool_call>',
            f'{{"answer": {quoted}, "status": "done", "sources": {json.dumps(sources)}}}',
        ]
    )


def nothing(dice: Dice) -> str | None:
    """Nothing at all."""
    return dice.pick([None, None, "", "", "\n", "\n\n", " "])
