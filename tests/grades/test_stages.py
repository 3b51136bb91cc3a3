"""The engine: four stages, rules over them, composition, evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from regrade.errors import RuleError
from regrade.grades import Stages, per_row, text
from regrade.grades.batch import Batch
from regrade.grades.carried import carried_grader
from regrade.grades.items import Items
from regrade.grades.stages import Grader, Rule
from regrade.grades.trial import FRAME
from regrade.records import Span


def frame(replies: list[Any], item: str | list[str] = "i", **columns: list[Any]) -> pl.DataFrame:
    items = [item] * len(replies) if isinstance(item, str) else item
    data = {"reply": replies, "turns": None, "calls": [[] for _ in replies], "state": None, "item": items, **columns}
    extra = {n: pl.String for n in columns if n not in FRAME}
    return pl.DataFrame(data, schema={**FRAME, **extra})


def answer(trial: Any) -> Any:
    return text.answer_line(trial.reply)


@per_row("answer")
def as_is(trial: Any) -> Any:
    return trial.answer


def equal(trial: Any) -> Any:
    right = text.same_text(trial.value, trial.gold.answer)
    none = pl.lit(pl.Series([[]], dtype=pl.List(pl.String))).first()
    return pl.when(right).then(none).otherwise(pl.concat_list(pl.lit("answer")))


def plain_code(trial: Any) -> Any:
    return pl.when(trial.missed.list.len() > 0).then(pl.lit("WRONG"))


STAGES = Stages(answer, as_is, equal, plain_code)
GRADER = Grader("pass", "frozen_v1", {"*": STAGES})


def rule(name: str, stage: str, function: Callable[..., Any], applies: Any = lambda gold, family, item: True) -> Rule:
    return Rule(name, "pass", stage, function, applies)


def batch(replies: list[Any], golds: dict[str, Any] | None = None, grader: Grader = GRADER, **more: Any) -> Batch:
    return Batch(frame(replies, **more), grader, Items({"f": golds or {"i": {"answer": "yes"}}}))


def statuses(graded: pl.DataFrame) -> list[str]:
    return graded["status"].to_list()


REPLIES = ["ANSWER: yes", "ANSWER: no", "yes", "x\nANSWER: é\nANSWER: yes"]


def fallback(trial: Any, base: Any) -> Any:
    return text.first_of(base(trial), text.last_line(trial.reply))


def test_three_outcomes_with_evidence() -> None:
    graded = batch(REPLIES).grade()
    assert statuses(graded) == ["passed", "failed", "failed", "passed"]
    assert graded["code"].to_list() == [None, "WRONG", "WRONG", None]
    assert graded["missed"].to_list() == [[], ["answer"], ["answer"], []]
    assert graded["answer"].to_list()[2:] == [None, {"text": "yes", "start": 20, "stop": 23}]


@pytest.mark.parametrize("rows", [False, True])
def test_an_extract_rule_wraps_the_base_of_either_kind(rows: bool) -> None:
    @per_row("reply")
    def by_row(trial: Any, base: Any) -> Any:
        return base(trial) or text.last_line(trial.reply)

    changed = batch(REPLIES).grade([rule("fallback_v1", "extract", by_row if rows else fallback)])
    assert statuses(changed) == ["passed", "failed", "passed", "passed"]
    assert changed["answer"].to_list()[2] == {"text": "yes", "start": 0, "stop": 3}


def test_an_expression_rule_gets_a_row_stage_as_a_column_and_a_row_rule_an_expression_as_a_value() -> None:
    def upper(trial: Any, base: Any) -> Any:
        return base(trial).text.str.to_uppercase()

    @per_row()
    def first_letter(trial: Any, base: Any) -> Any:
        known = base(trial)
        assert known is None or isinstance(known, (str, Span))
        return None if known is None else known.text[:1]

    read = batch(REPLIES).column("read", [rule("upper_v1", "read", upper), rule("first_v1", "read", first_letter)])
    assert [v and v["text"] for v in read.to_list()] == ["Y", "N", None, "Y"]
    assert [v and v["start"] for v in read.to_list()] == [None, None, None, None], "a text without a place"


def test_rules_on_one_stage_wrap_in_candidate_order() -> None:
    def mark(letter: str) -> Callable[..., Any]:
        def code(trial: Any, base: Any) -> Any:
            return base(trial) + pl.lit(letter)

        return code

    a, b = rule("a_v1", "code", mark("a")), rule("b_v1", "code", mark("b"))
    one = batch(REPLIES)
    assert one.grade([a, b])["code"].to_list()[1] == "WRONGab"
    assert one.grade([b, a])["code"].to_list()[1] == "WRONGba"
    assert one.grade([])["code"].to_list()[1] == "WRONG"


def test_a_rule_on_an_earlier_stage_feeds_the_later_ones() -> None:
    seen = batch(REPLIES).grade([rule("fallback_v1", "extract", fallback)])
    assert [v and v["text"] for v in seen["value"].to_list()] == ["yes", "no", "yes", "yes"]


def test_where_a_rule_does_not_apply_its_stage_is_not_evaluated() -> None:
    @per_row("item")
    def explode(trial: Any, base: Any) -> Any:
        assert trial.item == "j", "called for an item that it does not serve"
        return "FORMAT"

    only_j = rule("j_v1", "code", explode, lambda gold, family, item: gold.get("special") is not None)
    golds = {"i": {"answer": "yes"}, "j": {"answer": "no", "special": 1}}
    graded = batch(["ANSWER: x", "ANSWER: x", "ANSWER: y"], golds, item=["i", "j", "i"]).grade([only_j])
    assert graded["code"].to_list() == ["WRONG", "FORMAT", "WRONG"]


def test_a_family_overrides_the_default_stage_by_stage() -> None:
    grader = Grader("pass", "frozen_v1", {"*": STAGES, "f": Stages(extract=lambda t: text.last_line(t.reply))})
    assert statuses(batch(REPLIES, grader=grader).grade()) == ["failed", "failed", "passed", "failed"]
    assert grader.stages("g") == STAGES
    assert Grader("pass", "frozen_v1", {"f": STAGES}).stages("g") is None


def test_base_on_anything_but_the_trial_is_an_error() -> None:
    with pytest.raises(RuleError, match=r"odd_v1, stage extract.* called base with something other than its own trial"):
        batch(REPLIES).grade([rule("odd_v1", "extract", lambda trial, base: base(trial.reply))])


@pytest.mark.parametrize("name", ["configuration", "trial_id", "frozen_status", "value"])
def test_a_stage_asks_for_what_it_may_not_see(name: str) -> None:
    with pytest.raises(
        RuleError, match=rf"peek_v1, stage read.* asked the trial for '{name}'. There are: reply, .*answer"
    ):
        batch(REPLIES).grade([rule("peek_v1", "read", lambda trial, base: getattr(trial, name))])


def test_a_row_stage_sees_only_what_it_names() -> None:
    @per_row("reply")
    def peek(trial: Any, base: Any) -> Any:
        return trial.item

    with pytest.raises(RuleError, match="asked the trial for 'item'. There are: reply"):
        batch(REPLIES).grade([rule("peek_v1", "code", peek)])

    @per_row("missed")
    def early(trial: Any, base: Any) -> Any:
        return None

    with pytest.raises(RuleError, match="names missed in @per_row, which this stage does not have"):
        batch(REPLIES).grade([rule("early_v1", "read", early)])
    with pytest.raises(RuleError, match="names 'configuration'. Known: reply"):
        per_row("configuration")(peek)


@pytest.mark.parametrize(
    ("stage", "result", "expected"),
    [
        ("extract", 5, "a span, a text or None"),
        ("read", ["x"], "a span, a text or None"),
        ("check", "answer", "a list of texts or None"),
        ("check", True, "a list of texts or None"),
        ("code", 5, "a text or None"),
    ],
)
def test_a_result_of_the_wrong_kind_is_named(stage: str, result: Any, expected: str) -> None:
    @per_row("reply")
    def wrong(trial: Any, base: Any) -> Any:
        return result

    with pytest.raises(RuleError, match=rf"wrong_v1, stage {stage}.*expected {expected}"):
        batch(REPLIES).grade([rule("wrong_v1", stage, wrong)])


def test_a_rule_that_raises_is_named_with_its_stage() -> None:
    @per_row("reply")
    def broken(trial: Any, base: Any) -> Any:
        return {}["key"]

    with pytest.raises(RuleError, match=r"broken_v1, stage code, axis pass, line [0-9]+ raised KeyError: 'key'"):
        batch(REPLIES).grade([rule("broken_v1", "code", broken)])

    @per_row("reply")
    def leaves(trial: Any, base: Any) -> Any:
        raise SystemExit(3)

    with pytest.raises(RuleError, match="leaves_v1, stage code.* raised SystemExit: 3"):
        batch(REPLIES).grade([rule("leaves_v1", "code", leaves)])
    with pytest.raises(RuleError, match="plain_v1, stage code.* returned str, expected a Polars expression"):
        batch(REPLIES).grade([rule("plain_v1", "code", lambda trial, base: "x")])


def test_a_row_stage_runs_once_a_distinct_combination_and_for_null_too() -> None:
    asked: list[Any] = []

    @per_row("answer", "gold")
    def counting(trial: Any) -> Any:
        asked.append((trial.answer, trial.gold.answer))
        return trial.answer

    grader = Grader("pass", "frozen_v1", {"*": Stages(answer, counting, equal, plain_code)})
    golds = {"i": {"answer": "yes"}, "j": {"answer": "no"}}
    replies = ["ANSWER: yes", "so: \nANSWER: yes", "none", "none at all", "ANSWER: yes"]
    Batch(frame(replies, ["i", "i", "i", "i", "j"]), grader, Items({"f": golds})).grade()
    assert asked == [("yes", "yes"), (None, "yes"), ("yes", "no")]


def test_a_null_from_check_is_ungraded_and_may_have_a_code() -> None:
    @per_row("answer")
    def check(trial: Any) -> Any:
        return None if trial.answer is None else []

    grader = Grader(
        "pass",
        "frozen_v1",
        {"*": Stages(answer, as_is, check, lambda t: pl.when(t.missed.is_null()).then(pl.lit("FORMAT")))},
    )
    graded = batch(REPLIES, grader=grader).grade()
    assert statuses(graded) == ["passed", "passed", "ungraded", "passed"]
    assert graded["code"].to_list() == [None, None, "FORMAT", None]


def test_a_value_may_be_a_list() -> None:
    @per_row("answer")
    def words(trial: Any) -> Any:
        return None if trial.answer is None else trial.answer.split()

    @per_row("value", "gold")
    def check(trial: Any) -> Any:
        return [w for w in trial.gold.wanted if w not in (trial.value or [])]

    grader = Grader("pass", "frozen_v1", {"*": Stages(answer, words, check, plain_code, value="list")})
    graded = batch(["ANSWER: a b", "ANSWER: b", "none"], {"i": {"wanted": ["b", "a"]}}, grader=grader).grade()
    assert graded["value"].to_list() == [["a", "b"], ["b"], None]
    assert graded["missed"].to_list() == [[], ["a"], ["b", "a"]]


def test_gold_keys_have_their_types_and_an_absent_one_is_null_in_both_kinds() -> None:
    seen: list[Any] = []

    @per_row("gold")
    def look(trial: Any) -> Any:
        seen.append((trial.gold.answer, trial.gold.nothing, trial.gold.ask and trial.gold.ask.after))
        return None

    def typed(trial: Any) -> Any:
        gold = trial.gold
        return pl.concat_str(
            gold.answer.cast(pl.String), gold.ask.after.list.first(), pl.lit(""), separator="|", ignore_nulls=True
        )

    golds = {"i": {"answer": 7.5, "ask": {"after": ["list"]}}, "j": {"answer": 8}}
    one = batch(
        ["a", "b"], golds, item=["i", "j"], grader=Grader("pass", "g", {"*": Stages(answer, look, equal, typed)})
    )
    assert one.column("code", []).to_list() == ["7.5|list|", "8.0|"]
    one.column("read", [])
    assert seen == [(7.5, None, ["list"]), (8, None, None)]


def test_decided_by_is_the_smallest_list_and_ties_go_to_candidate_order() -> None:
    def read_lower(trial: Any, base: Any) -> Any:
        return base(trial).text.str.to_lowercase()

    def forgive(trial: Any, base: Any) -> Any:
        return (
            pl.when(trial.answer.is_null())
            .then(pl.lit(pl.Series([[]], dtype=pl.List(pl.String))).first())
            .otherwise(base(trial))
        )

    drop, lower, pardon = (
        rule("drop_v1", "extract", fallback),
        rule("lower_v1", "read", read_lower),
        rule("pardon_v1", "check", forgive),
    )
    replies = ["yes", "YES", "ANSWER: YES", "ANSWER: no", "ANSWER: yes"]
    one = batch(replies)
    both = [drop, lower]
    graded = one.grade(both)
    assert statuses(graded) == ["passed", "passed", "passed", "failed", "passed"]
    assert one.decided_by(both, graded).to_list() == [["drop_v1"], ["drop_v1", "lower_v1"], ["lower_v1"], None, None]
    # Alone, `pardon` passes what has no answer; with `drop` before it, either one is enough.
    tied = [drop, pardon]
    assert one.decided_by(tied, one.grade(tied)).to_list()[0] == ["drop_v1"]
    assert one.decided_by(tied[::-1], one.grade(tied[::-1])).to_list()[0] == ["pardon_v1"]


def test_a_carried_grade_is_the_frozen_one_until_a_rule_gives_a_value() -> None:
    frozen = {"frozen_status": ["failed", "passed", "ungraded", "failed"], "frozen_code": ["X", None, "LIMIT", "Y"]}
    golds = {"i": {"kind": "number", "answer": 7, "tolerance": 0.5}}

    def number(trial: Any, base: Any) -> Any:
        assert base(trial) is not None
        return text.last_number(trial.answer)

    one = Batch(
        frame(["it is 7.4", "it is 9", "none", "it is 9"], **frozen), carried_grader("pass"), Items({None: golds})
    )
    assert statuses(one.grade()) == ["failed", "passed", "ungraded", "failed"]
    assert one.grade()["code"].to_list() == ["X", None, "LIMIT", "Y"]
    changed = one.grade([rule("last_number_v1", "read", number)])
    assert statuses(changed) == ["passed", "passed", "ungraded", "failed"], "a value that is wrong takes no pass away"
    assert changed["code"].to_list() == [None, None, "LIMIT", "Y"]

    def require(trial: Any, base: Any) -> Any:
        return pl.when(trial.reply.str.contains("9")).then(pl.concat_list(pl.lit("no nines"))).otherwise(base(trial))

    strict = one.grade([rule("no_nines_v1", "check", require)])
    assert statuses(strict) == ["failed", "failed", "ungraded", "failed"], "a check rule goes both ways"
    assert strict["code"].to_list() == ["X", None, "LIMIT", "Y"]


def test_an_extract_rule_flips_a_carried_failure_and_takes_no_pass_away() -> None:
    frozen = {"frozen_status": ["failed", "failed", "passed", "failed"], "frozen_code": [None, "X", None, None]}
    golds = {"i": {"kind": "number", "answer": 7}, "j": {"kind": "number", "answer": 9}}
    number = rule("n_v1", "extract", lambda trial, base: text.last_number(trial.reply), lambda g, f, item: item == "i")
    one = Batch(
        frame(["so 7", "so 8", "none", "9"], ["i", "i", "i", "j"], **frozen),
        carried_grader("pass"),
        Items({None: golds}),
    )
    changed = one.grade([number])
    assert statuses(changed) == ["passed", "failed", "passed", "failed"], "on j no rule gave the answer"
    assert changed["value"].to_list()[0] == {"text": "7", "start": 0, "stop": 1}
    assert changed["answer"].to_list()[0] == {"text": "7", "start": 3, "stop": 4}
    doubled = rule("d_v1", "read", lambda trial, base: text.first_of(base(trial)))
    assert statuses(one.grade([number, doubled])) == statuses(changed), "a read rule has the extracted answer as base"


def test_a_span_that_lies_outside_what_the_stage_was_given_is_refused() -> None:
    elsewhere = rule("far_v1", "read", lambda trial, base: text.last_number(trial.reply))
    with pytest.raises(RuleError, match=r"far_v1, stage read.* returned characters 8 to 9, and the answer .* has 1"):
        batch(["ANSWER: 7"]).grade([elsewhere])
    with pytest.raises(RuleError, match=r"the answer that it was given has 0"):
        batch(["7"]).grade([elsewhere])


@pytest.mark.parametrize(
    ("golds", "seen"),
    [
        ([2**53 + 1, 5.5], ["9007199254740993", "5.5"]),
        ([10**20, 1], ["100000000000000000000", "1"]),
        ([3, 5.5], ["3.0", "5.5"]),
        ([3, "x"], ["3", "x"]),
        ([True, False], ["true", "false"]),
        ([None, 4], [None, "4"]),
    ],
)
def test_a_gold_key_keeps_every_digit_whatever_its_kinds(golds: list[Any], seen: list[Any]) -> None:
    show = Stages(answer, as_is, equal, lambda t: t.gold.answer.cast(pl.String))
    items = {name: {"answer": g} for name, g in zip("ij", golds, strict=True)}
    one = batch(["a", "b"], items, item=["i", "j"], grader=Grader("pass", "g", {"*": show}))
    assert one.column("code", []).to_list() == seen


def test_an_item_without_gold_has_every_key_absent_in_both_kinds() -> None:
    @per_row("gold")
    def look(trial: Any) -> Any:
        return None if trial.gold.answer is None else "gold"

    show = Stages(answer, look, equal, lambda t: t.gold.answer.cast(pl.String))
    for golds in ({"i": None}, {"i": None, "j": {"answer": "x"}}):
        one = batch(["a"], golds, grader=Grader("pass", "g", {"*": show}))
        assert one.column("read", []).to_list() == [None] == one.column("code", []).to_list()


def test_a_carried_text_gold_that_is_no_object() -> None:
    frozen = {"frozen_status": ["failed", "failed"], "frozen_code": [None, None]}
    one = Batch(frame(["Rome ", "Rome"], **frozen), carried_grader("pass"), Items({None: {"i": "Rome"}}))
    changed = one.grade([rule("whole_v1", "read", lambda trial, base: trial.answer)])
    assert statuses(changed) == ["failed", "passed"]
