"""Stopped: the trials that a limit or an error ended, and those of a log that did not end well, by frozen status."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.counts import STATUSES
from regrade.tables.schema import KEPT

OUTCOMES = (*STATUSES, "none")
COUNTS = ("trials", *OUTCOMES)

STOPPED = f"""
with told as (
  select trial_id, coalesce(status, 'none') as status,
         case when json_type(extra, '$.limit.type') = 'VARCHAR'
              then nullif(trim(left(extra->>'$.limit.type', {KEPT})), '') end as reached,
         coalesce(json_type(extra, '$.error') in ('VARCHAR', 'OBJECT', 'BOOLEAN')
                  and trim(extra->>'$.error') not in ('', '{{}}', 'false'), false) as broke,
         case when extra->>'$.log.status' in ('started', 'cancelled', 'error') then extra->>'$.log.status' end as log
  from trials left join (select trial_id, status from frozen_grades where axis = $axis) using (trial_id)
  where extra is not null
),
named as (
  select trial_id, status, unnest([
    {{'how': 'any', 'what': if(broke or reached is not null, '', null)}},
    {{'how': 'limit', 'what': reached}},
    {{'how': 'error', 'what': if(broke, '', null)}},
    {{'how': 'log', 'what': log}}
  ], recursive := true)
  from told
)
select how, what, count(*), {", ".join(f"count(*) filter (status = '{s}')" for s in OUTCOMES)}, min(trial_id)
from named where what is not null group by how, what order by how, what
"""
"""`any` and `error` are of one kind each, so what they are is the empty text."""


def stopped_counts(con: DuckDBPyConnection, axis: str) -> dict[str, Any]:
    """Count the trials whose `extra` says that they did not end by themselves, whatever loader read it.

    Returns:
        `any`: at a limit or an error, each trial once; `limit` by the type of the limit (`extra.limit.type`); `error`
        (`extra.error`: a text, an object or true); `log` by the status of a log that was left unfinished, was cancelled
        or ended in an error (`extra.log.status`), however the trial itself ended. Each is a record of `trials`, the
        frozen statuses on the axis that these are the sum of (`none`: no grade there), and `first`, the first of them
        by name, or null.
    """
    nothing = {**dict.fromkeys(COUNTS, 0), "first": None}
    found: dict[str, Any] = {"any": nothing, "limit": {}, "error": dict(nothing), "log": {}}
    for how, what, *values in con.execute(STOPPED, {"axis": axis}).fetchall():
        record = dict(zip((*COUNTS, "first"), values, strict=True))
        if what:
            found[how][what] = record
        else:
            found[how] = record
    return found
