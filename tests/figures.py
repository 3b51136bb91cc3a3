"""The published figures, computed from a finished audit of any bank of the tool loop's shape.

No item, family, configuration or tool is named: the unit item is the number item with most strong flips under
`last_equals`, the delete item is the one whose gold has `ask`, the poll family is the one whose golds have `menu`.
"""

from __future__ import annotations

from typing import Any

import duckdb

from regrade.audit import Audit

PUBLISHED: dict[str, Any] = {
    "files": 134,
    "trials": 13_615,
    "items, families": (48, 12),
    "strong": {"configurations": 22, "trials": 3_168, "failed": 186},
    "usable": {"configurations": 64, "trials": 9_216, "failed": 2_064},
    "at 20%": {"configurations": 65, "failed": 2_169, "fallback": 479},
    "at 40%": {"configurations": 64, "failed": 2_064, "fallback": 477},
    "the 65th": {"trials": 144, "failed": 105, "fallback": 2},
    "strong lineages, largest two": [11, 4],
    "clarify": (170, 264),
    "units": (235, 264),
    "poll": (247, 264),
    "other families at least": 252,
    "other families": 9,
    "never failed in strong": 19,
    "retire and canary among them": (7, 3),
    "unit item": {"trials": 66, "failed": 25, "codes": {"STALE_DATA": 25}, "unit id read": 25, "answer line": 25},
    "unit item, last equals": {"flips": 19, "stay": 6, "configurations": 11, "of the 27B": 13, "27B configurations": 6},
    "delete item": {"trials": 66, "passed": 23, "asked": 20, "deleted": 15, "no line": 8, "codes": {"FABRICATION": 43}},
    "delete item, ask": {"flips": 16, "asks that fail": 4, "deletions that pass": 0},
    "three asks without the listing": 1,
    "pooled configuration": {"runs": 3, "asks": 1, "flips": 1},
    "fallback, usable": {"fail_to_pass": 477, "pass_to_fail": 0},
    "fallback, strong": {"fail_to_pass": 40, "pass_to_fail": 0},
    "fallback codes": ["FABRICATION", "NO_CLARIFY", "STALE_DATA", "WRONG_ANSWER"],
    "thinking-off pair of one weights": [5, 6],
    "signals": {"both": 0, "call": 251, "fallback": 477, "neither": 1_336, "total": 2_064},
    "sample frame": 477,
}


