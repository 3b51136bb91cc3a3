import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.signs import name, tagged, visible


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\x00b", "a␀b"),
        ("\x7f", "␡"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("ab\u202edc", "ab⟨U+202E⟩dc"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("one\r\ntwo\tthree", "one␍\ntwo\tthree"),
        ("שלום, café, 👩‍💻", "שלום, café, 👩‍💻"),
    ],
)
def test_what_a_page_would_obey_or_hide_is_shown(raw: str, shown: str) -> None:
    assert visible(raw) == shown


@given(st.text())
def test_nothing_that_steers_is_left(text: str) -> None:
    left = {c for c in visible(text) if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")}
    assert left <= {"\n", "\t"}
    assert visible(visible(text)) == visible(text)
    assert not set(name(text)) & {"\n", "\t"}


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\r\nb", 'a<small class="sign">[CR]</small>\nb'),
        ("\x00\x7f\x1b", "".join(f'<small class="sign">[{s}]</small>' for s in ("NUL", "DEL", "ESC"))),
        ("\u202e<b>", '<small class="sign">[U+202E]</small>&lt;b&gt;'),
        ("␍ stays, and so does [CR]\t", "␍ stays, and so does [CR]\t"),
    ],
)
def test_in_a_page_a_hidden_character_is_a_small_tag_in_plain_letters(raw: str, shown: str) -> None:
    assert tagged(raw) == shown
