"""The means of a guess: fields are picked by name and by what they hold, each once, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from regrade.files.fields import Field, example, is_chat

MOST = 0.9
"""Share of the records that must have a column that every trial needs."""
DEEPER = 3
"""Places in a list of names that a level of depth counts as much as."""


@dataclass
class Guess:
    """A mapping, as corpus.toml has it."""

    data: dict[str, Any] = field(default_factory=dict)
    """`columns`, `each`, `frozen` and `bank`."""
    why: dict[str, str] = field(default_factory=dict)
    """Dotted key, such as `frozen.pass.passed`, to the reason."""
    missing: dict[str, str] = field(default_factory=dict)
    """Dotted key to what can be written there."""
    own: dict[str, Any] = field(default_factory=dict)
    """Dotted key to what the format itself takes there."""
    notes: list[str] = field(default_factory=list)
    """What else the reader of the mapping should know."""


class Picker:
    """A guess in the making: the fields that are left, and what was made of the others."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self.fields = fields
        self.made = Guess()
        self.taken: list[Field] = []

    def ranked(
        self, listed: Sequence[str], test: Callable[[Field], bool], fields: Sequence[Field] | None = None
    ) -> list[Field]:
        """The fields of these names that pass the test, the likeliest first."""
        places = {name: place for place, name in enumerate(listed)}
        found = []
        for order, each in enumerate(self.fields if fields is None else fields):
            ranks = [places[name] for name in each.names if name in places]
            if ranks and each not in self.taken and test(each):
                found.append((min(ranks) + DEEPER * each.depth, order, each))
        return [each for *_, each in sorted(found, key=lambda f: f[:2])]

    def best(
        self, listed: Sequence[str], test: Callable[[Field], bool], fields: Sequence[Field] | None = None
    ) -> Field | None:
        """The likeliest of them."""
        return next(iter(self.ranked(listed, test, fields)), None)

    def take(self, key: str, found: Field | None) -> None:
        """Map a column, by its dotted key, to a field, if one was found; no other column takes it then."""
        if found is None:
            return
        self.taken.append(found)
        *tables, column = key.split(".")
        data = self.made.data
        for name in tables:
            data = data.setdefault(name, {})
        data[column] = found.key
        self.made.why[key] = told(found)


def is_chat_field(found: Field) -> bool:
    """Whether a field holds chat messages."""
    return sum(map(is_chat, found.values.values())) >= MOST * len(found.values)


def is_turns(found: Field, *, last: bool = False) -> bool:
    """Whether a field holds chat messages with an assistant's among them, or at the end, in most records."""
    if not is_chat_field(found):
        return False
    chats = (messages[-1:] if last else messages for messages in found.values.values() if is_chat(messages))
    return sum(any(m["role"] == "assistant" for m in messages) for messages in chats) >= 0.5 * found.total


def asked(chat: Field) -> Field | None:
    """The first message of the user in a field of chat messages, where it has the same place in most records."""
    places: dict[int, dict[int, str]] = {}
    for number, messages in chat.values.items():
        place = next((i for i, m in enumerate(messages) if is_chat(messages) and m["role"] == "user"), None)
        if place is not None and isinstance(messages[place].get("content"), str):
            places.setdefault(place, {})[number] = messages[place]["content"]
    place = max(places, key=lambda p: len(places[p]), default=None)
    if place is None or len(places[place]) < MOST * chat.total:
        return None
    found = Field((*chat.path, str(place), "content"), chat.total)
    found.values = places[place]
    return found


def is_object(found: Field) -> bool:
    """Whether a field holds an object of the record, or of one of its objects, that is not always empty."""
    return found.depth < 2 and found.all_are(dict) and any(found.values.values())


def is_key(found: Field) -> bool:
    """Whether a field may be part of a trial's key: in most records, and short texts or numbers."""
    return found.filled >= MOST and found.all_are(str, int, float) and found.length <= 200


def told(found: Field) -> str:
    """What a field holds, in a few words."""
    n = len(found.values)
    where = "" if n == found.total else f", in {n} of {found.total} records"
    if is_chat_field(found):
        return f"lists of chat messages, {sum(map(len, found.values.values())) / n:.1f} on average{where}"
    if found.length > 60:
        return f"text of {found.length:,.0f} characters on average{where}"
    if found.all_are(dict):
        return f"objects{where}"
    distinct = len(found.distinct)
    return f"{distinct:,} value{'' if distinct == 1 else 's'}, such as {example(found)}{where}"
