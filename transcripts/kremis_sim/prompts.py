"""What each arm is shown. Only the lengths of these texts are stored, as token counts."""

from __future__ import annotations

from dataclasses import replace

from kremis_sim.worlds import Question, World

HINT = (
    "Mind the direction: that one service depends on another says nothing about the way back. "
    "And a chain holds only where each of its links is listed; with one link missing there is no chain.\n"
)
RETRIEVED = 4


def seen(world: World, arm: str, question: Question) -> World:
    """The part of a world that an arm shows: all of it, the lines that name an end, or nothing but the question."""
    if arm == "llm-context":
        return world
    links = [link for link in world.dependencies if set(link) & set(question.key)][:RETRIEVED] * (arm == "llm-rag")
    services = dict.fromkeys([*question.key, *(name for link in links for name in link)])
    return replace(world, services=tuple(services), dependencies=tuple(links), withheld={})


def prompt(world: World, arm: str, hint: bool, question: Question) -> str:
    """The whole prompt."""
    lines = [f"Services: {', '.join(world.services)}\n"] * (arm == "llm-context")
    links = [f"{source} depends on {target}\n" for source, target in seen(world, arm, question).dependencies]
    lines += ["Dependencies:\n"] * bool(links) + links + [HINT] * hint
    lines += [
        f"Does {question.source} depend on {question.target}, at one remove or over others?\n",
        f"Close with one line. If it does: ANSWER: {question.source} -> ... -> {question.target}, every service on ",
        "the way named. If the facts do not settle it: ANSWER: UNKNOWN\n",
    ]
    return "".join(lines)


def tokens(world: World, arm: str, hint: bool, question: Question, characters_per_token: float) -> int:
    """Prompt tokens of an invented tokeniser."""
    return round(len(prompt(world, arm, hint, question)) / characters_per_token)


def shortest_context(world: World) -> dict[str, int]:
    """Characters of the shortest `llm-context` prompt, without and with the hint."""
    return {
        name: min(len(prompt(world, "llm-context", hint, question)) for question in world.questions)
        for name, hint in (("no_hint", False), ("hint", True))
    }
