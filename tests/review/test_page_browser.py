"""The page of a packet in Debian's Chromium, headless, from disk: labelled, closed, resumed, saved, attacked."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from regrade.review.page import review_page
from regrade.reviewing import import_verdicts
from regrade.sampling import Asked, sample
from tests.browser import at_width, open_chromium, press, requested
from tests.conftest import TOOL_LOOP
from tests.review.packets import KEY, OTHER_SAMPLE, SAMPLE, packet, packet_record, spoken
from tests.review.test_page import HOSTILE

pytestmark = pytest.mark.browser

LABELS = ("passed", "failed", "unclear")
SKELETON = """
return [...document.querySelectorAll('*')].filter(e => !e.matches('small.sign, script, style, meta'))
  .map(e => e.tagName + ' ' + [...e.attributes].map(a => a.name + '=' + a.value).join(' '))
"""


def write(folder: Path, records: list[dict[str, Any]], key: str = KEY) -> str:
    path = folder / "review.html"
    path.write_text(review_page(records, key), "utf-8", newline="")
    return path.as_uri()


def told(page: Any) -> str:
    return str(page.find_element("id", "told").text)


def counted(page: Any) -> str:
    return str(page.find_element("id", "counted").text)


def title(page: Any) -> str:
    """The heading of the only trial that is seen."""
    [seen] = [h for h in page.find_elements("css selector", "article h2") if h.is_displayed()]
    return str(seen.text)


def chosen(page: Any) -> list[str]:
    return [r.get_attribute("value") for r in page.find_elements("css selector", "article input:checked")]


def comes(page: Any, wanted: Any, look: Callable[[], Any]) -> None:
    """Wait until a look at the page gives what is wanted: files are read, and tabs told, in their own time."""
    from selenium.common.exceptions import TimeoutException
    from selenium.webdriver.support.wait import WebDriverWait

    with suppress(TimeoutException):
        WebDriverWait(page, 20).until(lambda _: look() == wanted)
    assert look() == wanted


def saved_file(page: Any, folder: Path) -> dict[str, Any]:
    """The file that a press of the save button gave."""
    file = folder / "verdicts-r1.json"
    comes(page, True, lambda: file.exists() and not list(folder.glob("*.crdownload")))
    data: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return data


def verdicts(*entries: tuple[str, str, str], **changes: Any) -> str:
    made = [{"id": i, "label": label, "comment": comment} for i, label, comment in entries]
    return json.dumps({"schema": "regrade.verdicts/1", "sample": SAMPLE, "reviewer": "r1", "verdicts": made, **changes})


@pytest.fixture
def fresh(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """The browser with nothing kept, whose downloads go to the test's folder; no error and no request may follow."""
    chromium.get("about:blank")
    chromium.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    chromium.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "file://", "storageTypes": "local_storage"})
    requested(chromium), chromium.get_log("browser")
    at_width(chromium, 1280)
    yield chromium
    assert chromium.get_log("browser") == []
    assert requested(chromium) == []
    assert chromium.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_fifty_drawn_trials_by_keyboard_closed_resumed_saved_and_imported(tmp_path: Path) -> None:
    corpus = Path(shutil.copytree(TOOL_LOOP, tmp_path / "corpus", ignore=shutil.ignore_patterns("*_sim", "reviews")))
    sample(corpus, Asked("fallback_flips"), out=tmp_path / "drawn")
    folder = tmp_path / "drawn" / "packets" / "r1"
    ids = [json.loads(line)["id"] for line in (folder / "packet.jsonl").read_text("utf-8").splitlines()]
    given = {each: (LABELS[at % 3], "no 1, n or s moves" if at == 7 else "") for at, each in enumerate(ids)}
    address = (folder / "review.html").as_uri()

    def label(each: str) -> None:
        press(page, str(1 + LABELS.index(given[each][0])))
        if given[each][1]:
            press(page, "c", *given[each][1], "ESCAPE")
        press(page, "n")

    page = open_chromium(tmp_path / "profile", folder)
    try:
        page.get(address)
        assert title(page) == "Trial 1 of 50"
        for each in ids[:30]:
            label(each)
        assert (title(page), counted(page)) == ("Trial 31 of 50", "30 of 50 answered, not in a file yet")
        page.execute_script("window.open('about:blank')")
        page.close()
        page.switch_to.window(page.window_handles[0])
        page.get(address)
        assert (title(page), told(page)) == ("Trial 31 of 50", "Resumed: 30 of 50 answered.")
        label(ids[30])
    finally:
        page.quit()

    page = open_chromium(tmp_path / "profile", folder)
    try:
        page.get(address)
        assert (title(page), told(page)) == ("Trial 32 of 50", "Resumed: 31 of 50 answered.")
        for each in ids[31:]:
            label(each)
        assert told(page) == "This is the last trial."
        press(page, "s")
        assert told(page) == "verdicts-r1.json was handed to the browser with 50 of 50 answers."
        assert counted(page) == "50 of 50 answered"
        made = saved_file(page, folder)
        assert page.get_log("browser") == []
        assert requested(page) == []
    finally:
        page.quit()
    assert [(v["id"], (v["label"], v["comment"])) for v in made["verdicts"]] == list(given.items())

    [done] = import_verdicts(corpus, [folder / "verdicts-r1.json"])["imported"]
    assert (done["reviewer"], done["labelled"], done["unlabelled"]) == ("r1", 50, 0)
    trials = json.loads((tmp_path / "drawn" / "sealed" / "key.json").read_text("utf-8"))["reviewers"]["r1"]
    rows = [json.loads(line) for line in Path(done["path"]).read_text("utf-8").splitlines()]
    assert {r["trial"]: (r["label"], r["comment"]) for r in rows} == {trials[each]: given[each] for each in ids}


