"""Recounts of items and ranks."""

from __future__ import annotations

import json
from typing import Any

from tests.recount.grades import is_new
from tests.recount.ground import COUNTED, SPREAD, Elsewhere, Ground, nothing

ITEMS = Elsewhere("tests/flips/test_items.py")
RANKS = Elsewhere("tests/flips/test_ranks.py")

CELLS = (
    "select item, configuration, count(*) as tried, count(*) filter (status = 'passed') as passed, "
    "count(*) filter (status in ('passed', 'failed')) as graded from told where axis = $axis group by all"
)


def items(on: Ground, axis: str, tiers: dict[str, Any]) -> dict[str, Any]:
    families = dict(on.rows("select item, family from items"))
    found = on.groups(axis, "item")
    for tier, records in found.items():
        correlations = _correlations(on, axis, tier)
        missed, repeated = (_misses(on, axis, tier, more) for more in ("", "and (lost >= 2 or graded = 1)"))
        for item, record in records.items():
            everyone = record["configurations"] == tiers[tier]["configurations"]
            record |= {
                "family": families.get(item),
                "notes": [note.kind for note in on.corpus.notes if note.item == item],
                "always_passed": everyone and record["passed"] == record["trials"],
                "never_passed": record["passed"] == 0 and record["failed"] > 0,
                "correlation": correlations.get(item, {"r": None, "configurations": 0, "undefined": ITEMS}),
                "missed": missed.get(item, nothing()),
                "repeated": repeated.get(item, nothing()),
            }
    return found


def _correlations(on: Ground, axis: str, tier: str) -> dict[str, Any]:
    rows = on.rows(
        f"with cells as ({CELLS}), whole as (select configuration, sum(passed) as p, sum(graded) as g from cells "
        "group by 1) select item, count(*), count(distinct passed / graded), "
        "count(distinct (p - passed) / (g - graded)), corr(passed / graded, (p - passed) / (g - graded)) "
        "from cells join whole using (configuration) join member using (configuration) "
        "where tier = $tier and graded > 0 and g > graded group by 1",
        axis=axis, tier=tier,
    )  # fmt: skip
    found = {}
    for item, n, own, others, r in rows:
        known = n >= 3 and own > 1 and others > 1
        found[item] = {"r": r if known else None, "configurations": n, "undefined": None if known else ITEMS}
    return found


def _misses(on: Ground, axis: str, tier: str, more: str) -> dict[str, Any]:
    rows = on.rows(
        f"select item, {COUNTED} from told join member using (configuration) "
        f"join (select item, configuration, graded, graded - passed as lost from ({CELLS})) "
        f"using (item, configuration) where axis = $axis and tier = $tier and status = 'failed' {more} group by 1",
        axis=axis, tier=tier,
    )  # fmt: skip
    return {item: dict(zip(SPREAD, counts, strict=True)) for item, *counts in rows}


def item_lists(records: dict[str, Any]) -> dict[str, Any]:
    every = sorted(records)
    never = [item for item in every if records[item]["always_passed"]]
    noted = {kind: [item for item in every if kind in records[item]["notes"]] for kind in ("retire", "canary")}
    either = {*noted["retire"], *noted["canary"]}
    r = {item: records[item]["correlation"]["r"] for item in every}
    several = [item for item in every if records[item]["repeated"]["configurations"] > 1]
    return {
        "never_failed": never,
        "proposed": {kind: [item for item in noted[kind] if item in never] for kind in noted},
        "unproposed": [item for item in never if item not in either],
        "proposed_yet_missed": [item for item in every if item in either and item not in never],
        "never_passed": [item for item in every if records[item]["never_passed"]],
        "missed_repeatedly": sorted(several, key=lambda item: (-records[item]["repeated"]["configurations"], item)),
        "correlated": len([item for item in every if r[item] is not None]),
        "negative": sorted((i for i in every if r[i] is not None and r[i] < 0), key=lambda i: (round(r[i], 9), i)),
    }


