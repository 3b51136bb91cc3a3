"""The small notations of corpus.toml: a path into a record, and a comparison with a number."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from regrade.errors import CorpusError

FILENAME, LINE = "$filename", "$line"
"""In place of a path: the stem of the record's file, and the physical line on which the record begins."""


class Comparison(NamedTuple):
    """What `passes` says: a grade passes if `value operator limit`."""

    operator: str
    """One of < <= > >= ==."""
    limit: float


def parse_path(text: str) -> tuple[str, ...]:
    r"""Split a dotted path into the keys that lead to a field.

    Args:
        text: Keys joined by dots. A key that holds a dot or a quote is written as a JSON string: `a."b.c"`.

    Returns:
        At least one key, none of them empty. Digits are a key like any other: only the reader of a record can
        tell whether they count the elements of a list.

    Raises:
        CorpusError: A key is empty, or a quoted one is no JSON string that ends at a dot.
    """
    keys: list[str] = []
    at = 0
    while True:
        if text.startswith('"', at):
            try:
                key, at = json.JSONDecoder().raw_decode(text, at)
            except json.JSONDecodeError as error:
                raise CorpusError(f"path {text!r}: the quoted key at character {at + 1} is not closed.") from error
        else:
            stop = text.find(".", at)
            key, at = (text[at:], len(text)) if stop < 0 else (text[at:stop], stop)
        if not key:
            raise CorpusError(f"path {text!r}: key {len(keys) + 1} is empty; keys are joined by single dots.")
        if at < len(text) and text[at] != ".":
            raise CorpusError(f"path {text!r}: expected a dot after {key!r}, found {text[at]!r}.")
        keys.append(key)
        if at == len(text):
            return tuple(keys)
        at += 1


def parse_comparison(text: str) -> Comparison:
    """Read a comparison such as `>= 0.5`.

    Raises:
        CorpusError: It is not an operator and one finite number.
    """
    match = re.fullmatch(r"\s*(<=|>=|==|<|>)\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*", text)
    if match is None:
        raise CorpusError(f"{text!r} is no comparison: write one of < <= > >= == and a number, such as '>= 0.5'.")
    return Comparison(match[1], float(match[2]))
