"""The whole way from files to a report, on small corpora."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from regrade import steps
from regrade.audit import Audit, audit, regrade_store
from regrade.books import store_corpus
from regrade.errors import CorpusError, GateFailed, RegradeError, RuleError
from regrade.gates import check_gates
from regrade.summing import summarise
from regrade.tables.store import Store
from tests.conftest import TOML, TOOL_LOOP, draft_rules, outputs, record, twenty, write_corpus

SAMPLE = '[[sample]]\nname = "s"\ncandidate = "nobody"\nstratum = "fail_to_pass"\nsize = 1\nseed = 1\n'
V2 = TOML + '[[candidate]]\nname = "v2"\nrules = ["last_equals_v1", "ask_accepted_v1", "format_code_v1"]\n'


def stored(done: Audit, query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
        return con.execute(query).fetchall()


def test_twenty_trials_end_to_end(tmp_path: Path) -> None:
    done = audit(write_corpus(tmp_path / "c", twenty(), V2), tmp_path / "out")
    axis = done.summary["axes"]["pass"]
    assert axis["parity"] == {"trials": 20, "agree": 20, "allowed": False}
    assert axis["frozen"]["kind"] == "ported"
    moves = {c: block["tiers"]["all"] for c, block in axis["candidates"].items()}
    assert {c: m["fail_to_pass"]["trials"] for c, m in moves.items()} == {
        "ask_accepted": 4, "format_code": 0, "issued_tokens": 0, "last_equals": 4, "last_line_fallback": 4,
        "menu_accepted": 0, "v2": 8,
    }  # fmt: skip
    assert moves["v2"]["recoded"] == 4
    assert {p.name for p in done.out.iterdir()} == {"audit.duckdb", "flips.csv", "report.html", "summary.json"}
    assert json.loads((done.out / "summary.json").read_text()) == done.summary
    for name, digest in done.summary["outputs"].items():
        assert hashlib.sha256((done.out / name).read_bytes()).hexdigest() == digest


def test_evidence_points_at_the_characters_that_were_read(tmp_path: Path) -> None:
    rows = [record("a", "T01", 0, "read_sensor", "é🙂 now\r\nANSWER:  3=7.0 \r\nbye", False, "STALE_DATA")]
    done = audit(write_corpus(tmp_path / "c", rows), tmp_path / "out")
    read = stored(
        done,
        "select candidate, answer_turn, substr(reply, answer_start + 1, answer_stop - answer_start), "
        "substr(reply, value_start + 1, value_stop - value_start), value, missed, decided_by "
        "from grades join trials using (trial_id) where candidate in ('frozen', 'last_equals') order by all",
    )
    assert read == [
        ("frozen", 3, "3=7.0", "3", "3", ["answer"], None),
        ("last_equals", 3, "3=7.0", "7.0", "7.0", [], ["last_equals_v1"]),
    ]


def test_long_answers_are_cut_and_their_places_are_not(tmp_path: Path) -> None:
    rows = [record("a", "T02", 0, "list_files", f"ANSWER: {'x' * 500}", False, "FABRICATION")]
    done = audit(write_corpus(tmp_path / "c", rows), tmp_path / "out")
    query = "select len(answer), answer_stop - answer_start, len(value) from grades where candidate = 'frozen'"
    assert stored(done, query) == [(200, 500, 200)]


def test_whatif_shows_frozen_and_candidates_side_by_side(tmp_path: Path) -> None:
    done = audit(write_corpus(tmp_path / "c", twenty(), V2), tmp_path / "out")
    assert stored(
        done,
        "select frozen_status, frozen_code, last_equals_status, format_code_code, v2_status, v2_code from whatif "
        "where trial_id in ('a/T01/0', 'a/T02/1') order by trial_id",
    ) == [
        ("failed", "STALE_DATA", "passed", "STALE_DATA", "passed", None),
        ("failed", "FABRICATION", "failed", "FORMAT", "failed", "FORMAT"),
    ]


def test_a_planted_difference_stops_the_audit_and_keeps_the_last_output(tmp_path: Path) -> None:
    rows = twenty()
    folder = write_corpus(tmp_path / "c", rows)
    audit(folder, tmp_path / "out")
    before = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    rows[7]["grade"] = {"pass": True, "code": None}
    write_corpus(folder, rows)
    with pytest.raises(GateFailed, match=r"1 of 20 trials: b/T02/0: frozen passed, replayed failed FABRICATION"):
        audit(folder, tmp_path / "out")
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == before
    with pytest.raises(GateFailed):
        audit(folder, tmp_path / "new" / "deep")
    assert not (tmp_path / "new").exists()
    done = audit(folder, tmp_path / "gap", allow_parity_gap=True)
    axis = done.summary["axes"]["pass"]
    assert axis["parity"] == {"trials": 20, "agree": 19, "allowed": True}
    query = "select candidate, from_status, to_status from flips where trial_id = 'b/T02/0' order by candidate"
    assert ("format_code", "passed", "failed") in stored(done, query), "beside the recorded grade, not the replayed one"
    assert ("ask_accepted", "passed", "failed") not in stored(done, query)
    query = "select candidate, decided_by from grades where trial_id = 'b/T02/0' order by candidate"
    decided = dict(stored(done, query))
    assert decided["format_code"] == [], "no rule: the ported grader alone"
    assert decided["ask_accepted"] is None, "as frozen"
    for block in axis["candidates"].values():
        moves = block["tiers"]["all"]["moves"]
        assert {s: sum(row.values()) for s, row in moves.items()} == {
            s: axis["tiers"]["all"][s] for s in ("passed", "failed", "ungraded")
        }
    assert stored(done, "select status, code from frozen_grades where trial_id = 'b/T02/0'") == [("passed", None)]


def test_a_code_that_differs_is_no_parity(tmp_path: Path) -> None:
    rows = twenty()
    rows[0]["grade"]["code"] = "FABRICATION"
    with pytest.raises(GateFailed, match=r"a/T01/0: frozen failed FABRICATION, replayed failed STALE_DATA"):
        audit(write_corpus(tmp_path / "c", rows), tmp_path / "out")


def test_an_edited_file_stops_the_audit_before_anything_is_written(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "c", twenty())
    rules = draft_rules(tmp_path / "rules")
    done = steps.freeze(folder, rules)
    assert done["files"] == 2 and "frozen_v1" in done["rules"]
    frozen = audit(folder, tmp_path / "out", rules=rules)
    assert not any("SHA256SUMS" in w for w in frozen.warnings)
    assert all(rule["locked"] for rule in frozen.summary["rules"].values())
    text = (folder / "trials.jsonl").read_text()
    (folder / "trials.jsonl").write_text(text.replace("7.02", "7.01", 1))
    with pytest.raises(GateFailed, match=r"trials.jsonl: frozen with sha256 [0-9a-f]{64}, found sha256 [0-9a-f]{64}"):
        audit(folder, tmp_path / "other", rules=rules)
    assert not (tmp_path / "other").exists()


def test_a_locked_rule_that_was_edited_stops_the_audit(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "c", twenty())
    rules = draft_rules(tmp_path / "rules")
    steps.freeze(folder, rules)
    path = rules / "tool_loop" / "last_line_fallback_v1.py"
    path.write_text(
        path.read_text().replace("text.last_line(trial.reply)", "text.last_line(trial.reply.str.to_lowercase())")
    )
    with pytest.raises(GateFailed, match=r"last_line_fallback_v1 is locked .*last_line_fallback_v1.extract"):
        audit(folder, tmp_path / "out", rules=rules)
    assert not (tmp_path / "out").exists()


def test_the_steps_one_by_one_give_what_the_audit_gives(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "c", twenty(), V2)
    whole = audit(folder, tmp_path / "whole")
    steps.load_only(folder, tmp_path / "steps")
    with Store.open(tmp_path / "steps" / "audit.duckdb") as store:
        regrade_store(store, store_corpus(store))
        regrade_store(store, store_corpus(store))
        summary = steps.report_only(store, tmp_path / "steps")
    assert summary == whole.summary
    for name in ("report.html", "flips.csv", "summary.json"):
        assert (tmp_path / "steps" / name).read_bytes() == (whole.out / name).read_bytes()


def test_several_axes_a_new_one_and_an_axis_that_only_the_log_has(tmp_path: Path) -> None:
    """One axis is ported, one carried, one new: brought by a rule that also changes the first."""
    rules = draft_rules(tmp_path / "rules")
    (rules / "tool_loop" / "format_axis_v1.py").write_text(
        '"""Grade format apart.\n\nWhat it changes: a.\nWhy: b.\nEvidence: c.\nWhat it cannot show:'
        ' d.\n"""\nimport polars as pl\nfrom regrade.grades import Stages, per_row, text\nAXIS, DECISION = "pass",'
        ' "proposed"\n\ndef code(trial, base):\n    return'
        " pl.when(trial.answer.is_null()).then(pl.lit('SEE_FORMAT')).otherwise(base(trial))\n\n@per_row('answer')\ndef"
        " line(trial):\n    return ['answer line'] if trial.answer is None else []\n\ndef nothing(trial):\n    return"
        " pl.lit(None, pl.String)\n\nGRADER = {'format': {'files': Stages(extract=lambda t: text.answer_line(t.reply),"
        " read=nothing, check=line, code=nothing)}}\nMUST_FLIP = []\nMUST_HOLD = []\n"
    )
    toml = V2.replace("[frozen.pass]", '[frozen.strict]\npassed = "grade.strict"\n[frozen.pass]').replace(
        'format = "jsonl"', 'format = "jsonl"\naxis = "pass"'
    )
    rows = [{**r, "grade": {**r["grade"], "strict": i % 2 == 0}} for i, r in enumerate(twenty())]
    done = audit(write_corpus(tmp_path / "c", rows, toml), tmp_path / "out", rules=rules)
    axes = done.summary["axes"]
    assert {a: b["frozen"]["kind"] for a, b in axes.items()} == {
        "pass": "ported",
        "strict": "carried",
        "format": "none",
    }
    assert list(axes) == ["pass", "format", "strict"]
    assert axes["strict"]["parity"] is None and axes["format"]["parity"] is None
    new = axes["format"]["candidates"]["format_axis"]["tiers"]["all"]
    assert new["trials"] == 12, "only the family that its grader covers"
    assert new["moves"]["none"] == {"passed": 8, "failed": 4, "ungraded": 0}
    assert new["fail_to_pass"]["trials"] == 0
    assert axes["strict"]["tiers"]["all"]["passed"] == 10
    assert axes["pass"]["candidates"]["format_axis"]["tiers"]["all"]["recoded"] == 4


