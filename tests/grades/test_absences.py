"""What a grader file's `absences` may yield, and how a certificate is told of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regrade.certifying import Asked, certify
from regrade.errors import RuleError
from tests.conftest import write_corpus
from tests.grades.plain_grader import STAGES

GRADER = (
    '"""A grader of places."""\n'
    + STAGES
    + """

def absences(items):
    {body}


GRADER = {{"pass": {{"*": Stages(extract=extract, read=read, check=check, code=code)}}}}
"""
)
TOML = """
[corpus]
name = "places"
benchmark = "places"
format = "jsonl"
files = ["trials.jsonl"]
rules = "rules"
[columns]
configuration = "model"
item = "item"
reply = "reply"
[bank]
file = "bank.json"
"""
BANK = [
    {"item": "1", "family": "f", "gold": {"answer": "here", "sought": "there"}},
    {"item": "2", "family": "g", "gold": {"answer": "here", "sought": "nowhere"}},
]


def places(folder: Path, body: str) -> Path:
    corpus = write_corpus(folder, [{"model": "m", "item": "1", "reply": "here"}], TOML)
    (corpus / "bank.json").write_text(json.dumps({"world": {"names": ["here", "there"]}, "items": BANK}))
    (corpus / "rules" / "places").mkdir(parents=True)
    (corpus / "rules" / "places" / "frozen_v1.py").write_text(GRADER.format(body=body))
    return corpus


LACKING = """
    for item in items:
        if item.gold.sought not in item.gold.world.names:
            yield item.item, f"place {item.gold.sought}", {"names": list(item.gold.world.names), "family": item.family}
"""


def test_every_item_of_the_bank_is_given_with_its_world(tmp_path: Path) -> None:
    [absence] = certify(places(tmp_path / "c", LACKING.strip()), Asked()).certificate.absences
    assert (absence.item, absence.absent) == ("2", "place nowhere")
    assert absence.witness == {"names": ["here", "there"], "family": "g"}
    assert absence.statement == f"bank.json with the SHA-256 {absence.state} holds no place nowhere."


def test_the_function_has_a_fingerprint_of_its_own(tmp_path: Path) -> None:
    """It moves no grade, so that what is graded and locked stays."""
    bodies = {"a": LACKING.strip(), "b": "return []", "c": "return []"}
    marks = [
        certify(places(tmp_path / name, body), Asked(counts=["passed"])).certificate.rules
        for name, body in bodies.items()
    ]
    assert marks[0].keys() == {"frozen_v1", "frozen_v1.absences"}
    assert len({each["frozen_v1"] for each in marks}) == 1 and len({each["frozen_v1.absences"] for each in marks}) == 2


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('yield "1", "place"', "expected (item, what is absent, witness)"),
        ('yield 1, "place", None', "expected (item, what is absent, witness)"),
        ('yield "1", "place", {1, 2}', "expected (item, what is absent, witness)"),
        ('yield "1", "place", float("nan")', "expected (item, what is absent, witness)"),
        ('yield "3", "place", None', "gave '3', expected an item of the bank"),
        ('yield from [("1", "place", None)] * 2', "gave '1', expected an item of the bank, each once"),
        ("return [][0]", "frozen_v1, absences raised IndexError"),
    ],
)
def test_what_it_may_not_yield(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(RuleError) as error:
        certify(places(tmp_path / "c", body), Asked())
    assert said in str(error.value)
