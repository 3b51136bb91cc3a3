"""The whole of summary.json, recounted from the base tables of its store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb

from regrade.files.corpus import Corpus
from tests.recount import bands, grades, order, rates, reviews
from tests.recount.ground import Elsewhere, Ground, differences

VERSIONS = Elsewhere("tests/test_audit.py")


def recount(con: duckdb.DuckDBPyConnection, corpus: Corpus) -> dict[str, Any]:
    """Count all that a summary says, with nothing that the product counts by.

    Of `con` the base tables alone are read: no view, no table of tiers. What stands for a figure as `Elsewhere` is
    held to another source by the test that it names.
    """
    on = Ground(con, corpus)
    names = {axis for (axis,) in on.rows(
        "select axis from graders union select axis from frozen_grades union select axis from grades")}  # fmt: skip
    return {
        "schema": "regrade.summary/1",
        "corpus": reviews.corpus(on),
        "versions": VERSIONS,
        "outputs": VERSIONS,
        "axes": {axis: _axis(on, axis) for axis in (corpus.axis, *sorted(names - {corpus.axis}))},
        "rules": grades.rules(on),
        "samples": reviews.samples(on),
    }


def _axis(on: Ground, axis: str) -> dict[str, Any]:
    tiers = grades.tiers(on, axis)
    items = order.items(on, axis, tiers)
    parted = {by: on.groups(axis, by) for by in ("weights", "lineage")}
    return {
        **grades.graders(on, axis),
        "tiers": tiers,
        "candidates": grades.candidates(on, axis),
        "partitions": grades.partitions(on, axis),
        "cutoffs": grades.cutoffs(on, axis),
        "curve": grades.curve(on, axis),
        "tier_changes": grades.tier_changes(on, axis),
        "beyond": grades.beyond(on, axis),
        "items": items,
        "item_lists": {tier: order.item_lists(records) for tier, records in items.items()},
        "item_matrix": order.item_matrix(on, axis),
        "families": on.groups(axis, "family"),
        "breakdowns": {tier: {by: groups[tier] for by, groups in parted.items()} for tier in on.tiers},
        "gains": grades.gains(on, axis),
        "probes": grades.probes(on, axis),
        "idle_passes": grades.idle_passes(on, axis),
        "ranks": order.ranks(on, axis),
        "metrics": rates.metrics(on, axis),
        "bands": bands.bands(on, axis),
        "panels": rates.panels(on),
    }


def unlike(summary: dict[str, Any], counted: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Where a summary and a recount differ, each key that only one of them has among it."""
    told = {**summary, "axes": {axis: {**block} for axis, block in summary["axes"].items()}}
    for block in told["axes"].values():
        for kind in ("metrics", "bands"):
            block[kind] = {
                name: {**figures, "candidates": {
                    candidate: rates.unfolded(own, figures["candidates"].get("frozen"))
                    for candidate, own in figures["candidates"].items()
                }}
                for name, figures in block[kind].items()
            }  # fmt: skip
    yield from differences(told, counted)
