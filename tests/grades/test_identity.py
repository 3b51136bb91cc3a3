"""What moves a fingerprint, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from regrade.errors import GateFailed, RuleError
from regrade.grades.identity import reach
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
        ("LIMIT = 3\n", 'LIMIT = 3\n"""How many."""\n'),
        ("LIMIT = 3\n", "LIMIT = 3  # at most\n"),
        ("def read(trial, base):\n", "def read(trial, base):  # ü, before a docstring\n\n   \n"),
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


HEAD = RULE[: RULE.index("LIMIT")]
MUTED = HEAD.replace("from ._words import helper\n", "")


def shifts(folder: Path, one: str, other: str) -> bool:
    """Whether the fingerprint moves between two bodies of a rule."""
    return written(folder, MUTED + one).fingerprint != written(folder, MUTED + other).fingerprint


@pytest.mark.parametrize(
    ("body", "old", "new"),
    [
        ('def read(trial, base): "d"; return 1\n', "1", "2"),
        ('def read(trial, base):\n    """d"""; return 1\n', "1", "2"),
        ('def read(trial, base):\n    """d\n    e"""; return 1\n', "1", "2"),
        ('T = """a\n\nb"""\ndef read(trial, base):\n    return T\n', "a\n\nb", "a\nb"),
        ('T = """a  \nb"""\ndef read(trial, base):\n    return T\n', "a  \nb", "a\nb"),
        ('T = f"""{1}\n\n# b"""\ndef read(trial, base):\n    return T\n', "\n\n# b", "\n\n# c"),
        ('def read(trial, base):\n    return """\n\n    # a"""\n', "# a", "# b"),
        ('def read(trial, base):\n    return 1, "d"\n', '"d"', '"e"'),
        ('S = "\u2028"\ndef read(trial, base):\n    return 1\n', "return 1", "return 2"),
        ("\x0c\ndef read(trial, base):\n    return 1\n", "return 1", "return 2"),
        ('def read(trial, base):\n    return "äöü", 1\n', "1", "2"),
        ("if True:\n    K = 1\ndef read(trial, base):\n    return K\n", "1", "2"),
        ("try:\n    K = 1\nexcept ValueError:\n    K = 3\ndef read(trial, base):\n    return K\n", "1", "2"),
        ("for K in [1]:\n    pass\ndef read(trial, base):\n    return K\n", "1", "2"),
        ("K = []\nK.append(1)\ndef read(trial, base):\n    return K\n", "1", "2"),
        ("K = [0]\nK[0] = 1\ndef read(trial, base):\n    return K\n", "= 1", "= 2"),
        ("text.SPACE = 1\ndef read(trial, base):\n    return base(trial)\n", "1", "2"),
        ("L = (K := 1)\ndef read(trial, base):\n    return K\n", "1", "2"),
        ("K: int = 1\ndef read(trial, base):\n    return K\n", "1", "2"),
        ("def k():\n    return 1\nif k():\n    pass\ndef read(trial, base):\n    return 0\n", "1", "2"),
    ],
)
def test_no_edit_that_changes_results_is_missed(tmp_path: Path, body: str, old: str, new: str) -> None:
    assert body.count(old) == 1
    assert shifts(tmp_path / "a", body, body.replace(old, new))


@pytest.mark.parametrize(
    ("body", "old", "new"),
    [
        ('def read(trial, base): "d"; return 1\n', '"d"', '"another"'),
        ('def read(trial, base):\n    """d"""; return 1\n', '"""d"""', '"""d\n\n    e"""'),
        ('def read(trial, base):\n    "d" "e"\n    return 1\n', '"d" ', '"f" '),
        ('def read(trial, base):\n    return ["a",\n  "b"]\n', '"a",\n', '"a",  # first\n\n  # then\n\n'),
        ('def read(trial, base):\n    return ("a"\n  "b")\n', '"a"\n', '"a"  # ä\n\n'),
        ('T = """a\n\nb"""\ndef read(trial, base):\n    return T\n', '"""\ndef', '"""   \n\n# why\ndef'),
        ("def read(trial, base):\n    return 1\n", "return 1\n", "return 1   \n\n\n"),
        ("K = 1; J = 1\ndef read(trial, base):\n    return K\n", "J = 1", "J = 2"),
        ("class K:\n    def k(self):\n        'd'\n\ndef read(trial, base):\n    return K\n", "'d'", "'e'"),
    ],
)
def test_prose_moves_nothing_wherever_it_stands(tmp_path: Path, body: str, old: str, new: str) -> None:
    assert body.count(old) == 1
    assert not shifts(tmp_path / "a", body, body.replace(old, new))


