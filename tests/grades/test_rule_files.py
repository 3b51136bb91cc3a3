"""What a rule file, its words and its LOCK may hold, and how a wrong one is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from regrade.errors import RuleError
from regrade.grades.cases import check_cases
from regrade.grades.rule_file import RuleFile, read_rule_file
from regrade.grades.rulebook import Rulebook
from tests.grades.test_identity import MUTED, RULE, WORDS, written

DOC = '"""Do a thing.\n\nWhat it changes: x.\nWhy: x.\nEvidence: x.\nWhat it cannot show: x.\n"""\n'
AXIS = 'AXIS, DECISION = "pass", "proposed"\n'
READ = "def read(trial, base):\n    return base(trial)\n"


def read(folder: Path, body: str, name: str = "thing_v1") -> RuleFile:
    path = folder / "bench" / f"{name}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(DOC + body, encoding="utf-8")
    return read_rule_file(path, {})


def refusal(folder: Path, body: str) -> str:
    with pytest.raises(RuleError) as raised:
        read(folder, body)
    message = str(raised.value)
    assert "\n" not in message and message.startswith("bench/thing_v1.py")
    return message


@pytest.mark.parametrize(
    ("constant", "message"),
    [
        ("FAMILIES = {'f'}", "FAMILIES is {'f'}, expected such as"),
        ("FAMILIES = 'f'", "FAMILIES is 'f', expected such as"),
        ("FAMILIES = ['f', 3]", "FAMILIES is ['f', 3], expected such as"),
        ("ITEMS = {'a': 1}", "ITEMS is {'a': 1}, expected such as"),
        ("WHERE = 'number'", "WHERE is 'number', expected such as"),
        ("WHERE = {'has': 3}", "WHERE is {'has': 3}, expected such as"),
        ("WHERE = {3: 'has'}", "WHERE is {3: 'has'}, expected such as"),
        ("WHERE = {'kind': {'a'}}", "WHERE holds {'a'} (set), which JSON cannot"),
        ("WHERE = {[]: 1}", "WHERE is no literal"),
        ("MUST_FLIP = 3", "MUST_FLIP is 3, expected such as"),
        ("MUST_FLIP = [3]", "MUST_FLIP is [3], expected such as"),
        ("MUST_HOLD = {'reply': 'x'}", "MUST_HOLD is {'reply': 'x'}, expected such as"),
        ("MUST_HOLD = [{'reply': 'x', 'state': {1, 2}}]", "MUST_HOLD holds {1, 2} (set), which JSON cannot"),
        ("MUST_HOLD = [{'gold': {1: 2}}]", "MUST_HOLD holds 1 (int), which JSON cannot"),
        ("MUST_HOLD = [{'gold': b'x'}]", "MUST_HOLD holds b'x' (bytes)"),
    ],
)
def test_a_constant_of_another_shape_is_refused_with_what_was_found(
    tmp_path: Path, constant: str, message: str
) -> None:
    assert message in refusal(tmp_path, AXIS + constant + "\n" + READ)


def test_a_grader_file_is_held_to_the_same_shapes(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"bench/frozen_v1\.py: FAMILIES is 'f'"):
        read(tmp_path, "FAMILIES = 'f'\nGRADER = {}\n", "frozen_v1")
    assert read(tmp_path, "GRADER: dict = {}\n", "frozen_v1").brings_grader


def test_what_a_rule_acts_on_may_be_written_in_any_plain_way(tmp_path: Path) -> None:
    rule = read(
        tmp_path,
        AXIS + "KIND = {'kind': 'number'}\nWHERE: dict = {**KIND, 'has': 'ask'}\nFAMILIES = ('f', 'g')\nITEMS = []\n"
        "MUST_FLIP = ({'gold': {'answer': None, 'tolerance': 0.5, 'calls': ('a',)}, 'state': [True]},)\n" + READ,
    )
    assert rule.scope == {"WHERE": {"kind": "number", "has": "ask"}, "FAMILIES": ("f", "g"), "ITEMS": []}
    assert len(rule.must_flip) == 1
    rule = read(tmp_path, AXIS + "FAMILIES = ['f']\n" + READ)
    assert rule.applies({}, "f", "q") and not rule.applies({}, "g", "q") and not rule.applies({}, None, "q")


@pytest.mark.parametrize(
    ("defined", "message"),
    [
        (
            "def raed(trial, base):",
            "found no stage; a rule overrides exactly one of extract, read, check, code. Did you",
        ),
        ("def raed(trial, base):", "Did you mean 'read' by 'raed'?"),
        ("def helper(trial, base):", "found no stage; a rule overrides exactly one of extract, read, check, code."),
    ],
)
def test_a_misspelt_stage_has_its_near_name(tmp_path: Path, defined: str, message: str) -> None:
    found = refusal(tmp_path, AXIS + READ.replace("def read(trial, base):", defined))
    assert message in found and ("Did you mean" in found) == ("raed" in defined)


def test_a_docstring_is_told_every_heading_that_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "thing_v1.py"
    path.write_text('"""Do a thing.\n\nWhy: x.\n"""\n' + AXIS + READ, encoding="utf-8")
    with pytest.raises(RuleError) as raised:
        read_rule_file(path, {})
    assert str(raised.value).endswith(
        'its docstring lacks the headings "What it changes:", "Evidence:" and "What it cannot show:". '
        "Write what there is to say under each."
    )


@pytest.mark.parametrize(
    "raising", ["raise SystemExit(3)", "import sys\nsys.exit('bye')", "raise BaseException", "1 / 0"]
)
def test_a_file_that_raises_when_loaded_is_one_line(tmp_path: Path, raising: str) -> None:
    read(tmp_path, AXIS + raising + "\n" + READ)
    with pytest.raises(RuleError, match=r"bench/thing_v1\.py raised \w+ when loaded: .*Mend the file") as raised:
        Rulebook([tmp_path], "bench").rule("thing_v1")
    assert "\n" not in str(raised.value)


def test_an_interrupt_is_no_fault_of_the_file(tmp_path: Path) -> None:
    read(tmp_path, AXIS + "raise KeyboardInterrupt\n" + READ)
    with pytest.raises(KeyboardInterrupt):
        Rulebook([tmp_path], "bench").rule("thing_v1")


@pytest.mark.parametrize(
    ("lock", "found"),
    [
        ("[]", "LOCK is []"),
        ("[1, 2]", "LOCK is [1, 2]"),
        ("null", "LOCK is None"),
        ('{"thing_v1": 3}', "thing_v1 is 3"),
        ('{"thing_v1": ["a"]}', "thing_v1 is ['a']"),
        ('{"thing_v1": {"thing_v1.read": 3}}', "thing_v1 is {'thing_v1.read': 3}"),
        ("{", "Expecting property name"),
    ],
)
def test_a_lock_of_another_shape_is_refused(tmp_path: Path, lock: str, found: str) -> None:
    read(tmp_path, AXIS + READ)
    (tmp_path / "bench" / "LOCK").write_text(lock, encoding="utf-8")
    with pytest.raises(RuleError, match="Restore it from version control") as raised:
        Rulebook([tmp_path], "bench").file("thing_v1")
    assert found in str(raised.value) and "LOCK" in str(raised.value)


def test_a_lock_that_was_written_is_read_again(tmp_path: Path) -> None:
    read(tmp_path, AXIS + READ)
    (tmp_path / "bench" / "LOCK").write_text("{}", encoding="utf-8")
    Rulebook([tmp_path], "bench").lock(["thing_v1"])
    assert Rulebook([tmp_path], "bench").file("thing_v1").state == "locked"


def test_an_edit_of_the_words_acts_at_once_and_moves_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    body = (
        "from regrade.grades import per_row\n"
        "{how}\n" + AXIS + '@per_row("answer")\ndef read(trial, base):\n    return {word}()\n'
        'MUST_FLIP = [{{"gold": {{"answer": "7"}}, "frozen": "failed", "reply": "x", "to": "passed"}}]\n'
    )
    words = tmp_path / "bench" / "_words.py"
    words.parent.mkdir()
    words.write_text("def k():\n    return ''\n", encoding="utf-8")
    read(tmp_path, body.format(how="from ._words import k", word="k"))
    read(tmp_path, body.format(how="from . import _words", word="_words.k"), "other_v1")
    seen = []
    for value in "757":
        words.write_text(f"def k():\n    return '{value}'\n", encoding="utf-8")
        book = Rulebook([tmp_path], "bench")
        right = [check_cases(book, name)[0].right for name in ("thing_v1", "other_v1")]
        seen.append((*right, book.file("thing_v1").fingerprint))
    assert [s[:2] for s in seen] == [(True, True), (False, False), (True, True)]
    assert seen[0] == seen[2] and seen[0][2] != seen[1][2]
    assert not (tmp_path / "bench" / "__pycache__").exists() and not sys.dont_write_bytecode


def test_the_words_may_come_after_a_rule_was_loaded(tmp_path: Path) -> None:
    read(tmp_path, AXIS + READ)
    Rulebook([tmp_path], "bench").rule("thing_v1")
    (tmp_path / "bench" / "_words.py").write_text("K = 1\n", encoding="utf-8")
    read(tmp_path, "from ._words import K\n" + AXIS + READ.replace("base(trial)", "K"))
    assert Rulebook([tmp_path], "bench").rule("thing_v1").function(None, None) == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Evidence: x.\n", "", r"""docstring lacks the heading "Evidence:"\. Write"""),
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
            r"found read and check; a rule overrides exactly one",
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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("from ._words import *", r"thing_v1\.py:\d+: imports \* from \._words.*Name each word"),
        ("from regrade.grades.text import *", r"thing_v1\.py:\d+: imports \* from regrade\.grades\.text"),
        ("from math import *", r"thing_v1\.py:\d+: imports \* from math"),
        (
            "import regrade.grades.text as text",
            r"thing_v1\.py:\d+: import regrade\.grades\.text is not followed\. Write",
        ),
        ("import regrade.grades", r"thing_v1\.py:\d+: import regrade\.grades is not followed"),
        ("if True:\n    from ._words import helper", r"thing_v1\.py:\d+: imports \._words within other code"),
        (
            "def f():\n    from regrade.grades import text",
            r"imports regrade\.grades within other code.*top of the file",
        ),
        (
            "from regrade.grades.txt import last_number",
            r"imports regrade\.grades\.txt, which is not there.*mean 'text'",
        ),
        ("from . import other", r"thing_v1\.py:\d+: imports \."),
        ("import regrade", r"thing_v1\.py:\d+: imports regrade;"),
    ],
)
def test_an_import_that_cannot_be_followed_is_refused_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(RuleError, match=message) as raised:
        written(tmp_path / "a", RULE.replace("LIMIT = 3", f"{line}\nLIMIT = 3"))
    assert "\n" not in str(raised.value)


def test_the_words_are_held_to_the_same_imports(tmp_path: Path) -> None:
    for line, message in (
        ("import numpy", r"a/_words\.py:1: imports numpy"),
        ("from math import *", r"a/_words\.py:1: imports \*"),
        ("def f(:", r"a/_words\.py: invalid syntax"),
    ):
        with pytest.raises(RuleError, match=message):
            written(tmp_path / "a", words=f"{line}\n{WORDS}")
    (tmp_path / "a" / "_words.py").unlink()
    with pytest.raises(
        RuleError, match=r"thing_v1\.py:\d+: imports \._words, which is not there\. Write it beside the rule"
    ):
        read_rule_file(tmp_path / "a" / "thing_v1.py", {})


def test_what_stands_alone_may_be_imported_anywhere(tmp_path: Path) -> None:
    body = "def read(trial, base):\n    import math\n    from polars import col\n    return math, col\n"
    assert "thing_v1.read" in written(tmp_path / "a", MUTED + body).names


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "text.first_of(",
            "text.last_numbr(",
            r"thing_v1\.py:\d+: grades/text\.py has no last_numbr\. Did you mean 'last_number'",
        ),
        ("import helper", "import hlper", r"thing_v1\.py:\d+: a/_words\.py has no hlper\. Did you mean 'helper'"),
        (
            "grades import text",
            "grades import txt as text",
            r"thing_v1\.py:\d+: grades/__init__\.py has no txt\. Did you mean 'text'",
        ),
    ],
)
def test_a_misspelt_word_is_found_before_it_runs(tmp_path: Path, old: str, new: str, message: str) -> None:
    rule = RULE.replace(old, new).replace("helper(", "hlper(" if "hlper" in new else "helper(")
    with pytest.raises(RuleError, match=message):
        written(tmp_path / "a", rule)
    with pytest.raises(RuleError, match=r"a/_words\.py:4: grades/text\.py has no last_numbr"):
        written(tmp_path / "a", words=WORDS.replace("last_number", "last_numbr"))


def test_a_name_of_its_own_is_no_misspelt_word(tmp_path: Path) -> None:
    body = "def own(text):\n    return text.strip()\n\ndef read(trial, base):\n    return own(trial), text.__name__\n"
    assert "thing_v1.own" in written(tmp_path / "a", MUTED + body).names
    made = "for name in 'ab':\n    made = name\n\ndef helper(answer, limit):\n    return made\n"
    rule = RULE.replace("import helper", "import helper, made").replace("LIMIT)", "made)")
    assert "thing_v1:_words.(statements)" in written(tmp_path / "a", rule, made).names
