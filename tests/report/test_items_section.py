"""The section of items: its tables and sentences are those of the summary, proposals apart from what data suggest."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit
from regrade.report.charts import Chart, Drawing
from tests.conftest import TOML, record, twenty
from tests.report.corpora import TIERS, audited
from tests.report.pages import Page, told

REPEATED = "Items that several configurations miss repeatedly, tier {}, axis pass"
EVERY = "Items of the tier {}, axis pass"


def section(done: Audit) -> str:
    page = (done.out / "report.html").read_text("utf-8")
    found = re.search(r'<section id="items".*?</section>', page, re.DOTALL)
    assert found
    return found[0]


def rate(r: dict[str, Any]) -> str:
    graded = r["passed"] + r["failed"]
    return f"{100 * r['passed'] / graded:.1f}% {r['passed']:,} of {graded:,}"


def who(count: dict[str, int]) -> str:
    return f"{count['configurations']} ({count['weights']}/{count['lineages']})" if count["trials"] else "0"


def goes(c: dict[str, Any]) -> str:
    return f"none: {c['undefined']}" if c["undefined"] else f"{c['r']:+.2f} over {c['configurations']}"


def test_the_tables_are_those_of_the_summary(tool_loop: Audit) -> None:
    axis = tool_loop.summary["axes"]["pass"]
    tables = Page(section(tool_loop)).tables
    probes = axis["probes"]["frozen"]
    for tier, records in axis["items"].items():
        hardest = sorted(records, key=lambda i: (records[i]["passed"] / records[i]["trials"], i))
        assert tables[EVERY.format(tier)][1:] == [
            [
                item, rate(r), str(r["ungraded"]), str(r["configurations"]), who(r["missed"]),
                who(r["repeated"]), goes(r["correlation"]), r["family"], ", ".join(r["notes"]) or "–",
                ", ".join(probe for probe in probes if item in probes[probe]["passing"]) or "none",
            ]
            for item, r in ((item, records[item]) for item in hardest)
        ]  # fmt: skip
    strong = axis["items"]["strong"]
    rows = tables[REPEATED.format("strong")][1:]
    assert [row[0] for row in rows] == axis["item_lists"]["strong"]["missed_repeatedly"]
    assert [row[1:4] for row in rows] == [
        [who(strong[row[0]]["repeated"]), who(strong[row[0]]["missed"]), rate(strong[row[0]])] for row in rows
    ]
    [cells] = [table for caption, table in tables.items() if caption.startswith("No item has a lower pass rate")]
    matrix = axis["item_matrix"]
    assert cells[0] == ["Configuration", *matrix["items"]]
    assert cells[1:] == [[name, *(cell or "–" for cell in row)] for name, row in matrix["configurations"].items()]


def test_the_published_figures_stand_in_it(tool_loop: Audit) -> None:
    text = told(section(tool_loop))
    assert "Never failed: 19 of 48 items." in text
    assert "Noted as retire are 7: T01, " in text and "Noted as canary are 3: T07, " in text
    assert "Without such a note are 9: T03, " in text
    rows = {row[0]: row for row in Page(section(tool_loop)).tables[REPEATED.format("strong")]}
    assert rows["T14"][3:5] == ["62.1% 41 of 66", "STALE_DATA 25"]
    assert rows["T09"][3:5] == ["34.8% 23 of 66", "FABRICATION 43"]


NOTES = """
[[note]]
item = "T01"
kind = "retire"
text = "Too <b>easy</b>."
[[note]]
item = "T02"
kind = "convention"
text = "Say it."
"""


def test_notes_propose_and_data_suggest_each_in_a_place_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "notes.toml").write_text(NOTES, "utf-8")
    toml = TOML.replace('"bank.json"', '"bank.json"\nnotes = "notes.toml"') + TIERS
    passing = [record(name, "T01", n, "read_sensor", "ANSWER: 7.0", True) for name in "abc" for n in (0, 1)]
    asked = [
        record(name, "T02", n, "list_files", "ANSWER: ASK: which?", False, "FABRICATION")
        for name in "ab"
        for n in (0, 1)
    ]
    done = audited(tmp_path, toml, [*passing, *asked])
    page = Page(section(done))
    asks = "with the frozen grades of the tier some, axis pass"
    retire = page.tables[f"Items to retire, or to keep unscored as canaries, {asks}"]
    assert retire[1:] == [["T01", "retire", "100.0% 6 of 6", "yes", "Too <b>easy</b>."]]
    assert page.tables[f"Other notes, {asks}"][1:] == [["T02", "convention", "0.0% 0 of 4", "no", "Say it."]]
    text = told(section(done))
    assert "Drawn from counts alone; nobody has decided any of it." in text
    assert "Never failed: 1 of 2 items." in text and "Noted as retire are 1: T01. Without such a note are 0." in text
    assert "Never passed in the tier some: 1: T02. The item, its gold or its grader may be broken." in text
    assert [row[:2] for row in page.tables[REPEATED.format("some")][1:]] == [["T02", "2 (2/2)"]]
    assert "No tier is declared" not in text
    rest = (done.out / "report.html").read_text("utf-8").replace(section(done), "")
    assert "Never failed" not in rest and "Too &lt;b&gt;easy" not in rest.split('id="evidence"')[0]


def test_where_no_tier_is_declared_and_nothing_was_missed_it_says_so(tmp_path: Path) -> None:
    passing = [record(name, "T01", 0, "read_sensor", "ANSWER: 7.0", True) for name in "ab"]
    text = section(audited(tmp_path, TOML, passing))
    assert "No tier is declared, so that these are all configurations, strong and weak." in text
    assert "No item is missed repeatedly by two configurations or more." in text
    assert "<figure" not in text and "What the notes of the bank propose" not in text


def test_a_carried_grader_is_not_probed_and_a_new_axis_has_no_items(carried: Audit, campus: Audit) -> None:
    assert {row[-1] for row in Page(section(carried)).tables[EVERY.format("all")][1:]} == {"not probed"}
    shown = [text for level, text in Page(section(campus)).headings if level == 3]
    assert shown == ["Items on abstention", "Items on citations", "Items on confabulation"]


@pytest.mark.slow
def test_the_picture_tells_untried_from_never_passed_and_keeps_names_apart(drawn: None) -> None:
    long = "one beginning " * 9
    items = ["all", "half", "nearly", "none", "untried", "ungraded", "\x1b\x00</svg>\u2028'\"\\"]
    cells = ["9/9", "1/2", "999/1000", "0/3", None, "0/0", "1/1000"]
    chart = Chart(
        "heat", "h", "A finding", "A grid.", ("configuration", *(f"c{at}" for at in range(7))),
        [(long + "x", *cells), (long + "y", *cells)], ("Configuration", *items), {"items": items, "key": "Percent"},
    )  # fmt: skip
    with Drawing() as drawing:
        [found] = drawing.draw([chart])()
    texts = [text for text in ET.fromstring(str(found.svg)).itertext() if text.strip()]
    marks = ["50", "99", "0", "–", "?", "1"]
    assert sorted(t for t in texts if t in marks) == sorted(marks * 2)
    assert "Percent" in texts and {"half", "untried"} <= set(texts)
    assert str(found.svg).count(" fill-opacity=") == 2 * len(["half", "nearly", "none", "one of a thousand"])
    assert inks(ET.fromstring(str(found.svg))) == {"#1c2024"}  # which the page's style has by name


def inks(node: ET.Element, ink: str | None = None) -> set[str | None]:
    """The colours that the words below a node come out in, said by themselves or by what they stand in."""
    mine = node.get("fill", ink)
    words = {mine} if node.tag.endswith("text") and (node.text or "").strip() else set()
    return words.union(*(inks(child, mine) for child in node))


def test_every_trial_of_the_small_corpus_is_in_a_cell(small: Audit) -> None:
    matrix = small.summary["axes"]["pass"]["item_matrix"]
    assert matrix["items"] == ["T02", "T01"]
    cells = [list(map(int, cell.split("/"))) for row in matrix["configurations"].values() for cell in row]
    assert [sum(part) for part in zip(*cells, strict=True)] == [8, len(twenty())]
