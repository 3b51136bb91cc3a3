"""Where trials go, which rules that takes, at which limit, and what it says of others: as the page shows it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit
from regrade.flips.tiers import PassCount, reaching
from regrade.report.charts import Chart, Drawing
from regrade.report.sections import tiers as tiers_section
from regrade.report.sections import transitions as transitions_section
from regrade.report.shown import anchor
from tests.conftest import TOML, record, twenty
from tests.report.corpora import TIERS, audited, page_of
from tests.report.pages import Page, told

BOUND = " (upper bound)"


@pytest.fixture(scope="module")
def page(small: Audit) -> Page:
    return Page((small.out / "report.html").read_text("utf-8"))


def block(done: Audit) -> dict[str, Any]:
    found: dict[str, Any] = done.summary["axes"]["pass"]
    return found


def test_a_matrix_has_each_transition_once_and_its_sums(small: Audit, page: Page) -> None:
    table = page.tables[f"Grades that changed under v2, axis pass, tier some{BOUND}"]
    assert table == [
        ["Frozen grade", "passed", "failed FORMAT", "Moved", "of all"],
        ["failed FABRICATION", "4", "4", "8", "8"],
        ["failed STALE_DATA", "4", "\u2013", "4", "4"],
        ["all moved", "8", "4", "12", "20"],
    ]
    for name, candidate in block(small)["candidates"].items():
        assert anchor("m", "pass", name) in page.ids
        for tier, counts in candidate["tiers"].items():
            rows = page.tables.get(f"Grades that changed under {name}, axis pass, tier {tier}{BOUND}")
            moved = sum(each["trials"] for each in counts["transitions"])
            assert counts["unmoved"] == counts["trials"] - moved
            assert (rows is None) == (moved == 0)
            assert rows is None or int(rows[-1][-2]) == moved


def test_a_matrix_too_large_to_be_read_is_cut_and_still_adds_up(small: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transitions_section, "ROWS", 1)
    monkeypatch.setattr(transitions_section, "COLUMNS", 1)
    monkeypatch.setattr(transitions_section, "BANDS", 2)
    text = page_of(small)
    table = Page(text).tables[f"Grades that changed under v2, axis pass, tier some{BOUND}"]
    assert table == [
        ["Frozen grade", "passed", "others", "Moved", "of all"],
        ["failed FABRICATION", "4", "4", "8", "8"],
        ["others", "4", "\u2013", "4", "\u2013"],
        ["all moved", "8", "4", "12", "20"],
    ]
    assert "of 3 bands the 2 widest are drawn" in text


def test_the_flow_has_what_moved_and_says_what_did_not(small: Audit, page: Page) -> None:
    title = (
        "v2 moves 8 trials from fail to pass, 0 trials from pass to fail (upper bound), and recodes 4;"
        " 8 of 20 trials in the tier some do not move and are not drawn"
    )
    assert sorted(page.tables[title][1:]) == [
        ["failed FABRICATION", "failed FORMAT", "4", "recoded"],
        ["failed FABRICATION", "passed", "4", "fail to pass"],
        ["failed STALE_DATA", "passed", "4", "fail to pass"],
    ]
    assert not any("last_equals moves" in caption for caption in page.tables), "declared candidates have a picture"


def test_needs_are_those_of_the_summary(small: Audit, page: Page) -> None:
    rows = page.tables[f"Smallest sets of rules that the moves of v2 need, axis pass, tier some{BOUND}"][1:]
    assert [(row[0], row[1], row[3]) for row in rows] == [
        ("last_equals_v1", "4 (1/4/4/4)", "0"),
        ("ask_accepted_v1", "4 (1/4/4/4)", "0"),
        ("format_code_v1", "0", "4"),
    ]
    assert not any("moves of last_equals need" in caption for caption in page.tables), "one rule needs no telling"
    text = told(page_of(small))
    assert "No move needs two rules: each rests on one alone." in text
    summary = json.loads((small.out / "summary.json").read_text("utf-8"))
    needs = summary["axes"]["pass"]["candidates"]["v2"]["tiers"]["all"]["needs"]
    needs[0]["rules"] = ["last_equals_v1", "ask_accepted_v1"]
    both = "Rules that must act together, over all configurations: last_equals_v1, ask_accepted_v1 (4 trials from fail"
    words = told(page_of(small, summary))
    assert both in words and "; none of them in some)" in words


def test_shares_beyond_the_corpus_stand_with_what_they_are_of_or_why_there_are_none(page: Page) -> None:
    up, down = page.tables[
        f"Shares that flip, with 95% intervals beyond this corpus, axis pass, tier some{BOUND}"
    ][1:]  # fmt: skip
    assert up[:3] == ["v2", "failed to passed", "66.7% 8 of 12 failed (2/4/4/4)"]
    assert up[3] == "undefined: there are 2 items, and the spread between items takes 5 2 items"
    assert up[4] == "undefined: there are 4 lineages, and the spread between lineages takes 5 4 lineages"
    assert down[2] == "0.0% 0 of 8 passed"


def test_an_unknown_lineage_is_said_to_be_taken_as_one_of_its_own(small: Audit, loud: Audit) -> None:
    assert "The lineage of 4 configurations is not known" in page_of(small)
    # One of its configurations is in no file; all that are have a lineage.
    assert "The lineage of 1 configuration is not known" in page_of(loud)


MORE = [record("e", "T01", n, "read_sensor", "ANSWER: 7.0", True) for n in range(3)]


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Four configurations pass two of five and under v2 four of five, a fifth three of three; the tier is half."""
    toml = TOML + TIERS.replace("min_pass_rate = 0.3\ncutoffs = [0.5]", "min_pass_rate = 0.5\nmin_trials = 2")
    return audited(tmp_path_factory.mktemp("halves"), toml, [*twenty(), *MORE])


