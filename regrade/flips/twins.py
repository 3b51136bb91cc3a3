"""Twins: pairs of configurations whose replies are nearly all the same."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

ALIKE = 0.9
"""Share of identical replies above which two configurations are listed."""

PAIRS = 1_000_000
"""Pairs that are counted at once, about: what memory a query takes goes by them."""

SAID = """
create or replace temp view said as
select number, item, coalesce(run, '') as run, trial, reply from trials join numbered using (configuration)
"""

NUMBERED = """
create or replace temp table numbered as
select configuration, row_number() over (order by configuration)::integer as number, count(*) as tried
from trials group by configuration
"""

MEETINGS = """
create or replace temp table {name} as
with met as (select list_sort(list(number)) as members from said group by {by} having count(*) > 1),
places as (select row_number() over ()::integer as place, members, count(*) as times from met group by members)
select place, times, unnest(members) as number from places
"""
"""Who has the same of something. What the same configurations have is one place with a number of times: where all
reply the same, or all have every trial, that is a place instead of one a trial."""

TOGETHER = """
select a.number as one, b.number as other, sum(a.times)::bigint as trials
from {name} a join {name} b using (place)
where a.number between $first and $last and a.number < b.number {also} group by all
"""

NEAR = f"""
create or replace temp table near as
select one, other, trials as identical
from ({TOGETHER.format(name="alike", also="")}) join numbered a on a.number = one join numbered b on b.number = other
where trials > {ALIKE} * greatest(a.tried + b.tried - $attempts, 1)
"""
"""Two configurations share at least what both sizes leave no room to miss, which settles most pairs without a look at
the trials that they share."""

TWINS = f"""
select a.configuration, b.configuration, identical, trials
from near
join ({TOGETHER.format(name="tried", also="and a.number in (select one from near)")}) using (one, other)
join numbered a on a.number = one join numbered b on b.number = other
where identical > {ALIKE} * trials order by one, other
"""


def twins(con: DuckDBPyConnection, pairs: int = PAIRS) -> list[dict[str, Any]]:
    """The pairs of configurations with over 90% identical replies on the trials that both have, by name.

    A pair has `configurations`, `shared` (trials of the same item, run and trial number) and `identical`.

    Args:
        con: a loaded store; temp tables are made on it.
        pairs: how many are counted at once, about.
    """
    con.execute(NUMBERED)
    con.execute(SAID)
    con.execute(MEETINGS.format(name="alike", by="item, run, trial, reply"))
    con.execute(MEETINGS.format(name="tried", by="item, run, trial"))
    [(configurations,)] = con.execute("select count(*) from numbered").fetchall()
    [(attempts,)] = con.execute("select count(*) from (select distinct item, run, trial from said)").fetchall()
    step = max(1, pairs // max(1, configurations))
    found = []
    for first in range(1, configurations, step):
        block = {"first": first, "last": first + step - 1}
        if con.execute(NEAR, {**block, "attempts": attempts}).fetchone() != (0,):
            found += con.execute(TWINS, block).fetchall()
    return [
        {"configurations": [one, other], "shared": shared, "identical": identical}
        for one, other, identical, shared in found
    ]