def test_a_log_without_grades_gets_what_the_ported_grader_says(tmp_path: Path) -> None:
    toml = V2.replace('[frozen.pass]\npassed = "grade.pass"\ncode = "grade.code"\n', "")
    done = audit(write_corpus(tmp_path / "c", twenty(), toml), tmp_path / "out")
    axis = done.summary["axes"]["pass"]
    assert axis["parity"] is None and axis["frozen"]["kind"] == "ported"
    assert (axis["tiers"]["all"]["passed"], axis["tiers"]["all"]["failed"]) == (8, 12)
    assert axis["candidates"]["v2"]["tiers"]["all"]["fail_to_pass"]["trials"] == 8
    with Store.open(tmp_path / "out" / "audit.duckdb") as store:
        regrade_store(store, store_corpus(store))
        assert summarise(store)["axes"]["pass"] == axis, "a second time there is still nothing to compare"


def test_a_grader_that_covers_some_families_leaves_a_gap_where_the_log_has_grades(tmp_path: Path) -> None:
    rules = draft_rules(tmp_path / "rules")
    path = rules / "tool_loop" / "frozen_v1.py"
    path.write_text(path.read_text().replace('{"*": Stages', '{"units": Stages'))
    folder = write_corpus(tmp_path / "c", twenty())
    with pytest.raises(GateFailed, match=r"12 of 20 trials: a/T02/0: frozen failed FABRICATION, replayed no grade"):
        audit(folder, tmp_path / "out", rules=rules)
    toml = TOML.replace('[frozen.pass]\npassed = "grade.pass"\ncode = "grade.code"\n', "")
    axis = audit(write_corpus(tmp_path / "c", twenty(), toml), tmp_path / "out", rules=rules).summary["axes"]["pass"]
    assert axis["tiers"]["all"]["trials"] == 8, "an axis has rows only for the items that its grader covers"


