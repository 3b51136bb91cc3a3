"""`[[metric]]`, `[[band]]` and `[[panel]]` of corpus.toml: what can be checked of them before anything is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from regrade.errors import CorpusError, near
from regrade.files.corpus import Band, Metric, Panel
from regrade.files.shape import identifiers, named_tables, one_of

BEST = ("highest", "lowest")
COLUMNS = ("model", "weights", "lineage", "provider", "server", "quant", "reasoning", "arm")
"""Columns of a configuration that trials can be split by; `extra.KEY` is one as well."""
OF_ITEM = ("family", "item")
"""What trials can be split by of their item; `gold.KEY` as well."""
OF_TRIAL = ("run", "trial")
"""What they can be split by of themselves."""


def read_metrics(data: Mapping[str, Any], axis: str, where: str) -> tuple[Metric, ...]:
    """The metrics, each with its axis.

    Args:
        data: The tables of a corpus.toml.
        axis: The primary axis.
        where: What to call the file in errors.

    Raises:
        CorpusError: A metric counts nothing or two things, or a name in it cannot be one.
    """
    found = named_tables(data, "metric", Metric, where)
    for each in found:
        label = f"{where}: [[metric]] {each.name}"
        if bool(each.counts) == bool(each.ratio):
            both = "both counts and ratio" if each.counts else "neither counts nor ratio"
            raise CorpusError(
                f'{label}: found {both}. Write counts = ["CODE"] for trials, or ratio = ["PART", "WHOLE"] for measures.'
            )
        if each.ratio:
            _check_ratio(each, label)
        if each.best is not None:
            one_of(each.best, BEST, f"{label}: best")
        for name in (name for names in splits(each) for name in names):
            _check_split(name, f"{label}: by")
        identifiers([axis for axis in (each.axis, each.needs) if axis], f"{label}: axis and needs")
    return tuple(msgspec.structs.replace(each, axis=each.axis or axis) for each in found)


def read_bands(data: Mapping[str, Any], axis: str, where: str) -> tuple[Band, ...]:
    """The bands, each with its axis; the arguments are those of `read_metrics`.

    Raises:
        CorpusError: A grade comes to two verdicts, or a name cannot be one.
    """
    found = named_tables(data, "band", Band, where)
    for each in found:
        label = f"{where}: [[band]] {each.name}"
        identifiers(each.verdicts, f"{label}: verdicts", reserved=())
        identifiers([each.axis] if each.axis else [], f"{label}: axis")
        verdict: dict[str, str] = {}
        for name, grades in each.verdicts.items():
            for grade in grades:
                if verdict.setdefault(grade, name) != name:
                    raise CorpusError(
                        f"{label}: {grade!r} comes to two verdicts, {verdict[grade]} and {name}. Keep one."
                    )
    return tuple(msgspec.structs.replace(each, axis=each.axis or axis) for each in found)


def read_panels(data: Mapping[str, Any], where: str) -> tuple[Panel, ...]:
    """The panels.

    Raises:
        CorpusError: A panel has fewer than two configurations, or one twice.
    """
    found = named_tables(data, "panel", Panel, where)
    for each in found:
        if len(each.configurations) < 2 or len(set(each.configurations)) < len(each.configurations):
            raise CorpusError(
                f"{where}: [[panel]] {each.name}: found {', '.join(each.configurations) or 'no configuration'}. "
                "Name at least two, none of them twice."
            )
    return found


def splits(metric: Metric) -> list[tuple[str, ...]]:
    """The splits of a metric, each a tuple of names."""
    return [(each,) if isinstance(each, str) else each for each in metric.by]


def of_configuration(name: str) -> bool:
    """Whether what trials are split by is one of configurations, each of which has one value of it."""
    return name in COLUMNS or name.startswith("extra.")


def _check_ratio(metric: Metric, label: str) -> None:
    if len(metric.ratio) != 2:
        raise CorpusError(f"{label}: ratio names {len(metric.ratio)} measures, expected two: the part and the whole.")
    if metric.needs is not None:
        raise CorpusError(f"{label}: needs goes with counts, since a measure is no count of trials. Drop one of them.")


def _check_split(name: str, label: str) -> None:
    kind, dot, key = name.partition(".")
    if (kind in ("gold", "extra") and key) or (not dot and name in (*COLUMNS, *OF_ITEM, *OF_TRIAL)):
        return
    known = [*COLUMNS, *OF_ITEM, *OF_TRIAL, "gold.KEY", "extra.KEY"]
    raise CorpusError(f"{label}: trials cannot be split by {name!r}.{near(name, known)}")
