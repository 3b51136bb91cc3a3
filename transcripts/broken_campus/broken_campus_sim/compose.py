"""From a plan to a transcript; wordings that turn out to say something else than planned are thrown again."""

from __future__ import annotations

import json
import re
from typing import Any

from broken_campus_sim import grader, harness, phrases, surface, wording
from broken_campus_sim.cases import SYSTEM
from broken_campus_sim.configurations import Configuration
from broken_campus_sim.dice import Dice
from broken_campus_sim.plan import Plan
from broken_campus_sim.world import ERRORS, NOTHING, Case, search

Message = dict[str, Any]


class Tape:
    """The messages of one trial, as they come."""

    def __init__(self, case: Case, who: Configuration, dice: Dice) -> None:
        """Begin with the instructions and the question, and what was said before it."""
        self.case, self.who, self.dice = case, who, dice
        self.messages: list[Message] = [{"role": "system", "content": SYSTEM}]
        self.returned: list[str] = []
        if case.before:
            question, query, chunk = case.before
            self.asks(question)
            self.searches(query)
            said = wording.answers(chunk, [chunk], dice)
            self.says(surface.clean(said, dice.pick(who.layouts), dice))
        self.asks(case.prompt)

    def asks(self, question: str) -> None:
        """A question; what was returned for the one before no longer counts."""
        self.messages.append({"role": "user", "content": question})
        self.returned = []

    def says(self, text: str | None) -> None:
        """A message of the assistant."""
        self.messages.append({"role": "assistant", "content": text})

    def searches(self, query: str, result: str | None = None, spoken: bool = True) -> None:
        """A call and its result."""
        call = {"name": "search_campus", "arguments": json.dumps({"query": query})}
        number = f"call_{self.dice.hexes(8)}"
        text = self.dice.pick(phrases.SPOKEN) if spoken and self.dice.chance(0.2) else None
        calls = [{"id": number, "type": "function", "function": call}]
        self.messages.append({"role": "assistant", "content": text, "tool_calls": calls})
        result = search(query, self.case.deleted) if result is None else result
        self.messages.append({"role": "tool", "tool_call_id": number, "content": result})
        self.returned += [mark for mark in re.findall(r"\[(K\d)\]", result) if mark not in self.returned]

    def looks_up(self, at_least: int) -> None:
        """The searches of the question."""
        queries = self.dice.shuffled(list(self.case.queries))
        if self.case.first_result == "error":
            self.searches(queries[0], self.dice.pick(ERRORS))
        elif self.case.first_result == "nothing":
            self.searches(queries[-1], NOTHING)
        for query in queries[: max(at_least, self.dice.pick([1, 1, 1, 2, 2, 3]))]:
            self.searches(query)


def write(tape: Tape, plan: Plan) -> str:
    """Say what is planned, as it is planned to look; gives the raw response."""
    dice, case, who = tape.dice, tape.case, tape.who
    if plan.form == "nothing":
        raw = surface.nothing(dice)
        tape.looks_up(3 if raw is None else 1)
        if raw is None and dice.chance(0.5):
            # The steps are used up by a last search.
            tape.searches(dice.pick(case.queries), spoken=False)
        else:
            tape.says(raw)
        return raw or ""
    tape.looks_up(1)
    if plan.act == "answer":
        said = wording.answers(case.target or "", tape.returned, dice)
    elif plan.act == "over_answer":
        said = wording.over_answers(case, tape.returned, dice)
    elif plan.act == "fabricate":
        said = wording.fabricates(tape.returned, dice)
    else:
        said = wording.refuses(case, who.refusal, tape.returned, dice)
    if plan.cites:
        said = (said[0], said[1], [plan.cites] if dice.chance(0.5) else [*said[2], plan.cites])
    style = dice.pick(who.layouts)
    if plan.form == "prose":
        raw = surface.prose(said, dice)
    elif plan.form == "piece":
        raw = surface.piece(said, dice.pick(case.queries), dice)
    else:
        raw = (surface.clean if plan.form == "clean" else surface.repaired)(said, style, dice)
    tape.says(raw)
    return raw


def looks_as_planned(plan: Plan, raw: str, kept: dict[str, Any]) -> bool:
    """Whether the harness made of the reply what it should make of it."""
    filled = {"clean": [], "repaired": [], "prose": ["status", "sources"]}.get(
        plan.form, ["answer", "status", "sources"]
    )
    is_stub = "answer" in filled
    return (
        kept["backfilled"] == filled
        and kept["parsed"] == (plan.form == "clean")
        and (not is_stub or (raw.strip() == "") == (plan.form == "nothing"))
        and (plan.form != "piece" or plan.act != "refuse" or bool(grader.REFUSALS.search(raw)))
    )


def says_as_planned(case: Case, plan: Plan, kept: dict[str, Any], grades: dict[str, dict[str, Any]]) -> bool:
    """Whether the first grader sees what was planned; a stub is a refusal that claims nothing."""
    is_stub = "answer" in kept["backfilled"]
    refuses = is_stub or plan.act == "refuse"
    return (
        grades["abstention"]["pass"] == (refuses != case.answerable)
        and grades["confabulation"]["pass"] == (is_stub or plan.act != "fabricate")
        and grades["citations"]["pass"] == (is_stub or plan.cites is None)
    )


def play(case: Case, who: Configuration, seed: int, plan: Plan) -> tuple[list[Message], dict[str, Any], dict[str, Any]]:
    """Messages, what the harness kept, and the grades of one trial."""
    for attempt in range(200):
        tape = Tape(case, who, Dice("trial", who.name, case.item, seed, attempt))
        raw = write(tape, plan)
        kept = harness.finish(raw)
        grades = grader.grade(case.answerable, tape.messages, kept)
        if looks_as_planned(plan, raw, kept) and says_as_planned(case, plan, kept, grades):
            return tape.messages, kept, grades
    raise ValueError(f"{plan} cannot be told for {who.name}/{case.item}/{seed}")
