"""Groups of a diff: where the cells that change come from."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

from regrade.flips.tallies import SPREAD, SPREAD_KEYS

KEYS = ("family", "item", "configuration", "weights", "lineage")

RATES = """
select {key}, coalesce(sum(trials) filter (from_status = 'passed'), 0),
       coalesce(sum(trials) filter (from_status in ('passed', 'failed')), 0),
       coalesce(sum(trials) filter (to_status = 'passed'), 0),
       coalesce(sum(trials) filter (to_status in ('passed', 'failed')), 0)
from pair_tallies group by {key} having bool_or(kind <> 'same')
order by coalesce(sum(trials) filter (kind = 'moved'), 0) desc, coalesce(sum(trials) filter (kind = 'recoded'), 0) desc,
         {key}
"""

CHANGES = f"""
select {{key}}, coalesce(direction, kind), {SPREAD} from pair_tallies where kind <> 'same'
group by {{key}}, coalesce(direction, kind) order by {{key}}, coalesce(direction, kind)
"""


def count_groups(con: DuckDBPyConnection) -> dict[str, list[dict[str, Any]]]:
    """Count the cells of a pair by each of `KEYS`, groups in which none changes left out.

    Args:
        con: a connection with `pair_tallies` of the pair.

    Returns:
        By key the groups, those with most moved cells first: `name`, `a` and `b` (passed, graded: cells), and the
        spread of each direction of a flip and of `recoded`, `only_in_a` and `only_in_b` that is not nothing. Of an
        item without a family the name is `''`.
    """
    return {key: _groups(con, key) for key in KEYS}


def _groups(con: DuckDBPyConnection, key: str) -> list[dict[str, Any]]:
    groups = {
        name: {"name": name, "a": {"passed": a, "graded": of_a}, "b": {"passed": b, "graded": of_b}}
        for name, a, of_a, b, of_b in con.execute(RATES.format(key=key)).fetchall()
    }
    for name, kind, *numbers in con.execute(CHANGES.format(key=key)).fetchall():
        groups[name][kind] = dict(zip(SPREAD_KEYS, numbers, strict=True))
    return list(groups.values())
