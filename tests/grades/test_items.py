"""Families that are graded together give what each gives alone."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.audit import audit
from regrade.grades import probing
from regrade.grades.batch import Batch
from regrade.grades.items import Items
from regrade.grades.stages import Grader, Rule, Stages
from regrade.grades.trial import gold_type
from regrade.grades.words import TEXTS
from regrade.tables.store import FILE_NAME, Store
from tests.conftest import BANK, TOML, draft_rules, record, twenty, write_corpus
from tests.grades.test_stages import frame
from tests.report.corpora import RULE

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**65), 2**65) | st.floats(allow_nan=False) | st.sampled_from(["", "a"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["k", "l"]), inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(VALUES, min_size=1, max_size=3), max_size=6))
def test_a_gold_has_the_type_that_it_has_in_its_own_family(families: dict[str, list[Any]]) -> None:
    items = Items(
        {family: {f"{family}{n}": gold for n, gold in enumerate(golds)} for family, golds in families.items()}
    )
    parts = items.alike([])
    assert sorted(family for part in parts for family in part) == sorted(items)
    for part in parts:
        whole = gold_type(list(part.golds.values()))
        assert all(gold_type(list(golds.values())) == whole for golds in part.values())
    assert sorted(item for part in parts for item in part.golds) == sorted(items.golds)


def test_families_are_parted_by_their_stages_and_by_the_types_of_their_golds() -> None:
    stages = Stages(*(lambda trial: pl.lit(None),) * 4)
    grader = Grader("pass", "g", {"*": stages, "own": Stages(read=lambda trial: pl.lit("x"))})
    number, word = {"i": {"answer": 1}}, {"i": {"answer": "1"}}
    items = Items({None: number, "a": number, "b": word, "own": number, "c": word})
    assert [[*part] for part in items.alike([])] == [[None, "a", "own"], ["b", "c"]]
    assert [[*part] for part in items.alike([grader])] == [[None, "a"], ["b", "c"], ["own"]]


def other(row: dict[str, Any], item: str) -> dict[str, Any]:
    return {**deepcopy(row), "episode": item}


def test_a_trial_has_the_grade_that_it_has_where_its_family_is_alone(tmp_path: Path) -> None:
    """Two families with golds alike, one with a gold of another type, and one without a family."""
    units, files = BANK
    bank = [
        units,
        {**units, "item": "T03", "family": "more_units"},
        {**units, "item": "T04", "family": "words", "gold": {**units["gold"], "answer": "7.0"}},
        {key: value for key, value in {**files, "item": "T05"}.items() if key != "family"},
        files,
    ]
    of = {"T01": ["T03", "T04"], "T02": ["T05"]}
    rows = [r for row in twenty() for r in (row, *(other(row, item) for item in of[row["episode"]]))]

    def grades(name: str, items: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
        names = {item["item"] for item in items}
        mine = [row for row in rows if row["episode"] in names]
        done = audit(
            write_corpus(tmp_path / name, mine, TOML, items), tmp_path / f"out of {name}", allow_parity_gap=True
        )
        with Store.open(done.out / FILE_NAME, read_only=True) as store:
            return {
                *store.con.execute(
                    "select * exclude (missed, decided_by), missed::varchar, decided_by::varchar from grades"
                ).fetchall()
            }

    alone = [grades(item["item"], [item]) for item in bank]
    whole = grades("whole", bank)
    assert whole == set().union(*alone) and len(whole) > len(rows)


RAISES = """
@per_row("reply", "family")
def extract(trial, base):
    if trial.family == "more_files" and trial.reply == '':
        raise ValueError("nothing")
    return base(trial)
"""


def test_a_rule_that_raises_on_probes_of_one_family_costs_no_other(tmp_path: Path) -> None:
    files = BANK[1]
    bank = [files, {**files, "item": "T03", "family": "more_files"}, {**files, "item": "T04", "family": None}]
    rows = [other(row, item) for row in twenty() if row["episode"] == "T02" for item in ("T02", "T03", "T04")]
    folder = draft_rules(tmp_path / "rules")
    text = RULE.format(what="raises", decision="proposed", body=RAISES)
    (folder / "tool_loop" / "raises_v1.py").write_text(text, "utf-8")
    done = audit(write_corpus(tmp_path / "c", rows, TOML, bank), tmp_path / "out", rules=folder)
    with Store.open(done.out / FILE_NAME, read_only=True) as store:
        found = store.con.execute(
            "select item, candidate, probe, variant from probes where code = 'RAISED' order by all"
        ).fetchall()
    assert found == [("T03", "raises", "empty", "bare"), ("T03", "raises", "empty", "bare, with calls")]


def test_no_list_of_rules_of_two_families_is_tried_for_a_grade() -> None:
    """Each of eight families has two rules of its own, and every flip needs both of its family's."""
    graded = []

    def check(trial: Any) -> pl.Expr:
        graded.append(trial)
        return pl.when(trial.value == "yes").then(pl.lit([], TEXTS)).otherwise(pl.lit(["answer"], TEXTS))

    def own(family: str, stage: str, function: Any) -> Rule:
        return Rule(f"{family}_{stage}_v1", "pass", stage, function, lambda gold, its, item: its == family)

    families = [f"f{n}" for n in range(8)]
    items = Items({family: {f"item {family}": {"answer": "yes"}} for family in families})
    stages = Stages(lambda trial: trial.reply, lambda trial: trial.answer, check, lambda trial: pl.lit("X"))
    rules = [
        rule
        for family in families
        for rule in (
            own(family, "extract", lambda trial, base: trial.reply.str.slice(1)),
            own(family, "read", lambda trial, base: base(trial).expr.struct.field("text").str.to_lowercase()),
        )
    ]
    batch = Batch(frame([" YES"] * 8, [*items.golds]), Grader("pass", "g", {"*": stages}), items)
    whole = batch.grade(rules)
    assert whole["status"].to_list() == ["passed"] * 8
    decided = batch.decided_by(rules, whole)
    assert decided.to_list() == [[f"{family}_extract_v1", f"{family}_read_v1"] for family in families]
    assert len(graded) <= 2 + len(rules)


def test_an_item_without_a_pass_is_probed_in_the_line_of_its_own_family(tmp_path: Path) -> None:
    units = BANK[0]
    lines = {"one": "ANSWER: {}", "two": "ANSWER:  ~ {}"}
    bank = [
        {**units, "item": f"{family} {name}", "family": family} for family in lines for name in ("a", "b", "c", "none")
    ]
    rows = [
        record("x", item["item"], 0, "read_sensor", lines[item["family"]].format("7.0"), True)
        for item in bank
        if not item["item"].endswith("none") and item["item"] != "two c"
    ]
    done = audit(write_corpus(tmp_path / "c", rows, TOML, bank), tmp_path / "out")
    with Store.open(done.out / FILE_NAME, read_only=True) as store:
        found = store.con.execute(
            "select item, reply from probes where candidate = 'frozen' and probe = 'do_nothing' and variant = 'framed' "
            "and item like '%none' order by all"
        ).fetchall()
    assert found == [(f"{family} none", line.format("Okay.")) for family, line in lines.items()]


def test_probes_of_a_family_are_graded_together_whatever_the_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "ITEMS", 3)
    items = Items(
        {f: {f"{f}{n}": None for n in range(many)} for f, many in zip("abcdef", (1, 2, 2, 7, 1, 1), strict=True)}
    )
    assert [*probing.together(items)] == [
        ["a0", "b0", "b1"], ["c0", "c1"], ["d0", "d1", "d2"], ["d3", "d4", "d5"], ["d6", "e0", "f0"],
    ]  # fmt: skip
