"""Logs that nobody here wrote: the figures that are known of them."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from regrade.audit import audit
from regrade.errors import GateFailed

MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")


def gsm8k(folder: Path, log: Path) -> Path:
    """A corpus.toml beside a link to the log: four solutions a problem, the line is the item."""
    folder.mkdir()
    (folder / "solutions.jsonl").symlink_to(log)
    parts = "".join(
        f'[[each]]\nconfiguration = "{m}"\nreply = "{m}.solution"\n[each.frozen.pass]\npassed = "{m}.is_correct"\n'
        for m in MODELS
    )
    (folder / "corpus.toml").write_text(
        '[corpus]\nname = "gsm8k"\nbenchmark = "gsm8k"\nfiles = ["solutions.jsonl"]\n[columns]\nitem = "$line"\n'
        f'{parts}[bank.columns]\nprompt = "question"\ngold = "ground_truth"\n'
    )
    return folder


def test_gsm8k_parity_and_no_flip_either_way(shared: Path, tmp_path: Path) -> None:
    log = shared / "data" / "gsm8k" / "example_model_solutions.jsonl"
    done = audit(gsm8k(tmp_path / "c", log), tmp_path / "out")
    axis = done.summary["axes"]["pass"]
    assert axis["parity"] == {"trials": 5276, "agree": 5276, "allowed": False}
    moved = axis["candidates"]["last_number"]["tiers"]["all"]
    assert (moved["trials"], moved["fail_to_pass"]["trials"], moved["pass_to_fail"]["trials"]) == (5276, 0, 0)
    assert done.summary["corpus"]["records"] == 4 * 1319 == done.summary["corpus"]["loaded"]


def test_gsm8k_one_inverted_grade_stops_and_is_named(shared: Path, tmp_path: Path) -> None:
    lines = (shared / "data" / "gsm8k" / "example_model_solutions.jsonl").read_text(encoding="utf-8").split("\n")
    record = json.loads(lines[700])
    record["175b_finetuning"]["is_correct"] = not record["175b_finetuning"]["is_correct"]
    lines[700] = json.dumps(record)
    copy = tmp_path / "copy.jsonl"
    copy.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(GateFailed, match=r"1 of 5276 trials: 175b_finetuning/701/0: frozen"):
        audit(gsm8k(tmp_path / "c", copy), tmp_path / "out")


def test_tau_bench_airline(shared: Path, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / "gpt-4o-airline.json").symlink_to(shared / "data" / "tau_bench" / "gpt-4o-airline.json")
    (folder / "corpus.toml").write_text(
        '[corpus]\nname = "airline"\nbenchmark = "tau_bench"\nformat = "tau-bench"\nfiles = ["gpt-4o-airline.json"]\n'
    )
    done = audit(folder, tmp_path / "out")
    assert "No rules folder for the benchmark 'tau_bench'" in done.warnings[0]
    axis = done.summary["axes"]["pass"]
    assert axis["frozen"]["kind"] == "carried" and axis["parity"] is None
    everything = axis["tiers"]["all"]
    assert [everything[k] for k in ("trials", "passed", "failed", "ungraded", "items")] == [200, 84, 111, 5, 50]
    with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
        assert con.execute("select count(*), count(result) from calls").fetchall() == [(1164, 1164)]
        raw = json.loads((folder / "gpt-4o-airline.json").read_text())
        assert con.execute("select count(*) from turns").fetchall() == [(sum(len(t["traj"]) for t in raw),)]
        last = {
            f"gpt-4o-airline/{t['task_id']}/{t['trial']}": [
                m["content"] or "" for m in t["traj"] if m["role"] == "assistant"
            ][-1]
            for t in raw
        }
        assert dict(con.execute("select trial_id, reply from trials").fetchall()) == last


def test_a_log_of_chat_lines_of_another_shape(shared: Path, tmp_path: Path) -> None:
    """Any JSON Lines file: here lm-eval's samples, the grade a number, no benchmark, one rule of nobody's folder."""
    log = next((shared / "data" / "lm_eval" / "pyfade").glob("samples_gsm8k_*.jsonl"))
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / "log.jsonl").symlink_to(log)
    (folder / "corpus.toml").write_text(
        '[corpus]\nname = "pyfade"\nfiles = ["log.jsonl"]\n[columns]\nconfiguration = "$filename"\nitem ='
        ' "doc_id"\nreply = "resps.0.0"\n[frozen.strict]\nvalue = "exact_match"\npasses = ">= 1"\n[bank.columns]\ngold'
        ' = "target"\n'
    )
    done = audit(folder, tmp_path / "out")
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").split("\n") if line.strip()]
    block = done.summary["axes"]["strict"]["tiers"]["all"]
    assert block["trials"] == len(rows) == 3
    assert block["passed"] == sum(r["exact_match"] == 1 for r in rows)
