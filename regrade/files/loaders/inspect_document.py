"""An Inspect log that is one JSON document, and the walk over an object that is too large to hold."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from regrade.errors import CorpusError
from regrade.files.loaders.inspect_cuts import Cut
from regrade.files.loaders.json_text import Text
from regrade.files.loaders.loader import MAX_LINE
from regrade.files.streams import open_stream

HEADER = ("status", "eval", "results", "error")
"""The keys of a log that say something of every sample."""


class Document:
    """A log in one JSON document, plain or compressed; it is read twice, the first time as far as its header goes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def header(self) -> dict[str, Any]:
        """What the log says of itself.

        Raises:
            CorpusError: The document is no object with `eval`, or cannot be read.
        """
        header: dict[str, Any] = {}
        with open_stream(self._path) as stream:
            text = Text(stream)
            for key in fields(text):
                # By then a log that inspect_ai wrote has said what it has to say.
                if key == "samples" and "eval" in header:
                    break
                [cut] = values(text, MAX_LINE if key in HEADER else 0, alone=True)
                if key not in HEADER or cut.reason:
                    continue
                try:
                    header[key] = json.loads(cut.data)
                except (ValueError, RecursionError) as error:
                    raise CorpusError(
                        f"{self._path}: {key!r} of the log is no JSON ({error}). Restore the file."
                    ) from error
        return checked_header(header, str(self._path))

    def samples(self, max_line: int) -> Iterator[Cut]:
        """The samples in order, to the end of the document.

        Raises:
            CorpusError: The document is cut off, or its samples cannot be told apart.
        """
        with open_stream(self._path) as stream:
            text = Text(stream)
            for key in fields(text):
                if key != "samples" or text.peek() == b"n":
                    skip(text)
                elif text.peek() == b"[":
                    text.take()
                    yield from values(text, max_line, alone=False)
                else:
                    raise text.error("expected the list of samples")
            if text.peek():
                raise text.error("expected the end of the document")


def checked_header(header: object, where: str) -> dict[str, Any]:
    """Say that a header is that of a log.

    Raises:
        CorpusError: It is no object, or its `eval` is absent or none.
    """
    if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
        raise CorpusError(f"{where}: no Inspect log, since it has no object 'eval'. Name the format of the file.")
    return header


def fields(text: Text) -> Iterator[str]:
    """Go through the object here; the caller goes over each value before it asks for the next key.

    Raises:
        CorpusError: It is no object, or its keys cannot be told apart.
    """
    if text.peek() != b"{":
        raise text.error("expected an object")
    text.take()
    more = text.peek() != b"}"
    while more:
        if text.peek() != b'"':
            raise text.error("expected a key")
        [cut] = values(text, MAX_LINE, alone=True)
        if text.peek() != b":":
            raise text.error("expected a colon")
        text.take()
        try:
            yield "" if cut.reason else str(json.loads(cut.data))
        except ValueError:
            yield ""
        more = text.peek() == b","
        if more:
            text.take()
    if text.peek() != b"}":
        raise text.error("expected a comma or the end of the object")
    text.take()


def values(text: Text, max_line: int, *, alone: bool) -> Iterator[Cut]:
    """The one value here, or those up to the end of the list; of one that is too long the beginning."""
    for batch in text.values(max_line, alone=alone):
        for row in batch.to_pylist():
            data = row["text"] if row["reason"] is None else row["excerpt"]
            yield Cut(None, row["line"], data.encode(), row["reason"])


def skip(text: Text) -> None:
    """Go over the value here without holding it."""
    for _ in text.values(0, alone=True):
        pass


def selected(stream: BinaryIO, keys: Collection[str], max_line: int) -> Cut:
    """Read an object of any size, holding only some of its keys.

    Args:
        stream: The JSON text.
        keys: The keys that are wanted.
        max_line: Bytes that they and their values may have.

    Returns:
        An object of the wanted keys; with the reason `too_long` where they are.

    Raises:
        CorpusError: It is no object, or its keys cannot be told apart.
    """
    text = Text(stream)
    found: list[bytes] = []
    size = 0
    for key in fields(text):
        if key not in keys:
            skip(text)
            continue
        [cut] = values(text, max_line - size, alone=True)
        found.append(json.dumps(key).encode() + b":" + cut.data)
        size += len(found[-1])
        if cut.reason or size > max_line:
            return Cut(None, 1, b"{" + b",".join(found), cut.reason or "too_long")
    return Cut(None, 1, b"{" + b",".join(found) + b"}")
