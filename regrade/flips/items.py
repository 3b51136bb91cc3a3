"""Items: how hard each is, whether it goes with the others, who misses it, and which of them to look at."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Note
from regrade.flips.breakdowns import Groups
from regrade.flips.stats import DECIMALS
from regrade.flips.tallies import NO_SPREAD, SPREAD, SPREAD_KEYS

FEWEST = 3
"""Configurations that a correlation takes: through two points there is always a line."""
REPEATED = 2
"""Failed trials of an item that are repeated misses of a configuration; where it has fewer trials, all of them."""
SEVERAL = 2
"""Configurations with repeated misses of an item, from which on it is listed."""
ROWS, COLUMNS = 30, 36
"""Configurations and items of a matrix at most."""
PROPOSALS = ("retire", "canary")
"""Kinds of notes that ask for an item to leave the score."""

CELLS = """
select item, configuration, sum(trials)::bigint as tried,
       coalesce(sum(trials) filter (status = 'passed'), 0)::bigint as passed,
       coalesce(sum(trials) filter (status in ('passed', 'failed')), 0)::bigint as graded
from frozen_tallies where axis = $axis group by all
"""

POINTS = f"""
with beside as (
  select item, configuration, passed, graded, sum(passed) over row - passed as other_passed,
         sum(graded) over row - graded as other_graded
  from ({CELLS}) window row as (partition by configuration)
)
select tier, item, list(passed / graded order by configuration),
       list(other_passed / other_graded order by configuration)
from beside join tiers using (configuration) where graded > 0 and other_graded > 0 group by tier, item
"""

MISSES = f"""
select tier, item, {SPREAD}
from (select * from frozen_tallies where axis = $axis and status = 'failed')
join ({CELLS}) using (item, configuration) join tiers using (configuration)
where graded - passed >= least($times, graded) group by tier, item
"""

MATRIX = f"""
with cells as (select * from ({CELLS}) where configuration in (select configuration from tiers where tier = $tier)),
ranked as (
  select configuration, row_number() over (order by sum(passed) / sum(graded) desc, configuration) as place
  from cells group by configuration having sum(graded) > 0 qualify place <= {ROWS}
),
hardest as (
  select item, row_number() over (order by sum(passed) / sum(graded), item) as place
  from cells group by item having sum(graded) > 0 qualify place <= {COLUMNS}
)
select configuration, item, if(tried is null, null, passed || '/' || graded)
from ranked cross join hardest left join cells using (configuration, item) order by ranked.place, hardest.place
"""


class Correlation(NamedTuple):
    """An item's corrected correlation with the total, or why there is none.

    It describes the corpus: configurations are neither independent nor drawn from any others.
    """

    r: float | None
    """Pearson's, between the pass rates of configurations on the item and on all their other items."""
    configurations: int
    """Those with a graded trial on the item and one on another."""
    undefined: str | None = None


def correlation(item: Sequence[float], others: Sequence[float]) -> Correlation:
    """Correlate the pass rates of configurations on an item with those on their other items.

    Args:
        item: a rate of each configuration, 0 to 1, each one division of whole numbers.
        others: theirs on the rest, in the same order.
    """
    n = len(item)
    if n < FEWEST:
        who = "configuration has" if n == 1 else "configurations have"
        return Correlation(None, n, f"{n} {who} graded trials on it and on others; it takes {FEWEST}")
    # Equal shares are equal as floats, so that no spread is seen exactly, whatever rounding does to a mean.
    if min(item) == max(item):
        return Correlation(None, n, f"its pass rate is the same in all {n} configurations")
    if min(others) == max(others):
        return Correlation(None, n, f"the pass rate on the other items is the same in all {n} configurations")
    return Correlation(round(statistics.correlation(item, others), DECIMALS), n)