def figures(audit: Audit, con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Compute every published figure from summary.json and the store."""

    def rows(query: str, *values: Any) -> list[tuple[Any, ...]]:
        return con.execute(query, list(values)).fetchall()

    def one(query: str, *values: Any) -> int:
        [(number,)] = rows(query, *values)
        return int(number)

    def count(where: str, *values: Any) -> int:
        return one(f"select count(*) from seen where {where}", *values)

    summary = audit.summary
    axis = summary["axes"]["pass"]
    tiers, gains = axis["tiers"], axis["gains"]
    strong = [c for c, g in gains.items() if "strong" in g["tiers"]]
    con.execute("create or replace temp table strong as select unnest(?::varchar[]) as configuration", [strong])
    con.execute(
        "create or replace temp table seen as select t.trial_id, t.configuration, t.item, t.run, t.reply, c.weights, "
        "c.lineage, f.status, f.code, f.answer, f.value, w.* exclude (trial_id, axis, frozen_status, frozen_code) "
        "from trials t join strong using (configuration) join configurations c using (configuration) "
        "join grades f on f.trial_id = t.trial_id and f.candidate = 'frozen' join whatif w on w.trial_id = t.trial_id"
    )
    [(delete, clarify)] = rows("select item, family from items where json_exists(gold, '$.ask')")
    [(poll,)] = rows("select distinct family from items where json_exists(gold, '$.menu')")
    [(unit, units)] = rows(
        "select item, any_value(family) from seen join items using (item) "
        "where status = 'failed' and last_equals_status = 'passed' group by item order by count(*) desc limit 1"
    )
    families = axis["families"]["strong"]
    others = [f for name, f in families.items() if name not in (clarify, units, poll)]
    never = [i for i, block in axis["items"]["strong"].items() if block["always_passed"]]
    notes = {i: axis["items"]["strong"][i]["notes"] for i in never}
    cut = {c["min_pass_rate"]: c for c in axis["cutoffs"]["usable"]}
    flipped = "item = ? and status = 'failed' and last_equals_status = 'passed'"
    line = "regexp_matches(reply, '(^|\\n)ANSWER:')"
    asked = "(answer = 'ASK' or starts_with(answer, 'ASK:'))"
    [(largest,)] = rows("select lineage from seen group by lineage order by count(distinct configuration) desc limit 1")
    forbidden = (
        "trial_id in (select trial_id from calls, items where item = ? and list_contains(gold->>'$.never[*]', name))"
    )
    unread = (
        f"select count(*) from (select configuration from seen s where item = ? and status = 'failed' and {asked} and"
        " ask_accepted_status = 'failed' and not exists (from calls c, items i where c.trial_id = s.trial_id and"
        " i.item = s.item and list_contains(i.gold->>'$.ask.after[*]', c.name)) group by 1 having count(*) = 3)"
    )
    cells = {tuple(c["in"]): c["trials"] for c in axis["partitions"]["signals"]["usable"]["cells"]}
    fallback = axis["candidates"]["last_line_fallback"]["tiers"]
    ids = "select trial_id from flips where candidate = 'last_line_fallback' and to_status = 'passed'"
    usable = [c for c, g in gains.items() if "usable" in g["tiers"]]
    pair = rows(
        "select weights, list(configuration order by configuration) from (select distinct weights, configuration from"
        " seen) join configurations using (configuration, weights) where reasoning = 'off' and provider = 'self-hosted'"
        " group by weights having count(*) = 2"
    )
    gained = {c: g["candidates"].get("last_line_fallback", {}).get("gain", 0) for c, g in gains.items()}
    return {
        "files": summary["corpus"]["files"],
        "trials": summary["corpus"]["trials"],
        "items, families": (tiers["all"]["items"], len(axis["families"]["all"])),
        "strong": {k: tiers["strong"][k] for k in ("configurations", "trials", "failed")},
        "usable": {k: tiers["usable"][k] for k in ("configurations", "trials", "failed")},
        **{
            f"at {limit:.0%}": {
                "configurations": cut[limit]["configurations"],
                "failed": cut[limit]["failed"],
                "fallback": cut[limit]["flips"]["last_line_fallback"]["fail_to_pass"],
            }
            for limit in (0.2, 0.4)
        },
        "the 65th": _marginal(gains),
        "strong lineages, largest two": [
            n
            for (n,) in rows(
                "select count(distinct configuration) as n from seen group by lineage order by n desc limit 2"
            )
        ],
        **{
            name: (families[family]["passed"], families[family]["trials"])
            for name, family in (("clarify", clarify), ("units", units), ("poll", poll))
        },
        "other families at least": 252 if all(f["passed"] >= 252 and f["trials"] == 264 for f in others) else others,
        "other families": len(others),
        "never failed in strong": len(never),
        "retire and canary among them": tuple(sum(kind in n for n in notes.values()) for kind in ("retire", "canary")),
        "unit item": {
            "trials": count("item = ?", unit),
            "failed": count("item = ? and status = 'failed'", unit),
            "codes": dict(
                rows("select code, count(*) from seen where item = ? and status = 'failed' group by code", unit)
            ),
            "unit id read": count(
                "item = ? and status = 'failed' and regexp_matches(answer, '^' || value || ' *=')",
                unit,
            ),
            "answer line": count(f"item = ? and status = 'failed' and {line}", unit),
        },
        "unit item, last equals": {
            "flips": count(f"{flipped}", unit),
            "stay": count("item = ? and status = 'failed' and last_equals_status = 'failed'", unit),
            "configurations": one(f"select count(distinct configuration) from seen where {flipped}", unit),
            "of the 27B": count(f"{flipped} and lineage = ?", unit, largest),
            "27B configurations": one(
                f"select count(distinct configuration) from seen where {flipped} and lineage = ?", unit, largest
            ),
        },
        "delete item": {
            "trials": count("item = ?", delete),
            "passed": count("item = ? and status = 'passed'", delete),
            "asked": count(f"item = ? and {asked}", delete),
            "deleted": count(f"item = ? and {forbidden}", delete, delete),
            "no line": count(f"item = ? and not {line}", delete),
            "codes": dict(
                rows("select code, count(*) from seen where item = ? and status = 'failed' group by code", delete)
            ),
        },
        "delete item, ask": {
            "flips": count(
                "item = ? and status = 'failed' and ask_accepted_status = 'passed'",
                delete,
            ),
            "asks that fail": count(f"item = ? and {asked} and ask_accepted_status = 'failed'", delete),
            "deletions that pass": count(
                f"item = ? and {forbidden} and ask_accepted_status = 'passed'",
                delete,
                delete,
            ),
        },
        "three asks without the listing": one(unread, delete),
        "pooled configuration": {
            "runs": one("select count(distinct run) from trials where run is not null"),
            "asks": count(f"run is not null and item = ? and {asked}", delete),
            "flips": count(
                "run is not null and item = ? and status = 'failed' and ask_accepted_status = 'passed'",
                delete,
            ),
        },
        **{
            f"fallback, {tier}": {way: fallback[tier][way]["trials"] for way in ("fail_to_pass", "pass_to_fail")}
            for tier in ("usable", "strong")
        },
        "fallback codes": [
            c
            for (c,) in rows(
                "select distinct code from grades join trials using (trial_id) where candidate = 'frozen' and trial_id"
                f" in ({ids}) and list_contains(?, configuration) order by code",
                usable,
            )
        ],
        "thinking-off pair of one weights": max((sorted(gained[c] for c in both) for _, both in pair), default=[]),
        "signals": {
            "both": cells[("last_line_fallback", "call_like_text")],
            "call": cells[("call_like_text",)],
            "fallback": cells[("last_line_fallback",)],
            "neither": cells[()],
            "total": axis["partitions"]["signals"]["usable"]["total"],
        },
        "sample frame": summary["samples"]["fallback_flips"]["frame"],
    }


def _marginal(gains: dict[str, Any]) -> Any:
    """The one configuration that a cut-off of 20% adds to the usable tier."""
    found = [
        {k: g[k] for k in ("trials", "failed")} | {"fallback": g["candidates"]["last_line_fallback"]["fail_to_pass"]}
        for g in gains.values()
        if "usable" not in g["tiers"] and 5 * g["passed"] >= g["passed"] + g["failed"]
    ]
    return found[0] if len(found) == 1 else found
