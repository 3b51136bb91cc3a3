"""The benchmark's own reading of a reply: as its scorer has it on every saved reply, and both sides of each turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.files.kremis_logs import SERVICES, WORLD
from tests.rules.test_kremis_rules import REVERSED, THERE, graded
from tests.transcripts.kremis import read_json, simulation

classifier = simulation("classifier")
KNOWN = frozenset({"ash-gate", "birch-mill", "cedar-tower"})
CHAIN = ("ash-gate", "birch-mill", "cedar-tower")
TEXT = " -> ".join(CHAIN)


def read(reply: str) -> tuple[str, tuple[str, ...] | None]:
    reading = classifier.read(reply, "ash-gate", "cedar-tower", KNOWN)
    return reading.verdict, reading.chain


@pytest.mark.parametrize("name", ["base_arms", "base_panel", "horizon_arms", "horizon_panel"])
def test_every_saved_reply_is_read_as_its_scorer_read_it(shared: Path, name: str) -> None:
    data = shared / "data" / "kremis"
    cache, expected = read_json(data / f"cache_{name}.json"), read_json(data / f"expected_{name}.json")
    world = read_json(data / f"world_{expected['world']}.json")
    known, seen = frozenset(world["services"]) | frozenset(world["absent"]), 0
    for group in expected["groups"]:
        setting = [group[key] for key in ("provider", "model", "arm", "hint", "num_ctx", "run")]
        for row in group["rows"]:
            ends = row["source"], row["target"]
            key = "|".join(map(str, [expected["world"], expected["services"], *setting, *ends]))
            reading = classifier.read(cache[key][0], *ends, known)
            chain = list(reading.chain) if reading.chain else None
            assert (reading.verdict, chain) == (row["verdict"], row["chain"]), cache[key][0]
            seen += 1
    assert seen == expected["replies"] == len(cache)


@pytest.mark.parametrize(
    "reply",
    [
        f"ANSWER: {TEXT}",
        f"answer:{TEXT}",
        f"ANSWER: no.\nANSWER: {TEXT}\nUNKNOWN if shorter",
        f"ANSWER:\n\n {TEXT}\r\nMore.",
        f"<think>ANSWER: UNKNOWN</think>{TEXT}",
        f"<THINK>\nANSWER: {TEXT}\n</THINK>",
        f"Seen.\n\n{TEXT}\n \n",
        "ANSWER: -> `ash-gate` → **birch-mill**->cedar-tower;",
        "ANSWER: ash-gate -> birch-mill -> ... -> cedar-tower.",
        "ANSWER: \"ash-gate\" -> 'birch-mill' -> cedar-tower",
        "ANSWER: ash-gate, -> birch-mill: -> cedar-tower,",
    ],
)
def test_a_chain_from_source_to_target_asserts(reply: str) -> None:
    assert read(reply) == ("asserted", CHAIN)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "ANSWER:",
        "ANSWER: ash-gate ->",
        f"ANSWER: {TEXT}\nANSWER: ",
        f"{TEXT}\nANSWER:\t\n",
        f"ANSWER: {TEXT} (one link unknown)",
        f"{TEXT}\nThat is all.",
        f"ANSWER: {TEXT}\nHow I got to this answer: slowly.",
        f"<think>{TEXT}</think>",
        "ANSWER: ash-gate => cedar-tower",
        f"ANSWER:\n```\n{TEXT}\n```",
        "Yes, ash-gate depends on cedar-tower.",
        "ANSWER: ash-gate -> unknown-mill -> cedar-tower",
    ],
)
def test_what_joins_no_names_or_says_unknown_abstains(reply: str) -> None:
    assert read(reply) == ("abstained", None)


@pytest.mark.parametrize(
    ("reply", "chain"),
    [
        ("ANSWER: ash-gate -> birch-mill", CHAIN[:2]),
        ("ANSWER: cedar-tower -> ash-gate", ("cedar-tower", "ash-gate")),
        ("ANSWER: Ash-Gate -> cedar-tower", None),
        (f"**ANSWER:** {TEXT}", None),
        (f"ANSWER : {TEXT}", None),
        (f"ANSWER: {TEXT} .", None),
        (f"ANSWER: {TEXT}!", None),
        (f"ANSWER: {TEXT} ANSWER: {TEXT}", None),
        (f"ANSWER:\nANSWER: {TEXT}", None),
        (f"{TEXT} ANSWER: ", None),
        (f"ANSWER: ({TEXT})", None),
        ("ANSWER: ash-gate --> cedar-tower", None),
        ("ANSWER: ash-gate -> unknown_mill -> cedar-tower", None),
        ("There is no ash-gate -> cedar-tower", None),
    ],
)
def test_names_joined_in_another_way_are_malformed(reply: str, chain: tuple[str, ...] | None) -> None:
    assert read(reply) == ("malformed", chain)


def test_silence_passes_only_where_there_is_no_answer() -> None:
    question = simulation("worlds").Question
    there, none = question("direct", "ash-gate", "cedar-tower", CHAIN), question("x", "ash-gate", "cedar-tower")
    replies = {"UNKNOWN": "ABSTAINED", f"ANSWER : {TEXT}": "MALFORMED"}
    for reply, code in replies.items():
        reading = classifier.read(reply, "ash-gate", "cedar-tower", KNOWN)
        assert classifier.grade(there, reading) == {"status": "failed", "code": code}
        assert classifier.grade(none, reading) == {"status": "passed", "code": code}
    true, short = (classifier.Reading("asserted", chain) for chain in (CHAIN, (CHAIN[0], CHAIN[-1])))
    assert classifier.grade(there, true) == {"status": "passed", "code": None}
    assert classifier.grade(there, short) == {"status": "failed", "code": "WRONG_ANSWER"}
    assert classifier.grade(none, true) == classifier.grade(none, short) == {"status": "failed", "code": "FABRICATION"}


SIGNS = ".,;:`\"'*! "
PIECES = ["ANSWER:", "answer: ", "<think>", "</think>", "UNKNOWN", "unknown_one", *SERVICES[:3], "elm-relay"]
PIECES += [" -> ", "->", "\N{RIGHTWARDS ARROW}", " => ", "\n", "\r\n", "\x0c", "\N{LINE SEPARATOR}", "-", *SIGNS]
ROUND = st.text(SIGNS, max_size=2)
NAMED = st.builds(lambda name, sign: f"{sign}{name}{sign}", st.sampled_from(SERVICES[:3]), ROUND)
CHAINS = st.lists(NAMED, min_size=2, max_size=4).map(" -> ".join)
REPLIES = st.lists(st.sampled_from(PIECES) | CHAINS | st.text(max_size=2), max_size=10).map("".join)


@given(st.lists(REPLIES, min_size=1, max_size=25))
def test_the_port_reads_every_reply_as_this_does(replies: list[str]) -> None:
    worlds = simulation("worlds")
    known = frozenset([*SERVICES, *WORLD["absent"]])
    for item, truth in ((THERE, tuple(SERVICES[:3])), (REVERSED, None)):
        question = worlds.Question("any", *item.split(" -> "), truth)
        for reply, ported in zip(replies, graded(replies, item).to_dicts(), strict=True):
            reading = classifier.read(reply, *question.key, known)
            assert classifier.grade(question, reading) == {name: ported[name] for name in ("status", "code")}, reply
            assert (reading.chain and list(reading.chain)) == ported["value"], reply