def test_an_axis_that_only_some_records_grade(tmp_path: Path) -> None:
    """A carried grade is there only where the log has it; every count adds up to the trials that it counts."""
    toml = """
[corpus]
name = "wide"
format = "jsonl"
files = ["trials.jsonl"]
[columns]
item = "q"
[[each]]
configuration = "one"
reply = "one.text"
[each.frozen.pass]
passed = "one.ok"
[each.frozen.form]
passed = "one.form"
[[each]]
configuration = "two"
reply = "two.text"
[each.frozen.pass]
passed = "two.ok"
"""
    rows = [
        {"q": n, "one": {"text": "a", "ok": True, "form": n > 1}, "two": {"text": "b", "ok": False}} for n in range(4)
    ]
    done = audit(write_corpus(tmp_path / "c", rows, toml, bank=None), tmp_path / "out")
    tiers = {axis: block["tiers"]["all"] for axis, block in done.summary["axes"].items()}
    assert [tiers["pass"][k] for k in ("trials", "passed", "failed", "ungraded")] == [8, 4, 4, 0]
    assert [tiers["form"][k] for k in ("trials", "passed", "failed", "ungraded")] == [4, 2, 2, 0]
    assert stored(done, "select count(*) from grades where axis = 'form'") == [(4,)]


def test_a_rule_of_an_axis_that_nothing_grades(tmp_path: Path) -> None:
    rules = draft_rules(tmp_path / "rules")
    path = rules / "tool_loop" / "last_equals_v1.py"
    path.write_text(path.read_text().replace('"pass", "proposed"', '"pas", "proposed"'))
    done = audit(write_corpus(tmp_path / "c", twenty()), tmp_path / "out", rules=rules)
    assert any("last_equals_v1 is a rule of the axis 'pas'" in w and "Did you mean 'pass'" in w for w in done.warnings)
    with pytest.raises(RuleError, match=r"Candidate 'v2' has last_equals_v1, a rule of the axis 'pas'"):
        audit(write_corpus(tmp_path / "c", twenty(), V2), tmp_path / "out", rules=rules)


