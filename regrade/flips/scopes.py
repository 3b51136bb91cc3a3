"""Scopes: which items a rate is of, and what its trials can be split by."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

from regrade.errors import CorpusError, near
from regrade.files.corpus import Band, Metric
from regrade.files.rates import COLUMNS, OF_TRIAL, of_configuration

SHOWN = 5
"""Values of a gold key that an error names."""


class Attributes(NamedTuple):
    """What is known of items and configurations, by name."""

    items: dict[str, dict[str, Any]]
    """item -> `item`, `family` and `gold.KEY` for each key of its gold."""
    configurations: dict[str, dict[str, Any]]
    """configuration -> its columns and `extra.KEY` for each key of its extra."""

    @property
    def names(self) -> set[str]:
        """Every name that something has."""
        return {name for known in (self.items, self.configurations) for of in known.values() for name in of}


def read_attributes(con: DuckDBPyConnection) -> Attributes:
    """Read what trials can be split by."""
    items = {
        item: {"item": item, "family": family, **_keyed("gold", gold)}
        for item, family, gold in con.execute("select item, family, gold from items order by item").fetchall()
    }
    configurations = {
        name: {**dict(zip(COLUMNS, values, strict=True)), **_keyed("extra", extra)}
        for name, extra, *values in con.execute(
            f"select configuration, extra, {', '.join(COLUMNS)} from configurations order by configuration"
        ).fetchall()
    }
    return Attributes(items, configurations)


def _keyed(kind: str, text: str | None) -> dict[str, Any]:
    value = json.loads(text) if text else None
    return {f"{kind}.{key}": each for key, each in value.items()} if isinstance(value, dict) else {}


def items_of(spec: Metric | Band, known: Attributes, label: str) -> list[str]:
    """The items that a metric or band is of, in order.

    Raises:
        CorpusError: a key is in no gold or is to have none of any value, or no item has what is asked for.
    """
    families = (spec.family,) if isinstance(spec.family, str) else spec.family
    wanted = {f"gold.{key}": _listed(value) for key, value in spec.where.items()}
    keys = {name for of in known.items.values() for name in of}
    for name in wanted:
        if name not in keys:
            golds = [key.partition(".")[2] for key in keys if key.startswith("gold.")]
            raise CorpusError(f"{label}: where: no gold has the key {name[5:]!r}.{near(name[5:], golds)}")
        if not wanted[name]:
            raise CorpusError(
                f"{label}: where: {name[5:]} = [] asks for no value, which no item has. Name one, or leave the key out."
            )
    if families:
        wanted["family"] = families
    found = [
        item
        for item, of in known.items.items()
        if all(any(_same(of.get(name), value) for value in values) for name, values in wanted.items())
    ]
    if found:
        return found
    for name, values in wanted.items():
        there = {json.dumps(of.get(name)): None for of in known.items.values()}
        if not {json.dumps(value) for value in values} & set(there):
            raise CorpusError(
                f"{label}: no item has {name} = {json.dumps(values[0])}. Found: {', '.join(sorted(there)[:SHOWN])}"
                f"{', ...' if len(there) > SHOWN else ''}."
            )
    raise CorpusError(f"{label}: no item has all of {', '.join(wanted) or 'nothing'}. Mend where or family.")


def scope_record(spec: Metric | Band, items: Sequence[str]) -> dict[str, Any]:
    """What the summary says of the items that a metric or band is of: `{where, family, items}`, the last a count."""
    return {
        "where": {key: list(value) if isinstance(value, tuple) else value for key, value in spec.where.items()},
        "family": [spec.family] if isinstance(spec.family, str) else list(spec.family),
        "items": len(items),
    }


def check_splits(names: Iterable[str], known: Attributes, label: str) -> None:
    """CorpusError where trials are to be split by what no item and no configuration has."""
    for name in names:
        if name not in (there := {*known.names, *OF_TRIAL}):
            raise CorpusError(f"{label}: by: nothing has {name!r}.{near(name, there)}")


def split_value(name: str, configuration: str, item: str, known: Attributes) -> Any:
    """What a trial of an item by a configuration has of a name; None where it has nothing."""
    of: Mapping[str, Any] = (
        known.configurations.get(configuration, {}) if of_configuration(name) else known.items.get(item, {})
    )
    return of.get(name)


def in_order(values: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Values of a split as they are shown: numbers by size, text (that of a number by size), the rest, and null."""
    return sorted(values, key=lambda value: [_rank(each) for each in value])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.inf


def _rank(value: Any) -> tuple[int, float, str]:
    if isinstance(value, str):
        return (1, _number(value), value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (0, value, "")
    return (3 if value is None else 2, 0, json.dumps(value))


def _listed(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _same(found: Any, wanted: Any) -> bool:
    # In Python 1 == True; in a gold they are two answers.
    return bool(found == wanted) and isinstance(found, bool) == isinstance(wanted, bool)
