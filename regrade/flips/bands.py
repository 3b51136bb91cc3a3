"""Bands: how far the repeated trials of an item agree with the first of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Band
from regrade.flips.folding import fold
from regrade.flips.scopes import Attributes, items_of, scope_record
from regrade.flips.stats import ceiling
from regrade.tables.schema import KEPT

REPEATS = f"""
with told as (
  select t.configuration, t.item, t.reply, o.status, o.code, o.value,
         coalesce(verdicts[o.code], verdicts[o.status], o.status) as verdict,
         t.run, t.trial
  from outcomes o join trials t using (trial_id), (select map($grades::varchar[], $verdicts::varchar[]) as verdicts)
  where o.axis = $axis and o.candidate = $candidate and t.item in (select unnest($items::varchar[]))
),
placed as (
  select *, row_number() over first_on_top as place,
         first_value(verdict) over first_on_top as first_verdict,
         first_value({{'status': status, 'code': code, 'value': value}}) over first_on_top as first_form,
         first_value(reply) over first_on_top as first_reply
  from told
  window first_on_top as (
    partition by configuration, item order by run nulls first, try_cast(trial as double) nulls last, trial
  )
)
select configuration, item, place, first_verdict, verdict,
       first_form is distinct from {{'status': status, 'code': code, 'value': value}} as form_differs,
       coalesce(length(value) >= {KEPT}, false) and reply <> first_reply as cut
from placed order by configuration, item, place
"""
"""Trials in order of run and trial, numbers by size; `cut`: the store has no more of the value than its beginning."""

COUNTS = ("items", "repeats", "verdict_moved", "form_moved", "form_unknown")


def band_summary(
    con: DuckDBPyConnection,
    spec: Band,
    graded: Mapping[str, Sequence[str]],
    known: Attributes,
    panels: Mapping[str, Any],
) -> dict[str, Any]:
    """Compare repeats: `{where, family, items, verdicts, candidates: {candidate: {configurations, panels}}}`.

    A repeat is a trial of an item after its first, and is compared with that one: its verdict moved, or its verdict is
    the same and its form moved (status, code or value read), or neither. A verdict is what the band says that a grade
    comes to, the status where it says nothing. A record is `{items, repeats, verdict_moved, form_moved, form_unknown,
    rate, ceiling, undefined, moves}`: `items` with a repeat; `form_unknown` the repeats whose values are alike as far
    as they are stored, and are stored cut short; `rate` of moved verdicts, or where none moved `ceiling` in its place
    (the rule of three), or neither and the reason; `moves` the moved verdicts: `{item, from, to, repeats}`. Panels are
    pooled over their configurations, without `moves`, and null where one of these has no trial. What is as under
    `frozen` is `{"as": "frozen"}` there; `unfold` gives it back.

    Args:
        con: a connection on which `find_outcomes` has run.
        spec: the band as declared.
        graded: what `find_outcomes` gave.
        known: what is known of the items.
        panels: what `panels_summary` gives.

    Raises:
        CorpusError: it names a gold key that is not there, or is of no item.
    """
    items = items_of(spec, known, f"[[band]] {spec.name}")
    return {
        **scope_record(spec, items),
        "verdicts": {name: list(grades) for name, grades in spec.verdicts.items()},
        "candidates": fold({candidate: _block(con, spec, candidate, items, panels) for candidate in graded[spec.axis]}),
    }


def _block(
    con: DuckDBPyConnection, spec: Band, candidate: str, items: list[str], panels: Mapping[str, Any]
) -> dict[str, Any]:
    pairs = [(grade, verdict) for verdict, grades in spec.verdicts.items() for grade in grades]
    rows = con.execute(
        REPEATS,
        {
            "axis": spec.axis,
            "candidate": candidate,
            "items": items,
            "grades": [grade for grade, _ in pairs],
            "verdicts": [verdict for _, verdict in pairs],
        },
    ).fetchall()
    by_configuration: dict[str, list[Any]] = {}
    for configuration, *row in rows:
        by_configuration.setdefault(configuration, []).append(row)
    records = {configuration: _record(trials) for configuration, trials in by_configuration.items()}
    return {
        "configurations": records,
        "panels": {
            name: _pooled(records[configuration] for configuration in panel["configurations"])
            if all(configuration in records for configuration in panel["configurations"])
            else None
            for name, panel in panels.items()
        },
    }


def _record(trials: Iterable[Any]) -> dict[str, Any]:
    """What the trials of one configuration come to, in the order of the query."""
    counts = dict.fromkeys(COUNTS, 0)
    moves: dict[tuple[str, str, str], int] = {}
    for item, place, first, verdict, form_differs, cut in trials:
        if place == 1:
            continue
        counts["items"] += place == 2
        counts["repeats"] += 1
        if verdict != first:
            counts["verdict_moved"] += 1
            moves[item, first, verdict] = moves.get((item, first, verdict), 0) + 1
        elif form_differs:
            counts["form_moved"] += 1
        elif cut:
            counts["form_unknown"] += 1
    told = [{"item": item, "from": old, "to": new, "repeats": n} for (item, old, new), n in moves.items()]
    return {**_rated(counts), "moves": told}


def _pooled(records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    counts = dict.fromkeys(COUNTS, 0)
    for record in records:
        for key in COUNTS:
            counts[key] += record[key]
    return _rated(counts)


def _rated(counts: Mapping[str, int]) -> dict[str, Any]:
    moved, repeats = counts["verdict_moved"], counts["repeats"]
    return {
        **counts,
        "rate": moved / repeats if moved else None,
        "ceiling": ceiling(moved, repeats),
        "undefined": None if repeats else "no item has a second trial",
    }
