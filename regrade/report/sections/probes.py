"""Probes: made-up replies that no honest trial gives, and who passes them."""

from __future__ import annotations

from typing import Any

from regrade.grades.probes import NOTHING
from regrade.report.page import Page
from regrade.report.shown import cut

SHOWN = 60
"""Passed probes shown at most, of each name on an axis."""
KEPT = 400
"""Characters of a reply shown at each of its ends."""

MEANING = {
    "empty": "The reply is empty; framed, the place of the answer is.",
    "do_nothing": f"Nothing is called, and the reply says {NOTHING!r}.",
    "all_options": "Every option is listed: the item's own, or the golds of its family.",
    "gold_beside_wrong": "The gold and a wrong answer are offered alike.",
    "question_repeated": "The reply is the prompt.",
}

PASSED = f"""
select item, variants, reply, "values", passers, total from (
  select item, min(place) as first, list(variant order by place) as variants, reply,
         any_value("values") as "values", passers, count(*) over () as total
  from (
    select item, variant, reply, min(variant) as place, list(distinct value order by value) as "values",
           list(candidate order by candidate <> 'frozen', candidate) as passers
    from probes where axis = $axis and probe = $probe and status = 'passed' group by item, variant, reply
  ) group by item, reply, passers
) order by item, first limit {SHOWN}
"""

REPLIES = (
    "select trial_id, reply from trials where trial_id in (select unnest($ids::varchar[])) order by item, trial_id"
)


def probes(page: Page) -> dict[str, Any] | None:
    """Counts by candidate and probe, each passed probe with its reply, and the idle passes of a carried grader."""
    axes = {axis: _axis(page, axis, block) for axis, block in page.summary["axes"].items()}
    return {"title": "Probes for false passes", "axes": axes, "meaning": MEANING} if axes else None


def _axis(page: Page, axis: str, block: dict[str, Any]) -> dict[str, Any]:
    passed = {probe: _passed(page, axis, probe) for probe in MEANING}
    return {
        "kind": block["frozen"]["kind"],
        "candidates": block["probes"],
        "passed": {probe: rows for probe, rows in passed.items() if rows},
        "idle": block["idle_passes"],
        "idle_shown": _replies(page, (block["idle_passes"] or {"passing": []})["passing"][:SHOWN]),
        "frozen_passed": block["tiers"]["all"]["passed"],
    }


def _passed(page: Page, axis: str, probe: str) -> list[dict[str, Any]]:
    names = ("item", "variants", "reply", "values", "passers", "total")
    rows = [
        dict(zip(names, row, strict=True))
        for row in page.con.execute(PASSED, {"axis": axis, "probe": probe}).fetchall()
    ]
    return [{**row, "reply": cut(row["reply"], KEPT)} for row in rows]


def _replies(page: Page, ids: list[str]) -> list[tuple[str, str]]:
    return [(name, cut(reply, KEPT)) for name, reply in page.con.execute(REPLIES, {"ids": ids}).fetchall()]