def test_statements_that_make_no_name_have_an_entry_of_their_own(tmp_path: Path) -> None:
    read = "def read(trial, base):\n    return 1\n"
    assert "thing_v1.(statements)" not in written(tmp_path / "a", MUTED + read).names
    assert "thing_v1.(statements)" in written(tmp_path / "a", MUTED + "assert text\n" + read).names
    words = "K = []\nK.append(1)\n\ndef helper(answer, limit):\n    return K\n"
    before, after = (written(tmp_path / "a", words=w).names for w in (words, words.replace("1", "2")))
    assert {n for n in before if before[n] != after[n]} == {"thing_v1:_words.(statements)"}


@pytest.mark.parametrize(
    "how", ["from . import _words", "from . import _words as w", "from ._words import helper as h"]
)
def test_the_words_are_followed_however_they_are_imported(tmp_path: Path, how: str) -> None:
    called = {"w": "w.helper", "h": "h"}.get(how[-1] if " as " in how else "", "_words.helper")
    rule = MUTED.replace("from regrade.grades", f"{how}\nfrom regrade.grades") + (
        f"def read(trial, base):\n    return {called}(trial.answer, 1)\n"
    )
    before = written(tmp_path / "a", rule).names
    after = written(tmp_path / "a", rule, WORDS.replace("last_number", "first_number")).names
    assert before["thing_v1:_words.helper"] != after["thing_v1:_words.helper"]


def test_a_module_that_is_handed_on_is_reached_whole(tmp_path: Path) -> None:
    body = "def read(trial, base):\n    return getattr({}, 'last_' + 'number')(trial.answer)\n"
    names = written(tmp_path / "a", MUTED + body.format("text")).names
    assert {"regrade.grades.text.last_number", "regrade.grades.text.matches_menu"} <= set(names)
    aliased = "T = text\n" + body.format("T")
    assert "regrade.grades.text.matches_menu" in written(tmp_path / "a", MUTED + aliased).names


def test_a_word_that_is_imported_and_then_changed_counts_with_the_change(tmp_path: Path) -> None:
    body = "from ._words import helper\nhelper = [helper, 1]\ndef read(trial, base):\n    return helper\n"
    assert shifts(tmp_path / "a", body, body.replace("1]", "2]"))
    assert "thing_v1:_words.helper" in written(tmp_path / "a", MUTED + body).names


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


READERS = [
    "open('units.json').read()",
    "__file__",
    "Path('units.json').read_text()",
    "pl.read_csv('units.csv')",
    "eval('1')",
]


@pytest.mark.parametrize("code", READERS)
def test_a_rule_that_reads_a_file_is_refused(tmp_path: Path, code: str) -> None:
    path = tmp_path / "reads_v1.py"
    path.write_text(
        f"from pathlib import Path\n\nimport polars as pl\n\nDATA = {code}\n\ndef read(trial, base):\n    return DATA\n"
    )
    with pytest.raises(RuleError, match=r"reads_v1.py:5: uses .*; a rule reads nothing but the trial"):
        reach(path, "reads_v1", ["read"])


@pytest.mark.parametrize("module", ["io", "sqlite3", "importlib.resources"])
def test_a_rule_that_imports_what_reads_files_is_refused(tmp_path: Path, module: str) -> None:
    path = tmp_path / "reads_v1.py"
    path.write_text(f"import {module}\n\ndef read(trial, base):\n    return base(trial)\n")
    with pytest.raises(RuleError, match=f"reads_v1.py:1: uses {module.split('.')[0]}; a rule reads nothing"):
        reach(path, "reads_v1", ["read"])