def item_matrix(on: Ground, axis: str) -> dict[str, Any]:
    bound = {"axis": axis, "tier": on.highest}
    mine = f"(from ({CELLS}) join member using (configuration) where tier = $tier)"
    who, what = (
        [name for (name,) in on.rows(
            f"select {by} from {mine} group by 1 having sum(graded) > 0 "
            f"order by sum(passed) / sum(graded) {way}, 1 limit {most}", **bound)]
        for by, way, most in (("configuration", "desc", 30), ("item", "asc", 36))
    )  # fmt: skip
    cells = {(c, i): f"{p}/{g}" for c, i, p, g in on.rows(
        f"select configuration, item, passed, graded from {mine}", **bound)}  # fmt: skip
    if not who or not what:
        return {"tier": on.highest, "items": [], "configurations": {}}
    return {"tier": on.highest, "items": what, "configurations": {c: [cells.get((c, i)) for i in what] for c in who}}


def ranks(on: Ground, axis: str) -> dict[str, Any]:
    if is_new(on, axis):
        return {"undefined": RANKS, "tiers": {}, "pairs": {}}
    names = on.candidates(axis)
    known = _known_sets(on, axis)
    places = {(tier, name): _places(on, axis, tier, name) for tier in on.tiers for name in ("frozen", *names)}
    pairs = {}
    if axis == on.corpus.axis:
        shown = [spec.name for spec in on.corpus.candidates if spec.name in names]
        pairs = {name: _pairs(on, axis, name, places[on.highest, name]) for name in ("frozen", *shown)}
    return {
        "undefined": None,
        **{key: value for key, value in known.items() if key != "ranges"},
        "tiers": {tier: _tier(on, tier, names, places, known["ranges"]) for tier in on.tiers},
        "pairs": pairs,
    }


def _places(on: Ground, axis: str, tier: str, name: str) -> dict[str, tuple[int, int, int, int]]:
    """Configuration to passed, failed, rank and how many share it."""
    table, bound = ("published", {}) if name == "frozen" else ("regraded", {"name": name})
    mine = "" if name == "frozen" else "and candidate = $name"
    rows = on.rows(
        "with own as (select configuration, count(*) filter (status = 'passed') as p, "
        f"count(*) filter (status = 'failed') as f from {table} join member using (configuration) "
        f"where axis = $axis and tier = $tier {mine} group by 1 having p + f > 0) "
        "select a.configuration, a.p, a.f, 1 + count(*) filter (b.p * (a.p + a.f) > a.p * (b.p + b.f)), "
        "count(*) filter (b.p * (a.p + a.f) = a.p * (b.p + b.f)) from own a cross join own b group by 1, 2, 3 "
        "order by 4, 1", axis=axis, tier=tier, **bound,
    )  # fmt: skip
    return {name: tuple(rest) for name, *rest in rows}


def _known_sets(on: Ground, axis: str) -> dict[str, Any]:
    """The rules whose sets were tried, and the places of each configuration under them, from the table of sets."""
    facts = [json.loads(value) for (value,) in on.rows("select value from meta where key = 'rule_sets'")]
    known = facts[0][axis] if facts and axis in facts[0] else {"rules": [], "undefined": RANKS}
    rules = known["rules"]
    rejected = [rule for (rule,) in on.rows("select rule from rules where decision = 'rejected' order by 1")]
    told = {"rules": rules, "rejected": [rule for rule in rejected if rule in rules]}
    if known["undefined"] is not None:
        return {**told, "range_undefined": RANKS, "sets": None, "kept_sets": None, "ranges": {}}
    sets: list[list[str]] = [[]]
    for rule in rules:
        sets += [[*some, rule] for some in sets]
    on.con.execute("create or replace temp table tried(number bigint, rules varchar[])")
    on.con.executemany("insert into tried values (?, ?)", [[at, some] for at, some in enumerate(sets)])
    ranges = {}
    rows = on.rows(
        "with own as (select number, tier, configuration, sum(trials) filter (status = 'passed') as p, "
        "sum(trials) filter (status in ('passed', 'failed')) as g from rule_sets s join tried t "
        "on len(list_filter(s.with_rules, lambda r: not list_contains(t.rules, r))) = 0 "
        "and len(list_filter(s.without_rules, lambda r: list_contains(t.rules, r))) = 0 "
        "join member using (configuration) where axis = $axis group by all having g > 0), "
        "placed as (select *, rank() over (partition by number, tier order by ifnull(p, 0) / g desc) as place from own)"
        " select tier, configuration, list(place), list(place) filter (not list_has_any(t.rules, $rejected::varchar[]))"
        " from placed join tried t using (number) group by 1, 2", axis=axis, rejected=told["rejected"],
    )  # fmt: skip
    for tier, name, every, kept in rows:
        ranges[tier, name] = {
            "range": [min(every), max(every)],
            "kept_range": [min(kept), max(kept)] if kept else None,
        }
    kept_sets = 2 ** (len(rules) - len(told["rejected"]))
    return {**told, "range_undefined": None, "sets": 2 ** len(rules), "kept_sets": kept_sets, "ranges": ranges}


