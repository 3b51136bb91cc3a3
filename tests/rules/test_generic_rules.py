"""The generic rules on logs of any shape: every axis, every shape of gold, and real logs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.audit import audit
from regrade.grades.batch import Batch
from regrade.grades.carried import carried_grader
from regrade.grades.cases import check_cases
from regrade.grades.items import Items
from regrade.grades.rulebook import Rulebook
from tests.conftest import ROOT
from tests.grades.test_stages import frame

BOOK = Rulebook([ROOT / "rules"], "generic")
NAMES = BOOK.rule_names()
RECODING = {"refusal_v1", "empty_reply_v1"}


def regraded(rules: list[str], replies: list[str], gold: Any, frozen: str = "failed") -> Any:
    grader = carried_grader("strict")
    of = {"frozen_status": [frozen] * len(replies), "frozen_code": ["OWN"] * len(replies)}
    candidate = BOOK.build("c", rules, ["strict"])
    return Batch(frame(replies, **of), grader, Items({None: {"i": gold}})).grade(candidate.rules)


def test_each_is_a_rule_of_every_axis_and_kept_as_it_is() -> None:
    assert {BOOK.file(name).axis for name in NAMES} == {"*"}
    assert {BOOK.file(name).state for name in NAMES} == {"locked"}
    assert NAMES == [
        "boxed_v1", "choice_letter_v1", "empty_reply_v1", "json_field_v1", "last_line_v1", "last_number_v1",
        "number_after_marker_v1", "refusal_v1", "thousands_currency_v1",
    ]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in NAMES if name not in RECODING])
@pytest.mark.parametrize(
    "gold", ["42", 42, {"answer": 42}, {"kind": "number", "answer": "42"}, ["41", "42"], "#### 42"]
)
def test_a_gold_of_any_shape_is_reached(name: str, gold: Any) -> None:
    replies = {
        "boxed_v1": "So \\boxed{42}.",
        "json_field_v1": '{"answer": 42.0}',
        "last_line_v1": "So:\n42",
        "last_number_v1": "It is 42.",
        "number_after_marker_v1": "The answer is 42.",
        "thousands_currency_v1": "It costs $42.00.",
    }
    if name in replies:
        wrong = replies[name].replace("42", "43")
        assert regraded([name], [replies[name], wrong], gold)["status"].to_list() == ["passed", "failed"]
    else:
        assert regraded([name], ["(B)"], gold)["status"].to_list() == ["failed"]


@given(
    st.sampled_from(NAMES),
    st.text(alphabet='4 2,.$\n{}"\\boxed:answer#ABC<think>', max_size=40),
    st.sampled_from(["42", 42, "C", ["C"], {"answer": None}, None, [], {"kind": "text", "answer": "x"}, True]),
    st.sampled_from(["passed", "failed", "ungraded"]),
)
def test_no_rule_takes_a_pass_away_and_a_recode_moves_no_status(name: str, reply: str, gold: Any, frozen: str) -> None:
    status = regraded([name], [reply], gold, frozen)["status"][0]
    assert status == frozen or (status == "passed" and name not in RECODING)


@pytest.mark.parametrize(("gold", "finding"), [("42", {"last_line_v1", "last_number_v1"}), ("C", {"choice_letter_v1"})])
def test_a_bare_gold_passes_only_under_what_finds_it(gold: str, finding: set[str]) -> None:
    """A carried grader starts from the whole reply, which must not count as found where a rule finds nothing."""
    passing = {name for name in NAMES if regraded([name], [gold], gold)["status"][0] == "passed"}
    assert passing - {"last_line_v1"} == finding - {"last_line_v1"}
    assert regraded(["last_line_v1"], [""], "")["status"][0] == "failed"


def test_a_rule_of_every_axis_acts_on_a_ported_one_too(tmp_path: Path) -> None:
    for bench in ("gsm8k", "generic"):
        shutil.copytree(ROOT / "rules" / bench, tmp_path / bench)
    book = Rulebook([tmp_path], "gsm8k")
    assert "boxed_v1" not in book.rule_names()
    built = book.build("c", ["boxed_v1", "last_number_v1"], ["pass", "format"])
    assert [(r.name, r.axis) for r in built.rules] == [
        ("boxed_v1", "pass"), ("boxed_v1", "format"), ("last_number_v1", "pass"),
    ]  # fmt: skip
    assert "boxed_v1" not in book.rule_names(), "it is no rule of the benchmark for having been looked up"
    grader = book.frozen_graders(["pass"])["pass"]
    replies = ["So \\boxed{18}", "So \\boxed{17}\nA: 18", "No box.\nA: 18", "18"]
    one = Batch(frame(replies), grader, Items({None: {"i": "A: 18"}}))
    assert one.grade()["status"].to_list() == ["failed", "passed", "passed", "failed"]
    assert one.grade([book.rule("boxed_v1", "pass")])["status"].to_list() == ["passed", "failed", "passed", "failed"]


def test_cases_of_a_rule_of_every_axis_run_on_the_ported_axis(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "rules" / "gsm8k", tmp_path / "gsm8k")
    own = (ROOT / "rules" / "gsm8k" / "last_number_v1.py").read_text(encoding="utf-8")
    (tmp_path / "gsm8k" / "any_number_v1.py").write_text(own.replace('"pass", "proposed"', '"*", "proposed"'))
    outcomes = check_cases(Rulebook([tmp_path], "gsm8k"), "any_number_v1")
    assert outcomes and all(o.right for o in outcomes)


def test_rules_on_one_stage_fall_back_on_the_one_before() -> None:
    replies = ["So \\boxed{42}, of 50", "It is 42", "42 of 50", "\\boxed{43}, or 42"]
    found = regraded(["last_number_v1", "boxed_v1"], replies, "42")
    assert found["status"].to_list() == ["passed", "passed", "failed", "failed"]
    assert [a["text"] for a in found["answer"]] == ["42", "42", "50", "43"]


def test_a_read_rule_cleans_what_an_extract_rule_took() -> None:
    replies = ["9 * 2 makes\nabout $1,250.00 in all", "1 and 2\n1250 in all"]
    assert regraded(["last_line_v1"], replies, "1250")["status"].to_list() == ["failed", "failed"]
    found = regraded(["last_line_v1", "thousands_currency_v1"], replies, "1250")
    assert found["status"].to_list() == ["passed", "failed"]
    assert found["value"][0]["text"] == "1250.00"


def test_an_answer_stands_where_it_is_marked() -> None:
    reply = "<think>no</think>\nSo 7: $\\boxed{ 42 }$\n**42**"
    for name, piece in (("boxed_v1", "42"), ("last_line_v1", "42"), ("last_number_v1", "42")):
        answer = regraded([name], [reply], "42")["answer"][0]
        assert reply[answer["start"] : answer["stop"]] == piece == answer["text"], name
    assert regraded(["boxed_v1"], [reply], "42")["answer"][0]["start"] == reply.index("42")
    marked = "Well.\nThe answer is **$1,250**."
    answer = regraded(["number_after_marker_v1"], [marked], 1250)["answer"][0]
    assert (answer["text"], "1,250" in marked[answer["start"] : answer["stop"]]) == ("1250", True)


def corpus(folder: Path, log: str, columns: str, rules: list[str]) -> Path:
    folder.mkdir()
    (folder / "log.jsonl").write_text(log, encoding="utf-8")
    candidates = "".join(f'[[candidate]]\nname = "{r.removesuffix("_v1")}"\nrules = ["{r}"]\n' for r in rules)
    (folder / "corpus.toml").write_text(f'[corpus]\nname = "log"\nfiles = ["log.jsonl"]\n{columns}{candidates}')
    return folder


LM_EVAL = (
    '[columns]\nconfiguration = "$filename"\nitem = "doc_id"\nreply = "resps.0.0"\n'
    '[frozen.exact]\nvalue = "exact_match"\npasses = ">= 1"\n[bank.columns]\ngold = "{gold}"\n'
)


def test_a_candidate_has_a_column_on_each_axis_of_a_foreign_log(tmp_path: Path) -> None:
    rows = [
        {"q": 1, "out": "It is 42.", "gold": "42", "strict": 0, "flexible": 1},
        {"q": 2, "out": "I can't help with that.", "gold": "7", "strict": 0, "flexible": 0},
        {"q": 3, "out": "It is 8.", "gold": "9", "strict": 0, "flexible": 0},
    ]
    columns = (
        '[columns]\nconfiguration = "$filename"\nitem = "q"\nreply = "out"\n[frozen.strict_match]\npassed = "strict"\n'
        '[frozen.flexible]\npassed = "flexible"\n[bank.columns]\ngold = "gold"\n'
    )
    log = "".join(json.dumps(row) + "\n" for row in rows)
    done = audit(corpus(tmp_path / "c", log, columns, ["last_number_v1", "refusal_v1"]), tmp_path / "out")
    for axis, flips in (("strict_match", 1), ("flexible", 0)):
        found = done.summary["axes"][axis]["candidates"]
        assert set(found) == {"last_number", "refusal"}
        assert found["last_number"]["tiers"]["all"]["fail_to_pass"]["trials"] == flips
        assert found["refusal"]["tiers"]["all"]["recoded"] == 1
    assert not [w for w in done.warnings if "'*'" in w]
    assert set(done.summary["rules"]) == {"last_number_v1", "refusal_v1"}


@pytest.mark.slow
def test_algebra_that_was_failed_throughout(shared: Path, tmp_path: Path) -> None:
    """Every reply has the frozen grade 0; counted apart: boxes that are, character for character, the gold."""
    [path] = (shared / "data" / "unlicensed" / "lm_eval_pmemoli").glob("samples_hendrycks_math_algebra_*.jsonl")
    log = path.read_text(encoding="utf-8")
    folder = corpus(tmp_path / "c", log, LM_EVAL.format(gold="doc.answer"), ["boxed_v1", "empty_reply_v1"])
    done = audit(folder, tmp_path / "out")
    axis = done.summary["axes"]["exact"]
    assert axis["tiers"]["all"]["failed"] == axis["tiers"]["all"]["trials"] == 1187
    moved = axis["candidates"]["boxed"]["tiers"]["all"]
    assert moved["pass_to_fail"]["trials"] == 0
    assert 515 <= moved["fail_to_pass"]["trials"] <= 530
    assert axis["candidates"]["empty_reply"]["tiers"]["all"]["recoded"] == 0


def test_gsm8k_strict_and_flexible(shared: Path, tmp_path: Path) -> None:
    """What the strict filter failed and the flexible one passed on the same replies, the last number passes too."""
    [path] = (shared / "data" / "unlicensed" / "lm_eval_pmemoli").glob("samples_gsm8k_*.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    strict = "".join(json.dumps(row) + "\n" for row in rows if row["filter"] == "strict-match")
    flexible = sum(row["exact_match"] for row in rows if row["filter"] == "flexible-extract")
    done = audit(corpus(tmp_path / "c", strict, LM_EVAL.format(gold="target"), ["last_number_v1"]), tmp_path / "out")
    block = done.summary["axes"]["exact"]
    flips = block["candidates"]["last_number"]["tiers"]["all"]["fail_to_pass"]["trials"]
    assert (block["tiers"]["all"]["passed"], block["tiers"]["all"]["passed"] + flips) == (1, flexible)
