"""Recounts of metrics, bands and panels."""

from __future__ import annotations

import json
import math
from typing import Any

from regrade.files.corpus import Metric
from tests.recount.ground import Elsewhere, Ground

INTERVAL = Elsewhere("tests/flips/test_stats.py")
COMPARED = Elsewhere("tests/flips/test_metrics.py")
OWN = ("model", "weights", "lineage", "provider", "server", "quant", "reasoning", "arm")

OUTCOMES = """
create or replace temp table outcomes_again as
select f.trial_id, f.axis, 'frozen' as candidate, f.status, f.code, g.value from frozen_grades f
left join grades g on g.trial_id = f.trial_id and g.axis = f.axis and g.candidate = 'frozen'
union all select trial_id, axis, candidate, status, code, value from grades where candidate <> 'frozen'
"""


def panels(on: Ground) -> dict[str, Any]:
    known = {name: rest for name, *rest in on.rows("select configuration, lineage, arm from configurations")}
    return {
        panel.name: {
            "configurations": list(panel.configurations),
            "lineages": [known[name][0].strip() for name in panel.configurations],
            "arm": known[panel.configurations[0]][1],
        }
        for panel in on.corpus.panels
    }


def graders_of(on: Ground, axis: str) -> list[str]:
    names = [name for (name,) in on.rows(
        "select distinct candidate from outcomes_again where axis = $axis order by 1", axis=axis)]  # fmt: skip
    return [*(["frozen"] if "frozen" in names else []), *(name for name in names if name != "frozen")]


def scope(on: Ground, spec: Any) -> list[str]:
    families = [spec.family] if isinstance(spec.family, str) else list(spec.family)

    def has(gold: dict[str, Any], key: str, wanted: Any) -> bool:
        some = wanted if isinstance(wanted, tuple) else (wanted,)
        return any(gold.get(key) == each and isinstance(gold.get(key), bool) == isinstance(each, bool) for each in some)

    return [
        item
        for item, family, gold in on.rows("select item, family, gold from items order by 1")
        if (not families or family in families)
        and all(has(json.loads(gold or "{}") or {}, key, wanted) for key, wanted in spec.where.items())
    ]


def scope_of(spec: Any, items: list[str]) -> dict[str, Any]:
    return {
        "where": {key: list(value) if isinstance(value, tuple) else value for key, value in spec.where.items()},
        "family": [spec.family] if isinstance(spec.family, str) else list(spec.family),
        "items": len(items),
    }


def metrics(on: Ground, axis: str) -> dict[str, Any]:
    on.con.execute(OUTCOMES)
    found = {}
    for spec in (each for each in on.corpus.metrics if each.axis == axis):
        items = scope(on, spec)
        seen = {name for row in on.rows("select status, code from outcomes_again where axis = $a", a=axis)
                for name in row}  # fmt: skip
        found[spec.name] = {
            "counts": list(spec.counts) or None,
            "ratio": list(spec.ratio) or None,
            **scope_of(spec, items),
            "needs": spec.needs,
            "best": spec.best,
            "unseen": [name for name in spec.counts if name not in seen],
            "candidates": {name: _block(on, spec, name, items) for name in graders_of(on, axis)},
        }
    return found


def _block(on: Ground, spec: Metric, name: str, items: list[str]) -> dict[str, Any] | None:
    needed = None
    if spec.needs:
        there = graders_of(on, spec.needs)
        needed = name if name in there else "frozen" if "frozen" in there else None
        if needed is None:
            return None
    _tell(on, spec, name, needed, items)
    splits = [(split,) if isinstance(split, str) else tuple(split) for split in spec.by]
    block = _figures(on, spec, "''").get("") or _nothing(on)
    block["by"] = [{"by": list(names), "parts": _parts(on, spec, names)} for names in splits]
    return block


