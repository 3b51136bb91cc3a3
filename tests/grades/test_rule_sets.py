"""What trials come to under every set of rules: as if each set were graded whole, and evaluated where a rule acts."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.audit import Audit
from regrade.grades import Stages, per_row, rule_sets, text
from regrade.grades.batch import Batch
from regrade.grades.carried import carried_grader
from regrade.grades.items import Items
from regrade.grades.rule_sets import DECIDING, MOST, parted
from regrade.grades.stages import Grader, Rule
from tests.conftest import TOML, record
from tests.grades.test_stages import STAGES, batch, fallback, frame, rule
from tests.report.corpora import audited, rules_folder


def either(condition: Any, missed: Any, base: Any) -> Any:
    named = pl.lit(pl.Series([missed], dtype=pl.List(pl.String))).first()
    return pl.when(condition).then(named).otherwise(base)


def bare(trial: Any, base: Any) -> Any:
    """The answer without brackets: a text, whose place is nowhere."""
    span = base(trial)
    return None if span is None else span.text.strip("()") if span.text.startswith("(") else span


def after_equals(trial: Any, base: Any) -> Any:
    return text.first_of(text.number_after_last_equals(trial.answer), base(trial))


@per_row("answer")
def lower(trial: Any, base: Any) -> Any:
    """Acts on what another rule reads: a word in capitals is no number."""
    span = base(trial)
    return None if span is None else (span if isinstance(span, str) else span.text).lower()


def asked(trial: Any, base: Any) -> Any:
    return either(trial.answer == "ASK", [], base(trial))


def unsure(trial: Any, base: Any) -> Any:
    return either(trial.value == "unsure", None, base(trial))


RULES = {
    "fallback": rule("fallback", "extract", fallback),
    "bare": rule("bare", "extract", per_row("reply")(bare)),
    "after_equals": rule("after_equals", "read", after_equals),
    "lower": rule("lower", "read", lower, lambda gold, family, item: item == "i"),
    "asked": rule("asked", "check", asked),
    "unsure": rule("unsure", "check", unsure, lambda gold, family, item: item == "j"),
}
GOLDS = {"i": {"answer": "7"}, "j": {"answer": "yes"}}
LINES = st.sampled_from(["ANSWER: 7", "ANSWER: x=7", "x=7", "7", "ANSWER: (7)", "(x=7)", "ANSWER: YES", "YES", "(YES)",
                         "ANSWER: ASK", "ASK", "(ASK)", "UNSURE", "ANSWER: unsure", "so"])  # fmt: skip
TRIALS = st.lists(st.tuples(st.lists(LINES, max_size=3), st.sampled_from("ij")), min_size=1, max_size=8)
LISTS = st.lists(st.sampled_from(sorted(RULES)), unique=True, max_size=6)


def by_stage(names: Sequence[str]) -> list[Rule]:
    return sorted((RULES[name] for name in names), key=lambda r: DECIDING.index(r.stage))


def subsets(rules: Sequence[Rule]) -> list[tuple[Rule, ...]]:
    return [some for size in range(len(rules) + 1) for some in itertools.combinations(rules, size)]


def held_to_every_set(made: Callable[[], Batch], rules: Sequence[Rule]) -> pl.DataFrame:
    found, whole = parted(made(), rules), made()
    for some in subsets(rules):
        mask = sum(1 << rules.index(r) for r in some)
        holds = (pl.col("taken") & ~mask == 0) & (pl.col("without") & mask == 0)
        mine = found.filter(holds).sort("row")
        expected = whole.grade(some).get_column("status").to_list()
        assert mine.get_column("row").to_list() == list(range(len(expected))), "one row a trial"
        assert mine.get_column("status").to_list() == expected, [r.name for r in some]
    return found


@settings(max_examples=12)
@given(TRIALS, LISTS)
def test_every_set_is_as_if_it_were_graded_whole(trials: list[tuple[list[str], str]], names: list[str]) -> None:
    replies, items = ["\n".join(lines) for lines, _ in trials], [item for _, item in trials]
    held_to_every_set(lambda: batch(replies, GOLDS, item=items), by_stage(names))


@settings(max_examples=8)
@given(TRIALS, LISTS, st.data())
def test_the_same_holds_of_a_carried_grader(
    trials: list[tuple[list[str], str]], names: list[str], data: st.DataObject
) -> None:
    replies, items = ["\n".join(lines) for lines, _ in trials], [item for _, item in trials]
    statuses = data.draw(st.lists(st.sampled_from(["passed", "failed", "ungraded"]), min_size=len(trials),
                                  max_size=len(trials)))  # fmt: skip
    carried = {"frozen_status": statuses, "frozen_code": [None] * len(trials)}
    held_to_every_set(lambda: batch(replies, GOLDS, carried_grader("pass"), item=items, **carried), by_stage(names))


def test_rules_that_alone_change_nothing_may_do_so_together() -> None:
    """Without an answer line nothing stands after an equals sign, until a rule falls back to the last line."""
    rules = by_stage(["fallback", "after_equals"])
    found = held_to_every_set(lambda: batch(["so\nx=7"], GOLDS), rules)
    assert sorted(found.select("taken", "without", "status").rows()) == [
        (0, 1, "failed"), (1, 2, "failed"), (3, 0, "passed")
    ]  # fmt: skip


def test_that_a_rule_gave_the_same_answer_counts_where_the_grade_is_carried() -> None:
    carried = {"frozen_status": ["failed"], "frozen_code": [None]}
    found = held_to_every_set(lambda: batch(["7"], GOLDS, carried_grader("pass"), **carried), by_stage(["fallback"]))
    assert sorted(found.select("taken", "without", "status").rows()) == [(0, 1, "failed"), (1, 0, "passed")]


def test_a_trial_on_which_no_rule_acts_has_one_row() -> None:
    assert parted(batch(["ANSWER: 7", "ANSWER: 8"], GOLDS), by_stage(RULES)).rows() == [
        (0, 0, 0, "passed"), (1, 0, 0, "failed")
    ]  # fmt: skip


def test_a_value_that_is_a_list_parts_as_well() -> None:
    @per_row("answer")
    def words(trial: Any) -> Any:
        return None if trial.answer is None else trial.answer.split()

    @per_row("value")
    def check(trial: Any) -> Any:
        return [] if trial.value == ["7"] else ["answer"]

    @per_row("answer")
    def last_word(trial: Any, base: Any) -> Any:
        return base(trial)[-1:] if base(trial) else None

    grader = Grader("pass", "f", {"*": Stages(STAGES.extract, words, check, STAGES.code, value="list")})
    rules = [RULES["fallback"], rule("last_word", "read", last_word)]
    found = held_to_every_set(
        lambda: Batch(frame(["it is 7", "ANSWER: it is 7"]), grader, Items({None: {"i": None}})), rules
    )
    assert found.filter(pl.col("status") == "passed").height == 2


def test_states_that_grow_beyond_a_batch_are_followed_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = ["so\nx=7", "(x=7)", "ANSWER: (YES)", "YES"] * 5
    whole = parted(batch(replies, GOLDS), by_stage(RULES)).sort("row", "taken", "without")
    monkeypatch.setattr(rule_sets, "BATCH", 200)
    assert parted(batch(replies, GOLDS), by_stage(RULES)).sort("row", "taken", "without").equals(whole)


BUNDLED = ["last_line_fallback", "menu_accepted", "last_equals", "ask_accepted", "issued_tokens"]


def every_set() -> str:
    """A declared candidate for each set of two or more of the bundled rules."""
    return "".join(
        f'[[candidate]]\nname = "{"__".join(some)}"\nrules = {json.dumps([f"{name}_v1" for name in some])}\n'
        for size in range(2, len(BUNDLED) + 1)
        for some in itertools.combinations(BUNDLED, size)
    )


def lively() -> list[dict[str, Any]]:
    """Trials on which bundled rules act alone, together, and not at all."""
    said = [
        ("T01", "read_sensor", "ANSWER: 3=7.0", False, "STALE_DATA"),
        ("T01", "read_sensor", "It is\n3=7.0", False, "STALE_DATA"),
        ("T01", "read_sensor", "It is\n7.0", False, "STALE_DATA"),
        ("T01", "read_sensor", "ANSWER: 7.0=3", True, None),
        ("T01", "nothing", "3=7.0", False, "STALE_DATA"),
        ("T02", "list_files", "ANSWER: ASK: which?", False, "FABRICATION"),
        ("T02", "list_files", "ASK: which?", False, "FABRICATION"),
        ("T02", "list_files", "NOT_FOUND", False, "FABRICATION"),
        ("T02", "delete_file", "ASK", False, "FABRICATION"),
        ("T02", "list_files", "ANSWER: NOT_FOUND", True, None),
    ]
    return [
        record(name, item, at, tool, reply, passed, code)
        for name, skip in (("a", 0), ("b", 3), ("c", 7))
        for at, (item, tool, reply, passed, code) in enumerate(said[skip:])
    ]


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    return audited(tmp_path_factory.mktemp("every"), TOML + every_set(), lively())


COUNTED = """
with sets as (
  select configuration, sum(trials) filter (status = 'passed') as passed,
         sum(trials) filter (status = 'failed') as failed
  from rule_sets where axis = 'pass' and list_has_all($rules::varchar[], with_rules)
    and not list_has_any($rules::varchar[], without_rules)
  group by configuration
),
own as (
  select configuration, count(*) filter (status = 'passed') as passed, count(*) filter (status = 'failed') as failed
  from grades join trials using (trial_id) where axis = 'pass' and candidate = $candidate group by configuration
)
select count(*) filter (coalesce(s.passed, 0) = o.passed and coalesce(s.failed, 0) = o.failed), count(*)
from own o full join sets s using (configuration)
"""


@pytest.mark.slow
def test_the_table_counts_as_a_candidate_of_each_set_does(every: Audit) -> None:
    with duckdb.connect(str(every.out / "audit.duckdb"), read_only=True) as con:
        candidates = [("frozen", []), *con.execute("select candidate, rules from candidates").fetchall()]
        assert len(candidates) == 1 + 32
        for candidate, rules in candidates:
            found = con.execute(COUNTED, {"rules": rules, "candidate": candidate}).fetchall()
            assert found == [(3, 3)], candidate
        both = con.execute("select count(*) from rule_sets where len(with_rules) = 2 and status = 'passed'").fetchall()
    assert both[0][0] > 0, "some trial passes only under two rules"


@pytest.mark.slow
def test_only_rules_that_may_change_a_status_are_told_in_the_order_in_which_they_act(every: Audit) -> None:
    ranks = every.summary["axes"]["pass"]["ranks"]
    assert ranks["rules"] == [f"{name}_v1" for name in BUNDLED]
    assert (ranks["sets"], ranks["kept_sets"], ranks["rejected"]) == (32, 16, ["last_line_fallback_v1"])


def test_candidates_that_disagree_on_the_order_leave_the_sets_undefined(tmp_path: Path) -> None:
    pair = ["last_line_fallback_v1", "menu_accepted_v1"]
    toml = "".join(
        f'[[candidate]]\nname = "c{n}"\nrules = {json.dumps(rules)}\n' for n, rules in enumerate((pair, pair[::-1]))
    )
    ranks = audited(tmp_path, TOML + toml).summary["axes"]["pass"]["ranks"]
    assert ranks["sets"] is None and "last_line_fallback_v1 and menu_accepted_v1" in ranks["range_undefined"]
    assert all("range" not in record for record in ranks["tiers"]["all"]["configurations"].values())


@pytest.mark.slow
def test_more_than_ten_rules_leave_the_sets_undefined(tmp_path: Path) -> None:
    body = "def check(trial, base):\n    return base(trial)\n"
    rules = rules_folder(tmp_path / "rules", **{f"same{n}": body for n in range(MOST + 1)})
    toml = TOML.replace('benchmark = "tool_loop"', 'benchmark = "made"')
    ranks = audited(tmp_path, toml, rules=rules).summary["axes"]["pass"]["ranks"]
    assert "there are 11 rules" in ranks["range_undefined"] and len(ranks["rules"]) == 11


def test_a_set_that_raises_leaves_the_sets_undefined_and_the_audit_whole(tmp_path: Path) -> None:
    """No candidate has both rules: that they cannot go together is no fault of any of them."""
    rules = rules_folder(
        tmp_path / "rules",
        odd='@per_row("reply")\ndef extract(trial, base):\n    return "odd" if "3" in trial.reply else base(trial)\n',
        picky='@per_row("answer")\ndef read(trial, base):\n'
        '    if trial.answer == "odd":\n        raise ValueError("odd")\n    return base(trial)\n',
    )
    done = audited(tmp_path, TOML.replace('benchmark = "tool_loop"', 'benchmark = "made"'), rules=rules)
    ranks = done.summary["axes"]["pass"]["ranks"]
    assert "picky_v1" in ranks["range_undefined"] and "ValueError" in ranks["range_undefined"]
    assert ranks["tiers"]["all"]["ranked"] == 4
