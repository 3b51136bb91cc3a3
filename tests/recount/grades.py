"""Recounts of grades, moves, groups, tiers, limits, partitions and probes."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from regrade.grades.probes import PROBES
from tests.recount.ground import BY_STATUS, COUNTED, SPREAD, STATUSES, WAYS, Elsewhere, Ground, in_tier, nothing, within

SAME = "(status = from_status and code is not distinct from from_code)"
BEYOND = Elsewhere("tests/flips/test_beyond.py")


def graders(on: Ground, axis: str) -> dict[str, Any]:
    [(kind, rule, fingerprint, trials, agree, allowed)] = on.rows(
        "select kind, rule, fingerprint, parity_trials, parity_agree, ifnull(parity_allowed, false) "
        "from graders where axis = $axis", axis=axis,
    )  # fmt: skip
    compared = kind == "ported" and trials is not None
    if compared:
        # What the replay says of each trial that the log has a grade of.
        [(trials, agree)] = on.rows(
            "select count(*), count(*) filter (g.status = f.status and g.code is not distinct from f.code) "
            "from frozen_grades f join grades g on g.trial_id = f.trial_id and g.axis = f.axis "
            "and g.candidate = 'frozen' where f.axis = $axis and f.stored", axis=axis,
        )  # fmt: skip
    return {
        "frozen": {"kind": kind, "rule": rule, "fingerprint": fingerprint},
        "parity": {"trials": trials, "agree": agree, "allowed": allowed} if compared else None,
    }


def tiers(on: Ground, axis: str) -> dict[str, Any]:
    empty = {**nothing(), **dict.fromkeys(STATUSES, 0), "codes": {}}
    whole = on.groups(axis, "''")
    found: dict[str, Any] = {}
    for tier in on.tiers:
        record = {key: value for key, value in (whole[tier].get("") or empty).items() if key != "flips"}
        grades = on.rows(
            "select status, code, count(*) from published join member using (configuration) "
            "where axis = $axis and tier = $tier group by all order by status, code nulls first",
            axis=axis, tier=tier,
        )  # fmt: skip
        found[tier] = {**record, "grades": [{"grade": [s, c], "trials": n} for s, c, n in grades]}
    return found


def is_new(on: Ground, axis: str) -> bool:
    return on.rows("select count(*) from published where axis = $axis", axis=axis) == [(0,)]


def candidates(on: Ground, axis: str) -> dict[str, Any]:
    """Every count of every candidate in every tier, one query a kind of count."""
    names = on.rows("select candidate, rules, fingerprint from candidates where axis = $axis order by 1", axis=axis)
    rows = (*STATUSES, *(["none"] if is_new(on, axis) else []))
    blocks: dict[tuple[str, str], dict[str, Any]] = {
        (name, tier): {
            "trials": 0,
            "moves": {old: dict.fromkeys(STATUSES, 0) for old in rows},
            "recoded": 0,
            "unmoved": 0,
            **{way: nothing() for way in WAYS},
            "transitions": [],
            "measures": {},
            "needs": [],
        }
        for name, *_ in names
        for tier in on.tiers
    }

    def each(what: str, where: str = "true", by: str = "", order: str = "all") -> list[tuple[Any, ...]]:
        return on.rows(
            f"select candidate, tier, {by} {what} from regraded join member using (configuration) "
            f"where axis = $axis and {where} group by all order by {order}", axis=axis,
        )  # fmt: skip

    for name, tier, trials, recoded, unmoved in each(
        f"count(*), count(*) filter (status = from_status and not {SAME}), count(*) filter ({SAME})"
    ):
        blocks[name, tier] |= {"trials": trials, "recoded": recoded, "unmoved": unmoved}
    for name, tier, old, *counts in each(BY_STATUS, by="from_status,"):
        blocks[name, tier]["moves"][old] = dict(zip(STATUSES, counts, strict=True))
    for way, where in WAYS.items():
        for name, tier, *counts in each(COUNTED, where):
            blocks[name, tier][way] = dict(zip(SPREAD, counts, strict=True))
    order = "1, 2, 3, 4 nulls first, 5, 6 nulls first"
    for name, tier, old, old_code, new, code, trials in each(
        "count(*)", f"not {SAME}", "from_status, from_code, status, code,", order
    ):
        told = {"from": [old, old_code], "to": [new, code], "trials": trials}
        blocks[name, tier]["transitions"].append(told)
    for name, tier, measure, amount in on.rows(
        "select candidate, tier, measure, sum(amount) from measures join seen using (trial_id) "
        "join member using (configuration) where axis = $axis and candidate <> 'frozen' group by all order by 3",
        axis=axis,
    ):
        blocks[name, tier]["measures"][measure] = amount
    needs: dict[tuple[str, str], dict[tuple[str, ...], Any]] = {key: {} for key in blocks}
    moved = f"decided_by is not null and from_status <> 'none' and not {SAME}"
    for way, where in (*WAYS.items(), ("recoded", "status = from_status")):
        for name, tier, rules, *counts in each(COUNTED, f"{moved} and {where}", "decided_by,"):
            fresh: dict[str, Any] = {**{each: nothing() for each in WAYS}, "recoded": 0}
            need = needs[name, tier].setdefault(tuple(rules), fresh)
            need[way] = counts[0] if way == "recoded" else dict(zip(SPREAD, counts, strict=True))
    for name, rules, _ in names:
        for tier in on.tiers:
            sets = sorted(needs[name, tier], key=lambda some: (len(some), [rules.index(rule) for rule in some]))
            blocks[name, tier]["needs"] = [{"rules": list(some), **needs[name, tier][some]} for some in sets]
    return {
        name: {"rules": rules, "fingerprint": fingerprint, "tiers": {tier: blocks[name, tier] for tier in on.tiers}}
        for name, rules, fingerprint in names
    }


def partitions(on: Ground, axis: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for spec in on.corpus.partitions if axis == on.corpus.axis else ():
        names = list(dict.fromkeys(spec.sets))
        subsets = [some for n in range(len(names) + 1) for some in sorted(combinations(names, n))]
        found[spec.name] = {}
        for tier in on.tiers:
            cells = []
            for some in subsets:
                [(trials,)] = on.rows(
                    "select count(*) from published p join member using (configuration) "
                    "where axis = $axis and tier = $tier and status = $of and (select list(distinct name order by name)"
                    " from (select candidate as name from regraded r where r.trial_id = p.trial_id and r.axis = $axis "
                    f"and {WAYS['fail_to_pass'].replace('(from_status, status)', '(r.from_status, r.status)')} "
                    "union select signal from signals s where s.trial_id = p.trial_id) where name in "
                    "(select unnest($names::varchar[]))) is not distinct from $some::varchar[]",
                    axis=axis, tier=tier, of=spec.of, names=names, some=sorted(some) or None,
                )  # fmt: skip
                cells.append({"in": list(some), "trials": trials})
            found[spec.name][tier] = {"of": spec.of, "total": sum(cell["trials"] for cell in cells), "cells": cells}
    return found


def _step(on: Ground, axis: str, members: list[str], names: list[str]) -> dict[str, Any]:
    """What configurations come to on an axis together."""
    [(configurations, failed, passed)] = on.rows(
        "select count(distinct configuration), count(*) filter (status = 'failed'), count(*) filter (status = 'passed')"
        " from told where axis = $axis and configuration in (select unnest($members::varchar[]))",
        axis=axis, members=members,
    )  # fmt: skip
    flips = {name: {"fail_to_pass": 0, "pass_to_fail": 0} for name in names}
    for name, up, down in on.rows(
        f"select candidate, count(*) filter ({WAYS['fail_to_pass']}), count(*) filter ({WAYS['pass_to_fail']}) "
        "from regraded where axis = $axis and configuration in (select unnest($members::varchar[])) group by 1",
        axis=axis, members=members,
    ):  # fmt: skip
        if name in flips:
            flips[name] = {"fail_to_pass": up, "pass_to_fail": down}
    return {"configurations": configurations, "failed": failed, "passed": passed, "flips": flips}


def cutoffs(on: Ground, axis: str) -> dict[str, Any]:
    names = on.candidates(axis)
    return {"all": []} | {
        tier.name: [
            {"min_pass_rate": limit, **_step(on, axis, on.reaching(limit, tier.min_trials), names)}
            for limit in sorted({tier.min_pass_rate, *tier.cutoffs})
        ]
        for tier in on.corpus.tiers
    }


def curve(on: Ground, axis: str) -> dict[str, Any]:
    """A row at each pass rate that a configuration with a trial on the axis has: who has that rate or a higher one."""
    found: dict[str, Any] = {}
    known: dict[int, str] = {}
    for tier, least in (("all", 1), *((tier.name, tier.min_trials) for tier in on.corpus.tiers)):
        if least in known:
            found[tier] = {"min_trials": least, "as": known[least]}
            continue
        known[least] = tier
        steps = on.rows(
            "with mine as (from rates where graded >= $least and configuration in (select configuration from told "
            "where axis = $axis)) select a.passed / a.graded, list(distinct b.configuration) "
            "from mine a join mine b on b.passed::hugeint * a.graded >= a.passed::hugeint * b.graded "
            "group by 1 order by 1", axis=axis, least=max(least, 1),
        )  # fmt: skip
        rows = [{"min_pass_rate": rate, **_step(on, axis, who, on.declared(axis))} for rate, who in steps]
        found[tier] = {"min_trials": least, "rows": rows}
    return found


def tier_changes(on: Ground, axis: str) -> dict[str, Any]:
    if axis != on.corpus.axis:
        return {}
    found: dict[str, Any] = {}
    for name in on.candidates(axis):
        changes = []
        for configuration, *counts in on.rows(
            "select configuration, count(*) filter (from_status = 'passed'), count(*) filter (from_status = 'failed'), "
            "count(*) filter (status = 'passed'), count(*) filter (status = 'failed') from regraded "
            "where axis = $axis and candidate = $name group by 1 order by 1", axis=axis, name=name,
        ):  # fmt: skip
            (p, f), (q, g) = counts[:2], counts[2:]
            old, new = ([t.name for t in on.corpus.tiers if in_tier(t, a, a + b)] for a, b in ((p, f), (q, g)))
            crossed = {t.name for t in on.corpus.tiers
                       if within(p, p + f, t.min_pass_rate) != within(q, q + g, t.min_pass_rate)}  # fmt: skip
            moved = set(old) ^ set(new)
            if crossed or moved:
                place = 0 if set(new) - set(old) else 1 if set(old) - set(new) else 2
                changes.append((place, configuration, {
                    "configuration": configuration, "frozen": {"passed": p, "failed": f},
                    "candidate": {"passed": q, "failed": g}, "from": old, "to": new,
                    "by_trials": [t.name for t in on.corpus.tiers if t.name in crossed ^ moved],
                }))  # fmt: skip
        found[name] = [change for *_, change in sorted(changes, key=lambda each: each[:2])]
    return found


def beyond(on: Ground, axis: str) -> dict[str, Any]:
    def share(name: str, tier: str, way: str, of: str) -> dict[str, Any]:
        [(count, n, items, lineages)] = on.rows(
            f"select count(*) filter ({WAYS[way]}), count(*), count(distinct item), count(distinct lineage) "
            "from regraded join member using (configuration) "
            "where axis = $axis and candidate = $name and tier = $tier and from_status = $of",
            axis=axis, name=name, tier=tier, of=of,
        )  # fmt: skip
        clusters = {"by_item": items, "by_lineage": lineages, "two_way": min(items, lineages)}
        told = {k: {"clusters": number, "interval": BEYOND, "warning": BEYOND} for k, number in clusters.items()}
        return {"count": count, "n": n, "rate": count / n if n else None, **told}

    return {
        name: {
            tier: {way: share(name, tier, way, way.split("_")[0] + "ed") for way in ("fail_to_pass", "pass_to_fail")}
            for tier in on.tiers
        }
        for name in ([] if is_new(on, axis) else on.declared(axis))
    }


def gains(on: Ground, axis: str) -> dict[str, Any]:
    known = {name: rest for name, *rest in on.rows("select configuration, weights, lineage from configurations")}
    by_tier = on.groups(axis, "configuration")
    found: dict[str, Any] = {}
    for name, record in by_tier["all"].items():
        weights, lineage = known.get(name, (None, None))
        pairs = {c: (f["fail_to_pass"]["trials"], f["pass_to_fail"]["trials"]) for c, f in record["flips"].items()}
        found[name] = {
            "weights": weights,
            "lineage": lineage,
            "tiers": [tier for tier in on.tiers if name in by_tier[tier]],
            **{key: record[key] for key in ("trials", *STATUSES)},
            "candidates": {
                c: {"fail_to_pass": up, "pass_to_fail": down, "gain": up - down} for c, (up, down) in pairs.items()
            },
        }
    return found


def probes(on: Ground, axis: str) -> dict[str, Any]:
    [(kind,)] = on.rows("select kind from graders where axis = $axis", axis=axis)
    found: dict[str, Any] = {"frozen": None} if kind == "carried" else {}
    names = on.candidates(axis) if kind in ("carried", "none") else ["frozen", *on.candidates(axis)]
    for name in names:
        found[name] = {}
        for probe in PROBES:
            bound = {"axis": axis, "name": name, "probe": probe}
            of = "from probes where axis = $axis and candidate = $name and probe = $probe"
            [(items, made, passed)] = on.rows(
                f"select count(distinct item), count(*), count(*) filter (status = 'passed') {of}", **bound
            )
            [(graded,)] = on.rows(f"select count(distinct item) {of} and status <> 'ungraded'", **bound)
            passing = on.rows(f"select distinct item {of} and status = 'passed' order by 1", **bound)
            found[name][probe] = {
                "items": items, "ungraded": items - graded, "passing": [item for (item,) in passing],
                "probes": made, "passed": passed,
            }  # fmt: skip
    return found


def idle_passes(on: Ground, axis: str) -> dict[str, Any] | None:
    if on.rows("select kind from graders where axis = $axis", axis=axis) != [("carried",)]:
        return None
    names = on.rows(
        "select t.trial_id from trials t join frozen_grades f on f.trial_id = t.trial_id and f.axis = $axis "
        "where f.stored and f.status = 'passed' and t.turns is not null and len(t.calls) = 0 and exists "
        "(from trials o where o.item = t.item and o.turns is not null and len(o.calls) > 0) order by t.item, 1",
        axis=axis,
    )
    return {"trials": len(names), "passing": [name for (name,) in names]}


def rules(on: Ground) -> dict[str, Any]:
    keys = ("decision", "locked", "fingerprint", "axis", "stage", "reason", "doc", "must_flip", "must_hold")
    return {rule: dict(zip(keys, rest, strict=True)) for rule, *rest in on.rows(
        f"select rule, {', '.join(keys)} from rules order by 1")}  # fmt: skip
