"""Metrics and bands in the report and in the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit, audit
from regrade.flips.folding import unfold
from regrade.report.rates import interval_text, lead_text, rate_text
from regrade.report.terminal import print_summary
from tests.conftest import TOML, record, twenty, write_corpus
from tests.report.corpora import page_of
from tests.report.pages import Page, told

pytestmark = pytest.mark.slow

DECLARED = """
[configurations]
file = "configurations.json"
[[metric]]
name = "stale"
counts = ["STALE_DATA"]
where = {kind = "number"}
by = ["arm", "gold.answer"]
best = "lowest"
[[metric]]
name = "pass_rate"
counts = ["passed"]
best = "highest"
by = [["family", "lineage"]]
[[metric]]
name = "misspelt"
counts = ["STALE_DATUM"]
[[band]]
name = "same"
verdicts.solved = ["passed"]
[[panel]]
name = "two"
configurations = ["a", "b"]
"""
NAMES = [
    {"configuration": name, "lineage": lineage, "arm": arm}
    for name, lineage, arm in (("a", "blue", "full"), ("b", "red", "full"), ("c", "red", "bare"), ("d", "<b>", None))
]


def rated(folder: Path, records: Any = None, declared: str = DECLARED, names: Any = NAMES) -> Audit:
    (folder / "corpus").mkdir(parents=True)
    (folder / "corpus" / "configurations.json").write_text(json.dumps(names), "utf-8")
    rows = [*twenty(), record("a", "T01", 5, "read_sensor", "ANSWER: 7.0", None)] if records is None else records
    return audit(write_corpus(folder / "corpus", rows, TOML + declared), folder / "out", allow_parity_gap=True)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    return rated(tmp_path_factory.mktemp("rated"))


@pytest.fixture(scope="module")
def text(done: Audit) -> str:
    return page_of(done)


def by_name(page: Page, caption: str) -> dict[str, list[str]]:
    _, *rows = page.tables[caption]
    return {row[0]: row[1:] for row in rows}


def test_all_metrics_of_a_configuration_stand_in_one_row(done: Audit, text: str) -> None:
    tables = Page(text).tables
    [caption] = [c for c in tables if c.startswith("Metrics by configuration under frozen")]
    assert tables[caption][0] == ["Configuration", "Lineage", "Arm", "stale", "pass_rate", "misspelt"]
    # A split by arm is the order of this table, not another one.
    rows = by_name(Page(text), caption)
    assert list(rows) == ["c", "a", "b", "d", "two (pooled)"]
    assert rows["b"][:2] == ["red", "full"] and rows["d"][:2] == ["<b>", "–"]
    assert rows["b"][2].startswith("1 of 2 (50.00%) trials 9.5% to 90.5%; items undefined: there is 1 item")
    assert rows["a"][3].startswith("2 of 5 (40.00%); of all trials 2 of 6 (33.33%) trials ")
    assert rows["b"][4].startswith("0 of 5, at most 60.00% trials 0.0% to")
    assert rows["two (pooled)"][3].startswith("4 of 10 (40.00%); of all trials 4 of 11 (36.36%)")


def test_the_figures_are_those_of_the_summary(done: Audit, text: str) -> None:
    metric = unfold(done.summary["axes"]["pass"]["metrics"]["pass_rate"]["candidates"])["last_equals"]
    [caption] = [c for c in Page(text).tables if c.startswith("Metrics by configuration") and "last_equals" in c]
    rows = by_name(Page(text), caption)
    for name, found in metric["configurations"].items():
        rate = found["of_graded"]
        assert rows[name][3].startswith(f"{rate['count']} of {rate['n']} ({100 * rate['rate']:.2f}%)")
    assert metric["configurations"]["b"]["of_graded"]["count"] == 3


def test_rows_that_are_as_frozen_stand_under_the_frozen_grader_alone(done: Audit, text: str) -> None:
    summary = json.loads((done.out / "summary.json").read_text("utf-8"))
    for metric in summary["axes"]["pass"]["metrics"].values():
        for name, block in metric["candidates"].items():
            if name != "frozen" and "configurations" in block:
                block["configurations"]["b"] = {"as": "frozen"}
    summary["axes"]["pass"]["metrics"]["stale"]["ratio"] = ["some", "more"]
    changed = page_of(done, summary)
    tables, before = Page(changed).tables, Page(text).tables
    captions = [c for c in tables if c.startswith("Metrics by configuration")]
    assert ["b" in by_name(Page(changed), c) for c in captions] == [True, *[False] * (len(captions) - 1)]
    assert sum("b" in by_name(Page(text), c) for c in captions) > 1
    assert told(changed).count(" every figure is as under the frozen grader") == len(captions) - 1
    head, *rows = tables[captions[0]]
    assert head[3] == "staleno interval over trials: what is measured within one trial is not independent"
    assert not any("trials 9.5%" in row[3] for row in rows) and any("trials 9.5%" in r[3] for r in before[captions[0]])


def rate(count: float, n: float, ceiling: float | None = None, of: str = "trials") -> dict[str, Any]:
    return {"count": count, "n": n, "rate": count / n if n else None, "ceiling": ceiling, "ceiling_of": of}


def test_the_answer_has_who_leads_what_goes_to_ungraded_and_who_changes_rank(campus: Audit) -> None:
    page = (campus.out / "report.html").read_text("utf-8")
    start = page.index('<section id="answer"')
    words = told(page[start : page.index("</section>", start)])
    assert "0 fail to pass, 0 pass to fail, 26 to ungraded" in words
    frozen, new = "tavick-summit: 25 of 25 (100.00%)", "19 of 19 (100.00%); of all trials 19 of 25 (76.00%)"
    assert f"abstentionFrozen: {frozen}format_split: tavick-summit: {new}" in words
    assert "abstention_safeFrozen: nobody is comparedformat_split" in words
    assert "Ranks: format_split changes the rank of 3 of 8 configurations in all (1 up, 2 down); the first" in words


def test_a_configuration_leads_to_its_trials_where_it_has_some(campus: Audit) -> None:
    page = (campus.out / "report.html").read_text("utf-8")
    start = page.index('<section id="metrics"')
    rows = page[start : page.index("</section>", start)]
    assert '<th scope="row"><a href="#find" data-view="configuration=tavick.2Dsummit"><bdi>tavick-summit</bdi>' in rows
    assert '<th scope="row"><bdi>marrible-6</bdi></th>' in rows, "none of its grades changes"


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (rate(2, 16), "2 of 16 (12.50%)"),
        (rate(0, 16, 0.1875), "0 of 16, at most 18.75%"),
        (rate(0, 12, 0.375, "items"), "0 of 12, at most 37.50% of items have any"),
        (rate(0, 2, 1.0, "items"), "0 of 2, too few to bound the rate"),
        (rate(0, 3, 1.0, "trials"), "0 of 3, too few to bound the rate"),
        (rate(0, 0), "0 of 0, no rate"),
        (rate(1, 40_000), "1 of 40,000 (<0.01%)"),
        (rate(2, 50_000), "2 of 50,000 (<0.01%)"),
        (rate(3, 40_000), "3 of 40,000 (0.01%)"),
    ],
)
def test_a_zero_is_never_a_rate(of: dict[str, Any], words: str) -> None:
    assert rate_text(of) == words


@pytest.mark.parametrize(
    ("gaps", "words"),
    [
        ({"b": (0.32, "suggestive"), "c": (0.08, "supported")}, "a leads, c 8.00 points behind, supported"),
        ({"b": (0.32, "suggestive"), "c": (0, None)}, "a leads with 1 other level, b 32.00 points behind, suggestive"),
        ({"b": (0, None), "c": (0, None)}, "all 3 configurations are level"),
    ],
)
def test_a_lead_is_told_with_the_nearest_and_its_call(gaps: dict[str, Any], words: str) -> None:
    told = {name: {"gap": gap, "called": called} for name, (gap, called) in gaps.items()}
    assert lead_text({"leader": "a", "gaps": told}) == words


@pytest.mark.parametrize(
    ("low", "words"),
    [
        (0.0, "0.0% to 100.0%, which tells nothing"),
        (-1.0, "-100.0% to 100.0%, which tells nothing"),
        (0.2, "20.0% to 100.0%"),
    ],
)
def test_an_interval_that_leaves_nothing_out_is_said_to_tell_nothing(low: float, words: str) -> None:
    assert interval_text({"low": low, "high": 1.0, "undefined": None}) == words


def test_candidates_that_give_the_same_share_a_table(text: str) -> None:
    captions = [c for c in Page(text).tables if c.startswith("Metrics by configuration")]
    named = [name for c in captions for name in c.split(" under ")[1].split(", ")]
    assert len(captions) < len(named) == len(set(named))
    # The frozen grades alone have an ungraded trial.
    assert named[0] == "frozen" and captions[0].endswith(" under frozen")


def test_what_a_metric_means_is_said_and_what_nothing_counts_is_warned_of(text: str) -> None:
    words = told(text)
    assert "trials with STALE_DATA, on the axis pass, 1 item with gold.kind = number; the lowest leads" in words
    assert "misspelt counts STALE_DATUM, which is neither status nor code of any grade on its axis" in words
    assert "two: pooled over the lineages blue, red within the arm full" in words


def test_gaps_are_shown_with_their_call_over_both_denominators(text: str) -> None:
    tables = Page(text).tables
    captions = [c for c in tables if c.startswith("Gaps to ") and "pass_rate" in c and "frozen" in c]
    assert [c.split(" over ")[1].split(" under ")[0] for c in captions] == [
        "graded trials, arm full", "all trials, ungraded ones among them, arm full",
    ]  # fmt: skip
    assert tables[captions[0]][1][:3] == ["b", "level with the leader", "2"]
    assert tables[captions[1]][1][:3] == ["a", "6.67 points, suggestive", "2"]
    assert not any("misspelt" in caption for caption in tables if caption.startswith("Gaps"))


def test_a_split_has_one_table_with_all_metrics(text: str) -> None:
    tables = Page(text).tables
    captions = [c for c in tables if c.startswith("Metrics by ") and c.endswith(" under frozen")]
    assert [c.split(" under ")[0] for c in captions] == [
        "Metrics by configuration", "Metrics by gold.answer", "Metrics by family and lineage",
    ]  # fmt: skip
    header, *rows = tables[captions[1]]
    assert header == ["gold.answer", "Configuration", "stale", "pass_rate", "misspelt"]
    assert [row[:2] for row in rows] == [["7.0", name] for name in "abcd"]
    assert rows[1][2].startswith("1 of 2 (50.00%) trials 9.5% to 90.5%")
    # Neither is split by it, and low rates of one kind never stand alone.
    assert rows[1][3:] == ["over all: 2 of 5 (40.00%)", "over all: 0 of 5, at most 60.00%"]
    header, *rows = tables[captions[2]]
    assert header[:3] == ["family", "lineage", "Configuration"] and header[3:] == ["stale", "pass_rate", "misspelt"]
    assert [row[0] for row in rows] == ["files"] * 4 + ["units"] * 4
    assert rows[0][3].startswith("over all: ") and not rows[0][4].startswith("over all")


def test_gaps_within_what_configurations_have_stand_beside_those_of_arms(tmp_path: Path) -> None:
    names = [
        {"configuration": name, "lineage": name, "arm": "full", "quant": quant}
        for name, quant in (("a", "q4"), ("b", "q8"), ("c", "q4"), ("d", "q8"))
    ]
    page = Page(
        page_of(rated(tmp_path, declared=DECLARED.replace('["family", "lineage"]', '"arm", "quant"'), names=names))
    )
    captions = [c for c in page.tables if c.startswith("Gaps to ") and "pass_rate" in c and c.endswith("under frozen")]
    told = {c.split(" over ")[1].split(" under ")[0]: [row[0] for row in page.tables[c][1:]] for c in captions}
    over_all = "all trials, ungraded ones among them, arm full"
    assert told == {
        "graded trials, arm full": ["b", "c", "d"],
        over_all: ["a", "c", "d"],
        "graded trials, arm full, quant = q4": ["c"],
        f"{over_all}, quant = q4": ["a"],
        "graded trials, arm full, quant = q8": ["d"],
    }
    [caption] = [c for c in page.tables if c.startswith("Metrics by configuration under frozen")]
    assert [row[:4] for row in page.tables[caption]][:3] == [
        ["Configuration", "Lineage", "Arm", "quant"], ["a", "a", "full", "q4"], ["c", "c", "full", "q4"],
    ]  # fmt: skip
    assert not any(c.startswith(("Metrics by arm", "Metrics by quant")) for c in page.tables)


def test_bands_show_a_ceiling_for_a_zero(tmp_path: Path) -> None:
    rows = [
        *twenty(),
        *(record("e", item, n, tool, f"ANSWER: {answer}", True)
          for n in (0, 1)
          for item, tool, answer in (("T01", "read_sensor", "7.0"), ("T02", "list_files", "NOT_FOUND"))),
        record("f", "T01", 0, "read_sensor", "ANSWER: 7.0", True),
    ]  # fmt: skip
    page = Page(page_of(rated(tmp_path, rows)))
    [caption] = [c for c in page.tables if c.startswith("same by configuration under frozen")]
    found = by_name(page, caption)
    assert found["e"] == ["2", "2", "0 of 2, too few to bound the rate", "0", "0"]
    assert found["f"][2] == "undefined: no item has a second trial"
    assert found["a"][:3] == ["2", "3", "2 of 3 (66.67%)"]
    assert found["two (pooled)"][:3] == ["4", "6", "4 of 6 (66.67%)"]
    [moves] = [c for c in page.tables if c.startswith("Verdicts of same that moved under frozen")]
    assert ["a", "T01", "failed", "solved", "1"] in page.tables[moves]


def test_a_corpus_without_them_has_no_section(small: Audit) -> None:
    titles = {text for _, text in Page(page_of(small)).headings}
    assert not titles & {"Metrics", "Self-consistency"}


def test_the_terminal_shows_all_metrics_together(done: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(done.summary, done.out)
    out = capsys.readouterr().out
    lines = out.splitlines()
    [start] = [n for n, line in enumerate(lines) if line.startswith("Metrics under frozen")]
    assert lines[start + 1].split() == ["configuration", "stale", "pass_rate", "misspelt"]
    flat = " ".join(out.split())
    leaders = [line.split() for line in lines if line.startswith(("stale ", "pass_rate "))]
    assert ["stale", "full", "graded", "all", "2", "level", "0", "0"] in leaders
    assert ["pass_rate", "full", "all", "b", "6.67", "0", "1"] in leaders
    [start] = [n for n, line in enumerate(lines) if line.startswith("Metrics under last_equals, where that differs")]
    assert lines[start + 3].split()[:4] == ["two", "(pooled)", "0", "of"]
    assert flat.count("Verdicts that moved between repeats") == 1 and "same: frozen" in flat
    assert "Panel two: pooled over the lineages blue, red within the arm full" in flat


def test_a_panel_that_cannot_be_pooled_stops_the_audit(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="b and c are both red"):
        rated(tmp_path, declared=DECLARED.replace('["a", "b"]', '["a", "b", "c"]'))
    assert not (tmp_path / "out").exists()


def test_a_changed_metric_is_no_audit_of_before(tmp_path: Path) -> None:
    first = rated(tmp_path)
    toml = tmp_path / "corpus" / "corpus.toml"
    toml.write_text(toml.read_text("utf-8").replace("STALE_DATUM", "FABRICATION"), "utf-8")
    again = audit(tmp_path / "corpus", tmp_path / "out", allow_parity_gap=True)
    counted = [a.summary["axes"]["pass"]["metrics"]["misspelt"]["counts"] for a in (first, again)]
    assert counted == [["STALE_DATUM"], ["FABRICATION"]]
    assert not any(again.graded["pass"].values())
