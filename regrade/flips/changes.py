"""Changes: what the two sides of a diff rest on, where it differs: files, items, configurations, graders, rules."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

from regrade.flips.diff import SIDES, Side
from regrade.flips.diff_trials import TOLD


class Part(NamedTuple):
    """One table of which both sides have a version."""

    name: str
    of_grades: bool
    """It stands in the database of the grades, not in that of the trials."""
    key: str
    columns: tuple[str, ...]
    """What is compared; JSON whatever the order of its keys."""


PARTS = (
    Part("files", False, "path", ("sha256",)),
    Part("items", False, "item", ("family", "prompt", "gold")),
    Part("configurations", False, "configuration",
         ("model", "weights", "lineage", "provider", "server", "quant", "reasoning", "arm", "extra")),
    Part("graders", True, "axis", ("kind", "rule", "fingerprint", "parity_trials", "parity_agree")),
    Part("rules", True, "rule", ("fingerprint", "decision", "doc")),
)  # fmt: skip
JSON = ("gold", "extra")

USED = """
where $only is null or rule in (select rule from {grades}.graders)
or rule in (select unnest(rules) from {grades}.candidates where candidate = $only)
"""

TRANSCRIPTS = f"""
select count(*) filter (x.told is not null and y.told is not null), count(*) filter (y.told is null),
       count(*) filter (x.told is null), count(*) filter (x.told <> y.told)
from {TOLD}
"""


def find_changes(con: DuckDBPyConnection, a: Side, b: Side) -> dict[str, Any]:
    """List what differs between the sides besides their grades.

    Args:
        con: a connection to which the databases of both sides are attached.
        a: one side.
        b: the other.

    Returns:
        For each of `PARTS`: `changed` (the key, then `a` and `b` with the columns that differ), `only_in_a` and
        `only_in_b` (keys). Of a side that is one candidate, the rules are its own. `trials`: how many are in `both`,
        `only_in_a` and `only_in_b`, and `changed`, those of both whose reply, turns or state differ.
    """
    found: dict[str, Any] = {"trials": _trials(con, a, b)}
    for part in PARTS:
        one, other = (_rows(con, part, side) for side in (a, b))
        found[part.name] = {
            "changed": [
                {part.key: key, **dict(zip(SIDES, _differing(one[key], other[key]), strict=True))}
                for key in one
                if key in other and one[key] != other[key]
            ],
            "only_in_a": [key for key in one if key not in other],
            "only_in_b": [key for key in other if key not in one],
        }
    return found


def _trials(con: DuckDBPyConnection, a: Side, b: Side) -> dict[str, int]:
    if a.trials == b.trials:
        [(both,)] = con.execute(f"select count(*) from {a.trials}.trials").fetchall()
        return {"both": both, "only_in_a": 0, "only_in_b": 0, "changed": 0}
    [counts] = con.execute(TRANSCRIPTS.format(a=a.trials, b=b.trials)).fetchall()
    return dict(zip(("both", "only_in_a", "only_in_b", "changed"), counts, strict=True))


def _rows(con: DuckDBPyConnection, part: Part, side: Side) -> dict[str, dict[str, Any]]:
    database = side.grades if part.of_grades else side.trials
    query, bound = f"select {part.key}, {', '.join(part.columns)} from {database}.{part.name} ", {}
    if part.name == "rules":
        query, bound = query + USED.format(grades=side.grades), {"only": side.candidate}
    rows = con.execute(f"{query} order by {part.key}", bound).fetchall()
    return {key: {c: _plain(c, v) for c, v in zip(part.columns, values, strict=True)} for key, *values in rows}


def _plain(column: str, value: Any) -> Any:
    # As text, since in Python 1, 1.0 and True are equal.
    return json.dumps(json.loads(value), sort_keys=True) if column in JSON and value is not None else value


def _differing(*both: dict[str, Any]) -> list[dict[str, Any]]:
    one, other = both
    keys = [key for key in one if one[key] != other[key]]
    return [{k: json.loads(s[k]) if k in JSON and s[k] is not None else s[k] for k in keys} for s in both]
