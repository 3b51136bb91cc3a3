"""Measures and proofs: what a grader file counts beside the status, the world it sees, and a bank that must hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from regrade.audit import Audit, audit
from regrade.errors import CorpusError, RuleError
from regrade.grades.cases import check_cases
from regrade.grades.rulebook import Rulebook
from regrade.steps import load_only, run_only
from tests.commands import run

pytestmark = pytest.mark.slow

GRADER = '''"""The grader: the words of the reply, those that the world knows, and whether the gold is among them."""

from regrade.grades import Stages, per_row


@per_row("reply")
def extract(trial):
    return trial.reply.strip() or None


@per_row("answer")
def read(trial):
    return None if trial.answer is None else trial.answer.split()


@per_row("value", "gold")
def check(trial):
    return [] if trial.value and trial.gold.word in trial.value else ["word"]


def code(trial):
    return trial.missed.list.first()


def characters(trial):
    return trial.answer.str.len_chars()


@per_row("value", "gold")
def strange(trial):
    return None if trial.value is None else sum(word not in trial.gold.world.words for word in trial.value)


def prove(items):
    for item in items:
        if item.gold.word not in item.gold.world.words:
            yield item.item, f"{item.gold.word!r} is no word of the world"


GRADER = {"pass": {"*": Stages(extract, read, check, code, value="list")}}
MEASURES = {"pass": {"characters": characters, "strange": strange}}
'''
RULE = '''"""Cut the answer at a comma.

