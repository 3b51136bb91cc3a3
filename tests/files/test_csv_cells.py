import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.files.csv_cells import SIGNS, bare_cell, guard_cell


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        '=HYPERLINK("x")',
        "+A1",
        "-A1",
        "@SUM(A1)",
        "\tx",
        "\rx",
        "\n1",
        "\uff1d1+1",
        "\uff20SUM(A1)",
        "-5%-1",
        "-%",
        "-",
        "+",
        "-1-2",
        "-6.5\n",
        "-1,20",
        "+1e",
        "--1",
        "-٣",
        "'=1",
        "''-x",
        " =1",
        "\0=1",
        " \0\x01\x0b\ufeff=1",
        "\xa0-6.5",
    ],
)
def test_what_would_run_is_guarded(cell):
    assert guard_cell(cell) == "'" + cell


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "plain",
        "a=b",
        "7",
        "-6.5",
        "+3",
        "-1e5",
        "-1,200.50",
        "-.5",
        "+5.",
        "-1E-9",
        "1,2",
        "-5%",
        "+2.5%",
        " a=b",
        "\0",
        "'",
        "'7",
        "'-6.5",
        "'a=b",
        "é",
    ],
)
def test_other_cells_stay(cell):
    assert guard_cell(cell) == cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("so\n=1+41\r\n;=2;\t @A1", "so\n'=1+41\r\n;'=2;\t' @A1"),
        ("a\r-b\n\n- c", "a\r'-b\n\n'- c"),
        ('; "=1";""=2', ';\' "=1";\'""=2'),
        ("a\n'=1\n-6.5\n-6.5", "a\n''=1\n'-6.5\n'-6.5"),
        ("a\nb=1, =2 -3", "a\nb=1, =2 -3"),
    ],
)
def test_what_another_separator_makes_cells_of_is_guarded(text, cell):
    assert guard_cell(text) == cell


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_no_number_is_guarded(number):
    assert guard_cell(str(number)) == str(number)
    assert guard_cell(f"{number:,}") == f"{number:,}"


@given(st.text(st.sampled_from([*SIGNS, *"\t\r\n\0\";'1a "])) | st.text())
def test_a_guarded_text_comes_back(text):
    assert bare_cell(guard_cell(text)) == text
