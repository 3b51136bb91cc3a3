"""Pairs: two configurations under one grader, on the trials that both have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.stats import sign_test
from regrade.grades.plan import FROZEN

NEXT = 5
"""Configurations that the leader is held against."""

SHARED = """
with graded as (
  select configuration, item, run, trial, status from {grades} g join trials using (trial_id)
  where g.axis = $axis and list_contains($names::varchar[], configuration)
)
select b.configuration, b.item, count(*) filter (a.status <> 'ungraded' and b.status <> 'ungraded'),
       count(*) filter (a.status = 'ungraded' or b.status = 'ungraded'),
       count(*) filter (a.status = 'passed' and b.status = 'failed'),
       count(*) filter (a.status = 'failed' and b.status = 'passed')
from graded a join graded b on a.item = b.item and a.trial = b.trial and a.run is not distinct from b.run
where a.configuration = $leader and b.configuration <> $leader group by all order by all
"""
GRADES = {True: "frozen_grades", False: "(from grades where candidate = $candidate)"}


def top_pairs(con: DuckDBPyConnection, axis: str, candidate: str, ranks: Mapping[str, int]) -> list[dict[str, Any]]:
    """Hold the first configuration against each of the next ones, by McNemar's exact test.

    A record has `leader` and `other`; `shared`, the trials of the same item, run and trial number that are passed or
    failed in both (`ungraded` are not in one of them); `leader_only` and `other_only`, those that one passes alone;
    `p`, of as uneven a split of these or a more uneven one where each is as likely to fall to the one as to the other,
    trials being independent; and `items` on which either passes more of the shared trials, with the `p` of that split,
    items being independent. Where they share no such trial, `undefined` says so and both `p` are null.

    Args:
        con: a graded store.
        axis: the axis.
        candidate: the one grader, `frozen` the published grades.
        ranks: the configurations by their rank under it.
    """
    order = sorted(ranks, key=lambda name: (ranks[name], name))[: NEXT + 1]
    if len(order) < 2:
        return []
    leader, *others = order
    bound = {"axis": axis, "names": order, "leader": leader}
    if candidate != FROZEN:
        bound["candidate"] = candidate
    rows: dict[str, list[tuple[int, ...]]] = {other: [] for other in others}
    for other, _, *counts in con.execute(SHARED.format(grades=GRADES[candidate == FROZEN]), bound).fetchall():
        rows[other].append(tuple(counts))
    return [{"leader": leader, "other": other, **_compared(rows[other])} for other in others]


def _compared(by_item: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    """The record of a pair, of each item's shared, ungraded, only the leader's, only the other's trials."""
    shared, ungraded, mine, theirs = (sum(row[at] for row in by_item) for at in range(4))
    more = sum(up > down for _, _, up, down in by_item)
    fewer = sum(up < down for _, _, up, down in by_item)
    known = shared > 0
    return {
        "shared": shared,
        "ungraded": ungraded,
        "leader_only": mine,
        "other_only": theirs,
        "p": sign_test(mine, theirs) if known else None,
        "items": {
            "shared": sum(row[0] > 0 for row in by_item),
            "leader": more,
            "other": fewer,
            "p": sign_test(more, fewer) if known else None,
        },
        "undefined": None if known else "they share no trial that both have graded",
    }
