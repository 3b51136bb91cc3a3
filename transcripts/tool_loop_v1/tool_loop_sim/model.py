"""Shapes shared by the bank's modules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Call = tuple[str, dict[str, Any]]
Step = list[Call]
Phase = list[Step]
Path = list[Phase]


def c(tool: str, **arguments: Any) -> Call:
    """A call."""
    return (tool, arguments)


@dataclass
class Wrong:
    """A way to go wrong: the answers it ends in and, where it differs, the path and the words."""

    answers: list[str]
    path: Path | None = None
    facts: list[str] = field(default_factory=list)
    weight: float = 1.0


@dataclass
class Item:
    """One bank entry and what is needed to play it."""

    item: str
    family: str
    kind: str
    answer: str
    code: str
    calls: list[str]
    never: list[str]
    prompt: str
    subject: str
    world: dict[str, Any]
    right: Path
    facts: list[str]
    wrong: list[Wrong]
    turns: list[str] = field(default_factory=list)
    mid: list[list[str]] = field(default_factory=list)
    tolerance: str | None = None
    suffixes: list[str] = field(default_factory=lambda: [""])
    tools: list[str] = field(default_factory=list)
    detours: list[Call] = field(default_factory=list)
    ask: dict[str, list[str]] | None = None
    tokens: dict[str, str] | None = None
    menu: list[str] | None = None
    guess: Path | None = None

    def gold(self) -> dict[str, Any]:
        """The gold of the bank."""
        gold: dict[str, Any] = {
            "kind": self.kind,
            "answer": float(self.answer) if self.kind == "number" else self.answer,
        }
        if self.kind == "number" and "." not in self.answer:
            gold["answer"] = int(self.answer)
        if self.tolerance is not None:
            gold["tolerance"] = float(self.tolerance)
        gold.update(code=self.code, calls=self.calls, never=self.never)
        for name in ("ask", "tokens", "menu"):
            if getattr(self, name) is not None:
                gold[name] = getattr(self, name)
        return gold

    def entry(self) -> dict[str, Any]:
        """The bank entry as stored."""
        entry = {"item": self.item, "family": self.family, "prompt": self.prompt, "gold": self.gold()}
        return {**entry, "turns": self.turns} if self.turns else entry