def test_a_rules_folder_that_is_not_there(tmp_path: Path) -> None:
    toml = TOML.replace('format = "jsonl"', 'format = "jsonl"\nrules = "../nowhere"')
    with pytest.raises(RegradeError, match="No rules folder at .*nowhere"):
        audit(write_corpus(tmp_path / "c", twenty(), toml), tmp_path / "out")


def test_candidates_that_differ_only_by_case(tmp_path: Path) -> None:
    toml = TOML + '[[candidate]]\nname = "LAST_EQUALS"\nrules = ["last_equals_v1", "ask_accepted_v1"]\n'
    with pytest.raises(RuleError, match="'last_equals' and 'LAST_EQUALS' differ only by case"):
        audit(write_corpus(tmp_path / "c", twenty(), toml), tmp_path / "out")


def test_a_path_that_no_record_has_is_told(tmp_path: Path) -> None:
    toml = TOML.replace('code = "grade.code"', 'code = "grade.code"\nanswer = "grade.raed"')
    done = audit(write_corpus(tmp_path / "c", twenty(), toml), tmp_path / "out")
    assert "No record has 'grade.raed', which corpus.toml maps; mend the path." in done.warnings


def test_a_benchmark_without_rules_is_carried_with_a_warning(tmp_path: Path) -> None:
    toml = TOML.replace('benchmark = "tool_loop"', 'benchmark = "tool_lop"')
    done = audit(write_corpus(tmp_path / "c", twenty(), toml), tmp_path / "out")
    assert "Did you mean 'tool_loop'" in done.warnings[0]
    axis = done.summary["axes"]["pass"]
    assert axis["frozen"]["kind"] == "carried" and axis["candidates"] == {}
    assert axis["tiers"]["all"]["failed"] == 12


def test_identical_configurations_and_unlisted_ones_are_named(tmp_path: Path) -> None:
    rows = [
        r
        for name in ("a", "b", "c")
        for r in (record(name, "T01", n, "read_sensor", f"{n}\nANSWER: 7.0", True) for n in range(12))
    ]
    rows[-1]["messages"][-1]["content"] = "other\nANSWER: 7.0"
    rows[-2]["messages"][-1]["content"] = "another\nANSWER: 7.0"
    folder = write_corpus(tmp_path / "c", rows, TOML + '[configurations]\nfile = "who.json"\n')
    (folder / "who.json").write_text('[{"configuration": "a"}, {"configuration": "c"}]')
    corpus = audit(folder, tmp_path / "out").summary["corpus"]
    assert corpus["identical"] == [{"configurations": ["a", "b"], "shared": 12, "identical": 12}]
    assert corpus["unlisted"] == ["b"]


