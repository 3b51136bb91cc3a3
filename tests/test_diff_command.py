"""`regrade diff` and `regrade verify --parity`: what they take, print and leave alone."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import load_store, regrade_store
from regrade.files.corpus_toml import read_corpus
from regrade.report.shown import Mark, shorten
from tests.commands import run
from tests.conftest import BANK, TOML, draft_rules, record, twenty, write_corpus

pytestmark = pytest.mark.slow

V2 = '[[candidate]]\nname = "v2"\nrules = ["last_equals_v1", "ask_accepted_v1"]\n'


def diff(*args: Any) -> dict[str, Any]:
    found = json.loads(run("diff", *args, "--json").stdout)
    assert found["schema"] == "regrade.diff/1"
    return dict(found)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions of a corpus and of their rules, both graded."""
    folder = tmp_path_factory.mktemp("made")
    write_corpus(folder / "one", twenty(), TOML + V2)
    rows = [row for row in twenty() if (row["config"], row["rep"]) != ("d", 1)]
    rows.append(record("e", "T01", 0, "read_sensor", "ANSWER: 7.0", True))
    # Another reply, and so another grade, on one trial; another code on a second.
    rows[0] = record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True)
    bank = [BANK[0], {**BANK[1], "gold": {**BANK[1]["gold"], "code": "GUESSED"}}]  # type: ignore[dict-item]
    for row in rows:
        if row["grade"]["code"] == "FABRICATION":
            row["grade"]["code"] = "GUESSED"
    write_corpus(folder / "two", rows, TOML + V2, bank)
    rules = draft_rules(folder / "rules")
    path = rules / "tool_loop" / "last_equals_v1.py"
    path.write_text(path.read_text().replace("text.first_of(", "text.first_of(base(trial), "))
    for name, out, root in (("one", "first", None), ("two", "second", rules)):
        corpus = read_corpus(folder / name)
        with load_store(corpus, folder / out) as store:
            regrade_store(store, corpus, rules=root)
    return folder


@pytest.fixture(autouse=True)
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(made)
    before = state(made)
    yield
    assert state(made) == before, "a diff writes nothing"


def state(folder: Path) -> dict[str, str]:
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


def counts(block: dict[str, Any]) -> list[int]:
    return [block[key]["trials"] for key in ("same", "recoded", "moved", "only_in_a", "only_in_b")]


@pytest.fixture(scope="module")
def versions(made: Path) -> dict[str, Any]:
    """The diff of both audits."""
    return diff(made / "first", made / "second")


def test_two_audits_are_compared_candidate_by_candidate(versions: dict[str, Any]) -> None:
    found = versions
    assert (found["a"]["kind"], found["a"]["corpus"], found["b"]["candidate"]) == ("audit", "twenty", None)
    blocks = {block["a"]["candidate"]: block for block in found["compared"]}
    assert list(blocks)[0] == "frozen" and {"v2", "last_equals", "ask_accepted"} < set(blocks)
    assert counts(blocks["frozen"]) == [10, 7, 1, 2, 1]
    [moved] = [t for t in blocks["frozen"]["transitions"] if t["from"][0] != t["to"][0]]
    assert (moved["from"], moved["to"], moved["trials"]) == (["failed", "STALE_DATA"], ["passed", None], 1)
    # The edited rule reads as the frozen grader does.
    assert blocks["last_equals"]["pass_to_fail"]["trials"] == 3
    for block in blocks.values():
        assert sum(counts(block)[:4]) == block["a"]["cells"] == 20
        assert sum(counts(block)[:3]) + counts(block)[4] == block["b"]["cells"] == 19
    changes = found["changes"]
    assert changes["trials"] == {"both": 18, "only_in_a": 2, "only_in_b": 1, "changed": 1}
    assert [change["path"] for change in changes["files"]["changed"]] == ["trials.jsonl"]
    [gold] = changes["items"]["changed"]
    assert (gold["item"], gold["a"]["gold"]["code"], gold["b"]["gold"]["code"]) == ("T02", "FABRICATION", "GUESSED")
    assert changes["configurations"]["only_in_b"] == ["e"]
    assert [change["rule"] for change in changes["rules"]["changed"]] == ["last_equals_v1"]
    assert changes["graders"]["changed"] == [] or list(changes["graders"]["changed"][0]["a"]) == [
        "parity_trials",
        "parity_agree",
    ]


