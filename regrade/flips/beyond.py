"""Beyond: the shares of trials that a candidate flips, as far as they speak of other items and other lineages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.clusters import Cells, Count, by_cluster, cluster_interval, roughness, two_way_interval
from regrade.flips.stats import DECIMALS, Interval, undefined

SHARES = {"fail_to_pass": "failed", "pass_to_fail": "passed"}
"""Each direction with the frozen status that its share is of."""

CELLS = """
select candidate, tier, item, lineage, {} from move_tallies join tiers using (configuration)
where axis = $axis and list_contains($candidates, candidate) group by candidate, tier, item, lineage order by all
""".format(
    ", ".join(
        f"coalesce(sum(trials) filter ({which}), 0)::bigint"
        for way, status in SHARES.items()
        for which in (f"direction = '{way}'", f"from_status = '{status}'")
    )
)


def beyond(
    con: DuckDBPyConnection, axis: str, candidates: Sequence[str], tiers: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Of failed trials the share that flips to pass, of passed ones that to fail: `{candidate: {tier: {way: share}}}`.

    A share is `{count, n, rate, by_item, by_lineage, two_way}`. Each of the last three is `{clusters, interval,
    warning}`: the distinct items, lineages, or whichever of the two are fewer, of the `n` trials; an interval
    `{low, high, undefined}`; and a warning where there are few. An unknown lineage is that of the weights alone.

    Args:
        con: a connection on which `tally` has run.
        axis: the axis.
        candidates: those wanted of its candidates.
        tiers: every tier.
    """
    cells: dict[tuple[str, str, str], dict[tuple[str, str], Count]] = {}
    bound = {"axis": axis, "candidates": list(candidates)}
    for candidate, tier, item, lineage, *numbers in con.execute(CELLS, bound).fetchall():
        for number, way in enumerate(SHARES):
            part, whole = numbers[2 * number : 2 * number + 2]
            cells.setdefault((candidate, tier, way), {})[item, lineage] = (part, whole)
    return {
        name: {
            tier: {way: _share(of, cells.get((name, tier, way), {})) for way, of in SHARES.items()} for tier in tiers
        }
        for name in candidates
    }


def _share(status: str, cells: Cells) -> dict[str, Any]:
    count, n = (sum(numbers) for numbers in zip(*cells.values(), strict=True)) if cells else (0, 0)
    items, lineages = (by_cluster(cells, side) for side in (0, 1))
    none = undefined(f"there is no {status} trial")

    def told(clusters: int, noun: str, interval: Interval) -> dict[str, Any]:
        return {
            "clusters": clusters,
            "interval": (interval if n else none)._asdict(),
            "warning": roughness(clusters, noun),
        }

    return {
        "count": count,
        "n": n,
        "rate": round(count / n, DECIMALS) if n else None,
        "by_item": told(len(items), "item", cluster_interval(items, "item")),
        "by_lineage": told(len(lineages), "lineage", cluster_interval(lineages, "lineage")),
        "two_way": told(*min((len(lineages), "lineage"), (len(items), "item")), two_way_interval(cells)),
    }