What it changes: x.
Why: x.
Evidence: x.
What it cannot show: x.
"""
from regrade.grades import per_row

AXIS, DECISION = "pass", "proposed"


@per_row("answer")
def read(trial, base):
    return base(trial) and trial.answer.partition(",")[0].split()


MUST_FLIP = [{"gold": {"word": "oak"}, "world": {"words": ["oak"]}, "reply": "elm, oak", "to": "failed"}]
MUST_HOLD = [{"gold": {"word": "oak"}, "world": {"words": ["oak"]}, "reply": "oak, elm", "status": "failed"}]
'''
TOML = """
[corpus]
name = "words"
benchmark = "words"
files = ["*.jsonl"]
rules = "rules"
[columns]
configuration = "who"
item = "item"
trial = "n"
reply = "said"
[bank]
file = "bank.json"
"""
BANK: dict[str, Any] = {
    "world": {"words": ["oak", "elm", "fir"]},
    "items": [{"item": "tree", "family": "a", "gold": {"word": "oak"}}, {"item": "bush", "gold": {"word": "fir"}}],
}
SAID = {"tree": ["oak elm", "elm , oak ash", "", "ash yew"], "bush": ["fir", "oak , fir"]}


def write(folder: Path, grader: str = GRADER, rule: str = RULE, bank: Any = BANK) -> Path:
    """The corpus in its folder; written again it changes only what is other."""
    (folder / "rules" / "words").mkdir(parents=True, exist_ok=True)
    records = [{"who": "m", "item": item, "n": n, "said": s} for item, said in SAID.items() for n, s in enumerate(said)]
    (folder / "said.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    (folder / "corpus.toml").write_text(TOML)
    (folder / "bank.json").write_text(json.dumps(bank))
    (folder / "rules" / "words" / "frozen_v1.py").write_text(grader)
    (folder / "rules" / "words" / "comma_v1.py").write_text(rule)
    return folder


def measures(out: Path, table: str = "measures") -> list[Any]:
    with duckdb.connect(str(out / "audit.duckdb"), read_only=True) as con:
        return con.execute(f"select * exclude axis from {table} where axis = 'pass' order by all").fetchall()


FROZEN = {"m/bush/0": (3, 0), "m/bush/1": (9, 1), "m/tree/0": (7, 0), "m/tree/1": (13, 2), "m/tree/3": (7, 2)}
COMMA = FROZEN | {"m/bush/1": (9, 0), "m/tree/1": (13, 0)}


def expected() -> list[Any]:
    return sorted(
        (trial, candidate, measure, amount)
        for candidate, amounts in {"frozen": FROZEN, "comma": COMMA}.items()
        for trial, both in amounts.items()
        for measure, amount in zip(("characters", "strange"), both, strict=True)
    )


def test_a_row_a_measure_of_each_candidate_and_none_where_it_is_null(tmp_path: Path) -> None:
    done = audit(write(tmp_path / "c"), tmp_path / "out")
    assert measures(done.out) == expected()
    assert "m/tree/2" not in dict.fromkeys(row[0] for row in measures(done.out))


def test_a_measure_sees_what_no_stage_looks_at(tmp_path: Path) -> None:
    grader = GRADER.replace("def characters(trial):", '@per_row("state")\ndef characters(trial):')
    folder = write(tmp_path / "c", grader.replace("trial.answer.str.len_chars()", "trial.state['left']"))
    (folder / "corpus.toml").write_text(TOML.replace("[bank]", 'state = "state"\n[bank]'))
    (folder / "said.jsonl").write_text(
        json.dumps({"who": "m", "item": "bush", "n": 0, "said": "fir", "state": {"left": 4}})
    )
    done = audit(folder, tmp_path / "out")
    assert [row[3] for row in measures(done.out) if row[2] == "characters"] == [4, 4]


def same_as_from_nothing(done: Audit, folder: Path, anew: Path) -> None:
    audit(folder, anew)
    assert measures(done.out) == measures(anew)


@pytest.mark.slow
def test_measures_are_kept_like_grades(tmp_path: Path) -> None:
    folder, out = write(tmp_path / "c"), tmp_path / "out"
    audit(folder, out)
    write(folder, rule=RULE.replace('partition(",")[0]', 'partition(",")[2]'))
    done = audit(folder, out)
    assert done.graded == {"pass": {"comma": 6}}
    assert [row for row in measures(out) if row[1] == "frozen"] == [row for row in expected() if row[1] == "frozen"]
    assert {row[0]: row[3] for row in measures(out) if row[1:3] == ("comma", "strange")}["m/tree/1"] == 1
    same_as_from_nothing(done, folder, tmp_path / "a1")
    (folder / "more.jsonl").write_text(json.dumps({"who": "n", "item": "bush", "n": 0, "said": "yew"}) + "\n")
    done = audit(folder, out)
    assert done.graded == {"pass": {"frozen": 1, "comma": 1}}
    same_as_from_nothing(done, folder, tmp_path / "a2")
    (folder / "rules" / "words" / "comma_v1.py").unlink()
    done = audit(folder, out)
    assert {row[1] for row in measures(out)} == {"frozen"}
    same_as_from_nothing(done, folder, tmp_path / "a3")


def test_another_measure_or_another_world_grades_anew(tmp_path: Path) -> None:
    folder, out = write(tmp_path / "c"), tmp_path / "out"
    audit(folder, out)
    write(folder, GRADER.replace("word not in trial", "word in trial"))
    assert audit(folder, out).graded == {"pass": {"frozen": 6, "comma": 6}}
    write(folder)
    audit(folder, out)
    write(folder, bank={**BANK, "world": {"words": ["oak", "elm", "fir", "ash"]}})
    done = audit(folder, out)
    assert done.graded == {"pass": {"frozen": 6, "comma": 6}}
    assert {row[0]: row[3] for row in measures(out) if row[1:3] == ("frozen", "strange")}["m/tree/3"] == 1


def test_a_store_is_graded_in_the_world_that_it_was_loaded_with(tmp_path: Path) -> None:
    folder, out = write(tmp_path / "c"), tmp_path / "out"
    load_only(folder, out)
    write(folder, bank={**BANK, "world": {"words": []}})
    run_only(out)
    assert measures(out) == expected()


STRANGE = "sum(word not in trial.gold.world.words for word in trial.value)"
LENGTH = "trial.answer.str.len_chars()"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (STRANGE, "'two'", "measure strange.* returned 'two' .str., expected a number"),
        (STRANGE, "True", "measure strange.* returned True .bool., expected a number"),
        (STRANGE, "float('nan')", "measure strange.* returned nan, expected a finite"),
        (STRANGE, "1 // 0", "measure strange.*, line 31 raised ZeroDivisionError"),
        (LENGTH, f"1 / ({LENGTH} - 3)", "measure characters.* returned inf, expected a finite"),
        (LENGTH, "trial.reward", "measure characters.* asked the trial for 'reward'"),
        ('{"pass": {"characters"', '{"past": {"characters"', "its GRADER has no axis 'past'. Did you mean 'pass'"),
        ('{"characters": characters', '{"code": characters', "'code' is no name of a measure"),
        ('{"characters": characters', '{"characters": "n"', "MEASURES of frozen_v1.py.*: expected {name: function}"),
        ('MEASURES = {"pass"', 'MEASURES = ["pass"] or {"pass"', "MEASURES of frozen_v1.py: found list"),
    ],
)
def test_a_measure_that_cannot_be_counted(tmp_path: Path, old: str, new: str, found: str) -> None:
    assert GRADER.count(old) == 1
    folder = write(tmp_path / "c", GRADER.replace(old, new))
    with pytest.raises(RuleError, match=found) as caught:
        audit(folder, tmp_path / "out")
    assert "\n" not in str(caught.value) and not (tmp_path / "out").exists()


def test_what_a_grader_brings_is_in_its_fingerprint(tmp_path: Path) -> None:
    prints = []
    for n, (old, new) in enumerate([("", ""), ("is no word", "is none"), ("str.len_chars", "str.len_bytes")]):
        write(tmp_path / str(n), GRADER.replace(old, new) if old else GRADER)
        file = Rulebook([tmp_path / str(n) / "rules"], "words").file("frozen_v1")
        assert {"frozen_v1.MEASURES", "frozen_v1.prove", "frozen_v1.strange"} <= set(file.names)
        prints.append(file.fingerprint)
    assert len(set(prints)) == 3


def test_a_case_brings_its_world(tmp_path: Path) -> None:
    book = Rulebook([write(tmp_path / "c") / "rules"], "words")
    flip, hold = check_cases(book, "comma_v1")
    assert flip.right and not hold.right


def test_a_gold_that_has_a_world_of_its_own_keeps_it(tmp_path: Path) -> None:
    items = [{**BANK["items"][0], "gold": {"word": "oak", "world": {"words": ["oak"]}}}, BANK["items"][1]]
    done = audit(write(tmp_path / "c", bank={**BANK, "items": items}), tmp_path / "out")
    amounts = {row[0]: row[3] for row in measures(done.out) if row[1:3] == ("frozen", "strange")}
    assert (amounts["m/tree/0"], amounts["m/bush/1"]) == (1, 1)


def test_an_item_that_is_not_proved_stops_before_anything_is_graded(tmp_path: Path) -> None:
    folder = write(tmp_path / "c", bank={**BANK, "world": {"words": ["oak"]}})
    told = run("audit", folder, "--out", tmp_path / "out", code=2).stderr
    assert "The bank of words is not proved by frozen_v1" in told and "bush: 'fir' is no word of the world" in told
    assert "of 2 items 1 cannot be proved" in told and len(told.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_so_it_does_before_a_rule_is_tried(tmp_path: Path) -> None:
    folder, out = write(tmp_path / "c", bank={**BANK, "world": {"words": ["oak"]}}), tmp_path / "out"
    load_only(folder, out)
    assert "bush: 'fir'" in run("try", "comma_v1", "--store", out, code=2).stderr


def test_of_many_items_that_are_not_proved_the_first_are_named(tmp_path: Path) -> None:
    items = [{"item": f"i{n}", "gold": {"word": f"w{n}"}} for n in range(7)]
    with pytest.raises(CorpusError, match="of 9 items 7 cannot be proved: i0: 'w0'.*; i4: .*; and 2 more. Mend"):
        audit(write(tmp_path / "c", bank={**BANK, "items": [*BANK["items"], *items]}), tmp_path / "out")


@pytest.mark.parametrize(
    ("new", "found"),
    [
        ("yield item.item", "frozen_v1, prove gave .*, expected .item, reason."),
        ("1 / 0", "prove raised ZeroDivisionError"),
    ],
)
def test_a_proof_that_does_not_work(tmp_path: Path, new: str, found: str) -> None:
    lines = GRADER.split("\n")
    [at] = [n for n, line in enumerate(lines) if "yield" in line]
    lines[at] = f"            {new}"
    folder = write(tmp_path / "c", "\n".join(lines), bank={**BANK, "world": {"words": []}})
    with pytest.raises(RuleError, match=found):
        audit(folder, tmp_path / "out")
