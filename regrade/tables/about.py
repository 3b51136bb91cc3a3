"""What the trials themselves tell of what stands above them: of their item, and of their configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from regrade.errors import CorpusError, one_line
from regrade.files.bank import ConfigurationEntry
from regrade.tables.decoding import ABSENT, alike, encode

ITEM_FIELDS = ("family", "prompt", "gold")
CONFIGURATION_FIELDS = ConfigurationEntry.__struct_fields__[1:]
"""All but its name; `extra` is the last."""


class Told:
    """What records tell of things that many of them share, by the thing's name."""

    def __init__(self, what: str, table: str, fields: Sequence[str]) -> None:
        """Take what to call such a thing, the table of corpus.toml that maps its fields, and these."""
        self._what = what
        self._table = table
        self._fields = fields
        self._found: dict[str, list[Any]] = {}
        self._twice: dict[tuple[int, str], set[str]] = {}

    def add(self, name: str, values: Sequence[Any]) -> None:
        """Take what one record says; a null says nothing, so it yields to what another record of the thing has."""
        known = self._found.setdefault(name, [None] * len(self._fields))
        for at, value in enumerate(values):
            if value is None or value is ABSENT or value is known[at]:
                continue
            if known[at] is None:
                known[at] = value
            elif not alike(value, known[at]):
                self._twice.setdefault((at, name), {encode(known[at])}).add(encode(value))

    def each(self) -> Iterator[tuple[str, list[Any]]]:
        """The things by name, each with its fields in order. CorpusError where two records say different ones."""
        if self._twice:
            at, name = min(self._twice)
            one, *_, other = sorted(self._twice[at, name])
            raise CorpusError(
                f"[{self._table}] {self._fields[at]}: the {self._what} {name!r} has {one_line(one)[:80]} in one record "
                f"and {one_line(other)[:80]} in another. Map {self._what} to a field that tells them apart."
            )
        yield from sorted(self._found.items())
