"""Pages of odd corpora: one trial, no flips, many, long, right to left, and names that would steer a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit
from regrade.report.shown import anchor
from tests.browser import at_width, requested
from tests.conftest import record
from tests.report.corpora import audited
from tests.report.pages import OURS, Page, marked, replies, unmarked

NAME = "\x1b[31m\x00<script>document.title='owned'</script>/50%"
TEXTS = {
    "right to left": "התשובה היא שלוש ועוד.\nANSWER: 3=7.0 מעלות",
    "emoji": "👩‍👩‍👧 🏳️‍🌈 done 🎉\nANSWER: 3=7.0 👍🏽",
    "long": "word " * 40_000 + "\nANSWER: 3=7.0\nafter",
    "colours": "\x1b[1;31mred\x1b[0m \x1b]0;title\x07\nANSWER: 3=7.0\x1b[K",
    "markup": "</span></li></ul><script>document.title='owned'</script>\nANSWER: 3=7.0",
    "empty": "",
}
"""Replies by what is odd in them; the item wants 7.0, the frozen grader reads 3."""


def odd(folder: Path) -> Audit:
    rows = [
        record(NAME if what == "markup" else what, "T01", 0, "read_sensor", text, False, "STALE_DATA")
        for what, text in TEXTS.items()
    ]
    return audited(folder, records=rows)


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    return odd(tmp_path_factory.mktemp("strange"))


def test_every_odd_trial_stands_in_the_list_and_in_full(strange: Audit) -> None:
    text = (strange.out / "report.html").read_text("utf-8")
    page = Page(text)
    assert page.scripts == [OURS] and not set("\x00\x1b\x07") & set(text)
    assert {link.removeprefix("#").split("?")[0] for link in page.links} <= set(page.ids)
    names = [NAME.replace("%", "%25").replace("/", "%2F") if what == "markup" else what for what in TEXTS]
    assert {anchor("t", f"{name}/T01/0") for name in names} == {i for i in page.ids if i.startswith("t-")}
    shown = replies(text)
    assert len(shown) == len(TEXTS)
    for what in ("right to left", "emoji"):
        [reply] = [r for r in shown if unmarked(r) == TEXTS[what]]
        assert ("last_equals +1 value", "7.0") in marked(reply)
    [reply] = [r for r in shown if "word word" in r]
    assert len(reply) < 6_000 and "characters left out" in reply and ("last_equals +1 value", "7.0") in marked(reply)
    assert "<small>an empty reply</small>" in text


def test_a_corpus_of_one_trial_has_a_page(tmp_path: Path) -> None:
    for name, reply, moved in (("flip", "ANSWER: 3=7.0", 1), ("none", "ANSWER: 9", 0)):
        rows = [record("a", "T01", 0, "read_sensor", reply, False, "STALE_DATA")]
        text = (audited(tmp_path / name, records=rows).out / "report.html").read_text("utf-8")
        page = Page(text)
        assert text.count("<article") == moved == len([i for i in page.ids if i == "evidence"]) == len(page.scripts)
        assert {link.removeprefix("#").split("?")[0] for link in page.links} <= set(page.ids)
        assert ("1 of 1 trial<" in text) == bool(moved)


@pytest.mark.browser
def test_odd_trials_are_found_and_steer_nothing(chromium: Any, strange: Audit) -> None:
    at_width(chromium, 390)
    requested(chromium), chromium.get_log("browser")
    chromium.get((strange.out / "report.html").as_uri())
    find = (
        "const field = document.querySelector(`[data-by=${arguments[0]}]`);"
        "field.value = arguments[1] ?? field.options[field.options.length - arguments[2]].value;"
        "field.dispatchEvent(new Event('input'));"
        "return [...document.querySelectorAll('.rows > li a')].filter(a => a.checkVisibility()).map(a => a.hash)"
    )
    for words, what in (("מעלות", "right to left"), ("👍🏽", "emoji"), ("RED", "colours"), ("after", "long")):
        assert chromium.execute_script(find, "text", words) == [f"#{anchor('t', what + '/T01/0')}"]
    chromium.find_element("id", "reset").click()
    options = chromium.execute_script(
        "return [...document.querySelector('[data-by=configuration]').options].map(o => o.textContent)"
    )
    place = next(n for n, option in enumerate(options) if "script" in option)
    [hash_] = chromium.execute_script(find, "configuration", None, len(options) - place)
    chromium.get(chromium.current_url)
    trial = chromium.find_element("css selector", f".rows > li.on a[href='{hash_}']")
    trial.click()
    assert chromium.find_element("css selector", "article:target pre.reply").is_displayed()
    assert chromium.title != "owned" and chromium.execute_script("return document.scripts.length") == 1
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= 390
    assert requested(chromium) == [] and chromium.get_log("browser") == []


@pytest.mark.slow
@pytest.mark.browser
def test_twenty_thousand_flips_give_a_page_that_can_be_used(chromium: Any, tmp_path: Path) -> None:
    rows = [
        record(f"c{n // 50:03}", "T01", n % 50, "read_sensor", f"{n}: read.\nANSWER: 3=7.0", False, "STALE_DATA")
        for n in range(10_000)
    ]
    done = audited(tmp_path, records=rows)
    tiers = done.summary["axes"]["pass"]["candidates"]
    assert sum(candidate["tiers"]["all"]["fail_to_pass"]["trials"] for candidate in tiers.values()) == 20_000
    assert (done.out / "report.html").stat().st_size < 5_000_000
    sheets = sorted((done.out / "trials").iterdir())
    assert sum(sheet.read_bytes().count(b"<article") for sheet in sheets) == 10_000
    at_width(chromium, 1280)
    chromium.get((done.out / "report.html").as_uri() + "#find?text=9999%3A&candidate=pass.20v2")
    assert chromium.find_element("id", "counted").text == "1 of 10,000 trials"
    chromium.find_element("css selector", ".rows > li.on a").click()
    assert "9999: read." in chromium.find_element("css selector", "article:target pre.reply").text
