"""Logs whose trials stand inside one document: where, and how to lay them out one a line."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from regrade.files.fields import fields_of, is_chat
from regrade.files.names import GRADE, REPLY, TURNS

DEPTH = 3
"""Keys on the way to the trials, at most, besides the first."""
LOOKED_AT = 20
"""Objects of a list that are looked at."""


def say_nested(record: dict[str, Any], file: Path) -> str:
    """A sentence with the command that lays out the list of objects in a record that is likeliest to be its trials.

    Empty where no list has objects with a reply, chat messages or a grade.
    """
    found = max(_lists(record, (), DEPTH), key=lambda each: each[:2], default=None)
    if found is None:
        return ""
    _, length, path = found
    keys = "".join(f".{key}" if re.fullmatch(r"[A-Za-z_]\w*", key) else f"[{json.dumps(key)}]" for key in path)
    keys = keys if keys.startswith(".") else f".{keys}"
    made = shlex.quote(f"{file.name.partition('.')[0]}.jsonl")
    command = f"jq -c {shlex.quote(f'{keys}[]')} {shlex.quote(str(file))} > {made}"
    return f"Its trials may be the {length:,} objects in {keys}; lay them out one a line: {command}. "


def _lists(value: Any, path: tuple[str, ...], depth: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """How much its objects look like trials, how many there are, and where."""
    if isinstance(value, list | dict):
        inside = list(value.values()) if isinstance(value, dict) else value
        if len(inside) > 1 and all(isinstance(each, dict) for each in inside) and (signs := _signs(inside)):
            yield signs, len(inside), path
    if isinstance(value, dict) and depth:
        for key, each in value.items():
            yield from _lists(each, (*path, key), depth - 1)


def _signs(objects: list[dict[str, Any]]) -> int:
    fields = [f for f in fields_of(objects[:LOOKED_AT]).values() if f.filled >= 0.5]
    said = any(
        (f.names[0] in REPLY and f.all_are(str)) or (f.names[0] in TURNS and all(map(is_chat, f.values.values())))
        for f in fields
    )
    graded = any(f.names[0] in GRADE and f.all_are(bool, int, float) for f in fields)
    return 2 * said + graded
