"""What of a gold reviewers see: what the bank accepts, and not what a failure of it is called."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

CODE = "code"
"""The key of a gold that says what a failure is called, where the bank uses it so."""

CODES = """
select code from frozen_grades where code <> ''
union select code from grades where code <> ''
union select unnest(json_extract_string(value, '$.parts[*].frozen.*.codes[*]')) from meta where key = 'corpus'
"""

Place = tuple[str, ...]
"""Keys from the outside in; `[]` for what stands in a list."""


class Accepted(NamedTuple):
    """A gold as reviewers see it."""

    gold: Any
    left_out: tuple[str, ...]
    """Where something stood that they do not see, as `task.code`."""


class Golds:
    """Leaves out of golds what tells how a trial was graded."""

    def __init__(self, con: DuckDBPyConnection) -> None:
        """Read the codes that a grade has or may have, and where the bank's golds say them.

        An item that nobody has failed on has no grade with its code. Left to be seen, it would tell that.
        """
        self._codes = {code for (code,) in con.execute(CODES).fetchall()}
        golds = con.execute("select gold from items where gold is not null").fetchall()
        entries = (entry for (gold,) in golds for entry in _entries(json.loads(gold), ()))
        self._places = {place for place, value in entries if place[-1] == CODE and self._is_code(value)}

    def accepted(self, gold: str | None) -> Accepted:
        """A gold, a JSON text, without the entries that are codes; a gold that is a text, or a list of them, stays."""
        left_out: list[str] = []
        return Accepted(None if gold is None else self._kept(json.loads(gold), (), left_out), tuple(left_out))

    def _kept(self, value: Any, place: Place, left_out: list[str]) -> Any:
        if not isinstance(value, dict | list):
            return value
        kept = []
        for at, each in _inside(value, place):
            if at in self._places or (at != ("[]",) and self._is_code(each)):
                left_out.append(".".join(at))
            else:
                kept.append((at[-1], self._kept(each, at, left_out)))
        return dict(kept) if isinstance(value, dict) else [each for _, each in kept]

    def _is_code(self, value: Any) -> bool:
        return isinstance(value, str) and value in self._codes


def _inside(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, dict):
        yield from (((*place, key), each) for key, each in value.items())
    elif isinstance(value, list):
        yield from (((*place, "[]"), each) for each in value)


def _entries(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    for at, each in _inside(value, place):
        yield at, each
        yield from _entries(each, at)