def test_what_it_prints_is_what_it_counts(made: Path) -> None:
    text = run("diff", "first", "second", "-n", 1).stdout
    assert "A: audit first; corpus twenty" in text and "B: audit second" in text
    assert "Trials: 18 in both, 2 only in A, 1 only in B; another transcript in 1" in text
    rows = [line.split() for line in text.splitlines()]
    [row] = [row for row in rows if row[:2] == ["pass", "frozen"]]
    assert row[2:5] == ["20", "19", "10"] and row[-4:] == ["2", "(2/1/1/1)", "1", "(1/1/1/1)"]
    assert ["failed", "FABRICATION", "failed", "GUESSED", "7", "(1/4/4/4)"] in rows
    assert '    A failed STALE_DATA; answer "3=7.0"; value "3"; missed answer' in text.splitlines()
    assert "and 7 more; -n lists them" in text
    assert '  item T02: gold {"code": "FABRICATION"} in A, {"code": "GUESSED"} in B' in text.splitlines()
    assert "  1 configuration only in B: e" in text.splitlines()
    assert "rule last_equals_v1: fingerprint" in text


def test_frozen_against_a_candidate_is_its_flips(made: Path) -> None:
    [block] = diff("frozen", "v2", "--store", "first")["compared"]
    flips = json.loads(run("flips", "--candidate", "v2", "--store", "first", "--json").stdout)
    counted = flips["pass"]["candidates"]["v2"]["tiers"]["all"]
    for direction in ("fail_to_pass", "pass_to_fail"):
        assert block[direction] == counted[direction]
    assert block["recoded"]["trials"] == counted["recoded"] and block["fail_to_pass"]["trials"] == 8


def test_rules_are_graded_on_the_store_and_agree_with_the_candidate_of_the_same(made: Path) -> None:
    found = diff("v2", "last_equals_v1+ask_accepted_v1", "--store", "first")
    assert [counts(block) for block in found["compared"]] == [[20, 0, 0, 0, 0]]
    assert found["b"]["kind"] == "rules" and found["b"]["candidate"] == "last_equals_v1+ask_accepted_v1"
    [block] = diff("last_equals", "last_equals_v1+ask_accepted_v1+format_code_v1", "--store", "first")["compared"]
    assert (block["fail_to_pass"]["trials"], block["recoded"]["trials"]) == (4, 4)
    assert block["b"]["rules"] == ["last_equals_v1", "ask_accepted_v1", "format_code_v1"]
    # An edited rule is a rule set of its own, and says so.
    edited = diff("first:last_equals", "last_equals_v1", "--store", "first", "--rules", "rules")
    assert edited["compared"][0]["pass_to_fail"]["trials"] == 4
    assert [change["rule"] for change in edited["changes"]["rules"]["changed"]] == ["last_equals_v1"]


def test_the_sides_need_not_be_of_one_kind(made: Path) -> None:
    fresh = diff("first", "one/corpus.toml")
    assert all(counts(block) == [20, 0, 0, 0, 0] for block in fresh["compared"])
    assert fresh["b"]["kind"] == "corpus" and fresh["changes"]["files"]["changed"] == []
    assert any("No SHA256SUMS" in warning for warning in fresh["warnings"])
    # A side that names no candidate takes that of the other, by its name or by its rules.
    [named] = diff("first:v2", "second")["compared"]
    assert (named["b"]["candidate"], named["b"]["cells"]) == ("v2", 19)
    [ruled] = diff("ask_accepted_v1", "second/audit.duckdb", "--store", "first")["compared"]
    assert ruled["b"]["candidate"] == "ask_accepted"
    [bare] = diff("first:frozen", "second:v2", "-n", 0)["compared"]
    assert bare["trials"] == [] and bare["transitions"]


