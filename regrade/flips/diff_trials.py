"""Trials of a diff: those that one side has alone, and those that have another transcript on the other."""

from __future__ import annotations

from os.path import commonprefix
from typing import Any

from duckdb import DuckDBPyConnection

AROUND = 80
"""Characters of a reply kept before and after what differs."""
MOST = 600
"""Characters kept of what differs."""
PARTS = ("reply", "turns", "calls", "state")

# A hash stands for the transcript, so that no text is held while the sides are joined.
TOLD = """
(select trial_id, hash(reply, turns, calls, state) as told from {a}.trials) x
full join (select trial_id, hash(reply, turns, calls, state) as told from {b}.trials) y using (trial_id)
"""

ONLY = "select trial_id from {one}.trials anti join {other}.trials using (trial_id) order by trial_id limit $limit"

CHANGED = f"""
with changed as (select trial_id from {TOLD} where x.told <> y.told order by trial_id limit $limit)
select trial_id, {", ".join(f"x.{part} is distinct from y.{part}" for part in PARTS)}, x.reply, y.reply
from changed join {{a}}.trials x using (trial_id) join {{b}}.trials y using (trial_id) order by trial_id
"""


def list_trials(con: DuckDBPyConnection, a: str, b: str, limit: int) -> dict[str, list[Any]]:
    """List the first trials by name that the sides do not share, or tell otherwise.

    Args:
        con: a connection to which the databases of both sides are attached.
        a: that of one side.
        b: that of the other.
        limit: trials in each list.

    Returns:
        `only_in_a` and `only_in_b`: names. `changed`: `trial_id`, the `parts` that differ (of `PARTS`), and where the
        reply does `a` and `b`: `text`, the stretch that differs with what stands around it, `start` and `stop` of it
        in `text`, `at` its place in the reply, `length` of the reply: code points.
    """
    if a == b:
        return {"only_in_a": [], "only_in_b": [], "changed": []}
    bound = {"limit": limit}
    changed: list[dict[str, Any]] = []
    for trial, *rest in con.execute(CHANGED.format(a=a, b=b), bound).fetchall():
        differs, replies = rest[: len(PARTS)], rest[len(PARTS) :]
        told = dict(zip("ab", _excerpts(*replies), strict=True)) if differs[0] else {}
        parts = [part for part, differing in zip(PARTS, differs, strict=True) if differing]
        changed.append({"trial_id": trial, "parts": parts, **told})
    return {
        "only_in_a": [name for (name,) in con.execute(ONLY.format(one=a, other=b), bound).fetchall()],
        "only_in_b": [name for (name,) in con.execute(ONLY.format(one=b, other=a), bound).fetchall()],
        "changed": changed,
    }


def _excerpts(one: str, other: str) -> list[dict[str, Any]]:
    """What differs between two texts, from the first character that does to the last."""
    start = len(commonprefix([one, other]))
    rest = [text[start:][::-1] for text in (one, other)]
    same = len(commonprefix(rest))
    return [_excerpt(text, start, len(text) - same) for text in (one, other)]


def _excerpt(text: str, start: int, stop: int) -> dict[str, Any]:
    begin, kept = max(0, start - AROUND), min(stop, start + MOST)
    end = stop + AROUND if kept == stop else kept
    return {"text": text[begin:end], "start": start - begin, "stop": kept - begin, "at": start, "length": len(text)}
