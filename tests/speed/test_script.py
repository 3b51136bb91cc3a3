"""The script that the measurements compare with gives our grades, and its corpora flip what they should."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from regrade.audit import load_store, regrade_store
from regrade.files.corpus_toml import read_corpus
from regrade.tables.schema import KEPT
from tests.conftest import ROOT, TOOL_LOOP

pytest.importorskip("orjson", reason="orjson is not installed: pip install -e '.[dev]'")

from tests.speed import corpora, script

TO_PASSED, TO_FAILED = ("failed", "passed"), ("passed", "failed")
FLIPS = {
    "ask_accepted": {TO_PASSED},
    "format_code": set(),
    "issued_tokens": {TO_FAILED},
    "last_equals": {TO_PASSED, TO_FAILED},
    "last_line_fallback": {TO_PASSED},
    "menu_accepted": {TO_PASSED},
}
"""The flips that each candidate is able to make."""

Grades = list[dict[str, tuple[str, str | None, str | None]]]
"""Of each trial, in the order of files and lines: status, code and value under each candidate."""


def by_store(con: duckdb.DuckDBPyConnection) -> Grades:
    found: dict[tuple[int, int], dict[str, tuple[str, str | None, str | None]]] = {}
    rows = con.execute(
        "select file_id, line, candidate, status, code, value from grades join trials using (trial_id) "
        "where axis = 'pass' order by file_id, line"
    )
    for file_id, line, candidate, *grade in rows.fetchall():
        if candidate in script.COLUMNS:
            found.setdefault((file_id, line), {})[candidate] = tuple(grade)
    return list(found.values())


def by_script(corpus: Path, out: Path) -> Grades:
    subprocess.run([sys.executable, script.__file__, corpus, out], check=True)
    found = []
    for line in out.read_bytes().splitlines():
        row = json.loads(line)
        found.append({c: (s, k, v and v[:KEPT]) for c in script.COLUMNS for s, k, v in [row[c]]})
    return found


@pytest.mark.parametrize("trials", [2_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_the_script_gives_our_grades_on_every_trial(trials: int, tmp_path: Path) -> None:
    path = corpora.write_corpus(tmp_path / "corpus", trials)
    corpus = read_corpus(path)
    # Parity of the frozen grader is proved on the way.
    with load_store(corpus, tmp_path) as store:
        regrade_store(store, corpus)
        assert store.con.execute("select count(*) from rejects").fetchall() == [(0,)]
        graded = by_store(store.con)
        rows = store.con.execute("select candidate, from_status, to_status from flips group by all").fetchall()
        recodes = store.con.execute("select distinct candidate from recodes").fetchall()
    assert len(graded) == trials
    assert by_script(path, tmp_path / "grades.jsonl") == graded
    assert {c: {(old, new) for name, old, new in rows if name == c} for c in FLIPS} == FLIPS
    assert recodes == [("format_code",)]


def test_it_gives_them_on_the_bundled_corpus(tool_loop_store: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    shutil.copy(TOOL_LOOP / "bank.json", tmp_path)
    (tmp_path / "trials").mkdir()
    for path in (TOOL_LOOP / "trials").glob("*.gz"):
        (tmp_path / "trials" / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
    assert by_script(tmp_path, tmp_path / "grades.jsonl") == by_store(tool_loop_store)


def test_a_corpus_is_the_same_bytes_again_and_says_that_it_is_simulated(tmp_path: Path) -> None:
    again = [sys.executable, "-m", "tests.speed.corpora", "100", str(tmp_path / "two")]
    one = corpora.write_corpus(tmp_path / "one", 100)
    subprocess.run(again, check=True, cwd=ROOT, env={"PYTHONHASHSEED": "7"})
    files = sorted(p.relative_to(one) for p in one.rglob("*") if p.is_file())
    assert len(files) == 3 + 24
    for name in files:
        assert (one / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert read_corpus(one).simulated
    other = corpora.write_corpus(tmp_path / "other", 100, seed=1)
    assert sum((one / n).read_bytes() != (other / n).read_bytes() for n in files) == 24
