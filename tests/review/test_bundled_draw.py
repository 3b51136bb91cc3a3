"""The sample that the bundled corpus declares."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import duckdb
import pytest

from tests.commands import run
from tests.conftest import TOOL_LOOP


def test_of_the_bundled_corpus_fifty_of_the_477_are_drawn(tool_loop_store: duckdb.DuckDBPyConnection) -> None:
    rows = tool_loop_store.execute(
        "select sample, stratum, probability, seed, frame, count(*), count(distinct sha256) from samples group by all"
    ).fetchall()
    assert rows == [("fallback_flips", "fail_to_pass", 50 / 477, 20260101, 477, 50, 1)]
    names = [name for (name,) in tool_loop_store.execute("select trial_id from samples").fetchall()]
    frame = tool_loop_store.execute(
        "select trial_id from flips join trials using (trial_id) join tiers using (configuration)"
        " where candidate = 'last_line_fallback' and tier = 'usable' and to_status = 'passed'"
    ).fetchall()
    ordered = sorted((t for (t,) in frame), key=lambda t: hashlib.sha256(f"20260101\0{t}".encode()).hexdigest())
    assert sorted(names) == sorted(ordered[:50])


@pytest.mark.slow
def test_the_command_draws_the_bundled_sample_alike(tool_loop_store: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    made = json.loads(run("sample", TOOL_LOOP, "--name", "fallback_flips", "--out", tmp_path, "--json").stdout)
    [(sha256,)] = tool_loop_store.execute("select distinct sha256 from samples").fetchall()
    assert (made["sha256"], made["frame"], made["drawn"]) == (sha256, 477, 50)
