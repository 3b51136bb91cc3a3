"""Recounts of bands."""

from __future__ import annotations

from typing import Any

from tests.recount.ground import Elsewhere, Ground
from tests.recount.rates import OUTCOMES, graders_of, scope, scope_of

BAND = ("items", "repeats", "verdict_moved", "form_moved", "form_unknown")


def bands(on: Ground, axis: str) -> dict[str, Any]:
    on.con.execute(OUTCOMES)
    found = {}
    for spec in (each for each in on.corpus.bands if each.axis == axis):
        items = scope(on, spec)
        found[spec.name] = {
            **scope_of(spec, items),
            "verdicts": {name: list(grades) for name, grades in spec.verdicts.items()},
            "candidates": {name: _band(on, spec, name, items) for name in graders_of(on, axis)},
        }
    return found


def _band(on: Ground, spec: Any, name: str, items: list[str]) -> dict[str, Any]:
    on.con.execute("create or replace temp table verdict_of(grade varchar, verdict varchar)")
    pairs = [[grade, verdict] for verdict, grades in spec.verdicts.items() for grade in grades]
    if pairs:
        on.con.executemany("insert into verdict_of values (?, ?)", pairs)
    on.con.execute(
        "create or replace temp table repeated as with mine as (select s.*, t.reply, o.status, o.code, o.value, "
        "coalesce((select verdict from verdict_of where grade = o.code), "
        "(select verdict from verdict_of where grade = o.status), o.status) as verdict "
        "from outcomes_again o join seen s on s.trial_id = o.trial_id join trials t on t.trial_id = o.trial_id "
        "where o.axis = $axis and o.candidate = $name and s.item in (select unnest($items::varchar[]))), "
        "numbered as (select *, row_number() over (partition by configuration, item order by run is not null, run, "
        "try_cast(trial as double) is null, try_cast(trial as double), trial) as place from mine) "
        "select b.configuration, b.item, b.place, a.verdict as was, b.verdict as became, "
        "(a.status, a.code, a.value) is not distinct from (b.status, b.code, b.value) as alike, "
        "ifnull(length(b.value) >= 200, false) and a.reply <> b.reply as cut "
        "from numbered b join numbered a using (configuration, item) where a.place = 1",
        {"axis": spec.axis, "name": name, "items": items},
    )
    records = {}
    for who, *counts in on.rows(
        "select configuration, count(distinct item) filter (place > 1), count(*) filter (place > 1), "
        "count(*) filter (place > 1 and was <> became), count(*) filter (place > 1 and was = became and not alike), "
        "count(*) filter (place > 1 and was = became and alike and cut) from repeated group by 1 order by 1"
    ):
        moves = on.rows(
            "select item, was, became, count(*) from repeated where configuration = $who and place > 1 "
            "and was <> became group by 1, 2, 3 order by item, min(place)", who=who,
        )  # fmt: skip
        told = [{"item": item, "from": was, "to": became, "repeats": n} for item, was, became, n in moves]
        records[who] = {**_banded(counts), "moves": told}
    pools: dict[str, Any] = {}
    for panel in on.corpus.panels:
        parts = [records.get(name) for name in panel.configurations]
        sums = [sum(part[key] for part in parts if part) for key in BAND]
        pools[panel.name] = _banded(sums) if all(parts) else None
    return {"configurations": records, "panels": pools}


def _banded(counts: list[int]) -> dict[str, Any]:
    _, repeats, moved, *_ = counts
    return {
        **dict(zip(BAND, counts, strict=True)),
        "rate": moved / repeats if moved else None,
        "ceiling": min(1.0, 3 / repeats) if repeats and not moved else None,
        "undefined": None if repeats else Elsewhere("tests/flips/test_bands.py"),
    }
