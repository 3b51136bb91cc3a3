"""Tables of the terminal: nothing is cut, and no word is broken where there is room for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.audit import Audit, audit
from regrade.report.console import WIDTH, column_widths, console, heading_lines, table
from regrade.report.terminal import print_summary
from tests.conftest import BROKEN_CAMPUS

WORDS = st.text("abcdefgh", min_size=1, max_size=14)
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
TABLES = st.integers(1, 7).flatmap(lambda n: st.lists(st.lists(TEXTS, min_size=n, max_size=n), min_size=1, max_size=4))


@given(TABLES)
def test_no_word_is_broken_where_all_have_room(rows: list[list[str]]) -> None:
    columns = [f"h{place}" for place in range(len(rows[0]))]
    out = console()
    with out.capture() as shown:
        out.print(table("t", columns, rows))
    lines = shown.get().splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    texts = [[heading, *(row[place] for row in rows)] for place, heading in enumerate(columns)]
    least = sum(max(len(word) for text in column for word in text.split()) for column in texts)
    told = sorted(word for line in lines[1:] for word in line.split() if word.isalnum())
    if least + 2 * (len(columns) - 1) <= WIDTH:
        assert told == sorted([*columns, *(word for row in rows for text in row for word in text.split())])
    else:
        assert "".join(sorted("".join(told))) == "".join(sorted("".join([*columns, *sum(rows, [])]).replace(" ", "")))


@given(st.lists(st.lists(TEXTS, min_size=1), min_size=1, max_size=7), st.integers(1, 120))
def test_widths_hold_every_word_and_are_held(columns: list[list[str]], width: int) -> None:
    widths = [each for each in column_widths(columns, width) if each is not None]
    assert len(widths) in (0, len(columns))
    if widths:
        assert sum(widths) + 2 * (len(widths) - 1) <= width
        for texts, each in zip(columns, widths, strict=True):
            assert all(len(word) <= each for text in texts for word in text.split())


@pytest.mark.parametrize(
    ("heading", "lines"),
    [
        ("fabricated_citation", ["fabricated_", "citation"]),
        ("hop_fabrication_rate", ["hop_", "fabrication_", "rate"]),
        ("over_refusal", ["over_refusal"]),
        ("a_b_c_d_e_f_g_h", ["a_b_c_d_e_f_", "g_h"]),
        ("points to the next", ["points to the next"]),
        ("_" * 20, ["_" * 20]),
        ("", [""]),
    ],
)
def test_a_long_name_in_a_heading_parts_at_its_underscores(heading: str, lines: list[str]) -> None:
    assert [each.plain for each in heading_lines(heading)] == lines


@pytest.fixture(scope="module")
def campus(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    return audit(BROKEN_CAMPUS, tmp_path_factory.mktemp("campus"))


def test_a_summary_of_many_metrics_breaks_no_name_and_shows_no_empty_axis(
    campus: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    print_summary(campus.summary, campus.out)
    lines = capsys.readouterr().out.splitlines()
    words = {word for line in lines for word in line.split()}
    assert {"marrible-slight", "ostrick-grand", "fabrication", "citation", "fabricated_", "repaired"} <= words
    assert "Frozen grades on citations" in "\n".join(lines) and "Frozen grades on format" not in "\n".join(lines)
    told = [line for line in lines if not line.startswith(("Probes", "Look", "In brackets"))]
    assert max(map(len, told)) <= WIDTH
