"""The simulated review of tool_loop_v1: its published row, and that its labels are made as it says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from regrade.audit import Audit
from regrade.files.corpus_toml import read_corpus
from regrade.flips.samples import check_sample
from regrade.review.binding import bind
from regrade.review.draw import draw_sample
from regrade.review.given import read_given
from regrade.review.key import find_key
from regrade.review.packets import Packets, make_packets
from regrade.review.verdicts import lines_of
from tests.commands import run
from tests.conftest import TOOL_LOOP, simulation
from tests.report.pages import told

SHIPPED = TOOL_LOOP / "reviews" / "fallback_flips"
REMADE = "Make them anew with: python transcripts/tool_loop_v1/review.py"


def test_two_reviewers_agree_on_49_and_45_are_upheld(tool_loop: Audit) -> None:
    found = tool_loop.summary["samples"]["fallback_flips"]
    row = {
        "axis": "pass", "candidate": "last_line_fallback", "stratum": "fail_to_pass", "seed": 20260101, "size": 50,
        "frame": 477, "reviewers": 2, "agree": 49, "disagree": 1, "upheld": 45,
    }  # fmt: skip
    assert {name: found[name] for name in row} == row


def test_both_estimates_of_the_45_stand_on_the_page(tool_loop: Audit) -> None:
    text = told((tool_loop.out / "report.html").read_text("utf-8"))
    assert "45 of 50 drawn upheld. Between 376 and 459 of the 477 are upheld (95%, exact" in text
    beyond = tool_loop.summary["samples"]["fallback_flips"]["estimates"]["upheld"]["fail_to_pass"]["beyond"]
    by_lineage = beyond["by_lineage"]
    here = f"{by_lineage['lineages']} of {by_lineage['frame']} lineages of the frame"
    assert f"lineages{here}{100 * by_lineage['rate']:.1f}%" in text


def test_every_label_says_that_it_is_simulated() -> None:
    for name, said in (("r1", "comment"), ("r2", "comment"), ("rulings", "reason")):
        lines = [json.loads(line) for line in (SHIPPED / f"{name}.jsonl").read_text().splitlines()]
        assert lines and all(line[said].startswith("Simulated.") for line in lines)


@pytest.fixture
def packets(tool_loop_store: duckdb.DuckDBPyConnection) -> Packets:
    corpus = read_corpus(TOOL_LOOP)
    draw = draw_sample(tool_loop_store, check_sample(tool_loop_store, corpus, corpus.samples[0]))
    return make_packets(tool_loop_store, draw, ["r1", "r2"])


def test_the_labels_are_what_the_habits_say_of_the_packets(packets: Packets, tmp_path: Path) -> None:
    """From the text of the packets alone: with nothing else at hand the same bytes come out."""
    fill_in = simulation("reviewers").fill_in
    (tmp_path / "sealed").mkdir()
    (tmp_path / "sealed" / "key.json").write_text(json.dumps(packets.key))
    for reviewer, records in packets.records.items():
        file = tmp_path / "packets" / reviewer / "verdicts.json"
        file.parent.mkdir(parents=True)
        file.write_text(fill_in("".join(json.dumps(record) + "\n" for record in records)), encoding="utf-8")
        rows = read_given(file)
        _, key = find_key(file, rows[0].sample, reviewer, tmp_path)
        [bound] = bind(file, rows, key, reviewer=None, partial=False)
        assert lines_of(bound.verdicts) == (SHIPPED / f"{reviewer}.jsonl").read_text(encoding="utf-8"), REMADE


@pytest.mark.slow
def test_the_script_makes_the_same_bytes_again(tmp_path: Path) -> None:
    folder = tmp_path / "tool_loop_v1"
    shutil.copytree(TOOL_LOOP, folder, ignore=shutil.ignore_patterns("reviews", "__pycache__"))
    subprocess.run([sys.executable, folder / "review.py"], check=True, capture_output=True)
    made = folder / "reviews" / "fallback_flips"
    for path in SHIPPED.glob("*.jsonl"):
        assert (made / path.name).read_bytes() == path.read_bytes(), REMADE


@pytest.mark.slow
def test_one_label_moves_the_row_by_one(tmp_path: Path) -> None:
    folder = tmp_path / "tool_loop_v1"
    shutil.copytree(TOOL_LOOP, folder, ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "reviews" / "fallback_flips" / "r2.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    agreed = next(n for n, line in enumerate(lines) if '"passed"' in line and "two tools" not in line)
    lines[agreed] = lines[agreed].replace('"passed"', '"failed"')
    file.write_text("".join(lines))
    found = json.loads(run("review", "agreement", folder, "--json").stdout)
    assert (found["agree"], found["disagree"], found["upheld"], found["final"]["open"]) == (48, 2, 44, 1)
