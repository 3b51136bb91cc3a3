"""Samples of an Inspect archive that are spread over several members.

Such a sample has a member `samples/<id>_epoch_<n>/sample.json` and beside it `metadata.json` and the sequences
`messages/<start>.json` and `attachments/<start>.json`, each member a list named by the index of its first element.
`message_refs` of the sample are the ranges (start, stop exclusive) of the messages that are its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from regrade.files.loaders.inspect_cuts import Cut
from regrade.files.loaders.inspect_member import Damaged, TooLong

PART = re.compile(
    r"(?P<folder>samples/.+_epoch_[0-9]+)/(?:sample|metadata|skeleton|events/[a-z0-9]+|(?:messages|calls|attachments)/[0-9]{1,18})"
    r"\.json",
    re.DOTALL,
)

Read = Callable[[str, int], bytes]
"""Reads a member of at most so many bytes."""


def arranged(names: Iterable[str]) -> dict[str, list[str]]:
    """Which members of an archive make a sample.

    Returns:
        The member that stands for each sample, with the other members that belong to it: none for one that is whole.
    """
    listed = dict.fromkeys(name for name in names if name.startswith("samples/") and name.endswith(".json"))
    samples: dict[str, list[str]] = {}
    for name in listed:
        part = PART.fullmatch(name)
        shell = f"{part['folder']}/sample.json" if part else name
        if not part or shell not in listed:
            samples[name] = []
        elif f"{part['folder']}.json" not in listed:
            samples.setdefault(shell, []).append(name)
    return samples


def assembled(name: str, parts: Iterable[str], read: Read, max_line: int) -> Cut:
    """Put a sample together as it would stand in one member.

    Raises:
        Damaged: A member cannot be read or is not of its kind; or, as `TooLong`, it has more bytes than it may.
    """
    parts = list(parts)
    folder = name.removesuffix("sample.json")
    shell = _json(read(name, max_line))
    if not isinstance(shell, dict):
        raise Damaged("it is no object")
    if f"{folder}metadata.json" in parts:
        shell["metadata"] = _json(read(f"{folder}metadata.json", max_line))
    attachments = _sequence(f"{folder}attachments/", parts, read, max_line)
    shell["attachments"] = {str(at): _json(text) for at, text in enumerate(attachments)}
    pool = _sequence(f"{folder}messages/", parts, read, max_line)
    messages: list[bytes] = []
    size = 0
    for message in _referred(pool, shell.pop("message_refs", [])):
        size += len(message)
        if size > max_line:
            raise TooLong("its messages are too long")
        messages.append(message)
    shell.pop("messages", None)
    return Cut(name, 1, b'{"messages":[' + b",".join(messages) + b"]," + json.dumps(shell).encode()[1:])


def _sequence(folder: str, parts: list[str], read: Read, max_line: int) -> list[bytes]:
    """The elements of a sequence, each as JSON text."""
    found: list[bytes] = []
    chunks = [part for part in parts if part.startswith(folder)]
    for part in sorted(chunks, key=lambda part: int(part[len(folder) : -len(".json")])):
        elements = _elements(read(part, max_line))
        if part != f"{folder}{len(found)}.json":
            raise Damaged(f"what comes before {part} is missing")
        found += elements
    return found


def _referred(pool: list[bytes], refs: Any) -> Iterator[bytes]:
    try:
        for start, stop in refs:
            if not 0 <= start <= stop <= len(pool):
                raise Damaged("it refers to a message that is missing")
            yield from pool[start:stop]
    except (TypeError, ValueError) as error:
        raise Damaged("its message_refs are no ranges") from error


def _elements(data: bytes) -> list[bytes]:
    try:
        return [bytes(raw) for raw in msgspec.json.decode(data, type=list[msgspec.Raw])]
    except msgspec.DecodeError:
        # Python's reader knows NaN and Infinity.
        elements = _json(data)
    if not isinstance(elements, list):
        raise Damaged("a sequence is no list")
    return [json.dumps(element).encode() for element in elements]


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Damaged("it is no JSON") from error
