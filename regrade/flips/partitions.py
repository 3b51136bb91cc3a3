"""Partitions: unique trials by which candidates flip them and which signals they show."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.errors import CorpusError, near
from regrade.files.corpus import Partition
from regrade.flips.counts import STATUSES
from regrade.flips.signals import SIGNALS
from regrade.flips.tallies import require_equal

MAX_SETS = 10
"""A partition has two to the number of its sets cells."""


def partition(
    con: DuckDBPyConnection, spec: Partition, axis: str, candidates: Collection[str], tier_blocks: Mapping[str, Any]
) -> dict[str, Any]:
    """Count the trials of one frozen status by the sets they are in: `{tier: {of, total, cells}}`.

    A set is a candidate, for the trials it moves from failed to passed, or a signal, for the trials that show it.
    Every subset has a cell, ordered by how many sets it is in and then by their names, which stand as declared.

    Args:
        con: a connection on which `tally` has run.
        spec: the partition as declared.
        axis: the primary axis.
        candidates: its candidates.
        tier_blocks: what `tier_counts` gives for it.

    Raises:
        CorpusError: a set or status is unknown, a name is both a candidate and a signal, or there are too many sets.
        StoreError: the cells do not add up.
    """
    _check_names(spec, axis, candidates, _known_signals(con))
    sets = list(dict.fromkeys(spec.sets))
    found: dict[str, dict[frozenset[str], int]] = {}
    for tier, names, trials in con.execute(
        """
        select tier, coalesce(names, []), count(*) from frozen_grades
        join trials using (trial_id) join tiers using (configuration)
        left join (
            select trial_id, list(distinct name order by name) as names from (
                select trial_id, candidate as name from flips
                where axis = $axis and from_status = 'failed' and to_status = 'passed'
                union all select trial_id, signal from signals
            ) where list_contains($sets, name) group by trial_id
        ) using (trial_id)
        where axis = $axis and status = $of group by all
        """,
        {"axis": axis, "of": spec.of, "sets": sets},
    ).fetchall():
        found.setdefault(tier, {})[frozenset(names)] = trials
    subsets = [list(subset) for n in range(len(sets) + 1) for subset in sorted(combinations(sets, n))]
    blocks = {}
    for tier, block in tier_blocks.items():
        counts = [found.get(tier, {}).get(frozenset(names), 0) for names in subsets]
        cells = [{"in": names, "trials": trials} for names, trials in zip(subsets, counts, strict=True)]
        total = block[spec.of]
        require_equal(sum(counts), total, f"trials of partition {spec.name} in tier {tier}")
        blocks[tier] = {"of": spec.of, "total": total, "cells": cells}
    return blocks


def _known_signals(con: DuckDBPyConnection) -> set[str]:
    return {*SIGNALS, *(signal for (signal,) in con.execute("select distinct signal from signals").fetchall())}


def _check_names(spec: Partition, axis: str, candidates: Collection[str], signals: set[str]) -> None:
    where = f"[[partition]] {spec.name}"
    if spec.of not in STATUSES:
        raise CorpusError(f"Unknown status of {where}: found {spec.of!r}.{near(spec.of, STATUSES)}")
    if len(spec.sets) > MAX_SETS:
        raise CorpusError(f"Too many sets in {where}: found {len(spec.sets)}, at most {MAX_SETS}. Split it.")
    for name in spec.sets:
        if name in signals and name in candidates:
            raise CorpusError(f"Set {name!r} in {where} is both a candidate and a signal. Rename the candidate.")
        if name not in signals and name not in candidates:
            raise CorpusError(
                f"Unknown set in {where}: found {name!r}, which is no candidate on axis {axis} and no signal."
                f"{near(name, {*signals, *candidates})}"
            )
