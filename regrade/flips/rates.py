"""Rates: everything of an axis that corpus.toml declares as a metric, a band or a panel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Corpus
from regrade.flips.bands import band_summary
from regrade.flips.metrics import metric_summary
from regrade.flips.outcomes import check_axis, find_outcomes
from regrade.flips.panels import panels_summary
from regrade.flips.scopes import read_attributes
from regrade.grades.plan import FROZEN


def rates_summary(con: DuckDBPyConnection, corpus: Corpus, axes: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Make `metrics`, `bands` and `panels` of each axis: what `metric_summary` and `band_summary` give, by name.

    `panels` are those of the corpus, whose pooled figures stand in each metric and band.

    Raises:
        CorpusError: a metric or band names what is not there, or a panel cannot be pooled.
    """
    panels = panels_summary(con, corpus)
    found: dict[str, dict[str, Any]] = {axis: {"metrics": {}, "bands": {}, "panels": panels} for axis in axes}
    if not (corpus.metrics or corpus.bands):
        return found
    graded = {
        axis: sorted(corpus.declared_first(on), key=lambda name: name != FROZEN)
        for axis, on in find_outcomes(con).items()
    }
    known = read_attributes(con)
    for metric in corpus.metrics:
        for axis in filter(None, (metric.axis, metric.needs)):
            check_axis(axis, graded, f"[[metric]] {metric.name}")
        found[metric.axis]["metrics"][metric.name] = metric_summary(con, metric, graded, known, panels)
    for band in corpus.bands:
        check_axis(band.axis, graded, f"[[band]] {band.name}")
        found[band.axis]["bands"][band.name] = band_summary(con, band, graded, known, panels)
    return found
