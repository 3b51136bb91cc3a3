from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.errors import StoreError
from regrade.flips.changes import find_changes
from regrade.flips.diff import KINDS, Side, diff_cells
from regrade.flips.tallies import DIRECTIONS, NO_SPREAD
from tests.flips.flip_store import Attempt, as_json, attempt, insert, store

pytestmark = pytest.mark.slow

HELD = (
    "trials", "items", "configurations", "files", "frozen_grades", "grades", "candidates", "graders", "rules", "tiers",
)  # fmt: skip
SWAPPED = {
    "a": "b", "b": "a", "only_in_a": "only_in_b", "only_in_b": "only_in_a", "from": "to", "to": "from",
    "fail_to_pass": "pass_to_fail", "pass_to_fail": "fail_to_pass",
    "to_ungraded": "from_ungraded", "from_ungraded": "to_ungraded",
}  # fmt: skip


def both(a: duckdb.DuckDBPyConnection, b: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A connection to which both stores are attached, as `a` and `b`."""
    con = duckdb.connect(config={"threads": 1})
    for name, made in (("a", a), ("b", b)):
        con.execute(f"attach ':memory:' as {name}")
        for table in HELD:
            con.register("held", made.table(table).to_arrow_table())
            con.execute(f"create table {name}.{table} as from held")
            con.unregister("held")
        made.close()
    return con


def diffed(
    a: duckdb.DuckDBPyConnection, b: duckdb.DuckDBPyConnection, one: str | None = None, other: str | None = None
) -> dict[str, Any]:
    with both(a, b) as con:
        found = as_json(diff_cells(con, Side("a", "a", one), Side("b", "b", other), limit=2))
    return dict(found)


def spread(trials: int, items: int, configurations: int, weights: int, lineages: int) -> dict[str, int]:
    return dict(
        zip(("trials", "items", "configurations", "weights", "lineages"),
            (trials, items, configurations, weights, lineages), strict=True)
    )  # fmt: skip


KNOWN = {"q4": {"weights": "W", "lineage": "L"}, "q8": {"weights": "W", "lineage": "L"}}


def test_every_kind_of_cell_is_counted_with_what_it_comes_from() -> None:
    one = [
        attempt("q4", "T1", 0, "failed:X", v="passed"),
        attempt("q8", "T1", 0, "failed:X", v="passed"),
        attempt("q4", "T2", 0, "failed:X", v="failed:X"),
        attempt("q4", "T3", 0, "passed", v="passed"),
        attempt("q4", "T3", 1, "passed", v="passed"),
    ]
    other = [
        attempt("q4", "T1", 0, "failed:X", v="failed:Y"),
        attempt("q8", "T1", 0, "failed:X", v="failed:Y"),
        attempt("q4", "T2", 0, "failed:X", v="failed:Y"),
        attempt("q4", "T3", 0, "passed", v="passed"),
        attempt("new", "T3", 0, "passed", v="passed"),
        attempt("new", "T3", 1, "passed", v="passed"),
    ]
    found = diffed(store(one, configurations=KNOWN), store(other, configurations=KNOWN))
    frozen, v = found["compared"]
    assert (frozen["a"]["candidate"], v["a"]["candidate"], v["b"]["rules"]) == ("frozen", "v", ["v_v1"])
    assert (v["a"]["cells"], v["b"]["cells"]) == (5, 6)
    assert v["moved"] == v["pass_to_fail"] == spread(2, 1, 2, 1, 1)
    assert v["recoded"] == spread(1, 1, 1, 1, 1) and v["same"] == spread(1, 1, 1, 1, 1)
    assert v["only_in_a"] == spread(1, 1, 1, 1, 1) and v["only_in_b"] == spread(2, 1, 1, 1, 1)
    assert v["fail_to_pass"] == NO_SPREAD
    assert v["transitions"] == [
        {"from": ["failed", "X"], "to": ["failed", "Y"], **spread(1, 1, 1, 1, 1)},
        {"from": ["passed", None], "to": ["failed", "Y"], **spread(2, 1, 2, 1, 1)},
    ]
    assert [t["trial_id"] for t in v["trials"]] == ["q4/T1/0", "q8/T1/0"], "what moved stands first"
    assert (v["trials"][0]["a"]["status"], v["trials"][0]["b"]["code"]) == ("passed", "Y")
    assert frozen["same"]["trials"] == 4 and found["only_in_a"] == found["only_in_b"] == []


def test_axes_and_candidates_that_one_side_lacks_are_listed() -> None:
    one = store([Attempt("m", "T1", "0", {"pass": {"frozen": "passed", "v": "failed"}, "form": {"w": "passed"}})])
    other = store([Attempt("m", "T1", "0", {"pass": {"frozen": "passed", "u": "failed"}})])
    found = diffed(one, other)
    assert [(b["axis"], b["a"]["candidate"]) for b in found["compared"]] == [("pass", "frozen")]
    assert found["only_in_a"] == [
        {"axis": "form", "candidate": "w", "cells": 1},
        {"axis": "pass", "candidate": "v", "cells": 1},
    ]
    assert found["only_in_b"] == [{"axis": "pass", "candidate": "u", "cells": 1}]


def test_two_candidates_are_compared_whatever_their_names() -> None:
    trials = [attempt("m", "T1", 0, "failed", u="passed", v="ungraded:Z"), attempt("m", "T2", 0, "passed", u="passed")]
    found = diffed(store(trials), store(trials), "v", "u")
    [block] = found["compared"]
    assert (block["a"]["candidate"], block["b"]["candidate"]) == ("v", "u")
    assert (block["from_ungraded"]["trials"], block["only_in_b"]["trials"]) == (1, 1)
    # Against the frozen grades the counts are the flips.
    [block] = diffed(store(trials), store(trials), "frozen", "u")["compared"]
    assert (block["fail_to_pass"]["trials"], block["same"]["trials"]) == (1, 1)


def test_what_a_carried_grader_read_is_not_claimed() -> None:
    def made(code: str) -> duckdb.DuckDBPyConnection:
        con = store([attempt("m", "T1", 0, f"failed:{code}")], kinds={"pass": "carried"})
        con.execute("update grades set answer = 'the whole reply'")
        con.execute("update frozen_grades set answer = 'as logged'")
        return con

    [block] = diffed(made("X"), made("Y"))["compared"]
    assert [block["trials"][0][side]["answer"] for side in "ab"] == ["as logged", "as logged"]


GRADES = st.sampled_from(["passed", "failed", "failed:X", "failed:Y", "ungraded", "passed:R"])
KEYS = st.tuples(st.sampled_from("pq"), st.sampled_from(["T1", "T2"]), st.integers(0, 1))
TRIALS = st.dictionaries(KEYS, st.tuples(GRADES, GRADES), min_size=1)
WEIGHTS = st.dictionaries(st.sampled_from("pq"), st.sampled_from("WV"))


@pytest.fixture(scope="module")
def pair() -> Iterator[duckdb.DuckDBPyConnection]:
    """Two stores without rows, attached."""
    with both(store([]), store([])) as con:
        yield con


def fill(con: duckdb.DuckDBPyConnection, name: str, trials: Mapping[Any, Any], known: Mapping[str, str]) -> None:
    """Put trials, each with a frozen grade and that of the candidate `v`, in place of what an attached store has."""
    tables: dict[str, list[str]] = {table: [] for table in ("configurations", "trials", "frozen_grades", "grades")}
    for configuration, weights in known.items():
        tables["configurations"].append(f"{{configuration: '{configuration}', weights: '{weights}'}}")
    for (configuration, item, number), grades in trials.items():
        trial = f"trial_id: '{configuration}/{item}/{number}'"
        tables["trials"].append(f"{{{trial}, configuration: '{configuration}', item: '{item}'}}")
        for table, told in zip(("frozen_grades", "grades"), grades, strict=True):
            status, _, code = told.partition(":")
            tables[table].append(
                f"{{{trial}, axis: 'pass', candidate: 'v', status: '{status}', code: nullif('{code}', '')}}"
            )
    for table, rows in tables.items():
        columns = [d[0] for d in con.execute(f"from {name}.{table} limit 0").description]
        con.execute(f"delete from {name}.{table}")
        if rows:
            given = [c for c in columns if f"{c}:" in rows[0]]
            con.execute(
                f"insert into {name}.{table} ({', '.join(given)}) select {', '.join(f'r.{c}' for c in given)} "
                f"from (select unnest([{', '.join(rows)}]) as r)"
            )


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TRIALS, TRIALS, WEIGHTS, WEIGHTS)
def test_counts_are_those_of_a_plain_loop_and_swap_with_the_sides(
    pair: duckdb.DuckDBPyConnection,
    one: Mapping[Any, Any],
    other: Mapping[Any, Any],
    known_one: Mapping[str, str],
    known_other: Mapping[str, str],
) -> None:
    fill(pair, "a", one, known_one)
    fill(pair, "b", other, known_other)
    found = diff_cells(pair, Side("a", "a"), Side("b", "b"), limit=3)
    assert len(found["compared"]) == 2
    for place, block in enumerate(found["compared"]):
        expected = dict.fromkeys(KINDS, 0)
        for key in one.keys() | other.keys():
            a, b = (side[key][place] if key in side else None for side in (one, other))
            if a is None or b is None:
                expected["only_in_a" if b is None else "only_in_b"] += 1
            elif a == b:
                expected["same"] += 1
            else:
                expected["recoded" if a.split(":")[0] == b.split(":")[0] else "moved"] += 1
        assert {kind: block[kind]["trials"] for kind in KINDS} == expected
        assert (block["a"]["cells"], block["b"]["cells"]) == (len(one), len(other))
        assert sum(block[d]["trials"] for d in DIRECTIONS) == expected["moved"]
    back = diff_cells(pair, Side("b", "b"), Side("a", "a"), limit=3)
    assert normal(back) == normal(swap(found))


def swap(value: Any) -> Any:
    if isinstance(value, dict):
        return {SWAPPED.get(key, key): swap(part) for key, part in value.items()}
    return [swap(part) for part in value] if isinstance(value, list) else value


def normal(found: dict[str, Any]) -> dict[str, Any]:
    """With transitions in one order, which follows the side that they start from."""
    for block in found["compared"]:
        block["transitions"].sort(key=lambda t: str((t["from"], t["to"])))
    return found


def test_a_grade_of_no_trial_stops_the_diff() -> None:
    broken = store([attempt("m", "T1", 0, "passed"), attempt("m", "T2", 0, "passed")])
    broken.execute("delete from trials where item = 'T2'")
    with pytest.raises(StoreError, match="do not add up"):
        diffed(broken, store([attempt("m", "T1", 0, "passed")]))


def test_what_the_grades_rest_on_is_compared_by_its_value() -> None:
    one, other = (store([attempt("m", "T1", 0, "passed"), attempt("m", "T2", 0, "passed")]) for _ in "ab")
    one.execute("""update items set gold = '{"answer": 1, "kind": "number"}'""")
    other.execute("""update items set gold = '{"kind": "number", "answer": 1}' where item = 'T1'""")
    other.execute("""update items set gold = '{"kind": "number", "answer": true}' where item = 'T2'""")
    other.execute("update graders set fingerprint = 'f1'")
    for con, sums in ((one, {"x.gz": "s0", "y.gz": "s1"}), (other, {"x.gz": "s2", "z.gz": "s3"})):
        files = {"format": "jsonl", "bytes": 1, "records": 1, "loaded": 1, "rejected": 0}
        insert(con, "files", [{"file_id": i, "path": p, "sha256": s, **files} for i, (p, s) in enumerate(sums.items())])
    other.execute("update trials set reply = 'other' where item = 'T1'")
    with both(one, other) as con:
        found = as_json(find_changes(con, Side("a", "a"), Side("b", "b")))
    assert found["items"] == {
        "changed": [
            {
                "item": "T2",
                "a": {"gold": {"answer": 1, "kind": "number"}},
                "b": {"gold": {"answer": True, "kind": "number"}},
            }
        ],
        "only_in_a": [],
        "only_in_b": [],
    }
    assert found["items"]["changed"][0]["b"]["gold"]["answer"] is True
    assert found["files"] == {
        "changed": [{"path": "x.gz", "a": {"sha256": "s0"}, "b": {"sha256": "s2"}}],
        "only_in_a": ["y.gz"],
        "only_in_b": ["z.gz"],
    }
    assert found["graders"]["changed"] == [{"axis": "pass", "a": {"fingerprint": "f0"}, "b": {"fingerprint": "f1"}}]
    assert found["trials"] == {"both": 2, "only_in_a": 0, "only_in_b": 0, "changed": 1}