def _tell(on: Ground, spec: Metric, name: str, needed: str | None, items: list[str]) -> None:
    """A row a trial: whether it is graded and can be measured, and its part and whole."""
    bound: dict[str, Any] = {"axis": spec.axis, "name": name, "items": items}
    if spec.ratio:
        part, whole = ("(select amount from measures m where m.trial_id = o.trial_id and m.axis = o.axis and "
                       f"m.candidate = o.candidate and measure = $m{at})" for at in (0, 1))  # fmt: skip
        bound |= {"m0": spec.ratio[0], "m1": spec.ratio[1]}
    else:
        part = "(o.status in (select unnest($c::varchar[])) or ifnull(o.code in (select unnest($c::varchar[])), false))"
        whole = "1"
        bound["c"] = list(spec.counts)
        if needed:
            part = (f"({part} and exists (from outcomes_again n where n.trial_id = o.trial_id and n.axis = $needs and "
                    "n.candidate = $needed and n.status = 'passed'))")  # fmt: skip
            bound |= {"needs": spec.needs, "needed": needed}
        part += "::int"
    on.con.execute(
        "create or replace temp table lines as with raw as (select s.*, o.status in ('passed', 'failed') as graded, "
        f"({part})::double as part, ({whole})::double as whole from outcomes_again o join seen s on s.trial_id = "
        "o.trial_id where o.axis = $axis and o.candidate = $name and s.item in (select unnest($items::varchar[]))) "
        "select * exclude (part, whole), part is not null and whole is not null as measured, "
        "if(part is null or whole is null, 0, part) as part, if(part is null or whole is null, 0, whole) as whole "
        "from raw", bound,
    )  # fmt: skip


def _parts(on: Ground, spec: Metric, names: tuple[str, ...]) -> list[dict[str, Any]]:
    def told(name: str) -> str:
        kind, _, key = name.partition(".")
        if kind == "gold" and key:
            return f"(select gold->'$.\"{key}\"' from items i where i.item = mine.item)"
        if kind == "extra" and key:
            return f"(select extra->'$.\"{key}\"' from configurations c where c.configuration = mine.configuration)"
        if name in ("item", "run", "trial"):
            return f"to_json({name})"
        if name == "family":
            return "(select to_json(family) from items i where i.item = mine.item)"
        return f"(select to_json({name}) from configurations c where c.configuration = mine.configuration)"

    value = " || chr(10) || ".join(f"ifnull({told(name)}::varchar, 'null')" for name in names)
    parts = [
        {"values": [json.loads(each) for each in key.split("\n")], **figures}
        for key, figures in _figures(on, spec, value).items()
    ]
    return sorted(parts, key=lambda part: [_place(value) for value in part["values"]])


def _nothing(on: Ground) -> dict[str, Any]:
    return {"configurations": {}, "gaps": [], "panels": {panel.name: None for panel in on.corpus.panels}}


def _place(value: Any) -> tuple[int, float, str]:
    """Numbers by size, text with that of a number by size, the rest, null."""
    if isinstance(value, str):
        try:
            return 1, float(value), value
        except ValueError:
            return 1, math.inf, value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0, value, ""
    return 2 + (value is None), 0, json.dumps(value)


def _figures(on: Ground, spec: Metric, value: str) -> dict[str, Any]:
    """Records, gaps and panels of the trials of each value that an expression has of them."""
    on.con.execute("create or replace temp table pooled(who varchar, configuration varchar)")
    on.con.execute("insert into pooled select distinct configuration, configuration from lines")
    for panel in on.corpus.panels:
        on.con.executemany("insert into pooled values (?, ?)", [[f"\0{panel.name}", c] for c in panel.configurations])
    rows = on.rows(
        f"with mine as materialized (select *, {value} as value from lines mine join pooled using (configuration)), "
        "cells as (select value, who, item, count(*) as trials, "
        "count(*) filter (graded) as graded, count(*) filter (measured) as measured, "
        "ifnull(sum(part) filter (graded), 0) as part, ifnull(sum(whole) filter (graded), 0) as whole, "
        "sum(part) as part_all, sum(whole) as whole_all from mine group by 1, 2, 3), "
        "met as (select value, who, count(distinct configuration) as met from mine group by 1, 2) "
        "select value, who, met, sum(trials)::bigint, count(*), sum(graded)::bigint, sum(measured)::bigint, "
        "[sum(part), sum(whole), sum(abs(part)), count(*) filter (whole <> 0)], "
        "[sum(part_all), sum(whole_all), sum(abs(part_all)), count(*) filter (whole_all <> 0)], "
        "list(item) filter (whole <> 0), list(item) filter (whole_all <> 0) "
        "from cells join met using (value, who) group by 1, 2, 3 order by 1, 2"
    )  # fmt: skip
    sizes = {panel.name: len(panel.configurations) for panel in on.corpus.panels}
    found: dict[str, Any] = {}
    of_items: dict[str, dict[str, Any]] = {}
    for key, who, met, trials, items, graded, measured, of_graded, of_all, some, every in rows:
        block = found.setdefault(key, _nothing(on))
        record = {
            "trials": trials, "items": items, "graded": graded, "measured": measured,
            "of_graded": _rate(spec, *of_graded), "of_all": _rate(spec, *of_all) if graded < trials else None,
        }  # fmt: skip
        if who.startswith("\0"):
            block["panels"][who[1:]] = record if met == sizes[who[1:]] else None
        else:
            block["configurations"][who] = record
            sums = {"of_graded": set(some or ()), "of_all": set(every or ())}
            of_items.setdefault(key, {})[who] = (sums, of_graded, of_all)
    for key, block in found.items():
        block["gaps"] = _gaps(on, spec, of_items.get(key, {}), block["configurations"])
    return found


