"""Replies of the fabrication corpora come in many shapes, and no outcome has a shape of its own."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.transcripts.kremis import NAMES, Stored, simulation

classifier, forms = simulation("classifier"), simulation("forms")
MARKS = {"markdown": "**", "code": "`", "thought": "<think>", "CRLF": "\r\n", "Unicode arrow": "→", "JSON": '{"'}


@pytest.fixture(scope="module", params=NAMES)
def stored(request: pytest.FixtureRequest) -> Stored:
    return Stored(request.param)


@pytest.fixture(scope="module")
def shapes(stored: Stored) -> dict[str, list[str]]:
    found: dict[str, list[str]] = forms.shapes(stored.rows(), stored.world.known)
    return found


def test_shapes_are_many_and_the_readme_counts_them(stored: Stored, shapes: dict[str, list[str]]) -> None:
    everything = Counter(shape for found in shapes.values() for shape in found)
    assert len(everything) >= 150
    assert everything.most_common(1)[0][1] <= everything.total() / 4
    assert f"{everything.total()} replies of first runs have {len(everything)} shapes" in stored.readme
    for outcome, found in shapes.items():
        code, _, asked = outcome.partition(" on ")
        assert f"| {code} | {asked} | {len(found)} | {len(set(found))} |" in stored.readme


def test_each_outcome_has_many_shapes_or_few_replies(shapes: dict[str, list[str]]) -> None:
    poor = {outcome: len(set(found)) for outcome, found in shapes.items() if len(set(found)) < min(10, len(found) / 2)}
    assert not poor
    assert all(Counter(found).most_common(1)[0][1] <= max(3, len(found) / 3) for found in shapes.values())


def test_true_and_invented_chains_are_told_alike(shapes: dict[str, list[str]]) -> None:
    """Some share their whole shape; half and more have no line of their own."""
    invented, true = shapes["FABRICATION on unanswerable"], shapes["RIGHT on answerable"]
    assert forms.shared(shapes, "FABRICATION on unanswerable", "RIGHT on answerable") >= 1
    lines = {line for shape in true for line in shape.split("\n")}
    assert sum(lines.issuperset(shape.split("\n")) for shape in invented) >= len(invented) / 2


def test_silence_is_worded_alike_with_and_without_an_answer(shapes: dict[str, list[str]]) -> None:
    wanted = len(shapes["ABSTAINED on answerable"]) * 0.4
    assert forms.shared(shapes, "ABSTAINED on answerable", "ABSTAINED on unanswerable") >= wanted


@pytest.mark.parametrize("mark", ["markdown", "code", "Unicode arrow"])
def test_a_mark_of_style_stands_on_both_sides(stored: Stored, mark: str) -> None:
    sides = Counter(row.asserted for row in stored.rows() if MARKS[mark] in row.reply)
    assert min(sides[True], sides[False]) >= 5, sides


def test_what_looks_like_the_other_side_is_there(stored: Stored) -> None:
    """An assertion that says unknown elsewhere, a silence with the whole chain in it, a denial that is malformed."""
    rows = stored.rows()
    assert any(row.asserted and "unknown" in row.reply.lower() for row in rows)
    claim = [f"{row.question.source} -> {row.question.target}" in row.reply for row in rows if row.code == "ABSTAINED"]
    assert any(claim)
    assert any(row.code == "MALFORMED" and (" no " in row.reply or "NOT (" in row.reply) for row in rows)
    assert any(row.reply.strip() == "" for row in rows)
    openings = [row for row in rows if "->" in row.reply.split("\n")[0] and row.code == "ABSTAINED"]
    assert openings


def test_every_sign_that_is_taken_off_a_name_stands_at_some_name_of_a_chain() -> None:
    """The reading owes its verdict to each: a name with its sign would be no name of the world."""
    found = set()
    for stored in map(Stored, NAMES):
        names, signs = "|".join(stored.world.known), f"[{re.escape(classifier.DECORATION)}]"
        beside = re.compile(rf"({signs})?(?:{names})({signs})?")
        for row in stored.rows():
            if row.reading.chain:
                found.update(sign for signs in beside.findall(classifier.slot_of(row.reply)) for sign in signs)
    assert found - {""} == set(classifier.DECORATION)


def test_some_answers_stand_blank_behind_their_mark(stored: Stored) -> None:
    assert any(re.search(r"(?i)answer:[^\S\n]+\Z", row.reply) for row in stored.rows())


def test_the_malformed_of_the_largest_rate_go_round_in_many_ways() -> None:
    stored = Stored("horizon")
    rows = [row for row in stored.rows() if "merrin" in row.configuration and row.code == "MALFORMED"]
    assert len(rows) == 17
    hops = [row.reply.count("->") + row.reply.count("→") for row in rows]
    assert sum(count >= 70 for count in hops) >= 10 and sum(count < 20 for count in hops) >= 3
    assert len({forms.mask(row.reply, stored.world.known) for row in rows}) >= 8


@pytest.mark.parametrize(
    ("reply", "shape"),
    [
        ("ANSWER: ash-gate -> oak-mill -> elm-tower", "ANSWER: N -> N"),
        ("ANSWER: ash-gate -> oak-mill", "ANSWER: N -> N"),
        ("ANSWER: ash-gate -> Oak Mill -> elm-tow", "ANSWER: N -> N"),
        ("1. ash-gate needs oak-mill\r\n2. oak-mill needs elm-tower\r\nDone.", "0. N needs N\nDone."),
        ("ash-gate needs oak-mill, oak-mill needs elm-tower.", "N needs N."),
        ("Line 1: oak-mill. Line 2: ash-gate. So.", "Line 0: N. So."),
        ("ANSWER: ash-gate, so no", "ANSWER: N, so no"),
    ],
)
def test_shapes_leave_out_names_numbers_and_repetition(reply: str, shape: str) -> None:
    assert forms.mask(reply, ["ash-gate", "oak-mill", "elm-tower"]) == shape
