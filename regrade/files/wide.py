"""Wide logs: several sibling objects of one shape in each record, each of them a trial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from regrade.files.fields import WIDE, Field, Path, dotted, fields_of, is_chat
from regrade.files.names import REPLY, TURNS

SAME = 0.8
"""Share of the records in which the siblings must be objects."""


class Wide(NamedTuple):
    """Siblings of one shape."""

    above: Path
    """The object that holds them; empty for the record itself."""
    siblings: tuple[str, ...]
    """Their keys."""
    fields: Mapping[Path, Field]

    def holds(self, path: Path) -> bool:
        """Whether a path is one of the siblings or inside one."""
        depth = len(self.above)
        return path[:depth] == self.above and len(path) > depth and path[depth] in self.siblings

    def objects(self, number: int) -> list[dict[str, Any]]:
        """One sibling of every record that has it."""
        return list(self.fields[(*self.above, self.siblings[number])].values.values())

    def key(self, number: int, inside: Field) -> str:
        """Where a field of a sibling stands in the record."""
        return self.moved(number, inside.key)

    def moved(self, number: int, path: str) -> str:
        """A path into a sibling as a path into the record."""
        return f"{dotted((*self.above, self.siblings[number]))}.{path}"


def find_wide(fields: Mapping[Path, Field]) -> Wide | None:
    """The largest set of sibling objects with the same keys, where they hold a reply or chat messages."""
    found: list[Wide] = []
    for above in [(), *(path for path, field in fields.items() if len(path) == 1 and field.all_are(dict))]:
        shapes: dict[frozenset[str], list[str]] = {}
        for path, field in fields.items():
            if path[:-1] != above or not field.all_are(dict) or field.filled < SAME:
                continue
            shape = frozenset(field.values[next(iter(field.values))])
            alike = sum(frozenset(value) == shape for value in field.values.values())
            if shape and alike >= SAME * len(field.values):
                shapes.setdefault(shape, []).append(path[-1])
        for siblings in shapes.values():
            wide = Wide(above, tuple(siblings), fields)
            if 1 < len(siblings) <= WIDE and _speaks(wide):
                found.append(wide)
    return max(found, key=lambda wide: len(wide.siblings), default=None)


def _speaks(wide: Wide) -> bool:
    said = fields_of(wide.objects(0)).values()
    return any(
        (f.names[0] in REPLY and f.all_are(str)) or (f.names[0] in TURNS and all(map(is_chat, f.values.values())))
        for f in said
    )
