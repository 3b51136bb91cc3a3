"""Passes and failures are worded alike, and nothing that only looks like a finding stands on one side."""

import re
from collections import Counter
from types import SimpleNamespace

import pytest

# --- (b) no behaviour has a form of its own


def test_behaviours_have_many_forms_or_few_trials(sim, rows, readme):
    cells = sim.forms.cells(rows)
    few = {cell: texts for cell, texts in cells.items() if len(set(texts)) < 10}
    poor = {cell: len(texts) for cell, texts in few.items() if len(texts) >= 10}
    assert len(cells) > 60 and not poor
    assert len(few) == sim.forms.rare(cells) <= len(cells) / 5
    assert f"fall into {len(cells)} cells" in readme
    assert f"{len(few)} of {len(cells)} cells have fewer than 10 forms" in readme


def test_passes_and_failures_share_whole_forms_in_every_family(sim, rows, readme):
    shared = sim.forms.shared_failures(rows)
    failures, in_form = Counter(r.family for r in rows if r.failed), sum(r.failed and r.seen.line for r in rows)
    assert shared.keys() == failures.keys() and len(shared) == 12
    assert sum(shared.values()) >= max(1_000, 0.4 * in_form)
    assert not {family for family, count in shared.items() if count < 0.15 * failures[family]}
    assert f"{sum(shared.values()):,} of the {sum(failures.values()):,} failures" in readme


def test_digits_alone_do_not_tell_the_sides_apart(rows, replies):
    forms = [(row.family, re.sub(r"\d+(?:[.,]\d+)*", "0", text)) for row, text in zip(rows, replies, strict=True)]
    passes = {form for row, form in zip(rows, forms, strict=True) if row.seen.passed}
    shared = sum(row.failed and form in passes for row, form in zip(rows, forms, strict=True))
    assert shared >= 0.25 * sum(row.failed and row.seen.line for row in rows)


# --- (f) look-alikes


BOTH_SIDES = (
    "CRLF",
    "another spelling, then an answer line",
    "arguments as an object",
    "arguments that are not JSON",
    "call in a fence",
    "call in prose",
    "call text beside a parsed call",
    "content in parts",
    "equals in a number answer, both readings agree",
    "equals in a text answer",
    "null content",
    "prefix recited, then an answer line",
    "text after the answer line",
    "two answer lines",
)
FAILED_ONLY = ("another spelling alone", "empty answer line", "prefix in mid-line alone")


@pytest.fixture(scope="session")
def sides(sim, rows):
    return sim.forms.sides(rows)


def test_every_look_alike_is_known_and_stated(sides, readme):
    assert sorted([*BOTH_SIDES, *FAILED_ONLY]) == list(sides)
    assert not [
        name for name, (failed, passed) in sides.items() if f"| {name} | {failed:,} | {passed:,} |" not in readme
    ]


@pytest.mark.parametrize("name", BOTH_SIDES)
def test_look_alike_stands_on_both_sides(sides, name):
    assert min(sides[name]) >= 20, sides[name]


@pytest.mark.parametrize("name", FAILED_ONLY)
def test_look_alike_that_no_pass_can_have(sides, name):
    failed, passed = sides[name]
    assert failed >= 20 and passed == 0


def test_equals_in_a_number_answer_is_no_sign_of_a_flip(sim, bank, rows, replies):
    """Number answers with `=` that hold under the rule outnumber those it moves, passes and failures taken apart."""
    held, moved = Counter(), Counter()
    for row, text in zip(rows, replies, strict=True):
        if bank[row.item]["gold"]["kind"] == "number" and "=" in (sim.grader.answer_line(text) or ""):
            (moved if "last_equals" in row.seen.flips else held)[row.seen.passed] += 1
    assert held[True] > moved[True] > 0 and held[False] > moved[False] > 0


NUMBER, TEXT = "T13", "T17"


@pytest.mark.parametrize(
    ("item", "text", "found"),
    [
        (NUMBER, "ANSWER: 21.5\n\nAnything else?", {"text after the answer line"}),
        (NUMBER, "I end with ANSWER: and the value.\nANSWER: 21.5", {"prefix recited, then an answer line"}),
        (NUMBER, "I end with ANSWER: 21.5", {"prefix in mid-line alone"}),
        (NUMBER, "Answer: below.\nANSWER: 21.5", {"another spelling, then an answer line"}),
        (NUMBER, "**Answer:** 21.5", {"another spelling alone"}),
        (NUMBER, "ANSWER: temp = 21.5 C", {"equals in a number answer, both readings agree"}),
        (NUMBER, "ANSWER: 4=21.5", set()),
        (NUMBER, "ANSWER: 21.5 (raw=70.7)", set()),
        (TEXT, "ANSWER: state=RUNNING", {"equals in a text answer"}),
        (TEXT, "ANSWER: RUNNING\r\n\r\nANSWER:", {"CRLF", "two answer lines", "empty answer line"}),
        (TEXT, "ANSWER: RUNNING\n\n", set()),
        (TEXT, "See `job_status(job=7)` for it.\nANSWER: RUNNING", {"call in prose"}),
    ],
)
def test_look_alikes_are_told_from_their_neighbours(sim, item, text, found):
    messages = [{"role": "assistant", "content": text}]
    seen = SimpleNamespace(call_like=False)
    assert sim.forms.look_alikes(SimpleNamespace(item=item, record={"messages": messages}, seen=seen)) == found