def test_who_would_change_tier_is_listed_with_both_rates(halves: Audit) -> None:
    text = page_of(halves)
    table = Page(text).tables[f"Configurations that would change tier under v2{BOUND}"]
    assert table[1:] == [[name, "40.0% of 5", "80.0% of 5", "none", "some"] for name in "abcd"]
    assert "v2 4 up, 0 down" in told(text) and "format_code nobody" in told(text)


def test_the_curve_has_a_row_for_each_limit(halves: Audit) -> None:
    page = Page(page_of(halves))
    title = "v2 flips 0 of 0 failed trials to pass (\u2013) and 0 of 3 passed to fail (0.0%) at the limit of some"
    head, *rows = page.tables[title + BOUND]
    assert head == [
        "Limit, up to", "Configurations", "Failed", "Passed", "v2: fail to pass", "v2: pass to fail"
    ]  # fmt: skip
    assert rows == [["0.4", "5", "12", "11", "8", "0"], ["1.0", "1", "0", "3", "0", "0"]]
    assert block(halves)["curve"]["some"] == {
        "min_trials": 2,
        "rows": [
            {"min_pass_rate": 0.4, "configurations": 5, "failed": 12, "passed": 11,
             "flips": {"v2": {"fail_to_pass": 8, "pass_to_fail": 0}}},
            {"min_pass_rate": 1.0, "configurations": 1, "failed": 0, "passed": 3,
             "flips": {"v2": {"fail_to_pass": 0, "pass_to_fail": 0}}},
        ],
    }  # fmt: skip


def test_a_limit_of_the_curve_is_one_that_its_configurations_reach(tmp_path: Path) -> None:
    thirds = [
        record("f", "T01", n, "read_sensor", f"ANSWER: {said}", said == "7.0", None if said == "7.0" else "STALE_DATA")
        for n, said in enumerate(("7.0", "7.0", "9.0"))
    ]
    done = audited(tmp_path, records=[*MORE, *thirds])
    [rows] = [rows[1:] for rows in Page(page_of(done)).tables.values() if rows[0][0] == "Limit, up to"]
    assert [row[1] for row in rows] == ["2", "1"]
    counts = {"e": PassCount(3, 0), "f": PassCount(2, 1)}
    assert [len(reaching(counts, float(row[0]), 1)) for row in rows] == [2, 1], "0.6667 would be over two thirds"
    assert [float(row[0]) for row in rows] == [row["min_pass_rate"] for row in block(done)["curve"]["all"]["rows"]]


