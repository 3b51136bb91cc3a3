"""Replies in words: an intent and its chain, told in a model's habits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kremis_sim import chains, phrases
from kremis_sim.dice import Dice
from kremis_sim.worlds import Nodes, Question, World

PART = re.compile(r"@([a-z_]+)")
MARK = re.compile(r"answer:|@mark", re.IGNORECASE)


@dataclass(frozen=True)
class Habits:
    """How often a model does what beside the bare answer line; shares from 0 to 1."""

    bare: float = 0.5
    thinks: float = 0.0
    decorates: float = 0.4
    unmarked: float = 0.05
    refuses: float = 0.15
    careless: float = 0.0
    crlf: float = 0.0


def _link_lines(nodes: Nodes, start: str, dice: Dice) -> str:
    verb = dice.pick(["depends on", "needs", "->", "relies on", "→"])
    lines = [f"{one} {verb} {two}" for one, two in pairwise(nodes[:6])] or [f"nothing is listed for {nodes[0]}"]
    return "\n".join(start.replace("#", str(number)) + line for number, line in enumerate(lines, 1))


def _respelled(nodes: Nodes, dice: Dice) -> dict[str, str]:
    at = dice.below(len(nodes))
    typo = (*nodes[:at], nodes[at][:-2] + nodes[at][-1] + nodes[at][-2] + "o", *nodes[at + 1 :])
    newcomer = (*nodes[:-1], f"{dice.pick(['main', 'core', 'edge'])}-{nodes[0].split('-')[1]}", nodes[-1])
    return {
        "title": " -> ".join(name.title() for name in nodes),
        "upper": " -> ".join(name.upper() for name in nodes),
        "snake": " -> ".join(name.replace("-", "_") for name in nodes),
        "spaced": " -> ".join(name.replace("-", " ") for name in nodes),
        "misspelt": " -> ".join(typo),
        "newcomer": " -> ".join(newcomer),
        "anonymous": " -> ".join((*nodes[:-1], "unknown_service", nodes[-1])),
    }


def _parts(world: World, question: Question, nodes: Nodes, told: Nodes, dice: Dice) -> dict[str, str]:
    """Everything that a phrase may ask for; `nodes` is the chain named, `told` what the reasoning goes through."""
    chain, walk = " -> ".join(nodes), world.walk(question.source)
    looked = dice.shuffled(world.services)[: dice.between(3, 9)]
    guess = nodes if nodes[-1] == question.target else (*nodes, question.target)
    return {
        "chain": chain,
        "cut": chain[: len(chain) - dice.between(2, 5)],
        "tight": "->".join(nodes),
        "loose": "  ->  ".join(nodes),
        "arrows": " → ".join(nodes),
        "code": " -> ".join(f"`{name}`" for name in nodes),
        "starred": " -> ".join(f"**{name}**" for name in nodes),
        "quoted": " -> ".join(f'"{name}"' for name in nodes),
        "ticked": " -> ".join(f"'{name}'" for name in nodes),
        "listed": ", -> ".join(nodes),
        "colons": f"{nodes[0]}: -> " + " -> ".join(nodes[1:]),
        "fat": " => ".join(nodes),
        "wide": " ⟶ ".join(nodes),
        "escaped": " -&gt; ".join(nodes),
        "latex": r" $\to$ ".join(nodes),
        "commas": ", ".join(nodes),
        "dashes": " --> ".join(nodes),
        "labelled": " -[needs]-> ".join(nodes),
        "noted": f"{nodes[0]} (start) -> " + " -> ".join(nodes[1:]),
        "over_lines": "\n-> ".join(nodes),
        "numbered": "\n".join(f"{number}. {name}" for number, name in enumerate(nodes, 1)),
        "backward": " -> ".join(reversed(nodes)),
        "guess": " -> ".join(guess),
        "steps": _link_lines(told, "#. ", dice),
        "bullets": _link_lines(told, dice.pick(["- ", "* "]), dice),
        "prose": ", ".join(f"{one} needs {two}" for one, two in pairwise(told[:5])) or f"{told[0]} has no line",
        "lines": " ".join(f"Line {number}: {name}." for number, name in enumerate(looked, 1)),
        "hops": f"{len(nodes) - 1} hop" + "s" * (len(nodes) > 2),
        "mark": dice.pick(["answer", "Answer"]),
        "source": question.source,
        "target": question.target,
        "stop": walk[-1],
        "stem": " -> ".join(walk[:3]),
        "count": str(len(world.services)),
        **_respelled(nodes, dice),
    }


class Writer:
    """Puts one reply into words."""

    def __init__(self, world: World, question: Question, habits: Habits, dice: Dice) -> None:
        """Bind what every reply to one question shares."""
        self.world, self.question, self.habits, self.dice = world, question, habits, dice

    def _fill(self, phrase: str, nodes: Nodes, told: Nodes) -> str:
        parts = _parts(self.world, self.question, nodes, told, self.dice)
        text = PART.sub(lambda found: parts[found[1]], phrase)
        return text.replace("\n", "\r\n") if self.dice.chance(self.habits.crlf) else text

    def _opening(self, marked: bool) -> str:
        """What stands before the answer; without an answer mark where the answer has none of its own."""
        if self.dice.chance(self.habits.thinks):
            return self.dice.pick(phrases.THOUGHTS)
        openings = [opening for opening in phrases.OPENINGS if marked or not MARK.search(opening)]
        return self.dice.pick(openings) if self.dice.chance(0.75) else ""

    def _told(self, plain: str, marked: Sequence[str], unmarked: Sequence[str], closings: Sequence[str]) -> str:
        """An answer with what stands around it."""
        dice, habits = self.dice, self.habits
        if dice.chance(habits.unmarked):
            return self._opening(marked=False) + dice.pick(unmarked)
        slot = dice.pick(marked) if dice.chance(habits.decorates) else plain
        if dice.chance(habits.bare):
            return slot
        return self._opening(marked=True) + slot + (dice.pick(closings) if dice.chance(0.4) else "")

    def asserted(self, nodes: Nodes) -> str:
        """A chain from source to target, read as one."""
        told = (phrases.PLAIN_CHAIN, phrases.CHAIN_SLOTS, phrases.CHAIN_LINES, phrases.CHAIN_CLOSINGS)
        return self._fill(self._told(*told), nodes, nodes)

    def abstained(self) -> str:
        """No answer, said so or lost on the way."""
        dice, walk = self.dice, self.world.walk(self.question.source)
        if dice.chance(self.habits.careless):
            phrase = dice.pick(phrases.LOST)
        elif dice.chance(self.habits.refuses):
            phrase = ("" if dice.chance(self.habits.bare) else self._opening(marked=False)) + dice.pick(
                phrases.REFUSALS
            )
        else:
            told = (phrases.PLAIN_UNKNOWN, phrases.UNKNOWN_SLOTS, phrases.UNKNOWN_LINES, phrases.UNKNOWN_CLOSINGS)
            phrase = self._told(*told)
        return self._fill(phrase, chains.goal(self.world, self.question, dice), walk)

    def malformed(self, how: str) -> str:
        """A chain that cannot be read, or one that does not run from source to target."""
        dice = self.dice
        if how == "any":
            how = dice.pick(["stray", "spoiled", "spoiled", "spoiled", "denied"])
        if how == "denied" and self.question.truth is None:
            return self._fill(dice.pick(phrases.DENIED), self.question.key, self.question.key)
        if how == "loop":
            nodes = chains.loop(self.world, self.question, dice)
            return self._fill(dice.pick(phrases.LOOPS), nodes, nodes)
        if how == "stray":
            nodes = chains.astray(self.world, self.question, dice)
            return self._fill(dice.pick(phrases.STRAY), nodes, nodes)
        nodes = chains.goal(self.world, self.question, dice)
        return self._fill(dice.pick(phrases.SPOILED), nodes, nodes)
