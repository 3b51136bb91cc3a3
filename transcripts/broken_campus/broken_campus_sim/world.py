"""The knowledge base of an invented college, and the search tool over it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

KNOWLEDGE_BASE = {
    "K1": "The Fennmoor Robotics Circle meets every Wednesday at 6:30 PM in Alder House, room 112.",
    "K2": "The Heron GPU cluster takes student jobs from Monday 8 AM to Friday 9 PM.",
    "K3": "The Robotics Circle keeps its workbench in the Quarry Building, room 31; ask the porter for the key.",
    "K4": "A soldering workshop of the Robotics Circle is held on Saturday at 2 PM in the Quarry Building, room 17.",
    "K5": "Office hours of Dr. Imre Vasko, adviser of the Robotics Circle, are on Tuesday from 10 AM to 12 PM in Alder "
    "House, room 240.",
    "K6": "The membership desk for clubs is open on Monday and Thursday from 1 PM to 4 PM in the Union, room 5.",
    "K7": "The observatory shuttle leaves Alder House every Friday at 7:15 PM.",
}
"""Seven chunks, by marker."""

NOTHING = "No matching entries."
ERRORS = (
    "Error: the search index did not respond.",
    "Error: search is busy, try again.",
    "Error 503: index being rebuilt.",
    "Error: upstream connection closed.",
)
TOP = 3
"""Chunks that a search returns at most."""

_STOP = frozenset(
    "a an and any are at be by can do does find for from get go have how i in information is it its me my of on or "
    "please tell the there time to what when where which who with".split()
)


def words(text: str) -> set[str]:
    """The words that a search compares: no common ones, a plural as its singular."""
    found = re.findall(r"[a-z]+", text.lower())
    return {word.removesuffix("s") for word in found if word not in _STOP}


def line(chunk: str) -> str:
    """A chunk as the tool returns it and as it is cited."""
    return f"[{chunk}] {KNOWLEDGE_BASE[chunk]}"


def matching(query: str, deleted: Collection[str]) -> list[str]:
    """The chunks that share most words with a query, none of the deleted ones."""
    wanted = words(query)
    scored = [(-len(wanted & words(text)), chunk) for chunk, text in KNOWLEDGE_BASE.items() if chunk not in deleted]
    return [chunk for score, chunk in sorted(scored) if score][:TOP]


def search(query: str, deleted: Collection[str]) -> str:
    """What the tool returns."""
    return "\n".join(map(line, matching(query, deleted))) or NOTHING


@dataclass(frozen=True)
class Case:
    """One bank entry and what is needed to play it."""

    item: str
    family: str
    prompt: str
    answerable: bool
    target: str | None
    """The chunk that answers it."""
    queries: tuple[str, ...]
    subject: str
    """What is asked for, in the middle of a sentence."""
    deleted: tuple[str, ...] = ()
    before: tuple[str, str, str] | None = None
    """An earlier question of the same talk, its query and the chunk that answers it."""
    first_result: str | None = None
    """`error` or `nothing`: what the first search gives, whatever is asked."""

    def entry(self) -> dict[str, object]:
        """The bank entry as stored."""
        kept = [chunk for chunk in KNOWLEDGE_BASE if chunk not in self.deleted]
        gold = {"answerable": self.answerable, "chunks": kept, "deleted": list(self.deleted)}
        entry: dict[str, object] = {"item": self.item, "family": self.family}
        entry |= {"prompt": self.prompt, "gold": gold}
        if self.before:
            entry["asked_before"] = self.before[0]
        return {**entry, "knowledge_base": {chunk: KNOWLEDGE_BASE[chunk] for chunk in kept}}
