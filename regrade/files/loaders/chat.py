"""Plain chat: OpenAI-style messages, an object with `messages` a line, or the bare list of them.

A bare list of `{role, content}` is one trial, whether it is a line or the whole file. It becomes `{"messages": [...]}`;
an object stays as logged. Both get one more key, `as_read`, where what the log does not name is filled in:

- `item`: the first of `ITEMS` that the object has, else the line, or the file's stem where the file is one list.
- `configuration`: the first of `CONFIGURATIONS`, else the file's stem, or `unnamed` where the file is one list.
- `trial`: the first of `TRIALS`, else 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from regrade.files.loaders import jsonl
from regrade.files.loaders.as_read import KEY, Object, Reading, added, object_of, rewrite, stem
from regrade.files.loaders.json_text import first_keys
from regrade.files.loaders.loader import BOM, Loader, batch, too_long
from regrade.files.streams import open_stream

HEAD = 64 * 1024
"""Bytes in which a file shows whether it is one list or lines."""

ITEMS = ("item", "id", "item_id", "task_id", "question_id", "problem_id", "instance_id", "prompt_id", "custom_id")
CONFIGURATIONS = ("configuration", "model", "model_name", "model_id")
TRIALS = ("trial", "epoch", "repeat", "attempt")
KEYS = (*ITEMS, *CONFIGURATIONS, *TRIALS)

_MESSAGES = re.compile(rb'"messages"\s*:\s*\[\s*\{\s*"(?:role|content)"\s*:')
_DECODER = msgspec.json.Decoder(msgspec.defstruct("Row", [(name, Any, msgspec.UNSET) for name in KEYS]), float_hook=str)
"""Reads the keys of an object that matter, a fraction with the digits that it is written with."""


def looks_like(head: bytes) -> bool:
    """Whether the first record is a list of messages, or an object on a line of its own that has one."""
    head = head.removeprefix(BOM).lstrip()
    if head.startswith(b"["):
        return first_keys(head) >= {b"role", b"content"}
    line = head.partition(b"\n")[0]
    return jsonl.looks_like(head) and b"messages" in first_keys(line) and bool(_MESSAGES.search(line))


def records(path: Path, max_line: int) -> Iterator[pa.RecordBatch]:
    """Give the transcripts, each with what was read out of it."""
    name = stem(path)

    def read(line: int, text: str) -> Reading:
        return _read(text, item=str(line), configuration=name)

    with open_stream(path) as stream:
        whole = _is_one_list(stream.read(HEAD))
    with open_stream(path) as stream:
        if not whole:
            for rows in jsonl.lines(stream, max_line):
                yield rewrite(rows, read)
            return
        data = stream.read(max_line + 1).removeprefix(BOM)
        text = data.lstrip()
        line = 1 + data[: len(data) - len(text)].count(b"\n")
        if len(data) > max_line:
            yield too_long(line, text)
        else:
            yield rewrite(batch([line], [text]), lambda _, text: _read(text, item=name, configuration="unnamed"))


def _is_one_list(head: bytes) -> bool:
    """Whether a file is a list over several lines: no line is one by itself."""
    head = head.removeprefix(BOM).lstrip()
    lines = head.split(b"\n")
    return head.startswith(b"[") and len(lines) > 1 and not any(_is_list(line) for line in lines)


def _is_list(line: bytes) -> bool:
    try:
        return line.lstrip().startswith((b"[", BOM + b"[")) and isinstance(json.loads(line.removeprefix(BOM)), list)
    except (ValueError, RecursionError):
        return False


def _read(text: str, item: str, configuration: str) -> Reading:
    try:
        if text.lstrip().startswith("["):
            json.loads(text)
            return added(f'{{"messages": {text}}}', {"item": item, "configuration": configuration, "trial": "0"}), None
        row = _keys(text)
        if row and any(text.count(f'"{name}"') > 1 for name in row) and row.keys() & _decoded(text).twice:
            return None, "duplicate_key"
    except (ValueError, RecursionError):
        row = None
    if row is None:
        # What is no object, the reader of records says in the same way for every format.
        return text, None
    found = {
        "item": _named(row, ITEMS, item),
        "configuration": _named(row, CONFIGURATIONS, configuration),
        "trial": _named(row, TRIALS, "0"),
    }
    return added(text, found), None


def _keys(text: str) -> Mapping[str, Any] | None:
    """The keys of an object that matter; None where the text is no object. ValueError where it is no JSON."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = msgspec.structs.asdict(_DECODER.decode(text))
    except (msgspec.DecodeError, UnicodeError):
        # Its decoder knows no NaN.
        found = _decoded(text)
    return {name: found[name] for name in KEYS if found.get(name, msgspec.UNSET) is not msgspec.UNSET}


def _decoded(text: str) -> Object:
    decoded: Object = json.loads(text, object_pairs_hook=object_of, parse_float=str)
    return decoded


def _named(row: Mapping[str, Any], names: tuple[str, ...], otherwise: str) -> Any:
    return next((row[name] for name in names if isinstance(row.get(name), (str, int))), otherwise)


LOADER = Loader(
    name="chat",
    about="Chat: JSON Lines of objects with OpenAI-style messages, or bare lists of such messages, a line or a file.",
    looks_like=looks_like,
    records=records,
    columns={
        "configuration": f"{KEY}.configuration",
        "item": f"{KEY}.item",
        "trial": f"{KEY}.trial",
        "turns": "messages",
    },
)
