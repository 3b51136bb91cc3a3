import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.report.shown import KEPT, Mark, anchor, cut, excerpt, pieces, prose, reading_marks

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(st.lists(st.text(), max_size=3), st.lists(st.text(), max_size=3))
def test_anchors_are_ids_and_different_trials_have_different_ones(one: list[str], other: list[str]) -> None:
    assert anchor("t", *one).isascii() and not set(anchor("t", *one)) & set(" \t\n\"'<>&%#")
    assert (anchor("t", *one) == anchor("t", *other)) == (one == other)


def test_a_long_text_loses_its_middle_and_says_so() -> None:
    assert cut("a" * 2 * KEPT) == "a" * 2 * KEPT
    assert "[… 7 characters left out …]" in cut("a" * KEPT + "b" * 7 + "c" * KEPT)


@st.composite
def marked_texts(draw: st.DrawFn) -> tuple[str, list[Mark]]:
    text = draw(texts)
    places = st.integers(0, len(text))
    spans = draw(st.lists(st.tuples(places, places), max_size=6, unique_by=lambda s: (min(s), max(s))))
    return text, [Mark(min(s), max(s), f"m{i}", i % 2 == 0, i % 3 == 0) for i, s in enumerate(spans)]


@given(marked_texts())
def test_marks_cover_exactly_their_characters(case: tuple[str, list[Mark]]) -> None:
    text, marks = case
    found = pieces(text, marks)
    assert "".join(p.text for p in found) == text
    for mark in marks:
        assert "".join(p.text for p in found if mark in p.inside) == text[mark.start : mark.stop]
        assert sum(mark in p.opens for p in found) == sum(mark in p.closes for p in found) == 1


def grade(answer: tuple[int, int] | None, value: tuple[int, int] | None) -> dict[str, int | None]:
    start, stop = answer or (None, None)
    first, last = value or (None, None)
    return {"answer_start": start, "answer_stop": stop, "value_start": first, "value_stop": last}


def test_who_reads_the_same_characters_shares_a_mark() -> None:
    readings = [
        ("frozen", True, grade((0, 5), (0, 1))),
        ("v2", False, grade((0, 5), (2, 5))),
        ("tail", False, grade((2, 5), (2, 5))),
        ("nowhere", False, grade(None, None)),
        ("outside", False, grade((3, 99), None)),
        ("blank", False, grade((4, 4), None)),
    ]
    marks = {(m.start, m.stop): m for m in reading_marks("3=7.0", readings)}
    assert {place: m.label for place, m in marks.items()} == {
        (0, 5): "frozen, v2 answer",
        (0, 1): "frozen value",
        (2, 5): "v2 +1 answer and value",
        (4, 4): "blank answer (empty)",
    }
    assert marks[2, 5].readers == "v2 value; tail answer and value"
    assert (marks[0, 5].frozen, marks[0, 5].candidate) == (True, True)
    assert (marks[2, 5].frozen, marks[2, 5].candidate) == (False, True)


def test_a_label_names_the_frozen_grader_one_candidate_and_how_many_more() -> None:
    names = ("last_equals", "lenient", "v2", "v2_with_menu")
    readings = [("frozen", True, grade((0, 5), None)), *((n, False, grade((0, 5), None)) for n in names)]
    [mark] = reading_marks("3=7.0", readings)
    assert mark.label == "frozen, last_equals +3 answer"
    assert mark.readers == "frozen, last_equals, lenient, v2, v2_with_menu answer"


def test_prose_has_code_and_links_and_stays_text() -> None:
    links = {"v2": "c-pass-v2"}
    assert prose("a `=` in `v2`, not v2 <b>", links) == (
        'a <code>=</code> in <a href="#c-pass-v2"><code>v2</code></a>, not v2 &lt;b&gt;'
    )
    assert prose("one ` alone, `<i>`", links) == "one <code> alone, </code>&lt;i&gt;`"
    assert prose("a lone ` stays", links) == "a lone ` stays"


@pytest.mark.parametrize(
    ("length", "place", "ends"),
    [(199, None, False), (200, (5, 205), False), (200, (5, 206), True), (200, None, True)],
)
def test_an_ellipsis_stands_where_the_store_has_the_beginning(
    length: int, place: tuple[int, int] | None, ends: bool
) -> None:
    shown = excerpt({"answer": "x" * length, **grade(place, None)}, "answer")
    assert shown == "x" * length + ("…" if ends else "")
    assert excerpt({"answer": None, **grade(None, None)}, "answer") is None