def _rate(spec: Metric, part: float, whole: float, size: float, items: float) -> dict[str, Any]:
    of = whole if spec.counts else items
    zero = part == 0 if spec.counts else size == 0
    return {
        "count": part,
        "n": whole,
        "rate": part / whole if whole else None,
        "ceiling": min(1.0, 3 / of) if zero and of else None,
        "ceiling_of": "trials" if spec.counts else "items",
        "trial_interval": INTERVAL,
        "item_interval": INTERVAL,
    }


def _gaps(on: Ground, spec: Metric, of_items: dict[str, Any], records: dict[str, Any]) -> list[dict[str, Any]]:
    if spec.best is None:
        return []
    arms = dict(on.rows("select configuration, arm from configurations"))
    by_arm: dict[Any, list[str]] = {}
    for name in sorted(of_items):
        by_arm.setdefault(arms.get(name), []).append(name)

    def led(names: list[str], at: int, over: str) -> dict[str, Any] | None:
        sums = {name: of_items[name][at][:2] for name in names if of_items[name][0][over]}
        if len(sums) < 2:
            return None
        sign = -1 if spec.best == "highest" else 1
        order = sorted(sums, key=lambda name: (sign * sums[name][0] / sums[name][1], -sums[name][1], name))
        rates = {name: part / whole for name, (part, whole) in sums.items()}
        return {"leader": order[0], "gaps": {
            name: {
                "gap": abs(rates[order[0]] - rates[name]),
                "items": len(of_items[order[0]][0][over] | of_items[name][0][over]),
                "item_interval": INTERVAL,
                "called": COMPARED if rates[order[0]] != rates[name] else None,
            }
            for name in order[1:]
        }}  # fmt: skip

    found = []
    for arm in sorted(by_arm, key=lambda arm: (arm is None, arm or "")):
        some = any(records[name]["of_all"] for name in by_arm[arm])
        graded = led(by_arm[arm], 1, "of_graded")
        of_all = led(by_arm[arm], 2, "of_all") if some else None
        if graded or of_all:
            found.append({"arm": arm, "of_graded": graded, "of_all": of_all})
    return found


def unfolded(told: Any, frozen: Any) -> Any:
    """What a metric or band says with each reference to the frozen grader replaced by what that has there."""
    if isinstance(told, dict):
        if told.get("as") == "frozen":
            return frozen
        there = frozen if isinstance(frozen, dict) else {}
        return {key: unfolded(value, there.get(key)) for key, value in told.items()}
    if isinstance(told, list) and told and isinstance(told[0], dict) and "values" in told[0]:
        parts = {json.dumps(part["values"]): part for part in frozen or []}
        return [unfolded(part, parts.get(json.dumps(part["values"]))) for part in told]
    if isinstance(told, list) and told and isinstance(told[0], dict) and "parts" in told[0]:
        return [unfolded(one, other) for one, other in zip(told, frozen or [None] * len(told), strict=True)]
    return told
