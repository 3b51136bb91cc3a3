"""Readings: what each side read in the trials that it grades otherwise, at its place in the reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.diff import READ, SIDES, Side
from regrade.report.shown import pieces, reading_marks, shorten
from regrade.report.trials import CARRIED

PLACES = ("answer_start", "answer_stop", "value_start", "value_stop")
NOWHERE = dict.fromkeys(PLACES)

REPLIES = """
select trial_id, item, configuration, reply, prompt, gold from {side}.trials left join {side}.items using (item)
where trial_id in (select unnest($ids::varchar[]))
"""

# Of a carried grader the answer is the whole reply, which says nothing.
READINGS = f"""
select trial_id, answer_start, answer_stop, value_start, value_stop, kind
from {{g}}.grades left join {{g}}.graders using (axis)
where {READ.format(g="{g}", side="candidate")} and trial_id in (select unnest($ids::varchar[]))
"""


def read_both(con: DuckDBPyConnection, sides: tuple[Side, Side], block: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The listed trials of a pair, each with its item, and its reply with what A and B read in it.

    Args:
        con: a connection to which the databases of both sides are attached.
        sides: A and B.
        block: a record of `compared`.

    Returns:
        Each record of the block's `trials`, with `item`, `configuration`, `prompt`, `gold` and `boxes`: a heading and
        the pieces of a reply, one of both sides, or two where they have another reply.
    """
    ids = [trial["trial_id"] for trial in block["trials"]]
    replies, places = {}, {}
    for name, side in zip(SIDES, sides, strict=True):
        rows = con.execute(REPLIES.format(side=side.trials), {"ids": ids}).fetchall()
        replies[name] = {trial: told for trial, *told in rows}
        places[name] = _places(con, side, block["axis"], block[name]["candidate"], ids)
    shown = []
    for trial in block["trials"]:
        one, other = (replies[name][trial["trial_id"]] for name in SIDES)
        read = {name: places[name].get(trial["trial_id"], NOWHERE) for name in SIDES}
        both = {"Reply": (one, SIDES)} if one[2] == other[2] else {"Reply in A": (one, "a"), "Reply in B": (other, "b")}
        boxes = [
            (
                heading,
                pieces(*shorten(told[2], reading_marks(told[2], [(n.upper(), n == "a", read[n]) for n in names]))),
            )
            for heading, (told, names) in both.items()
        ]
        item, configuration, _, prompt, gold = one
        about = {"item": item, "configuration": configuration, "prompt": prompt, "gold": gold}
        shown.append({**trial, **about, "boxes": boxes})
    return shown


def _places(
    con: DuckDBPyConnection, side: Side, axis: str, candidate: str, ids: list[str]
) -> dict[str, dict[str, int | None]]:
    bound = {"axis": axis, "candidate": candidate, "ids": ids}
    found = {}
    for trial, *places, kind in con.execute(READINGS.format(g=side.grades), bound).fetchall():
        read = dict(zip(PLACES, places, strict=True))
        found[trial] = {**read, "answer_start": None, "answer_stop": None} if kind == CARRIED else read
    return found
