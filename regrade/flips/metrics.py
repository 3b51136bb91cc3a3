"""Metrics: the declared rates, under the frozen grader and each candidate, by configuration and by every split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.errors import CorpusError, near
from regrade.files.corpus import Metric
from regrade.files.rates import OF_TRIAL, splits
from regrade.flips.cells import Row, by_configuration, pool, read_bounds, read_rows
from regrade.flips.estimates import compare, estimate
from regrade.flips.folding import fold
from regrade.flips.outcomes import graded_on
from regrade.flips.scopes import Attributes, check_splits, in_order, items_of, scope_record, split_value
from regrade.flips.stats import Pair


def metric_summary(
    con: DuckDBPyConnection,
    spec: Metric,
    graded: Mapping[str, Sequence[str]],
    known: Attributes,
    panels: Mapping[str, Any],
) -> dict[str, Any]:
    """Count one metric: `{counts, ratio, where, family, needs, best, items, unseen, candidates: {candidate: block}}`.

    Beside what was declared: `items`, how many it is of, and `unseen`, what it counts that no grade on its axis is.
    The candidates are `frozen`, those of the axis, and those of the one that it needs. A block is
    `{configurations, gaps, panels, by}`: records of `estimate`, what `compare` gives, the pooled records of the panels
    (null where a configuration of the panel has no trial), and for each split `{by, parts}`, a part being such a block
    with its `values` in place of `by`. A block is null where neither the candidate nor the frozen grader has grades on
    the axis that the metric needs. What is as under `frozen` is `{"as": "frozen"}` there; `unfold` gives it back.

    Args:
        con: a connection on which `find_outcomes` has run.
        spec: the metric as declared.
        graded: what `find_outcomes` gave.
        known: what trials can be split by.
        panels: what `panels_summary` gives.

    Raises:
        CorpusError: it names a measure, gold key or split that is not there, or is of no item.
    """
    label = f"[[metric]] {spec.name}"
    items = items_of(spec, known, label)
    check_splits((name for names in splits(spec) for name in names), known, label)
    if spec.ratio:
        _check_measures(con, spec, label)
    bounds = read_bounds(con, spec)
    return {
        "counts": list(spec.counts) or None,
        "ratio": list(spec.ratio) or None,
        **scope_record(spec, items),
        "needs": spec.needs,
        "best": spec.best,
        "unseen": _unseen(con, spec),
        "candidates": fold(
            {
                candidate: _block(con, spec, candidate, graded, items, known, panels, bounds)
                for candidate in _candidates(spec, graded)
            }
        ),
    }


def _candidates(spec: Metric, graded: Mapping[str, Sequence[str]]) -> list[str]:
    """Those that may change the metric: with grades of their own where it is counted, or on the axis that it needs."""
    needing = graded.get(spec.needs, ()) if spec.needs else ()
    both = dict.fromkeys((*graded[spec.axis], *needing))
    return [candidate for candidate in both if graded_on(spec.axis, candidate, graded) is not None]


def _check_measures(con: DuckDBPyConnection, spec: Metric, label: str) -> None:
    there = [
        measure
        for (measure,) in con.execute(
            "select distinct measure from measures where axis = $axis order by measure", {"axis": spec.axis}
        ).fetchall()
    ]
    for measure in spec.ratio:
        if measure not in there:
            raise CorpusError(
                f"{label}: ratio: nothing on the axis {spec.axis} measures {measure!r}.{near(measure, there)}"
            )


def _unseen(con: DuckDBPyConnection, spec: Metric) -> list[str]:
    """What is counted and is neither status nor code of any grade: zero for certain, or misspelt."""
    seen = con.execute(
        "select status from outcomes where axis = $axis union select code from outcomes where axis = $axis",
        {"axis": spec.axis},
    ).fetchall()
    return [name for name in spec.counts if (name,) not in seen]


def _block(
    con: DuckDBPyConnection,
    spec: Metric,
    candidate: str,
    graded: Mapping[str, Sequence[str]],
    items: list[str],
    known: Attributes,
    panels: Mapping[str, Any],
    bounds: Pair,
) -> dict[str, Any] | None:
    counted = graded_on(spec.axis, candidate, graded)
    needed = graded_on(spec.needs, candidate, graded) if spec.needs else None
    if counted is None or spec.needs and needed is None:
        return None
    apart = any(name in OF_TRIAL for names in splits(spec) for name in names)
    rows = read_rows(con, spec, counted, needed, items, apart=apart)
    return {
        **_figures(spec, rows, known, panels, bounds),
        "by": [
            {"by": list(names), "parts": _parts(spec, names, rows, known, panels, bounds)} for names in splits(spec)
        ],
    }


def _parts(
    spec: Metric,
    names: tuple[str, ...],
    rows: Sequence[Row],
    known: Attributes,
    panels: Mapping[str, Any],
    bounds: Pair,
) -> list[dict[str, Any]]:
    """The blocks of one split, by their values."""
    # By the values as text, since a list in a gold is no key.
    parts: dict[str, list[Row]] = {}
    values: dict[str, tuple[Any, ...]] = {}
    for row in rows:
        value = tuple(
            getattr(row, name) if name in OF_TRIAL else split_value(name, row.configuration, row.item, known)
            for name in names
        )
        values.setdefault(repr(value), value)
        parts.setdefault(repr(value), []).append(row)
    return [
        {"values": list(value), **_figures(spec, parts[repr(value)], known, panels, bounds)}
        for value in in_order(values.values())
    ]


def _figures(
    spec: Metric, rows: Sequence[Row], known: Attributes, panels: Mapping[str, Any], bounds: Pair
) -> dict[str, Any]:
    cells = by_configuration(rows)
    arms = {configuration: split_value("arm", configuration, "", known) for configuration in cells}
    return {
        "configurations": {configuration: estimate(spec, by_item, bounds) for configuration, by_item in cells.items()},
        "gaps": compare(spec, cells, arms, bounds),
        "panels": {
            # Where one of them has no trial, the pool would be of other lineages than it is called by.
            name: estimate(spec, pool(cells[configuration] for configuration in panel["configurations"]), bounds)
            if all(configuration in cells for configuration in panel["configurations"])
            else None
            for name, panel in panels.items()
        },
    }
