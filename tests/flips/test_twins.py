"""Twins: the pairs are those of a count one by one, and the memory does not go by how many reply the same."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import duckdb
from hypothesis import example, given, settings
from hypothesis import strategies as st

from regrade.flips.twins import twins

KEYS = [("i", None, "0"), ("i", None, "1"), ("j", "r", "0"), ("j", "s", "0"), *(("k", None, str(n)) for n in range(8))]
Replies = dict[str, dict[tuple[str, str | None, str], str]]


def laid(replies: Replies) -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(config={"threads": 1})
    con.execute("create table trials (configuration varchar, item varchar, run varchar, trial varchar, reply varchar)")
    rows = [[name, *key, reply] for name, said in replies.items() for key, reply in said.items()]
    if rows:
        con.executemany("insert into trials values (?, ?, ?, ?, ?)", rows)
    return con


def one_by_one(replies: Replies) -> list[dict[str, Any]]:
    found = []
    for one, other in combinations(sorted(replies), 2):
        a, b = replies[one], replies[other]
        shared = a.keys() & b.keys()
        identical = sum(a[key] == b[key] for key in shared)
        if 10 * identical > 9 * len(shared):
            found.append({"configurations": [one, other], "shared": len(shared), "identical": identical})
    return found


SAID = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(["", "A", "A", "A", "a", "A "]), max_size=12)


@settings(max_examples=15)
@given(st.dictionaries(st.sampled_from(["a", "B", "é", "c/d", "e"]), SAID, max_size=5), st.sampled_from([1, 5, 1000]))
@example({"a": dict.fromkeys(KEYS[:10], "A"), "e": {**dict.fromkeys(KEYS[:10], "A"), KEYS[0]: "a"}}, 1000)
@example({"a": dict.fromkeys(KEYS[:11], "A"), "e": {**dict.fromkeys(KEYS[:11], "A"), KEYS[0]: "a"}}, 1)
def test_the_pairs_are_those_of_a_count_one_by_one(replies: Replies, pairs: int) -> None:
    assert twins(laid(replies), pairs) == one_by_one(replies)


def test_equal_replies_of_many_need_no_more_memory() -> None:
    con = duckdb.connect(config={"threads": 2, "memory_limit": "40MB"})
    con.execute("set temp_directory = ''")
    con.execute(
        "create table trials as select 'c' || c as configuration, 'i' || i as item, null::varchar as run, "
        "'0' as trial, if(c < 4, 'A', chr(65 + (hash(c, i) % 3)::int)) as reply "
        "from range(1000) a(c), range(20) b(i)"
    )
    found = twins(con, 20_000)
    assert [pair["configurations"] for pair in found] == [[f"c{a}", f"c{b}"] for a, b in combinations(range(4), 2)]
    assert {(pair["shared"], pair["identical"]) for pair in found} == {(20, 20)}
