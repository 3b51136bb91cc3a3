"""Ranks: who stands where, under the frozen grades, each candidate, and every set of rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from regrade.grades.plan import FROZEN
from regrade.report.charts import Chart, identifier
from regrade.report.page import Page, has_gap, plural

MOST = 30
"""Configurations of a chart: half of them the first, half those that move most."""
CHARTS = 3
"""Candidates with a chart of their own: the first declared under which a rank changes."""
ROWS = 100
"""Rows of a table; the rest stand in summary.json."""
COLUMNS = 6
"""Candidates with a column of their own."""


def ranks(page: Page) -> dict[str, Any] | None:
    """Moves of ranks by candidate, the first of each, ranges over sets of rules, and pairs under one grader."""
    axes = {
        axis: _axis(page, axis, block["ranks"])
        for axis, block in page.summary["axes"].items()
        if any(tier["ranked"] > 1 for tier in block["ranks"]["tiers"].values())
    }
    if not axes:
        return None
    return {"title": "Ranks", "axes": axes, "charts": _charts(page) if page.corpus.axis in axes else {}}


def _axis(page: Page, axis: str, block: dict[str, Any]) -> dict[str, Any]:
    known = page.summary["axes"][axis]["candidates"]
    shown = [name for name in page.declared if name in known] or list(known)
    tiers = {name: tier for name, tier in block["tiers"].items() if tier["ranked"]}
    top = page.strongest if page.strongest in tiers else next(iter(tiers))
    return {
        **block,
        "tiers": tiers,
        "top": top,
        "shown": shown[:COLUMNS],
        "told": [told(name, tiers[top], top) for name in known],
        "leaders": _leaders(tiers[top], FROZEN),
        "rows": {name: _rows(tier, shown[:COLUMNS], block["passed"]) for name, tier in tiers.items()},
        "unjudged": [name for name in known if page.is_unjudged(axis, name)],
        "arms": _arms(page, top),
        "gap": has_gap(page.summary["axes"][axis]["parity"]),
    }


def _arms(page: Page, tier: str) -> list[str]:
    """The experimental arms of the configurations of a tier."""
    rows = page.con.execute(
        "select distinct arm from configurations join tiers using (configuration) "
        "where tier = $tier and arm is not null order by arm",
        {"tier": tier},
    ).fetchall()
    return [arm for (arm,) in rows]


def told(name: str, tier: dict[str, Any], where: str) -> dict[str, Any]:
    """What a candidate does to the ranks of a tier: what follows its name, the largest move, and who is first then."""
    moves = tier["candidates"][name]
    if moves["moved"]:
        text = f"changes the rank of {moves['moved']:,} of {plural(tier['ranked'], 'configuration')} in {where}"
        text += f" ({moves['up']:,} up, {moves['down']:,} down)"
    else:
        text = f"changes no rank of the {plural(tier['ranked'], 'configuration')} in {where}"
    if moves["unranked"]:
        text += f"; {plural(moves['unranked'], 'configuration')} of them with no graded trial left, and so no rank"
    leaders, before = _leaders(tier, name), set(_leaders(tier, FROZEN))
    if not moves["leader_changes"]:
        first = "the first rank stays where it was"
    elif before & set(leaders):
        first = f"the first rank is then {'shared' if len(leaders) > 1 else 'held'} by"
    else:
        first = "the first rank goes to others:"
    return {
        "name": name,
        "text": text,
        "largest": moves["largest"],
        "first": first,
        "leaders": leaders if moves["leader_changes"] else [],
    }


def _ranks(tier: dict[str, Any], name: str) -> dict[str, int | None]:
    """The rank of each configuration under a candidate, in the order of the frozen ranks."""
    return {key: record["candidates"].get(name, record["rank"]) for key, record in tier["configurations"].items()}


def _leaders(tier: dict[str, Any], name: str) -> list[str]:
    """Who has the first rank under a candidate."""
    return sorted(each for each, rank in _ranks(tier, name).items() if rank == 1)


Place = tuple[str, int | None, int, Sequence[int]]
"""Under which grader, the rank, how many share it, and how many trials pass of how many with a grade."""


def _rows(
    tier: dict[str, Any], names: list[str], passed: dict[str, Any]
) -> list[tuple[str, dict[str, Any], list[Place]]]:
    """Each configuration with its record and its place under the frozen grader and each candidate."""
    under = {name: _ranks(tier, name) for name in (FROZEN, *names)}
    shared = {name: Counter(ranks.values()) for name, ranks in under.items()}
    return [
        (
            each,
            record,
            [
                (name, ranks[each], shared[name][ranks[each]], passed.get(each, {}).get(name, _counts(record)))
                for name, ranks in under.items()
            ],
        )
        for each, record in list(tier["configurations"].items())[:ROWS]
    ]


def _counts(record: dict[str, Any]) -> tuple[int, int]:
    return record["passed"], record["passed"] + record["failed"]


def _charts(page: Page) -> dict[str, Chart]:
    """A slope of the first declared candidates, and the ranges, in the highest tier."""
    block = page.primary["ranks"]
    name = page.strongest
    tier = block["tiers"][name]
    if tier["ranked"] < 2:
        return {}
    moving = [each for each in page.declared if tier["candidates"][each]["moved"]]
    charts = {f"slope {each}": _slope(page, name, tier, each) for each in moving[:CHARTS]}
    if block["rules"] and block["range_undefined"] is None:
        charts["ranges"] = _range_chart(name, tier, block)
    return charts


def _slope(page: Page, where: str, tier: dict[str, Any], name: str) -> Chart:
    old, new = _ranks(tier, FROZEN), _ranks(tier, name)
    shared = {side: Counter(under.values()) for side, under in (("old", old), ("new", new))}
    both = [each for each in old if old[each] is not None and new[each] is not None]
    picked = _telling({each: abs((new[each] or 0) - (old[each] or 0)) for each in both})
    moves = tier["candidates"][name]
    title = f"Under {name} {moves['moved']:,} of {tier['ranked']:,} configurations in {where} change rank"
    title += f" ({moves['up']:,} up, {moves['down']:,} down)"
    if len(picked) < len(both):
        title += f"; shown are {len(picked):,}: the first and those that move most"
    return Chart(
        kind="slope",
        name=f"slope_{identifier(page.corpus.axis, name)}",
        title=title,
        text=f"Lines from the rank of each configuration under the frozen grades to its rank under {name}.",
        columns=("configuration", "old", "old_tied", "new", "new_tied"),
        rows=[(each, old[each], shared["old"][old[each]], new[each], shared["new"][new[each]]) for each in picked],
        headings=("Configuration", "Frozen rank", "Shared by", f"Rank under {name}", "Shared by"),
        options={"left": "Frozen", "right": name},
    )


def _telling(moves: Mapping[str, int]) -> list[str]:
    """At most MOST of the configurations, in their order: the first ones, and of the others those that move most."""
    names = list(moves)
    if len(names) <= MOST:
        return names
    first, rest = names[: MOST // 2], names[MOST // 2 :]
    movers = sorted(rest, key=lambda name: -moves[name])[: MOST - len(first)]
    return [name for name in names if name in first or name in movers]


def _range_chart(where: str, tier: dict[str, Any], block: dict[str, Any]) -> Chart:
    ranged = {name: record for name, record in tier["configurations"].items() if record["rank"] and "range" in record}
    picked = _telling({name: record["range"][1] - record["range"][0] for name, record in ranged.items()})
    few = f"; shown are {len(picked):,}: the first and those of the widest ranges" if len(picked) < len(ranged) else ""
    keys, headings = ["range"], ["Best", "Worst"]
    marks = f"Rank in {where}, of {tier['ranked']:,}. Diamond: frozen; bar: any set of rules"
    if block["rejected"]:
        keys, headings = [*keys, "kept_range"], [*headings, "Best, none rejected", "Worst, none rejected"]
        marks += ", thick: none rejected"
    columns = ("configuration", "rank", "best", "worst", "kept_best", "kept_worst")
    rows = [
        (name, ranged[name]["rank"], *(end for key in keys for end in ranged[name][key] or (None, None)))
        for name in picked
    ]
    return Chart(
        kind="ranges",
        name="ranges",
        title=f"Over all {plural(block['sets'], 'set')} of {plural(len(block['rules']), 'rule')},"
        f" {tier['range']['steady']:,} of {tier['ranked']:,} configurations in {where}"
        f" {'keeps' if tier['range']['steady'] == 1 else 'keep'} one rank, and"
        f" {tier['range']['may_lead']:,} may stand first{few}",
        text="A bar of each configuration, from its best rank under any set of rules to its worst.",
        columns=columns[: 2 + 2 * len(keys)],
        rows=rows,
        headings=("Configuration", "Frozen rank", *headings),
        options={"axis": marks},
    )
