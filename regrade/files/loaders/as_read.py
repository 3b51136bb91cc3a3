"""Add to a record what its loader read out of it, beside what was logged, under the key `as_read`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from regrade.files.loaders.loader import EXCERPT, RECORDS

KEY = "as_read"

Reading = tuple[str | None, str | None]
"""The new text of a record; or null, and the reason why it cannot be loaded."""


def rewrite(records: pa.RecordBatch, read: Callable[[int, str], Reading]) -> pa.RecordBatch:
    """Give records a new text.

    Args:
        records: A batch of the schema `RECORDS`.
        read: Called with the line and the text of each record that was not refused before.
    """
    columns = {name: records.column(name).to_pylist() for name in RECORDS.names}
    for i, (line, text) in enumerate(zip(columns["line"], columns["text"], strict=True)):
        if text is not None:
            columns["text"][i], columns["reason"][i] = read(line, text)
            if columns["text"][i] is None:
                columns["excerpt"][i] = text[:EXCERPT]
    return pa.record_batch([pa.array(columns[field.name], field.type) for field in RECORDS], schema=RECORDS)


def added(text: str, found: Mapping[str, Any]) -> str:
    """The text of an object with `as_read` as one more key; all else stays as it is written.

    Args:
        text: A JSON object, checked before.
        found: What was read out of it.
    """
    inside = text.strip()[1:-1].rstrip()
    return f'{{{inside}{", " if inside.strip() else ""}"{KEY}": {json.dumps(found)}}}'


def stem(path: Path) -> str:
    """A file's name without its endings of format and compression, as `$filename` has it."""
    name = path.name
    for ending in (".gz", ".zst"):
        name = name.removesuffix(ending)
    return PurePosixPath(name).stem


class Object(dict[str, Any]):
    """An object as `json.loads` makes it, which knows the keys that stood twice in it."""

    twice: frozenset[str] = frozenset()


def object_of(pairs: list[tuple[str, Any]]) -> Object:
    """The `object_pairs_hook` that makes an `Object`."""
    made = Object(pairs)
    if len(made) < len(pairs):
        keys = Counter(key for key, _ in pairs)
        made.twice = frozenset(key for key, count in keys.items() if count > 1)
    return made
