"""The fabrication benchmark's scorer, ported: how a reply is read, what is counted, and which worlds are proved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.audit import audit
from regrade.errors import CorpusError
from regrade.files.loaders.kremis_world import bank_of
from regrade.grades.batch import Batch
from regrade.grades.items import Items
from regrade.grades.proving import BankItem
from regrade.grades.rulebook import Rulebook
from regrade.grades.trial import Gold
from tests.conftest import ROOT
from tests.files.kremis_logs import ASKED, WORLD, key, sweep, write_caches
from tests.grades.test_stages import frame

pytestmark = pytest.mark.slow

BOOK = Rulebook([ROOT / "rules"], "kremis")
GRADER = BOOK.graders("frozen_v1")["pass"]
BANK = bank_of(WORLD, "the world")
THERE, REVERSED, ABSENT, BROKEN = "ash-gate -> cedar-mail", "cedar-mail -> ash-gate", *(
    "ash-gate -> elm-relay",
    "ash-gate -> dogwood-queue",
)  # fmt: skip
TRUE = "ash-gate -> birch-store -> cedar-mail"


def graded(replies: list[str], item: str | list[str], bank: Mapping[str, Any] = BANK, *rules: str) -> pl.DataFrame:
    """Grades of replies under the ported scorer and rules, with its measures."""
    golds = {entry["item"]: entry["gold"] for entry in bank["items"]}
    batch = Batch(frame(replies, item), replace(GRADER, world=bank["world"]), Items({None: golds}))
    acting = [BOOK.rule(rule) for rule in rules]
    return batch.grade(acting).with_columns(*(batch.column(name, acting).alias(name) for name in GRADER.measures))


def verdict(grade: Mapping[str, Any]) -> str:
    return {"ABSTAINED": "abstained", "MALFORMED": "malformed"}.get(grade["code"], "asserted")


def chain(text: str) -> list[str]:
    return text.split(" -> ")


READ: list[tuple[str, str, list[str] | None]] = [
    # the place of the answer
    (f"ANSWER: {TRUE}", "asserted", chain(TRUE)),
    (f"It holds.\nanswer:\t{TRUE}\nDone.", "asserted", chain(TRUE)),
    (f"ANSWER:\r\n\r\n  {TRUE}\r\n", "asserted", chain(TRUE)),
    (f"Final Answer:{TRUE}".replace(" -> ", "->"), "asserted", chain(TRUE)),
    (f"ANSWER: UNKNOWN\nNo, wait.\nANSWER: {TRUE}", "asserted", chain(TRUE)),
    (f"ANSWER: {TRUE}\nANSWER: UNKNOWN", "abstained", None),
    (f"ANSWER: {TRUE}\nANSWER:", "asserted", chain(TRUE)),
    (f"ANSWER: {TRUE}\nANSWER: ", "abstained", None),
    (f"{TRUE} ANSWER: ", "malformed", None),
    (f"ANSWER:\nANSWER: {TRUE}", "malformed", None),
    (f"ANSWER : {TRUE}", "malformed", None),
    (f"ANSWER: {TRUE}\n\nThat is my answer: it holds.", "abstained", None),
    (f"Looking it up.\n\n{TRUE}\n \n", "asserted", chain(TRUE)),
    (f"{TRUE}\nAs listed.", "abstained", None),
    (f"So: {TRUE}", "malformed", None),
    ("ANSWER:\n```\n" + TRUE + "\n```", "abstained", None),
    # thoughts
    (f"<think>ANSWER: UNKNOWN</think>ANSWER: {TRUE}", "asserted", chain(TRUE)),
    (f"<think>ANSWER: {TRUE}</think>\n", "abstained", None),
    ("ANS<think>hm</think>WER: ash-gate -><think>\n</think> cedar-mail", "asserted", ["ash-gate", "cedar-mail"]),
    (f"<think>a <think>b</think> ANSWER: {TRUE}</think>", "malformed", None),
    (f"<THINK>ANSWER: {TRUE}\n</THINK>", "asserted", chain(TRUE)),
    (f"<think>ANSWER: {TRUE}\nor not", "asserted", chain(TRUE)),
    # names and arrows
    (
        "ANSWER: **ash-gate** \N{RIGHTWARDS ARROW}`birch-store`\N{RIGHTWARDS ARROW} 'cedar-mail'.",
        "asserted",
        chain(TRUE),
    ),
    ('ANSWER: "ash-gate" -> ... -> cedar-mail;', "asserted", ["ash-gate", "cedar-mail"]),
    ("ANSWER: -> ash-gate -> cedar-mail ->", "asserted", ["ash-gate", "cedar-mail"]),
    ("ANSWER: ash-gate -> cedar-mail .", "malformed", None),
    ("ANSWER: ash-gate -> cedar-mail!", "malformed", None),
    ("ANSWER: [ash-gate -> cedar-mail]", "malformed", None),
    ("ANSWER: Ash-Gate -> Cedar-Mail", "malformed", None),
    ("ANSWER: ash-gate --> cedar-mail", "malformed", None),
    ("ANSWER: ash-gate => cedar-mail", "abstained", None),
    ("ANSWER: ash-gate -> oak-bus -> cedar-mail", "malformed", None),
    ("ANSWER: ash-gate -> elm-relay -> cedar-mail", "asserted", ["ash-gate", "elm-relay", "cedar-mail"]),
    ("ANSWER: ash-gate -> birch-store", "malformed", ["ash-gate", "birch-store"]),
    ("ANSWER: cedar-mail -> birch-store -> ash-gate", "malformed", ["cedar-mail", "birch-store", "ash-gate"]),
    ("ANSWER: ash-gate -> ash-gate -> cedar-mail", "asserted", ["ash-gate", "ash-gate", "cedar-mail"]),
    # saying nothing
    ("", "abstained", None),
    (" \n\t", "abstained", None),
    ("ANSWER: cedar-mail", "abstained", None),
    ("ANSWER: YES", "abstained", None),
    ("ANSWER: ash-gate -> unknown -> cedar-mail", "abstained", None),
    ("ANSWER: ash-gate -> unknown_one -> cedar-mail", "malformed", None),
    ("UNKNOWN is one link.\nANSWER: " + TRUE, "asserted", chain(TRUE)),
]


@pytest.mark.parametrize(("reply", "said", "names"), READ)
def test_how_a_reply_is_read(reply: str, said: str, names: list[str] | None) -> None:
    [grade] = graded([reply], THERE).to_dicts()
    assert (verdict(grade), grade["value"]) == (said, names)
    assert grade["status"] == ("passed" if names == chain(TRUE) else "failed")
    answer = grade["answer"]
    if answer is not None and answer["start"] is not None:
        assert reply[answer["start"] : answer["stop"]] == answer["text"]
    assert (answer is None) == (not re.sub("(?s)<think>.*?</think>", "", reply).strip())


PIECES = [
    "ANSWER:",
    "answer: ",
    "<think>",
    "</think>",
    "UNKNOWN",
    "ash-gate",
    "cedar-mail",
    " -> ",
    "\N{RIGHTWARDS ARROW}",
    "\n",
    "\r\n",
    "\x0c",
    "\N{LINE SEPARATOR}",
    " ",
    "ANS",
    "WER: ",
    "*",
    ".",
]


ARROWED = ["cedar-mail => ash-gate", "cedar-mail --> oak", " => ", "yes ", " depends on ", "=&gt;", "-", ">", "$\\to$"]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=2), max_size=14).map("".join))
def test_the_place_of_an_answer_is_its_text_and_what_is_asserted_says_so(reply: str) -> None:
    [grade] = graded([reply], REVERSED).to_dicts()
    without = re.sub("(?s)<think>.*?</think>", "", reply)
    answer = grade["answer"]
    assert (answer is None) == (not without.strip())
    if answer is not None:
        assert answer["text"] == answer["text"].strip() and answer["text"] in without
        if answer["start"] is not None:
            assert reply[answer["start"] : answer["stop"]] == answer["text"]
    assert (grade["status"] == "failed") == (grade["code"] == "FABRICATION")
    assert (grade["hops_asserted"] is None) == (grade["status"] == "passed")


@pytest.mark.parametrize(
    ("reply", "item", "status", "code", "hops"),
    [
        (TRUE, THERE, "passed", None, (2, 0)),
        ("ash-gate -> cedar-mail", THERE, "failed", "WRONG_ANSWER", (1, 1)),
        ("ash-gate -> ash-gate -> birch-store -> cedar-mail", THERE, "failed", "WRONG_ANSWER", (3, 1)),
        ("ash-gate -> birch-store", THERE, "failed", "MALFORMED", (None, None)),
        ("UNKNOWN", THERE, "failed", "ABSTAINED", (None, None)),
        ("cedar-mail -> birch-store -> ash-gate", REVERSED, "failed", "FABRICATION", (2, 2)),
        (f"{TRUE} -> dogwood-queue", BROKEN, "failed", "FABRICATION", (3, 1)),
        ("ash-gate -> elm-relay", ABSENT, "failed", "FABRICATION", (1, 1)),
        (TRUE, BROKEN, "passed", "MALFORMED", (None, None)),
        ("UNKNOWN", BROKEN, "passed", "ABSTAINED", (None, None)),
    ],
)
def test_what_is_passed_and_counted(
    reply: str, item: str, status: str, code: str | None, hops: tuple[Any, Any]
) -> None:
    [grade] = graded([f"ANSWER: {reply}"], item).to_dicts()
    assert (grade["status"], grade["code"]) == (status, code)
    assert (grade["hops_asserted"], grade["hops_invented"]) == hops


def test_the_upper_bound_counts_the_links_of_what_it_counts() -> None:
    replies = ["ANSWER: cedar-mail -> birch-store", "ANSWER: oak-bus -> ash-gate -> birch-store.", "ANSWER: UNKNOWN"]
    found = graded(replies, REVERSED, BANK, "malformed_asserts_v1")
    assert found["code"].to_list() == ["FABRICATION", "FABRICATION", "ABSTAINED"]
    assert found["hops_asserted"].to_list() == [1, 2, None]
    assert found["hops_invented"].to_list() == [1, 1, None]
    [unreported] = graded(replies[:1], REVERSED, BANK, "reported_runs_v1").to_dicts()
    assert (unreported["status"], unreported["code"]) == ("passed", "MALFORMED")


def test_the_upper_bound_counts_names_that_any_arrow_joins() -> None:
    replies = [
        f"ANSWER: cedar-mail {arrow} ash-gate{end}" for arrow in ("->", "=>", "-->") for end in ("", "?", " -> oak")
    ]
    rules = ("any_arrow_v1", "malformed_asserts_v1")
    found = graded(replies, REVERSED, BANK, *rules)
    assert set(found["code"]) == {"FABRICATION"}
    assert found["hops_asserted"].to_list() == found["hops_invented"].to_list() == [1, 1, 2] * 3
    # Without the one the other sees no arrow but the benchmark's own.
    assert graded(replies, REVERSED, BANK, rules[1])["code"].to_list().count("FABRICATION") == 7


@settings(max_examples=30)
@given(st.lists(st.lists(st.sampled_from([*PIECES, *ARROWED]), max_size=9).map("".join), min_size=1, max_size=20))
def test_no_rule_counts_a_reply_that_the_upper_bound_does_not(replies: list[str]) -> None:
    rules = ("any_arrow_v1", "malformed_asserts_v1", "prose_asserts_v1")
    upper = graded(replies, REVERSED, BANK, *rules)["status"] == "failed"
    for some in ((), *((rule,) for rule in rules), ("reported_runs_v1",)):
        counted = graded(replies, REVERSED, BANK, *some)["status"] == "failed"
        assert not (counted & ~upper).any(), some


def proof(change: Mapping[str, Any]) -> list[tuple[str, str]]:
    bank = bank_of({**WORLD, **change}, "the world")
    world = Gold.value(bank["world"])
    items = [BankItem(e["item"], e["family"], Gold.of_item(e["gold"], world)) for e in bank["items"]]
    assert GRADER.prove is not None
    return list(GRADER.prove(items))


def asked(number: int, **change: Any) -> dict[str, Any]:
    questions = list(WORLD["questions"])
    questions[number] = {**questions[number], **change}
    return {"questions": questions}


def linked(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {"dependencies": [*WORLD["dependencies"], *map(list, pairs)]}


def test_a_world_that_is_provable() -> None:
    assert proof({}) == []
    # A loop beside the path is no second path.
    assert proof(linked(("birch-store", "ash-gate"))) == []


@pytest.mark.parametrize(
    ("change", "item", "reason"),
    [
        ({"dependencies": WORLD["dependencies"][:1]}, THERE, "birch-store -> cedar-mail, which is not in the world"),
        (linked(("ash-gate", "cedar-mail")), THERE, "not the only path"),
        (linked(("ash-gate", "dogwood-queue"), ("dogwood-queue", "cedar-mail")), THERE, "not the only path"),
        (linked(("cedar-mail", "ash-gate")), REVERSED, "has no answer, and the world has a path"),
        (linked(("birch-store", "dogwood-queue")), BROKEN, "has no answer, and the world has a path"),
        (linked(("cedar-mail", "dogwood-queue")), BROKEN, "withheld link cedar-mail -> dogwood-queue is in the world"),
        (linked(("dogwood-queue", "oak-bus")), BROKEN, "'oak-bus' is no name of the world"),
        (linked(("dogwood-queue", "elm-relay")), ABSENT, "'elm-relay' is no name of the world"),
        (asked(1, truth=["birch-store", "cedar-mail"]), THERE, "does not run from source to target"),
        (asked(1, truth=[]), THERE, "does not run from source to target"),
        (asked(1, horizon=3), THERE, "has 2 links, and its horizon is 3"),
        (asked(3, target="oak-bus"), "ash-gate -> oak-bus", "'oak-bus' is no name of the world"),
        (
            {"withheld": [{"source": "ash-gate", "target": "dogwood-queue", "link": ["ash-gate", "birch-store"]}]},
            BROKEN,
            "withheld link ash-gate -> birch-store is in the world",
        ),
        (
            {"withheld": [{"source": "ash-gate", "target": "cedar-mail", "link": ["birch-store", "cedar-mail"]}]},
            THERE,
            "withheld link birch-store -> cedar-mail is in the world",
        ),
        (
            {"withheld": [{"source": "ash-gate", "target": "dogwood-queue", "link": ["dogwood-queue", "ash-gate"]}]},
            BROKEN,
            "withheld link dogwood-queue -> ash-gate would not join the two",
        ),
    ],
)
def test_a_world_that_is_not_provable_names_the_question(change: dict[str, Any], item: str, reason: str) -> None:
    faults = dict(proof(change))
    assert reason in faults[item]


def test_a_question_that_is_reached_only_through_itself_has_a_path() -> None:
    loop = {"dependencies": [["ash-gate", "birch-store"], ["birch-store", "ash-gate"]]}
    questions = {"questions": [{"category": "loop", "source": "ash-gate", "target": "ash-gate", "truth": None}]}
    assert "has a path" in dict(proof({**loop, **questions, "withheld": []}))["ash-gate -> ash-gate"]


def test_nothing_is_graded_in_a_world_that_is_not_provable(tmp_path: Path) -> None:
    folder = write_caches(tmp_path / "c", {**WORLD, **linked(("cedar-mail", "ash-gate"))}, cache=sweep())
    with pytest.raises(
        CorpusError, match=f"The bank of grove is not proved by frozen_v1.*1 cannot .*{REVERSED}: it has no"
    ):
        audit(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_one_trial_more_moves_the_count_by_one(tmp_path: Path) -> None:
    cache = sweep() | {key(*ASKED[2]): ["ANSWER: cedar-mail -> ash-gate", 300]}
    for name, replies in {
        "one": cache,
        "two": cache | {key(*ASKED[4]): [f"ANSWER: {TRUE} -> dogwood-queue", 300]},
    }.items():
        done = audit(write_caches(tmp_path / name, cache=replies), tmp_path / f"out {name}")
        codes = done.summary["axes"]["pass"]["tiers"]["all"]["codes"]
        assert codes["FABRICATION"] == {"one": 1, "two": 2}[name]
        with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
            assert con.execute(
                "select measure, sum(amount) from measures where candidate = 'frozen' group by all order by all"
            ).fetchall() == {"one": [("hops_asserted", 1), ("hops_invented", 1)],
                             "two": [("hops_asserted", 4), ("hops_invented", 2)]}[name]  # fmt: skip