def item_counts(
    con: DuckDBPyConnection, axis: str, by_item: Groups, tier_blocks: Mapping[str, Any], notes: Iterable[Note]
) -> Groups:
    """Add to each item's record its family, the kinds of its notes, its correlation and its misses.

    `always_passed`: every configuration of the tier tried it and every trial passed. `never_passed`: some trial
    failed and none passed. `correlation` is a `Correlation`. `missed` counts its failed trials with the distinct
    things that they come from, `repeated` those of them that are repeated misses of a configuration: two or more, or
    its only one where it has one graded trial.

    Args:
        con: the store; needs `tally`.
        axis: the axis.
        by_item: the grouping `item` of `break_down`.
        tier_blocks: what `tier_counts` gives for the same axis.
        notes: the notes of the bank.
    """
    families = dict(con.execute("select item, family from items").fetchall())
    kinds: dict[str, list[str]] = {}
    for note in notes:
        kinds.setdefault(note.item, []).append(note.kind)
    found = {
        (tier, item): correlation(rates, others)
        for tier, item, rates, others in con.execute(POINTS, {"axis": axis}).fetchall()
    }
    missed, repeated = (_misses(con, axis, times) for times in (1, REPEATED))

    def item_record(tier: str, item: str, record: dict[str, Any]) -> dict[str, Any]:
        tried_by_all = record["configurations"] == tier_blocks[tier]["configurations"]
        return {
            **record,
            "family": families.get(item),
            "notes": kinds.get(item, []),
            "always_passed": tried_by_all and record["passed"] == record["trials"],
            "never_passed": record["passed"] == 0 < record["failed"],
            "correlation": found.get((tier, item), correlation((), ()))._asdict(),
            "missed": missed.get((tier, item), NO_SPREAD),
            "repeated": repeated.get((tier, item), NO_SPREAD),
        }

    return {
        tier: {item: item_record(tier, item, record) for item, record in records.items()}
        for tier, records in by_item.items()
    }


def _misses(con: DuckDBPyConnection, axis: str, times: int) -> dict[tuple[str, str], dict[str, int]]:
    rows = con.execute(MISSES, {"axis": axis, "times": times}).fetchall()
    return {(tier, item): dict(zip(SPREAD_KEYS, counts, strict=True)) for tier, item, *counts in rows}


def item_lists(records: Mapping[str, Any]) -> dict[str, Any]:
    """The items of a tier that its figures single out: none of them is a verdict on an item.

    `never_failed` (with `proposed`: those of them that a note would retire or keep as canaries, by its kind, and
    `unproposed`), `never_passed`, `missed_repeatedly` (by several configurations, those of most first),
    `negative` (their correlation is below zero, the lowest first, of `correlated` that have one), and
    `proposed_yet_missed`, which notes would retire or keep as canaries and which are not never failed.

    Args:
        records: the tier's records of `item_counts`, by item.
    """
    never_failed = [item for item, record in records.items() if record["always_passed"]]
    proposed = {kind: [item for item, record in records.items() if kind in record["notes"]] for kind in PROPOSALS}
    named = {item for items in proposed.values() for item in items}
    r = {item: record["correlation"]["r"] for item, record in records.items()}
    often = {item: record["repeated"]["configurations"] for item, record in records.items()}
    return {
        "never_failed": never_failed,
        "proposed": {kind: [item for item in items if item in never_failed] for kind, items in proposed.items()},
        "unproposed": [item for item in never_failed if item not in named],
        "proposed_yet_missed": [item for item in records if item in named and item not in never_failed],
        "never_passed": [item for item, record in records.items() if record["never_passed"]],
        "missed_repeatedly": sorted((i for i in often if often[i] >= SEVERAL), key=lambda i: (-often[i], i)),
        "correlated": sum(value is not None for value in r.values()),
        "negative": [item for value, item in sorted((v, i) for i, v in r.items() if v is not None and v < 0)],
    }


def item_matrix(con: DuckDBPyConnection, axis: str, tier: str) -> dict[str, Any]:
    """Pass rates of a tier's configurations on its items: `{tier, items, configurations: {name: [cell, ...]}}`.

    The configurations with the highest pass rate and the items with the lowest, each in that order, `ROWS` and
    `COLUMNS` of them at most. A cell is `passed/graded` in trials, `0/0` where none could be graded, and null where
    the configuration never tried the item.
    """
    configurations: dict[str, list[str | None]] = {}
    items: dict[str, None] = {}
    for configuration, item, cell in con.execute(MATRIX, {"axis": axis, "tier": tier}).fetchall():
        configurations.setdefault(configuration, []).append(cell)
        items[item] = None
    return {"tier": tier, "items": list(items), "configurations": configurations}
