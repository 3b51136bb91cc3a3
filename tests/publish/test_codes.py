"""A claim of no trial with a code is made only where a grade of that axis, under that candidate, may have the code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from regrade.errors import CorpusError
from regrade.ground import Ground
from regrade.publish.claims import Question
from tests.conftest import TOML, twenty, write_corpus
from tests.publish.grounds import grounded

WORDS = '''
"""What the graders share."""

CALLED = {"long": ["TOO_LONG"]}


def called(missed):
    return CALLED[missed[0]][0] if missed else None
'''
GRADER = '''
"""Three axes with codes of their own: from a shared word, from the gold, and from a function made by another."""

from regrade.grades import Stages, per_row, text

from ._words import called

NEVER = "NEVER_NAMED"


def extract(trial):
    return text.answer_line(trial.reply)


@per_row("answer")
def read(trial):
    return trial.answer


@per_row("answer")
def check(trial):
    return ["long"] if len(trial.answer or "") > 1000 else []


def code_of(name):
    return per_row("missed")(lambda trial: name if trial.missed else None)


@per_row("missed")
def shared(trial):
    return called(trial.missed)


@per_row("missed", "gold")
def own(trial):
    return trial.gold.code if trial.missed else None


GRADER = {
    "length": {"*": Stages(extract, read, check, shared)},
    "kind": {"*": Stages(extract, read, check, own)},
    "made": {"*": Stages(extract, read, check, code_of("MADE_UP")), "files": Stages(code=code_of("NO_FILE"))},
}
'''
RULE = '''
"""Call a long answer VERBOSE, and grade its brevity.

What it changes: the code of a long answer, and an axis is new.
Why: to see whose codes they are.
Evidence: none.
What it cannot show: anything.
"""

from regrade.grades import Stages, per_row, text

AXIS, DECISION = "length", "proposed"


@per_row("missed")
def code(trial, base):
    return "VERBOSE" if trial.missed else base(trial)


def line(trial):
    return text.answer_line(trial.reply)


@per_row("answer")
def whole(trial):
    return trial.answer


@per_row("answer")
def brief(trial):
    return ["brevity"] if len(trial.answer or "") > 1000 else []


@per_row("missed")
def wordy(trial):
    return "WORDY" if trial.missed else None


GRADER = {"brevity": {"*": Stages(line, whole, brief, wordy)}}
'''


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """Twenty trials of which none has any of the codes."""
    folder = tmp_path_factory.mktemp("codes")
    rules = folder / "rules" / "three"
    rules.mkdir(parents=True)
    for name, text in (("_words", WORDS), ("frozen_v1", GRADER), ("verbose_v1", RULE)):
        (rules / f"{name}.py").write_text(text)
    toml = TOML.replace('"tool_loop"', '"three"').partition("[frozen.pass]")[0]
    toml = toml.replace("[columns]", 'axis = "length"\n[columns]') + '[bank]\nfile = "bank.json"\n'
    with grounded(write_corpus(folder / "corpus", twenty(), toml), {"verbose"}, rules.parent) as found:
        yield found


@pytest.mark.parametrize(
    ("axis", "candidate", "code"),
    [
        ("length", "frozen", "TOO_LONG"),
        ("kind", "frozen", "STALE_DATA"),
        ("made", "frozen", "MADE_UP"),
        ("made", "frozen", "NO_FILE"),
        ("length", "verbose", "VERBOSE"),
        ("length", "verbose", "TOO_LONG"),
        ("brevity", "verbose", "WORDY"),
        # A candidate leaves the other axes as they were.
        ("kind", "verbose", "FABRICATION"),
    ],
)
def test_a_code_that_none_has_and_one_may_have(ground: Ground, axis: str, candidate: str, code: str) -> None:
    claim = ground.claim(Question(axis, candidate, (code,)))
    kind = "new" if axis == "brevity" else "ported"
    assert (claim.count, claim.graded, claim.grader) == (0, 20, kind)
    assert f"({kind})" in claim.statement


@pytest.mark.parametrize(
    ("axis", "candidate", "code", "said"),
    [
        ("kind", "frozen", "TOO_LONG", "the axis kind under frozen can be 'TOO_LONG'. It is a code of length: name"),
        ("length", "frozen", "STALE_DATA", "It is a code of kind"),
        ("length", "frozen", "VERBOSE", "can be 'VERBOSE'. Known: TOO_LONG, failed, passed."),
        ("length", "verbose", "WORDY", "It is a code of brevity"),
        ("made", "frozen", "NEVER_NAMED", "Known: MADE_UP, NO_FILE, failed, passed."),
        ("made", "frozen", "ungraded", "can be 'ungraded'"),
    ],
)
def test_a_code_that_cannot_be_there(ground: Ground, axis: str, candidate: str, code: str, said: str) -> None:
    with pytest.raises(CorpusError) as error:
        ground.claim(Question(axis, candidate, (code,)))
    assert said in str(error.value)


def test_codes_that_are_declared_are_those_of_their_axis(tmp_path: Path) -> None:
    toml = TOML.replace('"tool_loop"', '"nobody_knows"').replace(
        'code = "grade.code"\n', 'code = "grade.code"\ncodes = ["RARE"]\n[frozen.other]\npassed = "ok"\n'
    )
    corpus = write_corpus(tmp_path / "corpus", [{**record, "ok": True} for record in twenty()], toml)
    with grounded(corpus) as ground:
        assert ground.claim(Question("pass", "frozen", ("RARE",))).count == 0
        with pytest.raises(CorpusError, match="It is a code of pass"):
            ground.claim(Question("other", "frozen", ("RARE",)))
