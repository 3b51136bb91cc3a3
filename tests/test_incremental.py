"""An audit after another one grades only what is new, and gives what an audit from nothing gives."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from regrade.audit import Audit, audit
from regrade.errors import CorpusError
from regrade.steps import run_only
from regrade.tables.ingest import load
from tests.conftest import BANK, ROOT, TOML, draft_rules, record, twenty, write_corpus

pytestmark = pytest.mark.slow

TWO_FILES = TOML.replace('files = ["trials.jsonl"]', 'files = ["*.jsonl"]')
WHOLE = "text.first_of(text.number_after_last_equals(trial.answer), base(trial))"
RULES = ["ask_accepted", "format_code", "issued_tokens", "last_equals", "last_line_fallback", "menu_accepted"]
OUTPUTS = ("report.html", "flips.csv", "summary.json")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", twenty(), TWO_FILES)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return draft_rules(tmp_path / "rules")


def graded(done: Audit) -> dict[str, int]:
    """Trials graded anew on the axis `pass`, by candidate."""
    return done.graded["pass"]


def all_of(trials: int) -> dict[str, int]:
    return dict.fromkeys(["frozen", *RULES], trials)


def same_as_from_nothing(done: Audit, corpus: Path, rules: Path, tmp_path: Path) -> None:
    anew = audit(corpus, tmp_path / "anew", rules=rules)
    for name in OUTPUTS:
        assert (done.out / name).read_bytes() == (anew.out / name).read_bytes(), name
    rows = []
    for out in (done.out, anew.out):
        with duckdb.connect(str(out / "audit.duckdb"), read_only=True) as con:
            rows.append([con.execute(f"from {t} order by all").fetchall() for t in ("grades", "graded", "trials")])
    assert rows[0] == rows[1]


def edit(rules: Path, name: str, old: str, new: str) -> None:
    path = rules / "tool_loop" / f"{name}.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_second_audit_grades_nothing_and_leaves_every_byte(corpus: Path, rules: Path, tmp_path: Path) -> None:
    first = audit(corpus, tmp_path / "out", rules=rules)
    assert graded(first) == all_of(20)
    before = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in (tmp_path / "out").iterdir()}
    second = audit(corpus, tmp_path / "out", rules=rules)
    assert graded(second) == {}
    assert (second.summary, second.warnings) == (first.summary, first.warnings)
    assert {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in (tmp_path / "out").iterdir()} == before


def test_an_edited_rule_grades_its_own_column(corpus: Path, rules: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out", rules=rules)
    edit(
        rules,
        "last_equals_v1",
        WHOLE,
        "base(trial)",
    )
    done = audit(corpus, tmp_path / "out", rules=rules)
    assert graded(done) == {"last_equals": 20}
    tier = done.summary["axes"]["pass"]["candidates"]["last_equals"]["tiers"]["all"]
    assert tier["fail_to_pass"]["trials"] == 0
    same_as_from_nothing(done, corpus, rules, tmp_path)


def test_a_comment_or_a_decision_grades_nothing(corpus: Path, rules: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out", rules=rules)
    edit(rules, "last_equals_v1", '"proposed"', '"adopted"  # settled')
    done = audit(corpus, tmp_path / "out", rules=rules)
    assert graded(done) == {}
    assert done.summary["rules"]["last_equals_v1"]["decision"] == "adopted"
    same_as_from_nothing(done, corpus, rules, tmp_path)


def test_an_edited_frozen_grader_grades_every_column(corpus: Path, rules: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out", rules=rules)
    with (rules / "tool_loop" / "_words.py").open("a", encoding="utf-8") as words:
        words.write("\nUNUSED = 1\n")
    assert graded(audit(corpus, tmp_path / "out", rules=rules)) == {}
    edit(rules, "frozen_v1", "GRADER =", "MORE = 1\nGRADER =")
    assert graded(audit(corpus, tmp_path / "out", rules=rules)) == {}


@pytest.mark.parametrize("name", ["aaa.jsonl", "zzz.jsonl"])
def test_an_added_file_grades_its_own_trials(corpus: Path, rules: Path, tmp_path: Path, name: str) -> None:
    audit(corpus, tmp_path / "out", rules=rules)
    more = [
        record("e", "T01", n, "read_sensor", f"ANSWER: {n}", n == 7, None if n == 7 else "STALE_DATA") for n in (6, 7)
    ]
    (corpus / name).write_text("".join(json.dumps(r) + "\n" for r in more), encoding="utf-8")
    done = audit(corpus, tmp_path / "out", rules=rules)
    assert graded(done) == all_of(2)
    same_as_from_nothing(done, corpus, rules, tmp_path)


def test_a_file_that_takes_over_a_trial_grades_that_one_too(corpus: Path, rules: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out", rules=rules)
    other = record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True)
    (corpus / "aaa.jsonl").write_text(json.dumps(other) + "\n", encoding="utf-8")
    done = audit(corpus, tmp_path / "out", rules=rules)
    assert graded(done) == all_of(1)
    assert done.summary["corpus"]["rejected"] == 1
    same_as_from_nothing(done, corpus, rules, tmp_path)


def test_a_file_that_is_gone_takes_its_grades_with_it(corpus: Path, rules: Path, tmp_path: Path) -> None:
    (corpus / "more.jsonl").write_text(json.dumps(record("e", "T01", 0, "read_sensor", "ANSWER: 7.0", True)) + "\n")
    audit(corpus, tmp_path / "out", rules=rules)
    (corpus / "more.jsonl").unlink()
    done = audit(corpus, tmp_path / "out", rules=rules)
    assert graded(done) == {}
    same_as_from_nothing(done, corpus, rules, tmp_path)


def changed_bank(**gold: Any) -> list[dict[str, Any]]:
    return [{**BANK[0], "gold": {**BANK[0]["gold"], **gold}}, BANK[1]]


def test_a_changed_gold_grades_the_trials_of_its_item(corpus: Path, rules: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out", rules=rules)
    (corpus / "bank.json").write_text(json.dumps(changed_bank(tolerance=0.01)), encoding="utf-8")
    done = audit(corpus, tmp_path / "out", rules=rules, allow_parity_gap=True)
    assert graded(done) == all_of(8), "the eight trials of T01"
    assert done.summary["axes"]["pass"]["parity"] == {"trials": 20, "agree": 16, "allowed": True}


def test_a_changed_frozen_grade_grades_its_trial(corpus: Path, rules: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out", rules=rules)
    rows = twenty()
    rows[0]["grade"] = {"pass": True, "code": None}
    write_corpus(corpus, rows, TWO_FILES)
    done = audit(corpus, tmp_path / "out", rules=rules, allow_parity_gap=True)
    assert graded(done) == all_of(20), "the file is another one"


def test_another_field_for_the_reply_grades_every_trial(corpus: Path, rules: Path, tmp_path: Path) -> None:
    rows = [{**row, "said": row["messages"][-1]["content"], "other": "ANSWER: 7.0"} for row in twenty()]
    toml = TWO_FILES.replace('turns = "messages"', 'reply = "said"')
    write_corpus(corpus, rows, toml)
    audit(corpus, tmp_path / "out", rules=rules, allow_parity_gap=True)
    write_corpus(corpus, rows, toml.replace('"said"', '"other"'))
    done = audit(corpus, tmp_path / "out", rules=rules, allow_parity_gap=True)
    assert graded(done) == all_of(20)
    anew = audit(corpus, tmp_path / "anew", rules=rules, allow_parity_gap=True)
    assert (done.out / "flips.csv").read_bytes() == (anew.out / "flips.csv").read_bytes()


def test_a_grade_that_another_file_brings_grades_that_trial(corpus: Path, rules: Path, tmp_path: Path) -> None:
    rows = twenty()
    bare = {key: value for key, value in rows[0].items() if key != "grade"}
    write_corpus(corpus, [bare, *rows[1:]], TWO_FILES)
    audit(corpus, tmp_path / "out", rules=rules, allow_parity_gap=True)
    (corpus / "zzz.jsonl").write_text(json.dumps({**rows[0], "grade": {"pass": True, "code": None}}) + "\n")
    done = audit(corpus, tmp_path / "out", rules=rules, allow_parity_gap=True)
    assert done.summary["corpus"]["rejected"] == 1, "an absent grade is a grade of its axis, and the first counts"
    same = audit(corpus, tmp_path / "anew", rules=rules, allow_parity_gap=True)
    assert done.summary == same.summary


def test_a_new_candidate_and_another_partition_leave_the_rest(corpus: Path, rules: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out", rules=rules)
    toml = TWO_FILES + '[[candidate]]\nname = "v2"\nrules = ["last_equals_v1", "ask_accepted_v1"]\n'
    (corpus / "corpus.toml").write_text(toml, encoding="utf-8")
    done = audit(corpus, tmp_path / "out", rules=rules)
    assert graded(done) == {"v2": 20}
    same_as_from_nothing(done, corpus, rules, tmp_path)


@pytest.mark.slow
def test_what_is_missing_or_touched_is_written_again(corpus: Path, rules: Path, tmp_path: Path) -> None:
    first = audit(corpus, tmp_path / "out", rules=rules)
    good = {name: (first.out / name).read_bytes() for name in OUTPUTS}
    for name in OUTPUTS:
        (first.out / name).write_bytes(good[name] + b" ")
        assert graded(audit(corpus, tmp_path / "out", rules=rules)) == {}
        assert (first.out / name).read_bytes() == good[name]
        (first.out / name).unlink()
        assert graded(audit(corpus, tmp_path / "out", rules=rules)) == {}
        assert {n: (first.out / n).read_bytes() for n in OUTPUTS} == good
    shutil.copy(first.out / "audit.duckdb", tmp_path / "kept")
    (first.out / "audit.duckdb").write_bytes(b"no store")
    assert graded(audit(corpus, tmp_path / "out", rules=rules)) == all_of(20)


def test_long_answers_are_read_anew(corpus: Path, rules: Path, tmp_path: Path) -> None:
    long = "x" * 180 + " and 3=7.0"
    rows = [*twenty(), record("e", "T01", 0, "read_sensor", f"ANSWER: {long} {'y' * 200}", False, "STALE_DATA")]
    write_corpus(corpus, rows, TWO_FILES)
    audit(corpus, tmp_path / "out", rules=rules)
    edit(rules, "last_equals_v1", "base(trial))", "base(trial), base(trial))")
    done = audit(corpus, tmp_path / "out", rules=rules)
    assert graded(done) == {"last_equals": 21}
    same_as_from_nothing(done, corpus, rules, tmp_path)


def as_from_nothing(corpus: Path, rules: Path, tmp_path: Path) -> None:
    """The output folder holds what an audit from nothing gives."""
    done = audit(corpus, tmp_path / "out", rules=rules)
    same_as_from_nothing(done, corpus, rules, tmp_path)


def test_what_run_graded_since_is_not_taken_for_the_audits(corpus: Path, rules: Path, tmp_path: Path) -> None:
    audit(corpus, tmp_path / "out", rules=rules)
    other = draft_rules(tmp_path / "other")
    edit(
        other,
        "last_equals_v1",
        WHOLE,
        "base(trial)",
    )
    run_only(tmp_path / "out", rules=other)
    assert not (tmp_path / "out" / "summary.json").exists(), "it told of other grades"
    as_from_nothing(corpus, rules, tmp_path)


def test_a_run_that_fails_late_leaves_the_store_and_the_outputs(
    corpus: Path, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit(corpus, tmp_path / "out", rules=rules)
    before = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}

    def stop(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("regrade.audit.find_signals", stop)
    with pytest.raises(KeyboardInterrupt):
        run_only(tmp_path / "out", rules=draft_rules(tmp_path / "other"))
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == before


@pytest.mark.slow
def test_grades_of_other_code_are_made_anew(corpus: Path, rules: Path, tmp_path: Path, monkeypatch: Any) -> None:
    audit(corpus, tmp_path / "out", rules=rules)
    with monkeypatch.context() as other:
        other.setattr("regrade.grades.kept.code", lambda: "other")
        run_only(tmp_path / "out", rules=rules)
    assert graded(audit(corpus, tmp_path / "out", rules=rules)) == all_of(20)
    more = record("e", "T01", 6, "read_sensor", "ANSWER: 7.0", True)
    (corpus / "more.jsonl").write_text(json.dumps(more) + "\n", encoding="utf-8")
    with monkeypatch.context() as other:
        other.setattr("regrade.grades.kept.code", lambda: "other")
        assert graded(audit(corpus, tmp_path / "out", rules=rules)) == all_of(21)


def test_a_file_that_is_written_to_while_it_is_read_stops_the_audit(
    corpus: Path, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load_and_write(*args: Any, **options: Any) -> None:
        load(*args, **options)
        with (corpus / "trials.jsonl").open("a", encoding="utf-8") as file:
            file.write("\n")

    monkeypatch.setattr("regrade.audit.load", load_and_write)
    with pytest.raises(CorpusError, match="trials.jsonl: it was written to while it was read"):
        audit(corpus, tmp_path / "out", rules=rules)
    assert not (tmp_path / "out").exists()


TWO_AXES = '''"""A grader of two axes, one of them for one family alone."""

from regrade.grades import text
from regrade.grades.stages import Stages, per_row


def extract(trial):
    return text.last_line(trial.reply)


def read(trial):
    return trial.answer


@per_row("answer", "gold")
def check(trial):
    return [] if trial.answer else ["answer"]


@per_row("missed")
def code(trial):
    return None


ALL = Stages(extract=extract, read=read, check=check, code=code)
GRADER = {"pass": {"*": ALL}, "style": {"units": ALL}}
'''


def test_an_axis_that_covers_some_items_leaves_the_other_trials_alone(tmp_path: Path) -> None:
    (tmp_path / "rules" / "two").mkdir(parents=True)
    (tmp_path / "rules" / "two" / "frozen_v1.py").write_text(TWO_AXES, encoding="utf-8")
    toml = TWO_FILES.replace('benchmark = "tool_loop"', 'benchmark = "two"').replace("[frozen.pass]", "[frozen.log]")
    corpus = write_corpus(tmp_path / "corpus", twenty(), toml)
    assert audit(corpus, tmp_path / "out", rules=tmp_path / "rules").graded == {
        "log": {"frozen": 20},
        "pass": {"frozen": 20},
        "style": {"frozen": 8},
    }
    more = [record("e", item, 6, "read_sensor", "ANSWER: 7.0", True) for item in ("T01", "T02")]
    (corpus / "more.jsonl").write_text("".join(json.dumps(r) + "\n" for r in more), encoding="utf-8")
    done = audit(corpus, tmp_path / "out", rules=tmp_path / "rules")
    assert done.graded == {"log": {"frozen": 2}, "pass": {"frozen": 2}, "style": {"frozen": 1}}


def test_a_value_keeps_its_place_where_the_frozen_answer_had_none(tmp_path: Path) -> None:
    folder = tmp_path / "rules" / "two"
    folder.mkdir(parents=True)
    plain = TWO_AXES.replace("return text.last_line(trial.reply)", "return text.last_line(trial.reply).text")
    (folder / "frozen_v1.py").write_text(
        plain.replace("return trial.answer\n", "return text.first_number(trial.answer)\n")
    )
    rule = (ROOT / "rules" / "gsm8k" / "last_number_v1.py").read_text().split("MUST_FLIP")[0]
    rule = rule.replace("text.last_number(trial.reply)", "text.last_line(trial.reply)")
    toml = TWO_FILES.replace('benchmark = "tool_loop"', 'benchmark = "two"').replace("[frozen.pass]", "[frozen.log]")
    corpus = write_corpus(tmp_path / "corpus", [record("a", "T01", 0, "x", "so\nANSWER: 7.0", True)], toml)
    audit(corpus, tmp_path / "out", rules=tmp_path / "rules")
    (folder / "placed_v1.py").write_text(rule, encoding="utf-8")
    done = audit(corpus, tmp_path / "out", rules=tmp_path / "rules")
    assert done.graded["pass"] == {"placed": 1}
    same_as_from_nothing(done, corpus, tmp_path / "rules", tmp_path)


def test_a_store_is_used_from_other_folders(
    corpus: Path, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (corpus / "corpus.toml").write_text(TWO_FILES.replace("[columns]", 'rules = "../rules"\n[columns]'))
    monkeypatch.chdir(corpus.parent)
    audit(Path("corpus"), Path("out"))
    monkeypatch.chdir(tmp_path.parent)
    assert run_only(tmp_path / "out")["grades"]