def test_without_shortcuts_tab_arrows_and_space_are_enough(fresh: Any, tmp_path: Path) -> None:
    fresh.get(write(tmp_path, packet(3)))

    def tab_to(selector: str) -> None:
        for _ in range(25):
            press(fresh, "TAB")
            if fresh.execute_script("return document.activeElement.matches(arguments[0])", selector):
                return
        raise AssertionError(f"no {selector} within 25 stops")

    tab_to("#keys")
    press(fresh, "SPACE")
    assert not [k for k in fresh.find_elements("tag name", "kbd") if k.is_displayed()]
    tab_to("article input")
    press(fresh, "2", "n", "s")
    assert (title(fresh), chosen(fresh), counted(fresh)) == ("Trial 1 of 3", [], "0 of 3 answered")
    press(fresh, "SPACE", "ARROW_DOWN")
    assert chosen(fresh) == ["failed"]
    tab_to(".on")
    press(fresh, "ENTER")
    assert title(fresh) == "Trial 2 of 3"
    fresh.refresh()
    assert not fresh.find_element("id", "keys").is_selected()


def test_a_screen_reader_is_told_where_it_is_and_what_each_control_is(fresh: Any, tmp_path: Path) -> None:
    fresh.get(write(tmp_path, packet(3)))
    press(fresh, "2")
    assert told(fresh) == "Trial 1: failed. 1 of 3 answered."
    assert fresh.find_element("id", "told").get_attribute("role") == "status"
    press(fresh, "n")
    heading = fresh.switch_to.active_element
    assert (heading.tag_name, heading.text, fresh.title) == ("h2", "Trial 2 of 3", "Trial 2 of 3, blind review")
    controls = [
        e for e in fresh.find_elements("css selector", "button, input, select, textarea, progress") if e.is_displayed()
    ]
    assert [control.accessible_name.strip() for control in controls] == [
        "Load a saved file", "Single-key shortcuts", "1 of 3 answered, not in a file yet", "Go to", "Next unanswered",
        "Save the file", "Open or close all results", "passed", "failed", "unclear", "Clear", "Previous", "Next",
        "Comment",
    ]  # fmt: skip
    group = next(e for e in fresh.find_elements("tag name", "fieldset") if e.is_displayed())
    assert (group.aria_role, group.accessible_name) == ("group", "Answer")


def test_the_keys_of_the_page(fresh: Any, tmp_path: Path) -> None:
    fresh.get(write(tmp_path, packet(4)))
    press(fresh, "p")
    assert told(fresh) == "This is the first trial."
    press(fresh, "1", "n", "n", "3", "u")
    assert title(fresh) == "Trial 4 of 4"
    press(fresh, "u")
    assert title(fresh) == "Trial 2 of 4"
    press(fresh, "p", "0")
    assert (told(fresh), chosen(fresh)) == ("Trial 1: no answer. 1 of 4 answered.", ["unclear"])
    results = [r for r in fresh.find_elements("css selector", ".result") if r.is_displayed()]
    assert [r.get_attribute("open") for r in results] == [None]
    press(fresh, "t")
    assert results[0].get_attribute("open") is not None
    assert '"scale": "F"' in results[0].find_element("tag name", "pre").text
    press(fresh, "t", "9", "x", "CONTROL+3")
    assert results[0].get_attribute("open") is None
    assert (title(fresh), chosen(fresh)) == ("Trial 1 of 4", ["unclear"])
    options = [o.text for o in fresh.find_elements("css selector", "#go option")]
    assert options == ["1", "2", "3, unclear", "4"]


