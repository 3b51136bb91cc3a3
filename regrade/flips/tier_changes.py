"""Tier changes: which configurations would be in other tiers if a candidate had graded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Tier
from regrade.flips.tiers import PassCount, reaches

MOVED = """
select candidate, configuration, {}
from move_tallies where axis = $axis and from_status <> to_status group by candidate, configuration order by all
""".format(
    ", ".join(
        f"coalesce(sum(trials) filter (to_status = '{s}'), 0) - coalesce(sum(trials) filter (from_status = '{s}'), 0)"
        for s in ("passed", "failed")
    )
)


def tier_changes(
    con: DuckDBPyConnection, axis: str, tiers: Iterable[Tier], counts: Mapping[str, PassCount], names: Iterable[str]
) -> dict[str, list[dict[str, Any]]]:
    """By candidate the configurations whose pass rate crosses a tier's limit or that enter or leave a tier.

    Each is `{configuration, frozen, candidate, from, to, by_trials}`: `{passed, failed}` under both graders, the
    declared tiers that it is in under each, and those tiers for which its number of graded trials decides and not its
    rate: it crosses the limit and has too few, or has more or fewer than before. Those that rise stand first, then
    those that fall, then those that cross and stay.

    Args:
        con: a connection on which `tally` has run.
        axis: the primary axis.
        tiers: those declared.
        counts: pass counts of the frozen grades.
        names: the candidates of the axis.
    """
    limits = list(tiers)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for candidate, configuration, passed, failed in con.execute(MOVED, {"axis": axis}).fetchall():
        before = counts.get(configuration, PassCount(0, 0))
        after = PassCount(before.passed + passed, before.failed + failed)
        old, new = ([tier.name for tier in limits if _is_in(tier, count)] for count in (before, after))
        crossed = [t.name for t in limits if reaches(before, t.min_pass_rate) != reaches(after, t.min_pass_rate)]
        moved = [tier.name for tier in limits if (tier.name in old) != (tier.name in new)]
        if crossed or moved:
            found[candidate].append(
                {
                    "configuration": configuration,
                    "frozen": before._asdict(),
                    "candidate": after._asdict(),
                    "from": old,
                    "to": new,
                    "by_trials": [t.name for t in limits if (t.name in crossed) != (t.name in moved)],
                }
            )
    return {name: sorted(changes, key=_place) for name, changes in found.items()}


def _is_in(tier: Tier, count: PassCount) -> bool:
    return sum(count) >= tier.min_trials and reaches(count, tier.min_pass_rate)


def _place(change: dict[str, Any]) -> tuple[int, str]:
    rises, falls = set(change["to"]) - set(change["from"]), set(change["from"]) - set(change["to"])
    return (0 if rises else 1 if falls else 2, change["configuration"])