def test_swapping_the_sides_swaps_the_counts(made: Path, versions: dict[str, Any]) -> None:
    one, back = versions, diff(made / "second", made / "first")
    for there, here in zip(one["compared"], back["compared"], strict=True):
        assert (there["a"], there["b"]) == (here["b"], here["a"])
        assert (there["fail_to_pass"], there["only_in_a"]) == (here["pass_to_fail"], here["only_in_b"])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["first", "thrid"], "'thrid' is no audit and no corpus; as a candidate or rules it needs a store: Found 0"),
        (["v2", "last_equal", "--store", "first"], "Unknown 'last_equal': no audit, no corpus, no candidate"),
        (["v2", "last_equal", "--store", "first"], "Did you mean 'last_equals'"),
        (["v2", "last_equals_v1+ask_acepted_v1", "--store", "first"], "Did you mean 'ask_accepted_v1'"),
        (["first:last_equal", "second"], "Unknown candidate 'last_equal' in first. Did you mean 'last_equals'"),
        (["last_equals_v1+menu_accepted_v1", "second", "--store", "first"], "second has no candidate"),
        (["rules", "second"], "'rules' is no audit and no corpus"),
        (["no.duckdb", "second"], "No store at no.duckdb"),
        (["first", "+".join(["last_equals_v1"] * 40), "--store", "first"], "names a rule twice"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_said_in_one_line(args: list[str], message: str) -> None:
    result = run("diff", *args, code=2)
    assert result.stdout == "" and message in result.stderr and result.stderr.count("\n") == 1


def test_a_store_that_is_not_graded_is_not_compared(tmp_path: Path) -> None:
    run("load", "one", "--out", tmp_path)
    assert "is loaded and not graded" in run("diff", tmp_path, "first", code=2).stderr


GAPPED = [
    record("a", "T01", 0, "read_sensor", "ANSWER: 3=7.0", True),
    record("a", "T01", 1, "read_sensor", "ANSWER: 7.0", True),
    record("a", "T02", 0, "list_files", "x" * 3000 + "\nANSWER: NOT_FOUND", False, "FABRICATION"),
]


def test_parity_shows_both_readings_of_the_trials_that_differ(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "c", GAPPED)
    result = run("verify", "--parity", corpus, code=1)
    lines = result.stdout.splitlines()
    assert lines[0] == "Parity on pass: 1 of 3 trials agree."
    rows = [line.split() for line in lines]
    assert ["passed", "failed", "STALE_DATA", "1"] in rows and ["failed", "FABRICATION", "passed", "1"] in rows
    place = lines.index("a/T01/0")
    assert lines[place + 3 : place + 8] == [
        "  frozen:   passed",
        '  replayed: failed STALE_DATA; answer "3=7.0"; value "3"; missed answer',
        "  | ANSWER: 3=7.0",
        "            ----- frozen answer",
        "            - frozen value",
    ]
    assert re.search(r"\[… 2,[67]\d\d characters left out …\]", result.stdout) and "  | ANSWER: NOT_FOUND" in lines
    assert result.stderr.endswith(
        "regrade: Parity failed: frozen_v1 gives another grade on 2 of 3 trials on the axis pass. Mend the ported"
        " grader, and look again.\n"
    )
    few = run("verify", "--parity", "--first", 1, corpus, code=1).stdout
    assert "a/T02/0" not in few and "1 trial more; --first says how many are shown." in few
    found = json.loads(run("verify", "--parity", corpus, "--json", code=1).stdout)
    assert found["schema"] == "regrade.parity/1"
    assert [gap["trial_id"] for gap in found["axes"]["pass"]["first"]] == ["a/T01/0", "a/T02/0"]
    assert len(found["axes"]["pass"]["first"][1]["reply"]) > 3000, "whole for a script"


def test_parity_that_holds_is_one_line(tmp_path: Path) -> None:
    result = run("verify", "--parity", write_corpus(tmp_path / "c", GAPPED[1:2]))
    assert result.stdout == "Parity on pass: 1 of 1 trials agree.\n"
    frozen = write_corpus(tmp_path / "d", GAPPED, TOML.replace("tool_loop", "made_up"))
    assert "Parity on pass: nothing to compare, the grader is carried." in run("verify", "--parity", frozen).stdout


def test_parity_of_an_axis_without_a_recorded_grade_and_files_that_were_edited(tmp_path: Path) -> None:
    rows = [{**row, "grade": {}} for row in GAPPED]
    corpus = write_corpus(tmp_path / "c", rows, TOML.split("[frozen.pass]")[0] + '[bank]\nfile = "bank.json"\n')
    assert "nothing to compare, the log has no grade" in run("verify", "--parity", corpus).stdout
    run("freeze", corpus, "--rules", draft_rules(tmp_path / "rules"))
    (corpus / "trials.jsonl").write_text("{}\n")
    assert "frozen with sha256" in run("verify", "--parity", corpus, code=1).stderr
    assert "--first goes with --parity" in run("verify", "--first", 3, corpus, code=2).stderr


def test_an_axis_and_a_family_of_their_own_are_compared(tmp_path: Path) -> None:
    grader = '''"""Two axes, one of them for one family alone."""
from regrade.grades import Stages, per_row
@per_row("reply")
def extract(trial):
    return trial.reply
@per_row("answer")
def read(trial):
    return trial.answer
@per_row("answer")
def long(trial):
    return [] if len(trial.answer) > 20 else ["length"]
@per_row("answer")
def said(trial):
    return [] if "ANSWER" in trial.answer else ["said"]
@per_row("missed")
def code(trial):
    return None
ALL = dict(extract=extract, read=read, code=code)
GRADER = {"long": {"*": Stages(check=long, **ALL)}, "said": {"units": Stages(check=said, **ALL)}}
'''
    (tmp_path / "rules" / "made").mkdir(parents=True)
    (tmp_path / "rules" / "made" / "frozen_v1.py").write_text(grader)
    toml = TOML.replace("tool_loop", "made").replace("files = ", 'rules = "../rules"\nfiles = ')
    toml = toml.replace('[frozen.pass]\npassed = "grade.pass"\ncode = "grade.code"', "".join(
        f'[frozen.{axis}]\npassed = "grade.pass"\n' for axis in ("long", "said")
    ))  # fmt: skip
    found = json.loads(run("verify", "--parity", "--json", write_corpus(tmp_path / "c", GAPPED, toml), code=1).stdout)
    assert {axis: (b["agree"], b["trials"]) for axis, b in found["axes"].items()} == {"long": (0, 3), "said": (2, 3)}
    assert found["axes"]["said"]["differ"] == [{"frozen": ["failed", None], "replayed": None, "trials": 1}]
    assert found["axes"]["said"]["first"][0]["replayed"] is None


@pytest.mark.parametrize("length", [10, 1000, 5000])
def test_a_shortened_reply_keeps_the_very_characters_of_its_marks(length: int) -> None:
    text = "".join(chr(0x4E00 + n) for n in range(length))
    marks = [
        Mark(s, t, str(s), True, False) for s, t in ((0, length), (length // 2, length // 2 + 3), (length, length))
    ]
    short, moved = shorten(text, marks, kept=20)
    assert len(short) <= max(length, 400)
    for before, after in zip(marks, moved, strict=True):
        assert short[after.start : after.start + 3] == text[before.start : before.start + 3]
        assert short[after.stop - 3 : after.stop] == text[before.stop - 3 : before.stop]
    assert (short == text) == (length == 10)
