"""Every bundled rule: its cases, both sides of it, its prose; and the frozen graders that they stand on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regrade.grades.batch import Batch
from regrade.grades.cases import check_cases
from regrade.grades.items import Items
from regrade.grades.rule_file import HEADINGS
from regrade.grades.rulebook import Rulebook
from tests.conftest import ROOT
from tests.grades.test_stages import frame

RULES = ROOT / "rules"
BOOKS = {p.name: Rulebook([RULES], p.name) for p in sorted(RULES.iterdir()) if any(p.glob("*_v*.py"))}
NAMES = [(bench, name) for bench, book in BOOKS.items() for name in book.rule_names()]


@pytest.mark.parametrize(("bench", "name"), NAMES)
def test_its_cases_flip_and_hold(bench: str, name: str) -> None:
    outcomes = check_cases(BOOKS[bench], name)
    assert {o.kind for o in outcomes} == {"must flip", "must hold"}
    assert [f"{o.kind} {o.number}: {o.before} {o.after}" for o in outcomes if not o.right] == []


@pytest.mark.parametrize(("bench", "name"), NAMES)
def test_its_prose_fills_every_heading(bench: str, name: str) -> None:
    doc = BOOKS[bench].file(name).doc
    for heading in HEADINGS:
        text = doc.split(heading)[1].split("\n\n")[0]
        assert len(text.split()) > 3, heading


@pytest.mark.parametrize(("bench", "name"), NAMES)
def test_without_the_rule_no_case_flips(bench: str, name: str, tmp_path: Path) -> None:
    """A case that flips must owe it to the rule: with a body that only gives the base, none is right."""
    file = BOOKS[bench].file(name)
    source = file.path.read_text(encoding="utf-8")
    head, _, rest = source.partition(f"def {file.stage}(trial, base):\n")
    body_end = rest.index("\n\n\n")
    folder = tmp_path / bench
    folder.mkdir()
    for path in file.path.parent.glob("*.py"):
        (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    broken = f"{head}def {file.stage}(trial, base):\n    return base(trial){rest[body_end:]}"
    (folder / file.path.name).write_text(broken, encoding="utf-8")
    outcomes = check_cases(Rulebook([tmp_path], bench), name)
    assert all(o.right == (o.kind == "must hold") for o in outcomes)


def test_a_grader_file_of_each_benchmark_is_found() -> None:
    assert {bench: book.frozen for bench, book in BOOKS.items()} == {
        "broken_campus": "frozen_v1",
        "generic": None,
        "gsm8k": "frozen_v1",
        "kremis": "frozen_v1",
        "tool_loop": "frozen_v1",
    }


def test_the_rejected_rule_says_why() -> None:
    file = BOOKS["tool_loop"].file("last_line_fallback_v1")
    assert file.decision == "rejected" and "stays a failure" in str(file.reason)


CALL = {"turn": 0, "call": 0, "name": "read_sensor", "arguments": "{}", "result": "1"}


@pytest.mark.parametrize(
    ("reply", "gold", "calls", "status", "missed"),
    [
        ("ANSWER: 3=7.0", {"answer": 7.0}, [CALL], "failed", ["answer"]),
        ("ANSWER: 3=7.0", {"answer": 3}, [CALL], "passed", []),
        ("ANSWER: 7.05", {"answer": 7.0, "tolerance": 0.05}, [CALL], "passed", []),
        ("ANSWER: 7.051", {"answer": 7.0, "tolerance": 0.05}, [CALL], "failed", ["answer"]),
        ("ANSWER: 1.1", {"answer": 1.0, "tolerance": 0.1}, [CALL], "passed", []),
        ("ANSWER: 1,204.50 in all", {"answer": 1204.5}, [CALL], "passed", []),
        ("ANSWER: -3", {"answer": -3}, [CALL], "passed", []),
        ("ANSWER: none", {"answer": 7}, [CALL], "failed", ["answer"]),
        ("ANSWER: 7", {"answer": 7}, [], "failed", ["call read_sensor"]),
        ("ANSWER: 7", {"answer": 7, "never": ["reset"]}, [CALL, {**CALL, "name": "reset"}], "failed", ["never reset"]),
        ("7", {"answer": 7, "never": ["reset"]}, [{**CALL, "name": "reset"}], "failed",
         ["answer", "call read_sensor", "never reset"]),
        ("ANSWER: 7\nANSWER: 8", {"answer": 8}, [CALL], "passed", []),
        (" ANSWER: 7", {"answer": 7}, [CALL], "failed", ["answer"]),
        ("answer: 7", {"answer": 7}, [CALL], "failed", ["answer"]),
        ("so ANSWER: 7", {"answer": 7}, [CALL], "failed", ["answer"]),
        ("ANSWER:", {"kind": "text", "answer": ""}, [CALL], "passed", []),
        ("ANSWER:  a=b \r\n", {"kind": "text", "answer": "a=b"}, [CALL], "passed", []),
        ("ANSWER: A=b", {"kind": "text", "answer": "a=b"}, [CALL], "failed", ["answer"]),
        ("", {"kind": "text", "answer": ""}, [CALL], "failed", ["answer"]),
    ],
)  # fmt: skip
def test_the_tool_loops_own_grader(reply: str, gold: dict, calls: list, status: str, missed: list[str]) -> None:
    gold = {"kind": "number", "code": "STALE_DATA", "calls": ["read_sensor"], **gold}
    grader = BOOKS["tool_loop"].graders("frozen_v1")["pass"]
    graded = Batch(frame([reply], calls=[calls]), grader, Items({"f": {"i": json.loads(json.dumps(gold))}})).grade()
    assert graded["status"].to_list() == [status]
    assert graded["missed"].to_list() == [missed]
    assert graded["code"].to_list() == ["STALE_DATA" if missed else None]
