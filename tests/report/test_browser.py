"""The page in Debian's Chromium, headless: from disk, at two widths."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit
from regrade.report.shown import anchor
from tests.browser import at_width

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_asks_for_nothing_and_fits(chromium: Any, tool_loop: Audit, width: int) -> None:
    at_width(chromium, width)
    chromium.get((tool_loop.out / "report.html").as_uri())
    assert chromium.get_log("browser") == []
    assert chromium.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= width
    assert "SIMULATED" in chromium.find_element("tag name", "header").text


def test_a_figure_leads_to_its_group_and_on_to_a_marked_trial(chromium: Any, tool_loop: Audit) -> None:
    at_width(chromium, 1280)
    chromium.get((tool_loop.out / "report.html").as_uri())
    figure = next(
        a for a in chromium.find_elements("css selector", "#answer .figures a, .figures a") if a.text == "477"
    )
    group = chromium.find_element("id", anchor("g", "pass", "last_line_fallback", "fail_to_pass"))
    assert "last_line_fallback" in group.text
    sums = group.find_element("xpath", "following-sibling::ul[1]").text
    assert re.search(r"^(\d+) also in strong \+ (\d+) more in usable = 477 in usable", sums, re.MULTILINE)
    figure.click()
    assert chromium.find_element("css selector", "[role=status]").text.startswith("477 of ")
    trial = chromium.find_element("css selector", ".rows > li.on a")
    assert trial.is_displayed()
    trial.click()
    assert chromium.find_elements("css selector", "article:target mark"), "the characters that were read are marked"


def test_a_rule_named_in_the_answer_leads_to_its_text(chromium: Any, tool_loop: Audit) -> None:
    at_width(chromium, 390)
    chromium.get((tool_loop.out / "report.html").as_uri())
    answer = chromium.find_element("id", "answer")
    answer.find_element("link text", "last_line_fallback").click()
    candidate = chromium.find_element("css selector", ":target")
    assert candidate.find_element("tag name", "th").text == "last_line_fallback"
    candidate.find_element("link text", "last_line_fallback_v1").click()
    rule = chromium.find_element("css selector", ":target")
    assert rule.text == "last_line_fallback_v1"
    assert "rejected" in rule.find_element("xpath", "following-sibling::p[1]").text


def test_a_disagreement_of_reviewers_leads_to_its_trial(chromium: Any, tool_loop: Audit) -> None:
    at_width(chromium, 390)
    chromium.get((tool_loop.out / "report.html").as_uri())
    review = chromium.find_element("id", "review")
    assert "SIMULATED" in review.text and "Between 376 and 459 of the 477 are upheld" in review.text
    link = review.find_element("css selector", "th a")
    name = link.text
    link.click()
    assert name in chromium.find_element("css selector", "article:target").text


def test_a_mark_is_narrower_than_a_phone(chromium: Any, tool_loop: Audit) -> None:
    at_width(chromium, 390)
    chromium.get((tool_loop.out / "trials" / "012.html").as_uri())
    wide = chromium.execute_script(
        "return Math.max(...[...document.querySelectorAll('.reply mark b')].map(b => b.getBoundingClientRect().width))"
    )
    assert 0 < wide < 300


def test_every_link_resolves(chromium: Any, tool_loop: Audit) -> None:
    chromium.get((tool_loop.out / "report.html").as_uri())
    dead = chromium.execute_script(
        "return [...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"
        ".filter(h => h.startsWith('#') && !document.getElementById(h.slice(1).split('?')[0]))"
    )
    assert dead == []
    outside = set(
        chromium.execute_script(
            "return [...document.querySelectorAll('a[href*=\"/\"]')].map(a => a.href.split('#')[0])"
        )
    )
    assert {chromium.current_url, *(p.as_uri() for p in (tool_loop.out / "trials").iterdir())} == outside


def test_hostile_text_runs_nothing(chromium: Any, tmp_path: Path) -> None:
    from regrade.audit import audit
    from tests.conftest import record, write_corpus

    script = "<script>document.title='owned'</script>"
    reply = f"{script}<img src=x onerror=\"document.title='owned'\">\u202e\x00\x1b[31m\nANSWER: 3=7.0"
    rows = [record(script, "T01", 0, "read_sensor", reply, False, "STALE_DATA")]
    done = audit(write_corpus(tmp_path / "c", rows), tmp_path / "out")
    chromium.get((done.out / "report.html").as_uri())
    assert chromium.title != "owned"
    assert chromium.execute_script("return document.querySelectorAll('script, img').length") == 1
    assert chromium.get_log("browser") == []
