"""The bank, the configurations and the notes: what was asked, what was run, what is known of an item."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec

from regrade.errors import CorpusError, near
from regrade.files.corpus import Corpus, Note
from regrade.files.documents import read_json, read_toml
from regrade.files.loaders import loader_named
from regrade.files.shape import convert, known_keys, one_of, shown, tables

KINDS = ("retire", "canary", "ambiguous", "convention", "conflicting_cue")
"""Kinds of a note."""


class Item(msgspec.Struct, frozen=True):
    """One item of the bank."""

    item: str
    family: str | None = None
    prompt: str | None = None
    gold: Any = None
    """What the bank accepts: any JSON value."""
    extra: dict[str, Any] = {}
    """The other keys of its entry."""


class ConfigurationEntry(msgspec.Struct, frozen=True):
    """One configuration of the configurations file; a number or boolean there is taken as its JSON text."""

    configuration: str
    model: str | None = None
    weights: str | None = None
    lineage: str | None = None
    provider: str | None = None
    server: str | None = None
    quant: str | None = None
    reasoning: str | None = None
    arm: str | None = None
    extra: dict[str, Any] = {}
    """The other keys of its entry."""


class BankFile(msgspec.Struct, frozen=True):
    """What a bank's file holds."""

    items: list[Item]
    """In the file's order."""
    world: Any
    """What the items are asked about, the same for all of them: any JSON value; None where the file has none."""
    document: Any
    """The file as it is."""


def read_bank_file(corpus: Corpus) -> BankFile | None:
    """The bank's file: a list of items, or an object of `items` and the `world` that they are asked about.

    A format may have a bank of its own kind, which its loader knows.

    Returns:
        None where there is no such file.

    Raises:
        CorpusError: The file is of another shape, or an item has no name or that of another.
    """
    if corpus.bank.file is None:
        return None
    path = corpus.root / corpus.bank.file
    document = data = read_json(path)
    world = None
    if isinstance(data, dict):
        own = loader_named(corpus.format).bank_of
        bank = own(data, str(path)) if own else data
        if "items" not in bank:
            raise CorpusError(
                f"{path}: expected a list of objects, or one object of items and world, found {shown(data)}."
            )
        known_keys(bank, ("world", "items"), str(path))
        data, world = bank["items"], bank.get("world")
    items = []
    for where, name, entry in _entries(data, path, "item"):
        fields = {key: _text(entry.pop(key, None), f"{where}: {key}") for key in ("family", "prompt")}
        items.append(Item(item=name, **fields, gold=entry.pop("gold", None), extra=entry))
    return BankFile(items, world, document)


def read_bank(corpus: Corpus) -> list[Item] | None:
    """The items of the bank's file, as `read_bank_file` has them."""
    bank = read_bank_file(corpus)
    return None if bank is None else bank.items


def read_configurations(corpus: Corpus) -> list[ConfigurationEntry]:
    """The entries of the configurations file, in its order; none where there is no such file.

    Raises:
        CorpusError: The file is no list of objects, or a configuration has no name or that of another.
    """
    if corpus.configurations is None:
        return []
    known = [name for name in ConfigurationEntry.__struct_fields__ if name not in ("configuration", "extra")]
    entries = []
    path = corpus.root / corpus.configurations
    for where, name, entry in _entries(read_json(path), path, "configuration"):
        fields = {key: _text(entry.pop(key, None), f"{where}: {key}") for key in known}
        entries.append(ConfigurationEntry(configuration=name, **fields, extra=entry))
    return entries


def read_notes(path: Path, items: Collection[str] | None) -> tuple[Note, ...]:
    """The notes of a notes file, in its order.

    Args:
        path: The file, with a `[[note]]` for each.
        items: Names of the bank's items; None where the bank has no file, so that no name can be checked.

    Raises:
        CorpusError: The file is no TOML, or a note has an unknown key, kind or item.
    """
    data = read_toml(path)
    known_keys(data, ("note",), str(path))
    notes = []
    for number, table in enumerate(tables(data, "note", str(path)), 1):
        where = f"{path}: [[note]] {number}"
        if type(table.get("item")) is int:
            table = {**table, "item": str(table["item"])}
        note = convert(table, Note, where)
        one_of(note.kind, KINDS, f"{where}: kind")
        if items is not None and note.item not in items:
            raise CorpusError(f"{where}: unknown item {note.item!r}.{near(note.item, items)}")
        notes.append(note)
    return tuple(notes)


def _entries(data: Any, path: Path, key: str) -> list[tuple[str, str, dict[str, Any]]]:
    """The objects of a list: where each stands, its name, and its other keys."""
    if not isinstance(data, list):
        raise CorpusError(f"{path}: expected a list of objects, found {shown(data)}.")
    entries = []
    seen: dict[str, int] = {}
    for number, entry in enumerate(data, 1):
        where = f"{path}: entry {number}"
        if not isinstance(entry, dict):
            raise CorpusError(f"{where}: expected an object, found {shown(entry)}.")
        named = entry.pop(key, None)
        if not isinstance(named, (str, int)) or isinstance(named, bool) or named == "":
            raise CorpusError(f"{where}: expected a text or whole number as {key}, found {shown(named)}.")
        name = str(named)
        if name in seen:
            raise CorpusError(f"{where}: the {key} {name!r} is that of entry {seen[name]} too. Names must differ.")
        seen[name] = number
        entries.append((where, name, entry))
    return entries


def _text(value: object, where: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return json.dumps(value)
    raise CorpusError(f"{where}: expected a text, found {shown(value)}.")