def test_two_tabs_of_one_packet_lose_nothing_and_another_reviewer_has_a_place_of_their_own(
    fresh: Any, tmp_path: Path
) -> None:
    address = write(tmp_path, packet(3))
    (tmp_path / "r2").mkdir()
    fresh.get(address)
    first = fresh.current_window_handle
    fresh.switch_to.new_window("tab")
    fresh.get(address)
    press(fresh, "1", "n", "2")
    second = fresh.current_window_handle
    fresh.switch_to.window(first)
    press(fresh, "n", "n", "3")
    assert chosen(fresh) == list(LABELS)
    fresh.switch_to.window(second)
    comes(fresh, list(LABELS), lambda: chosen(fresh))
    assert title(fresh) == "Trial 2 of 3"
    fresh.get(write(tmp_path / "r2", packet(3, reviewer="r2")))
    assert (chosen(fresh), title(fresh)) == ([], "Trial 1 of 3")
    fresh.close()
    fresh.switch_to.window(first)


def test_a_saved_file_resumes_where_the_browser_kept_nothing(fresh: Any, tmp_path: Path) -> None:
    records = packet(3)
    fresh.get(write(tmp_path, records))
    press(fresh, "3", "c")
    press(fresh, *"é <b>", "ENTER", *"1", "ESCAPE")
    press(fresh, "n", "c")
    press(fresh, *"loose", "ESCAPE", "s")
    assert told(fresh).endswith("with 1 of 3 answers. Not in it, for want of an answer: the comments on 2.")
    made = saved_file(fresh, tmp_path)
    assert made["verdicts"] == [{"id": records[0]["id"], "label": "unclear", "comment": "é <b>\n1"}]
    fresh.execute_script("localStorage.clear()")
    fresh.refresh()
    assert (chosen(fresh), title(fresh)) == ([], "Trial 1 of 3")
    fresh.find_element("id", "load").send_keys(str(tmp_path / "verdicts-r1.json"))
    comes(fresh, "verdicts-r1.json was loaded: 1 answers.", lambda: told(fresh))
    assert counted(fresh) == "1 of 3 answered"
    assert chosen(fresh) == ["unclear"]
    assert fresh.find_element("tag name", "textarea").get_attribute("value") == "é <b>\n1"


@pytest.mark.parametrize("taken", [True, False])
def test_a_file_that_disagrees_with_the_page_asks_first(fresh: Any, tmp_path: Path, taken: bool) -> None:
    records = packet(3)
    fresh.get(write(tmp_path, records))
    press(fresh, "1")
    (tmp_path / "other.json").write_text(verdicts((records[0]["id"], "failed", ""), (records[2]["id"], "unclear", "")))
    fresh.find_element("id", "load").send_keys(str(tmp_path / "other.json"))
    from selenium.webdriver.support.expected_conditions import alert_is_present
    from selenium.webdriver.support.wait import WebDriverWait

    asked = WebDriverWait(fresh, 20).until(alert_is_present())
    assert asked.text.startswith("On 1 of the trials the file has another answer")
    asked.accept() if taken else asked.dismiss()
    comes(fresh, f"other.json was {'loaded: 2 answers.' if taken else 'not loaded.'}", lambda: told(fresh))
    assert chosen(fresh) == (["failed", "unclear"] if taken else ["passed"])


ONE, TWO = (record["id"] for record in packet(2))
REFUSED = [
    ("{", "it is not JSON"),
    ("[]", "it is no file of the kind regrade.verdicts/1"),
    (verdicts(schema="regrade.key/1"), "it is no file of the kind regrade.verdicts/1"),
    (verdicts(sample=OTHER_SAMPLE), "it is of another sample"),
    (verdicts(reviewer="r2"), 'it is of reviewer "r2"'),
    (verdicts(("00", "passed", "")), '"00" is no trial of this packet'),
    (verdicts((TWO, "passed", ""), (TWO, "failed", "")), "trial 2 stands in it twice"),
    (verdicts((ONE, "fine", "")), 'trial 1 is labelled "fine"; known: passed, failed, unclear'),
    (verdicts((ONE, "", "")), 'trial 1 is labelled ""; known: passed, failed, unclear'),
    (verdicts(verdicts=None), "it has no list of verdicts"),
    (verdicts(verdicts=[{"id": ONE, "label": "passed", "comment": 1}]), "the comment on trial 1 is no text"),
    (verdicts(verdicts=[None]), "undefined is no trial of this packet"),
]


def test_a_file_that_cannot_be_of_this_packet_is_refused_whole(fresh: Any, tmp_path: Path) -> None:
    fresh.get(write(tmp_path, packet(2)))
    press(fresh, "2")
    for text, reason in REFUSED:
        (tmp_path / "bad.json").write_text(text)
        fresh.find_element("id", "load").send_keys(str(tmp_path / "bad.json"))
        comes(fresh, f"bad.json was not loaded: {reason}.", lambda: told(fresh))
        assert (chosen(fresh), counted(fresh)) == (["failed"], "1 of 2 answered, not in a file yet")


