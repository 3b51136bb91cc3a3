"""The page of a packet as text: what it shows, and what hostile text cannot change."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.review.page import review_page
from regrade.signs import tagged, visible
from tests.report.pages import Page, told
from tests.review.packets import KEY, SAMPLE, packet, packet_record, spoken

HOSTILE = (
    "</pre></article></main></script><script>document.title='owned'</script><style>*{display:none}</style>"
    "<svg onload=\"document.title='owned'\"><a href=\"javascript:document.title='owned'\">go</a></svg>"
    "<img src=x onerror=\"document.title='owned'\"> {{ 7 * 7 }} <!-- \x00\x1b[31m\u202e ]]> ' \" &lt;"
)


class Skeleton(HTMLParser):
    """Every element of a page with its attributes, and the text of each `pre`, less the signs of hidden characters."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Any] = []
        self.texts: list[str] = []
        self._in_text = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if (tag, attrs) != ("small", [("class", "sign")]):
            self.elements.append((tag, attrs))
        if tag == "pre":
            self._in_text = True
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_text = self._in_text and tag != "pre"

    def handle_data(self, data: str) -> None:
        if self._in_text:
            self.texts[-1] += data


def test_the_page_is_self_contained_and_well_formed() -> None:
    text = review_page(packet(3), KEY)
    page = Page(text)
    assert not page.tags & {"link", "iframe", "img", "object", "form", "base", "svg", "a"}
    assert not {a for a in page.attributes if a.startswith("on") or a in ("style", "src", "href", "action")}
    assert len(page.ids) == len(set(page.ids))
    levels = [level for level, _ in page.headings]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(deeper - before <= 1 for before, deeper in zip(levels, levels[1:], strict=False))


def test_the_policy_allows_the_script_and_the_style_of_the_page_alone() -> None:
    text = review_page(packet(1), KEY)
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    digests = {}
    for tag in ("style", "script"):
        [inside] = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digests[tag] = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digests['style']}'",
        f"script-src 'sha256-{digests['script']}'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_a_trial_has_its_item_question_turns_and_labels_in_the_order_of_the_packet() -> None:
    records = packet(3)
    text = review_page(records, KEY)
    assert re.findall(r'data-id="(\w+)"', text) == [r["id"] for r in records]
    assert re.findall(r'type="radio" name="l-2" value="(\w+)" aria-keyshortcuts="(\d)"', text) == [
        ("passed", "1"), ("failed", "2"), ("unclear", "3"),
    ]  # fmt: skip
    assert Skeleton(text).texts[:5] == [
        f"\n{shown}"
        for shown in (
            "Give unit 0 in Celsius.",
            "The last line begins with ANSWER:",
            "Give unit 0 in Celsius.",
            '{"unit": 0}',
            '{"unit": 0, "value": 44.6,\n "scale": "F"}',
        )
    ]
    words = told(text)
    assert "Question Does the transcript satisfy the item?" in words
    assert 'Gold kind number answer 7.0 calls ["read_sensor"]'.replace(" ", "") in words.replace(" ", "")
    assert SAMPLE in words and KEY in words and "Reviewer r1." in words


def test_a_result_is_folded_under_its_call_with_its_first_line_seen() -> None:
    text = review_page([packet_record(0)], KEY)
    assert "<summary>Result: <bdi>{&#34;unit&#34;: 0, &#34;value&#34;: 44.6,…</bdi></summary>" in text
    assert [t for level, t in Page(text).headings if level == 4] == ["1 system", "2 user", "3 assistant", "4 assistant"]


@pytest.mark.parametrize(
    ("result", "seen"), [("41.0", "41.0"), ("", "(no text)"), ("\n\nlate", "late"), ("x" * 81, "x" * 80 + "…")]
)
def test_a_turn_of_the_tool_is_folded_as_results_are(result: str, seen: str) -> None:
    made = review_page([packet_record(0, turns=[{"role": "tool", "text": result, "calls": []}])], KEY)
    assert re.findall("<summary>Result: <bdi>(.*?)</bdi></summary>", made) == [seen]
    assert f"\n{result}" in Skeleton(made).texts


def test_what_is_absent_is_said() -> None:
    turns = [{"role": "assistant", "text": "", "calls": []}]
    words = told(review_page([packet_record(0, instruction=None, gold=None, turns=turns)], KEY))
    assert words.count("None stands in the bank") == 2 and "No text." in words
    assert "No turn was saved." in told(review_page([packet_record(0, turns=[])], KEY))


@pytest.mark.parametrize(
    ("gold", "shown"), [("NOT_FOUND", "NOT_FOUND"), (0, "0"), (False, "false"), (["é", None], '["é", null]')]
)
def test_a_gold_of_any_kind_is_shown(gold: Any, shown: str) -> None:
    assert f"\n{shown}" in Skeleton(review_page([packet_record(0, gold=gold)], KEY)).texts


def test_the_same_records_give_the_same_bytes_and_another_trial_other_bytes() -> None:
    assert review_page(packet(4), KEY) == review_page(packet(4), KEY)
    assert review_page(packet(4), KEY) != review_page(packet(4)[::-1], KEY)


def test_a_page_is_of_one_packet() -> None:
    with pytest.raises(ValueError):
        review_page([], KEY)
    with pytest.raises(ValueError):
        review_page([packet_record(0), packet_record(1, reviewer="r2")], KEY)


def test_hostile_text_changes_no_element() -> None:
    hostile = Skeleton(review_page([spoken(HOSTILE, question=HOSTILE)], KEY))
    assert hostile.elements == Skeleton(review_page([spoken("x", question="x")], KEY)).elements
    shown = Skeleton(f"<pre>{tagged(HOSTILE)}</pre>").texts[0]
    assert "{{ 7 * 7 }}" in shown and "[NUL][ESC][31m[U+202E]" in shown
    assert hostile.texts[:4] == [f"\n{shown}"] * 4


@settings(max_examples=60)
@given(st.text(min_size=1, max_size=40))
def test_any_text_is_shown_as_it_is_and_changes_no_element(text: str) -> None:
    page = Skeleton(review_page([spoken(text)], KEY))
    assert page.elements == Skeleton(review_page([spoken("x")], KEY)).elements
    shown = Skeleton(f"<pre>{tagged(text)}</pre>").texts[0]
    assert page.texts[0] == page.texts[1] == f"\n{shown}"
    assert visible(shown) == shown
