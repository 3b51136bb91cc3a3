"""What moves a fingerprint, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from regrade.errors import GateFailed, RuleError
from regrade.grades.rule_file import RuleFile, read_rule_file
from regrade.grades.rulebook import Rulebook

RULE = '''"""Do a thing.

What it changes: x.
Why: x.
Evidence: x.
What it cannot show: x.
"""
from regrade.grades import text

from ._words import helper

AXIS, DECISION = "pass", "proposed"
WHERE = {"kind": "number"}
LIMIT = 3


def read(trial, base):
    """Say it."""
    # A remark.
    return text.first_of(helper(trial.answer, LIMIT), base(trial))


MUST_FLIP = [{"gold": {"answer": 1}, "reply": "# not a comment", "to": "passed"}]
MUST_HOLD = []
'''
WORDS = (
    "from regrade.grades import text\n\ndef helper(answer, limit):\n    return text.last_number(answer)\n\ndef"
    " other():\n    return 1\n"
)


def written(folder: Path, rule: str = RULE, words: str = WORDS, name: str = "thing_v1") -> RuleFile:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(rule, encoding="utf-8")
    (folder / "_words.py").write_text(words, encoding="utf-8")
    return read_rule_file(folder / f"{name}.py", {})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"proposed"', '"adopted"'),
        ("# A remark.", "# Another remark."),
        ('"""Say it."""', '"""Say it otherwise.\n\n    At length.\n    """'),
        ("Why: x.", "Why: y."),
        ('"to": "passed"', '"to": "failed"'),
        ("\n\ndef read", "\n\n\n\n\ndef read"),
        ("base(trial))\n", "base(trial))  # at the end\n"),
        ("LIMIT = 3\n", "LIMIT = 3\nUNUSED = 4\n"),
    ],
)
def test_prose_decision_and_cases_do_not_move_it(tmp_path: Path, old: str, new: str) -> None:
    assert old in RULE
    before = written(tmp_path / "a").names
    assert written(tmp_path / "a", RULE.replace(old, new)).names == before


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ("LIMIT = 3", "LIMIT = 4", "thing_v1.LIMIT"),
        ('{"kind": "number"}', '{"kind": "text"}', "thing_v1.WHERE"),
        ('"pass", ', '"format", ', "thing_v1.AXIS"),
        ("base(trial))", "base(trial), base(trial))", "thing_v1.read"),
    ],
)
def test_what_changes_results_moves_the_hash_of_its_name(tmp_path: Path, old: str, new: str, moved: str) -> None:
    before = written(tmp_path / "a")
    after = written(tmp_path / "a", RULE.replace(old, new))
    assert {n for n in {*before.names, *after.names} if before.names.get(n) != after.names.get(n)} == {moved}
    assert before.fingerprint != after.fingerprint


def test_the_words_of_the_folder_and_of_the_package_are_followed(tmp_path: Path) -> None:
    names = written(tmp_path / "a").names
    assert {
        "thing_v1.read",
        "thing_v1:_words.helper",
        "regrade.grades.text.last_number",
        "regrade.grades.text.NUMBER",
    } <= set(names)
    assert "thing_v1:_words.other" not in names, "nobody reaches it"
    assert "regrade.grades.text.matches_menu" not in names
    after = written(tmp_path / "a", words=WORDS.replace("last_number", "first_number")).names
    assert after["thing_v1:_words.helper"] != names["thing_v1:_words.helper"]


def test_an_engine_counts_as_a_part_of_its_word(tmp_path: Path) -> None:
    names = written(
        tmp_path / "a", RULE.replace("helper(trial.answer, LIMIT)", "text.number_after_last_equals(trial.answer)")
    ).names
    assert "regrade.grades.text.number_after_last_equals" in names
    assert "regrade.grades.text._FIRST_NUMBER" in names, "only the engine uses it"


def test_the_same_file_elsewhere_has_the_same_fingerprint(tmp_path: Path) -> None:
    assert written(tmp_path / "a").fingerprint == written(tmp_path / "b").fingerprint


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Evidence: x.\n", "", r"docstring lacks Evidence:"),
        ('"proposed"', '"wanted"', r"DECISION is 'wanted'"),
        ('"proposed"', '"rejected"', r"a rejected rule says why in REASON"),
        ("from regrade.grades import text", "import numpy\nfrom regrade.grades import text", r"imports numpy"),
        (
            "from regrade.grades import text",
            "from regrade.tables import store\nfrom regrade.grades import text",
            r"imports regrade.tables",
        ),
        (
            "def read(",
            "def check(trial, base):\n    pass\n\n\ndef read(",
            r"found read, check; a rule overrides exactly one",
        ),
        ("def read(", "def reads(", r"found no stage"),
        ("WHERE = {", "WHERE = dict(x=1) or {", r"WHERE is no literal"),
        ("def read(", "def read(:", r"invalid syntax"),
    ],
)
def test_a_file_that_is_no_rule_is_refused_with_the_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in RULE
    with pytest.raises(RuleError, match=rf"a/thing_v1\.py.*{message}"):
        written(tmp_path / "a", RULE.replace(old, new))


def test_a_locked_file_that_was_edited_is_a_gate_that_says_what_moved(tmp_path: Path) -> None:
    written(tmp_path / "bench")
    book = Rulebook([tmp_path], "bench")
    assert not book.file("thing_v1").locked
    book.lock(["thing_v1"])
    assert Rulebook([tmp_path], "bench").file("thing_v1").locked
    written(tmp_path / "bench", RULE.replace("LIMIT = 3", "LIMIT = 4"))
    edited = Rulebook([tmp_path], "bench")
    with pytest.raises(
        GateFailed, match=r"thing_v1 is locked .* \(the rule itself\): thing_v1.LIMIT.*copy it to thing_v2.py"
    ):
        edited.check_lock(["thing_v1"])
    with pytest.raises(GateFailed):
        edited.lock(["thing_v1"])
    written(tmp_path / "bench", words=WORDS.replace("last_number", "first_number"))
    with pytest.raises(GateFailed, match=r"a word it leans on"):
        Rulebook([tmp_path], "bench").check_lock(["thing_v1"])
    written(tmp_path / "bench", RULE.replace("proposed", "adopted"))
    Rulebook([tmp_path], "bench").check_lock(["thing_v1"])


def test_two_versions_are_told_apart_and_a_name_is_suggested(tmp_path: Path) -> None:
    written(tmp_path / "bench")
    written(tmp_path / "bench", name="thing_v2")
    written(tmp_path / "bench", name="other_v1")
    book = Rulebook([tmp_path], "bench")
    assert book.candidates([("both", ["thing_v2", "other_v1"])]) == {
        "other": ("other_v1",), "thing_v1": ("thing_v1",), "thing_v2": ("thing_v2",), "both": ("thing_v2", "other_v1"),
    }  # fmt: skip
    with pytest.raises(RuleError, match=r"Unknown rule 'thing_v9'.*Did you mean 'thing_v"):
        book.candidates([("bad", ["thing_v9"])])
    with pytest.raises(RuleError, match="names a rule twice"):
        book.candidates([("bad", ["other_v1", "other_v1"])])
    with pytest.raises(RuleError, match="has the name of the candidate"):
        book.candidates([("other", ["thing_v1"])])
    assert "Did you mean 'bench'" in str(Rulebook([tmp_path], "bnch").warning)
