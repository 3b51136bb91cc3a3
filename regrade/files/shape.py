"""Check data read from TOML or JSON against a Struct, with errors that name the file, the table and the key."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from regrade.errors import CorpusError, near, one_line

S = TypeVar("S", bound=msgspec.Struct)

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def shown(value: object) -> str:
    """A value for an error message: on one line, cut short."""
    text = one_line(repr(value))
    return text if len(text) <= 60 else text[:57] + "..."


def table(data: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    """The table `[key]` of `data`, empty where it is absent.

    Raises:
        CorpusError: It is something else than a table.
    """
    value = data.get(key, {})
    if not isinstance(value, dict):
        raise CorpusError(f"{where}: {key} must be a table, found {shown(value)}.")
    return value


def tables(data: Mapping[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    """The tables `[[key]]` of `data`, none where they are absent.

    Raises:
        CorpusError: It is something else than a list of tables.
    """
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise CorpusError(f"{where}: {key} must be a list of tables, found {shown(value)}. Write each as [[{key}]].")
    return value


def known_keys(data: Iterable[str], known: Collection[str], where: str) -> None:
    """Refuse a key that is not known.

    Raises:
        CorpusError: It names the key and the nearest known one.
    """
    for key in data:
        if key not in known:
            raise CorpusError(f"{where}: unknown key {key!r}.{near(key, known)}")


def convert(data: Mapping[str, Any], kind: type[S], where: str) -> S:
    """Make a Struct of a table.

    Args:
        data: The table.
        kind: The Struct; its fields are the known keys.
        where: File and table, for the error.

    Raises:
        CorpusError: A key is unknown or missing, or a value is of another type.
    """
    known_keys(data, kind.__struct_fields__, where)
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        text = str(error).replace("`", "")
        if missing := re.fullmatch(r"Object missing required field (\S+)", text):
            raise CorpusError(f"{where}: the key {missing[1]!r} is missing.") from error
        expected, _, path = text.partition(" - at $.")
        expected = expected.partition(", got")[0].replace("Expected", "expected").replace("array", "list")
        found = shown(data.get(path.split("[")[0].split(".")[0]))
        raise CorpusError(f"{where}: wrong value of {path}: {expected}, found {found}.") from error


def one_of(value: str, known: Iterable[str], where: str) -> None:
    """Refuse a value that is not of a closed list.

    Raises:
        CorpusError: It names the value, the nearest known one, and all of them.
    """
    known = list(known)
    if value not in known:
        raise CorpusError(f"{where}: unknown value {value!r}.{near(value, known)}")


def identifiers(names: Iterable[str], where: str, reserved: Collection[str] = ("frozen",)) -> None:
    """Refuse names that cannot all be columns of one SQL table.

    Args:
        names: The names, in order.
        where: File and kind of thing, for the error.
        reserved: Names that have a meaning of their own.

    Raises:
        CorpusError: A name is no identifier, is reserved, or occurs twice; upper and lower case are the same.
    """
    seen: dict[str, str] = {}
    for name in names:
        if NAME.fullmatch(name) is None:
            raise CorpusError(
                f"{where}: {shown(name)} is no name; use letters, digits and _, and begin with no digit, "
                "since it becomes a column."
            )
        if name.lower() in reserved:
            raise CorpusError(f"{where}: the name {name!r} is reserved. Choose another.")
        if name.lower() in seen:
            both = "twice" if seen[name.lower()] == name else f"beside {seen[name.lower()]!r}, the same in a database"
            raise CorpusError(f"{where}: the name {name!r} stands {both}. Names must differ.")
        seen[name.lower()] = name


def named_tables(
    data: Mapping[str, Any], key: str, kind: type[S], where: str, reserved: Collection[str] = ("frozen",)
) -> tuple[S, ...]:
    """The tables `[[key]]` of `data` as Structs, whose names must be identifiers and differ.

    Raises:
        CorpusError: One cannot be made, or its name cannot be used.
    """
    found = [
        convert(each, kind, f"{where}: [[{key}]] {number}") for number, each in enumerate(tables(data, key, where), 1)
    ]
    identifiers([getattr(each, "name") for each in found], f"{where}: [[{key}]]", reserved)  # noqa: B009
    return tuple(found)
