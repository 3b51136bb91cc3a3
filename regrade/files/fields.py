"""What stands where in the first records of a log: every path with its values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

DEPTH = 5
"""Keys of a path, places in lists among them."""
WIDE = 100
"""Keys of an object that is taken apart; one with more is a table of values."""
SHORT = 40
"""Characters of a value in a comment."""

Path = tuple[str, ...]


class Field:
    """One path of the records."""

    def __init__(self, path: Path, total: int) -> None:
        self.path = path
        self.total = total
        """Records in all."""
        self.values: dict[int, Any] = {}
        """Record, from 0, to what stands there; null and absent left out."""

    @property
    def key(self) -> str:
        """The path as corpus.toml writes it."""
        return dotted(self.path)

    @property
    def depth(self) -> int:
        """Objects on the way: 0 for a key of the record itself. A place in a list is none."""
        return len([key for key in self.path if not key.isdigit()]) - 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the field is called: its key, and that with the one above it; in small letters and `_`."""
        keys = [plain(key) for key in self.path if not key.isdigit()] or [""]
        return (keys[-1], "_".join(keys[-2:])) if len(keys) > 1 else (keys[-1],)

    @property
    def above(self) -> str:
        """What the object that holds it is called; empty for the record itself."""
        keys = [plain(key) for key in self.path[:-1] if not key.isdigit()]
        return keys[-1] if keys else ""

    @cached_property
    def distinct(self) -> dict[str, int]:
        """Each value as JSON with the number of records that have it, in order of appearance."""
        found: dict[str, int] = {}
        for value in self.values.values():
            text = json.dumps(value, sort_keys=True)
            found[text] = found.get(text, 0) + 1
        return found

    @property
    def filled(self) -> float:
        """Share of the records that have a value."""
        return len(self.values) / self.total

    def all_are(self, *kinds: type, share: float = 1.0) -> bool:
        """Whether so many of the values are of these types, exactly: true is no number."""
        return bool(self.values) and sum(type(v) in kinds for v in self.values.values()) >= share * len(self.values)

    @cached_property
    def length(self) -> float:
        """Mean characters of its texts, a list of one text taken as that."""
        listed = (v[0] if isinstance(v, list) and len(v) == 1 else v for v in self.values.values())
        texts = [value for value in listed if isinstance(value, str)]
        return sum(map(len, texts)) / len(texts) if texts else 0.0


def plain(key: str) -> str:
    """A key in small letters and `_`: `taskId`, `task-id` and `Task ID` are `task_id`."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key)
    return re.sub(r"[^a-z0-9]+", "_", split.lower()).strip("_")


def dotted(path: Iterable[str]) -> str:
    """Write keys as corpus.toml does; the inverse of `parse_path`."""
    return ".".join(key if re.fullmatch(r'[^."$][^."]*', key) else json.dumps(key, ensure_ascii=False) for key in path)


def fields_of(records: Sequence[dict[str, Any]]) -> dict[Path, Field]:
    """Every path into the records that corpus.toml can name, in order of appearance.

    A list is entered where it has one element: of several each may be a trial, or a chat message.
    """
    found: dict[Path, Field] = {}
    for number, record in enumerate(records):
        for path, value in _walk(record, ()):
            field = found.setdefault(path, Field(path, len(records)))
            if value is not None:
                field.values[number] = value
    return {path: field for path, field in found.items() if field.values}


def _walk(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if path:
        yield path, value
    if len(path) >= DEPTH:
        return
    if isinstance(value, dict) and len(value) <= WIDE:
        for key, inner in value.items():
            if key and _is_text(key):
                yield from _walk(inner, (*path, key))
    elif isinstance(value, list) and len(value) == 1 and not is_chat(value):
        yield from _walk(value[0], (*path, "0"))


def _is_text(key: str) -> bool:
    """Whether UTF-8 can hold it: no lone surrogate."""
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_chat(value: Any) -> bool:
    """Whether a value is a list of chat messages as OpenAI writes them."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(message, dict)
            and isinstance(message.get("role"), str)
            and ("content" in message or "tool_calls" in message or "function_call" in message)
            for message in value
        )
    )


def example(field: Field) -> str:
    """Its first value for a comment, in quotes where it is text, cut short and on one line."""
    value = next(iter(field.values.values()))
    text = json.dumps(value, ensure_ascii=False)
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= SHORT else f"{text[: SHORT - 4]}...{text[-1]}"