def _tier(on: Ground, tier: str, names: list[str], places: Any, ranges: dict[Any, Any]) -> dict[str, Any]:
    frozen = places[tier, "frozen"]
    members = [c for (c,) in on.rows("select configuration from member where tier = $tier order by 1", tier=tier)]
    order = [*frozen, *(name for name in members if name not in frozen)]
    configurations = {}
    for one in order:
        passed, failed, rank, tied = frozen.get(one, (0, 0, None, 0))
        others = {name: places[tier, name].get(one, (0, 0, None))[2] for name in names}
        configurations[one] = {
            "passed": passed, "failed": failed, "rank": rank, "tied": tied,
            "candidates": {name: place for name, place in others.items() if place != rank},
            **ranges.get((tier, one), {}),
        }  # fmt: skip
    graded = [p + f for p, f, *_ in frozen.values()]

    def spread(key: str) -> dict[str, int]:
        of = [record[key] for record in configurations.values() if record.get(key)]
        return {"steady": len([1 for a, b in of if a == b]), "may_lead": len([1 for a, _ in of if a == 1])}

    def changes(under: dict[str, Any]) -> dict[str, Any]:
        moves = [(frozen[c][2], under[c][2], c) for c in frozen if c in under and under[c][2] != frozen[c][2]]
        first, now = ({c for c in of if of[c][2] == 1} for of in (frozen, under))
        largest = min(moves, key=lambda m: (-abs(m[0] - m[1]), m[0], m[2]), default=None)
        return {
            "moved": len(moves),
            "up": len([1 for old, new, _ in moves if new < old]),
            "down": len([1 for old, new, _ in moves if new > old]),
            "unranked": len(set(frozen) - set(under)),
            "largest": {"configuration": largest[2], "from": largest[0], "to": largest[1]} if largest else None,
            "first": len(now),
            "leader_changes": first != now,
        }

    return {
        "ranked": len(frozen),
        "first": len([1 for of in frozen.values() if of[2] == 1]),
        "fewest": min(graded, default=0),
        "most": max(graded, default=0),
        "range": spread("range"),
        "kept_range": spread("kept_range"),
        "configurations": configurations,
        "candidates": {name: changes(places[tier, name]) for name in names},
    }


def _pairs(on: Ground, axis: str, name: str, places: dict[str, Any]) -> list[dict[str, Any]]:
    order = list(places)[:6]
    table, bound = ("published", {}) if name == "frozen" else ("regraded", {"name": name})
    mine = "" if name == "frozen" else "and candidate = $name"
    found = []
    for other in order[1:]:
        rows = on.rows(
            f"with own as (select * from {table} where axis = $axis {mine}) select a.item, "
            "count(*) filter ('ungraded' not in (a.status, b.status)), count(*) filter ('ungraded' in "
            "(a.status, b.status)), count(*) filter ((a.status, b.status) = ('passed', 'failed')), "
            "count(*) filter ((b.status, a.status) = ('passed', 'failed')) from own a join own b on a.item = b.item "
            "and a.trial = b.trial and ifnull(a.run, chr(0)) = ifnull(b.run, chr(0)) "
            "where a.configuration = $one and b.configuration = $other group by 1",
            axis=axis, one=order[0], other=other, **bound,
        )  # fmt: skip
        shared, ungraded, mine_only, theirs = (sum(row[at] for row in rows) for at in (1, 2, 3, 4))
        p = RANKS if shared else None
        found.append({
            "leader": order[0], "other": other, "shared": shared, "ungraded": ungraded, "leader_only": mine_only,
            "other_only": theirs, "p": p, "undefined": None if shared else RANKS,
            "items": {"shared": len([1 for row in rows if row[1]]), "leader": len([1 for r in rows if r[3] > r[4]]),
                      "other": len([1 for r in rows if r[3] < r[4]]), "p": p},
        })  # fmt: skip
    return found
