"""The parts of a record: `[columns]`, `[frozen.*]` and `[[each]]` of corpus.toml, with a loader's defaults below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from regrade.errors import CorpusError
from regrade.files.corpus import FrozenAxis, Part
from regrade.files.loaders import Loader
from regrade.files.loaders.loader import Files
from regrade.files.paths import FILENAME, LINE, parse_comparison, parse_path
from regrade.files.shape import convert, identifiers, shown, table, tables

VARIABLES = {
    "configuration": (FILENAME,),
    "item": (FILENAME, LINE),
    "run": (FILENAME,),
    "trial": (FILENAME, LINE),
}
"""What a column may be instead of a path."""


class Columns(msgspec.Struct, frozen=True):
    """`[columns]`: our column to its path in the record."""

    configuration: str | None = None
    item: str | None = None
    run: str | None = None
    trial: str | None = None
    turns: str | None = None
    reply: str | None = None
    state: str | None = None
    extra: str | None = None


class Each(msgspec.Struct, frozen=True):
    """`[[each]]`: one of several trials in one object."""

    configuration: str | int | None = None
    run: str | int | None = None
    trial: str | int | None = None
    item: str | None = None
    turns: str | None = None
    reply: str | None = None
    state: str | None = None
    extra: str | None = None
    frozen: dict[str, dict[str, Any]] = {}

    def literals(self) -> dict[str, str]:
        """Columns that are the same for every record."""
        return {
            key: str(value) for key in ("configuration", "run", "trial") if (value := getattr(self, key)) is not None
        }

    def columns(self) -> dict[str, str]:
        """Columns that are a path."""
        return {
            key: value
            for key in ("item", "turns", "reply", "state", "extra")
            if (value := getattr(self, key)) is not None
        }


def parts_of(data: Mapping[str, Any], loader: Loader, files: Files, where: str) -> tuple[Part, ...]:
    """The parts that a record of a corpus has, at least one.

    A key of `[[each]]` overrides that of `[columns]` and `[frozen.*]`, and one of `[columns]` the loader's default;
    `turns` and `reply` override one another. A loader's frozen grades count only where corpus.toml declares none.

    Args:
        data: corpus.toml as read.
        loader: The loader of the corpus's format.
        files: Finds the transcript files, which a loader may have to look into to know what they grade.
        where: The file, for errors.

    Raises:
        CorpusError: A key is unknown, a column that every trial needs is missing, a path cannot be read, or an axis
            does not say in exactly one way what passed.
    """
    columns = named(convert(table(data, "columns", where), Columns, f"{where}: [columns]"))
    frozen = {axis: dict(table(data["frozen"], axis, f"{where}: frozen")) for axis in table(data, "frozen", where)}
    each = []
    for number, part in enumerate(tables(data, "each", where), 1):
        label = f"{where}: [[each]] {number}"
        each.append((label, convert(part, Each, label)))
    if not frozen and not any(part.frozen for _, part in each):
        frozen = {axis: named(default) for axis, default in loader.frozen(files).items()}
    identifiers(dict.fromkeys([*frozen, *(axis for _, part in each for axis in part.frozen)]), f"{where}: [frozen.*]")
    return tuple(
        _part(label, loader, columns, part, frozen) for label, part in each or [(f"{where}: [columns]", Each())]
    )


def named(struct: msgspec.Struct) -> dict[str, Any]:
    """The fields of a Struct that are not None."""
    return {key: value for key, value in msgspec.structs.asdict(struct).items() if value is not None}


def check_path(path: str, where: str, variables: tuple[str, ...] = ()) -> None:
    """Refuse a path that cannot be read.

    Raises:
        CorpusError: It is no path, or begins with `$` and is none of the variables.
    """
    if path in variables:
        return
    if path.startswith("$"):
        known = f"It may be {' or '.join(variables)}; a" if variables else "It must be a path; a"
        raise CorpusError(f"{where}: found {path!r}. {known} key that begins with $ is quoted: '\"$key\"'.")
    try:
        parse_path(path)
    except CorpusError as error:
        raise CorpusError(f"{where}: {error}") from error


def _part(where: str, loader: Loader, common: dict[str, str], each: Each, frozen: dict[str, dict[str, Any]]) -> Part:
    columns: dict[str, str] = {}
    for layer in (loader.columns, common, each.columns()):
        if "turns" in layer or "reply" in layer:
            columns.pop("turns", None)
            columns.pop("reply", None)
        columns |= layer
    literals = each.literals()
    for name, literal in literals.items():
        columns.pop(name, None)
        if literal in (FILENAME, LINE):
            raise CorpusError(f"{where}: {name} = {literal!r} is taken literally here. Move it to [columns].")
    for name, path in columns.items():
        check_path(path, f"{where}: {name}", VARIABLES.get(name, ()))
    for name in ("configuration", "item"):
        if name not in columns and name not in literals:
            instead = {"configuration": "$filename for the file's stem", "item": "$line for the line"}[name]
            raise CorpusError(f"{where}: no {name} is named. Give its path in the record, or {instead}.")
    if len(columns.keys() & {"turns", "reply"}) != 1:
        found = "both turns and reply are" if "turns" in columns else "neither turns nor reply is"
        raise CorpusError(f"{where}: {found} named. Give the path of the chat messages or that of the final text.")
    axes = {axis: {**frozen.get(axis, {}), **each.frozen.get(axis, {})} for axis in [*frozen, *each.frozen]}
    graded = {axis: _axis(keys, f"{where}: [frozen.{axis}]") for axis, keys in axes.items()}
    return Part(columns, literals, {axis: _typed_axis(spec, loader.typed) for axis, spec in graded.items()})


def _axis(keys: dict[str, Any], where: str) -> FrozenAxis:
    axis = convert(keys, FrozenAxis, where)
    lists = bool(axis.passed_values or axis.failed_values)
    ways = [axis.passed is not None, axis.passes is not None, lists]
    if sum(ways) != 1 or (axis.value is None) != (axis.passed is not None):
        raise CorpusError(
            f"{where}: it must say in one way what passed: passed; or value with passes; or value with passed_values "
            f"or failed_values; found {', '.join(keys) or 'nothing'}."
        )
    for name in ("passed", "value", "code", "answer"):
        path = getattr(axis, name)
        if path is not None:
            check_path(path, f"{where}: {name}")
    if axis.passes is not None:
        try:
            parse_comparison(axis.passes)
        except CorpusError as error:
            raise CorpusError(f"{where}: passes: {error}") from error
    if axis.codes is not None and axis.code is None:
        raise CorpusError(f"{where}: codes lists what code may be, but no code is named. Give its path.")
    both = [value for value in axis.passed_values or () if value in _typed(axis.failed_values or (), value)]
    if both:
        raise CorpusError(f"{where}: {shown(both[0])} stands in passed_values and in failed_values. Keep one.")
    return axis


def _typed_axis(axis: FrozenAxis, typed: str | None) -> FrozenAxis:
    """The axis with its grade read where text stands as the number or boolean that it spells.

    Listed texts are compared with the text as it is.
    """
    listed = (*(axis.passed_values or ()), *(axis.failed_values or ()))
    path = axis.passed or axis.value or ""
    if typed is None or any(isinstance(value, str) for value in listed) or path.startswith(f"{typed}."):
        return axis
    path = f"{typed}.{path}"
    return msgspec.structs.replace(axis, **{"passed" if axis.passed else "value": path})


def _typed(values: tuple[str | int | float | bool, ...], like: object) -> list[object]:
    # In Python True equals 1, in a log they are two values.
    return [value for value in values if isinstance(value, bool) == isinstance(like, bool)]