PLACE = f"regrade.verdicts/1 {SAMPLE} r1 {KEY}"
UNREADABLE = ("{", "null", '{"verdicts": [{"id": "__proto__", "label": "passed"}]}')


def test_what_the_browser_kept_and_cannot_be_read_is_said_and_put_aside(fresh: Any, tmp_path: Path) -> None:
    address = write(tmp_path, packet(2))
    fresh.get(address)
    for text in (*UNREADABLE, "{"):
        fresh.execute_script("localStorage.setItem(arguments[0], arguments[1])", PLACE, text)
        fresh.refresh()
        assert told(fresh).startswith("What this browser had kept of this packet cannot be read. It is put aside.")
        assert (chosen(fresh), title(fresh)) == ([], "Trial 1 of 2")
        press(fresh, "1", "0")
    kept = fresh.execute_script("return {...localStorage}")
    assert [kept[f"{PLACE} unread {n}"] for n in (1, 2, 3)] == [*UNREADABLE] and len(kept) == 4


def test_what_cannot_be_read_nor_put_aside_is_not_written_over(fresh: Any, tmp_path: Path) -> None:
    fresh.get(write(tmp_path, packet(2)))
    fresh.execute_script("localStorage.setItem(arguments[0], '{')", PLACE)
    full = """
    const set = Storage.prototype.setItem;
    Storage.prototype.setItem = function (name, text) {
      if (name.includes("unread")) throw new Error("full");
      set.call(this, name, text);
    };
    """
    added = fresh.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": full})
    try:
        fresh.refresh()
        assert "It stays, and nothing is kept beside it" in told(fresh)
    finally:
        fresh.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    press(fresh, "2")
    assert counted(fresh).endswith("This browser keeps nothing: save before you close")
    assert fresh.execute_script("return localStorage.getItem(arguments[0])", PLACE) == "{"


def test_a_ruling_page_has_another_place_than_the_review_page_of_the_same_person(fresh: Any, tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    review, again = write(tmp_path, packet(3)), write(tmp_path / "again", packet(2), OTHER_SAMPLE)
    fresh.get(review)
    press(fresh, "1", "n", "2")
    fresh.get(again)
    assert chosen(fresh) == []
    press(fresh, "3")
    fresh.get(review)
    assert chosen(fresh) == ["passed", "failed"]


def test_a_browser_that_keeps_nothing_says_so_and_still_saves(fresh: Any, tmp_path: Path) -> None:
    script = "Storage.prototype.setItem = Storage.prototype.getItem = () => { throw new Error('denied'); }"
    added = fresh.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    try:
        fresh.get(write(tmp_path, packet(2)))
        press(fresh, "1", "n", "2")
        assert counted(fresh).endswith("This browser keeps nothing: save before you close")
        press(fresh, "s")
        assert [v["label"] for v in saved_file(fresh, tmp_path)["verdicts"]] == ["passed", "failed"]
    finally:
        fresh.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_the_answers_are_in_reach(fresh: Any, tmp_path: Path, width: int, scheme: str) -> None:
    at_width(fresh, width)
    fresh.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    long = "word " * 3000 + "x" * 3000
    fresh.get(write(tmp_path, [packet_record(1), spoken(long)]))
    press(fresh, "n")
    assert fresh.execute_script("return document.documentElement.scrollWidth") <= width
    for label in [e for e in fresh.find_elements("css selector", ".labels label") if e.is_displayed()]:
        place = fresh.execute_script("return arguments[0].getBoundingClientRect().toJSON()", label)
        assert place["height"] >= 44 and 0 <= place["top"] and place["bottom"] <= 900 and place["right"] <= width
    colours = fresh.execute_script("const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]")
    assert colours == (
        ["rgb(255, 255, 255)", "rgb(28, 32, 36)"] if scheme == "light" else ["rgb(21, 24, 28)", "rgb(228, 231, 234)"]
    )


def test_hostile_transcripts_run_nothing_and_change_nothing(fresh: Any, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    fresh.get(write(tmp_path / "plain", [spoken("x", question="x"), packet_record(1)]))
    expected = fresh.execute_script(SKELETON)
    fresh.get(write(tmp_path, [spoken(HOSTILE, question=HOSTILE), packet_record(1)]))
    assert fresh.execute_script(SKELETON) == expected
    assert fresh.execute_script("return document.querySelectorAll('script, style').length") == 2
    assert fresh.find_elements("css selector", "a, img, svg, [href], [src], [onload], [onerror]") == []
    press(fresh, "1", "t")
    assert (fresh.title, told(fresh)) == ("Trial 1 of 2, blind review", "Trial 1: passed. 1 of 2 answered.")
    assert HOSTILE.split("\x00")[0] in fresh.find_element("css selector", ".transcript pre").text
    assert fresh.execute_script("return document.title.includes('owned')") is False