def test_lines_of_a_curve_that_lie_on_one_another_are_named(tmp_path: Path) -> None:
    two = '[[candidate]]\nname = "{}"\nrules = ["{}"]\n'
    toml = TOML + TIERS + two.format("one", "last_equals_v1") + two.format("other", "ask_accepted_v1")
    text = told(page_of(audited(tmp_path, toml, [*twenty(), *MORE])))
    assert "; from fail to pass the lines of one and other lie on one another" in text
    assert "; from pass to fail the lines of v2 and one and other lie on one another" in text


def test_a_long_curve_is_thinned_evenly_and_keeps_its_ends_and_declared_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"min_pass_rate": n / 100} for n in range(100)]
    monkeypatch.setattr(tiers_section, "LIMITS", 10)
    kept = tiers_section._thin(rows, [rows[33]])
    assert len(kept) <= 10 and kept[0] == rows[0] and kept[-1] == rows[-1] and rows[33] in kept
    assert kept == sorted(kept, key=lambda row: row["min_pass_rate"])


@pytest.mark.slow
def test_the_pictures_hold_their_numbers_and_stay_small(tool_loop: Audit, drawn: None) -> None:
    axis = block(tool_loop)
    rows = [
        (each["from"][1] or "passed", each["to"][1] or "passed", each["trials"], "recoded")
        for each in axis["candidates"]["v2"]["tiers"]["usable"]["transitions"]
    ]
    columns = ("from", "to", "trials", "way")
    flow = Chart("flow", "f", "t", "t", columns, rows, columns, {"left": "Frozen", "right": "Under v2"})
    curve = Chart(
        "curve", "c", "t", "t", ("limit", "configurations", "failed", "passed", "up_0", "down_0"),
        [
            (r["min_pass_rate"], r["configurations"], r["failed"], r["passed"], *r["flips"]["v2"].values())
            for r in axis["curve"]["all"]["rows"]
        ],
        ("",) * 6, {"candidates": ["v2"], "tiers": ["usable", "strong"], "limits": [0.3, 0.9]},
    )  # fmt: skip
    with Drawing() as drawing:
        pictures = [str(chart.svg) for chart in drawing.draw([flow, curve])()]
    words = [{text for text in ET.fromstring(svg).itertext() if text.strip()} for svg in pictures]
    assert {"Frozen", "Under v2", "FABRICATION: 299", "FORMAT: 976", "UNVERIFIED: 1"} <= words[0]
    assert {"v2", "usable", "strong", "Fail to pass, of failed", "Pass to fail, of passed"} <= words[1]
    assert all(len(svg) < 25_000 for svg in pictures)


def test_the_finding_of_the_flips_names_its_directions_and_its_bound(small: Audit, halves: Audit) -> None:
    flips = "No candidate flips more trials between fail and pass than v2: 8 from fail to pass and 0 from pass to fail"
    of = "12 failed and 8 passed trials in the tier some"
    assert f"{flips} (upper bound), of {of}" in Page(page_of(small)).tables
    none = "No candidate flips a trial from fail to pass or from pass to fail, of"
    assert f"{none} 0 failed and 3 passed trials in the tier some" in Page(page_of(halves)).tables


def test_without_flips_nothing_is_drawn_and_nothing_changes_tier(tmp_path: Path) -> None:
    passes = [record(name, "T01", 0, "read_sensor", "ANSWER: 7.0", True) for name in "ab"]
    page = Page(page_of(audited(tmp_path, records=passes)))
    assert not any(caption.startswith(("Configurations that would", "Grades that")) for caption in page.tables)
    share = page.tables[f"Shares that flip, with 95% intervals beyond this corpus, axis pass, tier some{BOUND}"][1]
    assert share[2:4] == ["\u2013 0 of 0 failed", "undefined: there is no failed trial 0 items"]
