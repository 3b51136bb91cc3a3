"""Citations: what counts as a marker, and which were never retrieved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.grades.citations import cited, known_markers
from regrade.reading import read

TWO = "[retrieved]\n[K1] The ferry leaves at ten.\n[K4] The ferry has a bar.\n[reply]\n"


@pytest.mark.parametrize(
    ("text", "fabricated"),
    [
        (TWO + "It leaves at ten [K1] from pier two [K9], see [K9](piers.md).", ["K9"]),
        (TWO + "It leaves at ten [K1][K9].", ["K9"]),
        (TWO + "It leaves at ten [K1, K9].", ["K9"]),
        (TWO + "It leaves at ten [K1; K3, K4].", ["K3"]),
        (TWO + "It leaves at ten [K1-K4].", ["K2", "K3"]),
        (TWO + "Open [K1](a.md).", []),
        (TWO + "Open [K9](a.md).", ["K9"]),
        (TWO + "Sources: K1, K9", ["K9"]),
        (TWO + "[k1] and [k9]", ["K9"]),
        (TWO + "[ K9 ]", ["K9"]),
        (TWO + "\u3010K9\u3011", ["K9"]),
        (TWO + "[^K9]", ["K9"]),
        (TWO + "- [x] done [sic] [link](u)", []),
        (TWO + "K10 has it. [K1]", ["K10"]),
        (TWO + "see [1]", ["1"]),
        (TWO + "nothing", []),
        (TWO + "```\nx[K9]\n```\nok [K1]", []),
        ("[retrieved]\n[K1] See also [K9].\n[reply]\nSee [K9].", ["K9"]),
        ("[retrieved]\n[reply]\nSee [K2].", ["K2"]),
        ('[retrieved]\n{"id": "K1", "text": "x [K7]"}\n[reply]\n[K1] [K7]', ["K7"]),
        ("[retrieved]\nK1: a\nK4: b\n[reply]\n[K1] [K4] [K5]", ["K5"]),
        ("[retrieved]\n[1] a\n[2] b\n[reply]\na [1], b [3], c [2].", ["3"]),
        ("[retrieved]\n[K1] a\n[reply]\nA [K1].\n[retrieved]\n[K2] b\n[reply]\nB [K1] [K2].", ["K1"]),
        ("[retrieved]\n[K1] a\n[retrieved]\n[K2] b\n[reply]\nB [K1] [K2].", []),
        ("As [K1] says", ["K1"]),
        ("[source: K9]", ["K9"]),
        (TWO + "[K1](one.md) and [K4](two.md)", []),
        (TWO + "**[K9]**", ["K9"]),
        (TWO + "arr[9] = 1", []),
        (TWO + "K1's text; K9's", ["K9"]),
        (TWO + "[K1, p. 3]", []),
        (TWO + "[K9]: piers.md", ["K9"]),
        (TWO + "[K 9]", []),
        (TWO + "[K1 and K9]", ["K9"]),
        (TWO + "(K9)", ["K9"]),
        (TWO + "[K01]", ["K01"]),
        (TWO + "[K1\u2013K2]", ["K2"]),
    ],
)
def test_what_is_fabricated(text, fabricated):
    assert read("citations", text) == fabricated


def test_a_chunk_is_known_by_what_it_begins_with():
    assert known_markers("[K1] a\n- [K2] b, see [K7]\nK3: c") == ["K1", "K2", "K3"]
    assert known_markers('[{"id": "K1", "text": "[K7]"}]') == ["K1"]
    assert known_markers('<chunk id="K1">a</chunk>') == ["K1"]
    assert known_markers("Both [K1] and [K2] say so.") == ["K1", "K2"]
    assert known_markers("") == []


@given(st.sets(st.integers(1, 30)), st.lists(st.integers(1, 30)))
def test_what_is_cited_and_was_not_retrieved(retrieved, markers):
    chunks = "".join(f"[K{number}] Some text.\n" for number in sorted(retrieved))
    reply = " ".join(f"So it is [K{number}]." for number in markers)
    expected = [f"K{number}" for number in dict.fromkeys(markers) if number not in retrieved]
    assert read("citations", f"[retrieved]\n{chunks}[reply]\n{reply}") == expected


@given(st.text(alphabet="[]K0123456789,-;()^ and\n`", max_size=60))
def test_any_text_is_read(text):
    assert cited(text) == list(dict.fromkeys(cited(text)))