@pytest.mark.parametrize(
    ("extra", "kind", "message"),
    [
        ('[[candidate]]\nname = "x"\nrules = ["last_equal_v1"]\n', RuleError, "Did you mean 'last_equals_v1'"),
        ('[[candidate]]\nname = "x"\nrules = ["frozen_v1"]\n', RuleError, "is a grader and no rule"),
        ('[[partition]]\nname = "p"\nsets = ["last_equal"]\n', CorpusError, "Did you mean 'last_equals'"),
        (SAMPLE, CorpusError, "nobody"),
    ],
)  # fmt: skip
def test_what_is_unknown_is_named_and_nothing_is_written(
    tmp_path: Path, extra: str, kind: type[RegradeError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        audit(write_corpus(tmp_path / "c", twenty(), TOML + extra), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_gates_are_checked_on_what_was_found(tmp_path: Path) -> None:
    rows = [record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True)]
    clean = audit(write_corpus(tmp_path / "c", rows), tmp_path / "out", rules=draft_rules(tmp_path / "rules"))
    check_gates(clean.summary, ["rejects", "flips", "harness_parse"])
    with pytest.raises(GateFailed, match="draft: [0-9]+ draft rules"):
        check_gates(clean.summary, ["draft"])
    rows = [*twenty(), b"not json", record("a", "T01", 9, "read_sensor", "x", False, "STALE_DATA")]
    rows[-1]["messages"] = [
        {"role": "assistant", "content": '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'}
    ]
    dirty = audit(write_corpus(tmp_path / "d", rows), tmp_path / "dirty")
    for gate, found in (("rejects", "1 rejected record"), ("flips", "12 flips"), ("harness_parse", "1 trial with")):
        with pytest.raises(GateFailed, match=found):
            check_gates(dirty.summary, [gate])


def rerun(corpus: Path, out: Path, cwd: Path, prefix: tuple[str, ...] = (), **env: str) -> dict[str, bytes]:
    cwd.mkdir(parents=True, exist_ok=True)
    command = [*prefix, sys.executable, "-m", "regrade.cli", "audit", str(corpus), "--out", str(out)]
    subprocess.run(command, cwd=cwd, env={**os.environ, **env}, check=True, capture_output=True)
    return outputs(out)


@pytest.mark.slow
def test_the_same_inputs_give_the_same_bytes(tmp_path: Path) -> None:
    rows = [*twenty(), b"broken", record("z", "T01", 5, "read_sensor", "ANSWER: 3=7.0 <b>", False, "STALE_DATA")]
    folder = write_corpus(tmp_path / "c", rows, V2)
    # Nothing compiled is written: the other run finds compiled templates, or compiles them and keeps them.
    one = rerun(folder, tmp_path / "one", tmp_path, PYTHONHASHSEED="1", TZ="UTC", PYTHONDONTWRITEBYTECODE="1")
    moved = tmp_path / "elsewhere" / "deeper" / "corpus"
    shutil.copytree(folder, moved)
    single = ("taskset", "-c", "0") if shutil.which("taskset") else ()
    other = rerun(
        moved,
        tmp_path / "two",
        tmp_path / "x",
        single,
        PYTHONHASHSEED="77",
        TZ="Asia/Tokyo",
        POLARS_MAX_THREADS="1",
        PYTHONDONTWRITEBYTECODE="",
    )
    assert one == other


@pytest.mark.slow
def test_the_bundled_corpus_gives_the_same_bytes_everywhere(tool_loop: Audit, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(TOOL_LOOP, moved)
    env = {"PYTHONHASHSEED": "5", "TZ": "America/Lima", "POLARS_MAX_THREADS": "1"}
    assert rerun(moved, tmp_path / "out", tmp_path, **env) == outputs(tool_loop.out)


def test_an_unwritable_output_is_one_error(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "c", twenty())
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RegradeError, match="Cannot write into .*file/out"):
        audit(folder, tmp_path / "file" / "out")
