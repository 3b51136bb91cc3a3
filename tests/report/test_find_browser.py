"""Trials found in Debian's Chromium, headless: by filters, by keyboard, by a link, and without script."""

from __future__ import annotations

from typing import Any

import pytest

from regrade.audit import Audit
from regrade.tables.store import FILE_NAME, Store
from tests.browser import at_width, press, requested

pytestmark = pytest.mark.browser

MOVED = "(from flips union all from recodes) as moved join trials using (trial_id) join items using (item)"


@pytest.fixture
def report(chromium: Any, tool_loop: Audit) -> Any:
    at_width(chromium, 1280)
    chromium.get("about:blank")
    chromium.get((tool_loop.out / "report.html").as_uri())
    return chromium


def field(page: Any, name: str) -> Any:
    return page.find_element("css selector", f"[data-by={name}]")


def choose(page: Any, name: str, shown: str) -> None:
    """Choose by keyboard: the field gets the focus, and what is typed is the choice."""
    found = field(page, name)
    page.execute_script("arguments[0].focus()", found)
    found.send_keys(shown)


def counted(page: Any) -> str:
    return str(page.find_element("id", "counted").text)


def shown(page: Any) -> list[str]:
    return page.execute_script(  # type: ignore[no-any-return]
        "return [...document.querySelectorAll('.rows > li a')].filter(a => a.checkVisibility()).map(a => a.textContent)"
    )


def in_store(done: Audit, where: str) -> list[str]:
    with Store.open(done.out / FILE_NAME, read_only=True) as store:
        rows = store.con.execute(f"select distinct trial_id from {MOVED} where {where} order by 1").fetchall()
    return [trial_id for (trial_id,) in rows]


QUERIES = [
    ({"candidate": "last_equals", "direction": "pass to fail"}, "candidate = 'last_equals' and to_status = 'failed'"),
    (
        {"candidate": "v2", "direction": "fail to pass", "family": "read_and_convert_units"},
        "candidate = 'v2' and from_status = 'failed' and to_status = 'passed' and family = 'read_and_convert_units'",
    ),
    (
        {"candidate": "format_code", "direction": "recode", "code": "STALE_DATA", "item": "T16"},
        "candidate = 'format_code' and from_status = to_status and from_code = 'STALE_DATA' and item = 'T16'",
    ),
    (
        {"tier": "strong", "text": "ask:"},
        "lower(reply) like '%ask:%' and configuration in (select configuration from tiers where tier = 'strong')",
    ),
]


@pytest.mark.parametrize(("asked", "where"), QUERIES)
def test_filters_show_what_the_store_finds(report: Any, tool_loop: Audit, asked: dict[str, str], where: str) -> None:
    for name, choice in asked.items():
        choose(report, name, choice)
    expected = in_store(tool_loop, where)
    assert 0 < len(expected)
    assert counted(report).split(";")[0] == f"{len(expected):,} of {len(in_store(tool_loop, 'true')):,} trials"
    while (more := report.find_element("id", "more")).is_displayed():
        more.click()
    assert sorted(shown(report)) == expected


def test_a_link_to_a_view_shows_it_again_and_reset_shows_all(report: Any, tool_loop: Audit) -> None:
    choose(report, "candidate", "last_equals")
    choose(report, "text", "°C")
    view, found = report.current_url, shown(report)
    assert "#find?candidate=pass.20last_equals&text=" in view
    assert report.find_element("id", "here").get_attribute("href") == view
    report.get("about:blank")
    report.get(view)
    assert shown(report) == found and field(report, "text").get_attribute("value") == "°C"
    reset = report.find_element("id", "reset")
    report.execute_script("arguments[0].focus()", reset)
    press(report, "ENTER")
    every = len(in_store(tool_loop, "true"))
    assert counted(report) == f"{every:,} of {every:,} trials; the first 100 stand here"
    assert report.current_url.endswith("#find") and len(shown(report)) == 100
    more = report.find_element("id", "more")
    report.execute_script("arguments[0].focus()", more)
    press(report, "ENTER")
    assert len(shown(report)) == 200
    assert report.switch_to.active_element.text == shown(report)[100], "one goes on where the list went on"


def test_where_nothing_matches_it_says_what_to_do(report: Any) -> None:
    choose(report, "text", "no reply has these words")
    assert counted(report).startswith("No trial of ") and counted(report).endswith(" matches; reset or widen")
    assert shown(report) == []


def test_the_count_is_spoken_and_every_field_has_a_name(report: Any) -> None:
    told = report.find_element("id", "counted")
    assert (told.get_attribute("role"), told.get_attribute("aria-live")) == ("status", "polite")
    names = [each.accessible_name for each in report.find_elements("css selector", ".filters select, .filters input")]
    assert all(names) and len(set(names)) == len(names) == 8
    reached = []
    report.execute_script("arguments[0].focus()", field(report, "candidate"))
    for _ in range(9):
        reached.append(report.switch_to.active_element.accessible_name)
        press(report, "TAB")
    assert reached == [*names, "Reset"]


