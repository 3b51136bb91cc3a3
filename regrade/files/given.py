"""Columns that a user names on the command line: `item=path`, `frozen.pass.passed=path`, `bank.gold=path`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from regrade.errors import CorpusError, near
from regrade.files.corpus import FrozenAxis
from regrade.files.corpus_toml import BankColumns
from regrade.files.parts import Columns
from regrade.files.picker import Guess

COLUMNS = Columns.__struct_fields__
BANK = tuple(f"bank.{name}" for name in BankColumns.__struct_fields__)
FROZEN = tuple(key for key in FrozenAxis.__struct_fields__)
LISTS = ("passed_values", "failed_values", "codes")
HEAD = ("corpus.name", "corpus.benchmark", "corpus.format", "corpus.axis")
WAYS = ("passed", "value", "passes", "passed_values", "failed_values")
"""Keys that say what passed: one that is given stands against all that were guessed."""
WHY = "given"


def parse_given(options: Iterable[str]) -> dict[str, str]:
    """Split `COLUMN=PATH` options.

    Returns:
        Dotted key to what was given; empty text for a column that is to be left out.

    Raises:
        CorpusError: One has no `=`, or its column is not known, with the near one.
    """
    found: dict[str, str] = {}
    for option in options:
        key, equals, value = option.partition("=")
        key = re.sub(r"^(?:columns\.|(bank)\.columns\.)", lambda m: f"{m[1]}." if m[1] else "", key.strip())
        if not equals:
            raise CorpusError(f"--map {option!r}: expected COLUMN=PATH, such as item=task_id.")
        table, _, last = key.rpartition(".")
        frozen = re.fullmatch(r"frozen\.[^.]+", table)
        if not (key in COLUMNS or key in BANK or key in HEAD or (frozen and last in FROZEN)):
            axis = table.split(".")[1] if frozen else "pass"
            listed = [*COLUMNS, *(f"frozen.{axis}.{name}" for name in FROZEN), *BANK, *HEAD]
            raise CorpusError(f"--map: unknown column {key!r}.{near(key, listed)}")
        found[key] = value.strip()
    return found


def apply_given(guess: Guess, given: Mapping[str, str]) -> None:
    """Put what was given in the place of what was guessed."""
    columns = guess.data.setdefault("columns", {})
    frozen = guess.data.setdefault("frozen", {})
    named = {tuple(key.split(".")[1:]) for key in given if key.startswith("frozen.")}
    judged = {axis for axis, key in named if key in WAYS and given[f"frozen.{axis}.{key}"]}
    if judged:
        # Who says what passed says it for all axes.
        for axis in [axis for axis in frozen if axis not in {axis for axis, _ in named}]:
            del frozen[axis]
        for part in guess.data.get("each", []):
            part.pop("frozen", None)
        _forget(guess, "frozen.", "each.")
    for axis in judged:
        for way in WAYS:
            frozen.get(axis, {}).pop(way, None)
    for key, value in given.items():
        *tables, column = key.split(".")
        if tables == ["bank"]:
            target, name = guess.data.setdefault("bank", {}).setdefault("columns", {}), f"bank.columns.{column}"
        elif tables and tables[0] == "frozen":
            target, name = frozen.setdefault(tables[1], {}), key
        elif tables:
            target, name = guess.data.setdefault("corpus", {}), key
        else:
            target, name = columns, f"columns.{column}"
            others = {"turns": "reply", "reply": "turns"}
            for part in guess.data.get("each", []):
                for each in (column, others.get(column, column)):
                    part.pop(each, None)
            columns.pop(others.get(column, ""), None)
        guess.missing.pop(name, None)
        target.pop(column, None)
        if value:
            target[column] = _list(value) if column in LISTS and tables and tables[0] == "frozen" else value
            guess.why[name] = WHY
    _drop_empty(guess.data)
    guess.missing = {key: advice for key, advice in guess.missing.items() if not _is_told(key, frozen)}


def _is_told(key: str, frozen: Mapping[str, Any]) -> bool:
    """Whether a missing key belongs to an axis that is no longer missing, or no longer there."""
    if not key.startswith("frozen."):
        return False
    _, axis, column = key.split(".")
    return bool(frozen) and (axis not in frozen or column == "passed")


def _forget(guess: Guess, *tables: str) -> None:
    guess.why = {key: why for key, why in guess.why.items() if not key.startswith(tables)}


def _drop_empty(data: dict[str, Any]) -> None:
    data["frozen"] = {axis: keys for axis, keys in data.get("frozen", {}).items() if keys}
    data["each"] = [part for part in data.get("each", []) if part]
    for key in ("frozen", "each"):
        if not data[key]:
            del data[key]
    if not data.get("bank", {}).get("columns", {"": ""}):
        del data["bank"]


def _list(value: str) -> list[Any]:
    """A JSON list, or words between commas; numbers and booleans there are such."""
    try:
        found = json.loads(value)
    except ValueError:
        found = None
    return found if isinstance(found, list) else [_scalar(word.strip()) for word in value.split(",")]


def _scalar(word: str) -> Any:
    try:
        found = json.loads(word)
    except ValueError:
        return word
    return found if isinstance(found, (str, int, float, bool)) else word