def test_a_count_leads_to_its_trials_alone(report: Any, tool_loop: Audit) -> None:
    group = report.find_element("id", "g-pass-issued_tokens-pass_to_fail")
    link = group.find_element("xpath", "following-sibling::p[1]/a")
    report.execute_script("arguments[0].focus()", link)
    press(report, "ENTER")
    expected = in_store(tool_loop, "candidate = 'issued_tokens' and to_status = 'failed' and from_status = 'passed'")
    assert sorted(shown(report)) == expected and len(expected) == 41
    kind = group.find_element("xpath", "following-sibling::div[1]").find_element("tag name", "a")
    name = kind.text
    report.execute_script("arguments[0].click()", kind)
    assert f"{name.lower()} alone" in counted(report)
    headings = report.find_elements("css selector", ".kind h4")
    assert [h.text.split(":")[0] for h in headings if h.is_displayed()] == [name]


def test_every_count_that_is_a_link_leads_to_as_many_trials(report: Any) -> None:
    wrong, several = report.execute_script("""
      const wrong = [], told = document.getElementById("counted");
      const links = [...document.querySelectorAll("a[data-view]")]
        .filter(a => /^[0-9,]+$/.test(a.textContent) && a.hash.includes("direction"))
        .filter((_, place) => place % 5 === 0);  // Chromium lets a page go to a few hundred places at once.
      for (const link of links) {
        history.replaceState(null, "", link.hash);
        window.dispatchEvent(new HashChangeEvent("hashchange"));
        const [found] = told.textContent.split(" ");
        if (found !== link.textContent) wrong.push([link.hash, link.textContent, found]);
      }
      return [wrong, ["tier=", "code=", "direction=recode"].map(w => links.some(a => a.hash.includes(w)))]""")
    assert wrong == [] and several == [True, True, True]


def test_a_trial_is_reached_from_the_list_and_leads_back(report: Any, tool_loop: Audit) -> None:
    link = report.find_element("css selector", ".rows > li.on a")
    name = link.text
    link.click()
    trial = report.find_element("css selector", "article:target")
    assert trial.find_element("tag name", "h3").text == name
    assert trial.find_elements("css selector", ".grades li") and trial.find_element("css selector", "pre.reply")
    item = name.split("/")[1]
    above = trial.find_elements("link text", "under the item")
    assert not above or above[0].get_attribute("href").endswith(f"#item-{item}")
    assert trial.find_element("css selector", ".quiet code").text == f"regrade explain {name}"
    trial.find_element("link text", "find trials").click()
    assert report.current_url == (tool_loop.out / "report.html").as_uri() + "#find"
    report.back()
    report.find_element("css selector", "nav.way a").click()
    assert report.current_url == (tool_loop.out / "report.html").as_uri() + "#find"
    for rule in ("last_equals_v1",):
        assert report.find_elements("id", f"rule-{rule}")


def test_no_page_asks_for_anything_or_complains(report: Any, tool_loop: Audit) -> None:
    requested(report), report.get_log("browser")
    for path in (tool_loop.out / "report.html", *sorted((tool_loop.out / "trials").iterdir())[::8]):
        for width in (1280, 390):
            at_width(report, width)
            report.get(path.as_uri())
            assert report.execute_script("return document.documentElement.scrollWidth") <= width, path.name
    assert requested(report) == [] and report.get_log("browser") == []


def test_without_script_everything_stands_there(chromium: Any, tool_loop: Audit) -> None:
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        chromium.get((tool_loop.out / "report.html").as_uri())
        assert not chromium.find_element("css selector", ".filters").is_displayed()
        assert "all trials, by group and by kind" in chromium.find_element("tag name", "noscript").text
        rows = chromium.find_elements("css selector", ".rows > li")
        assert len(rows) == len(in_store(tool_loop, "true"))
        assert rows[0].is_displayed() and rows[-1].is_displayed()
    finally:
        chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_what_is_printed_has_the_trials_unfolded(chromium: Any, tool_loop: Audit) -> None:
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        chromium.get((tool_loop.out / "trials" / "001.html").as_uri())
        folded = "return document.querySelector('.trial details:not([open]) .turn').checkVisibility()"
        assert chromium.execute_script(folded) and not chromium.find_element("css selector", "nav.way").is_displayed()
    finally:
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_an_old_link_that_asks_for_what_is_gone_shows_what_is_left(report: Any, tool_loop: Audit) -> None:
    address = (tool_loop.out / "report.html").as_uri()
    where = "item = 'T09'"
    report.get(f"{address}#find?candidate=nobody&item=T09")
    assert counted(report).startswith(f"{len(in_store(tool_loop, where))} of ")
