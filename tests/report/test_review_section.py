"""The review section: every sentence where it holds and not elsewhere, every figure that of the summary."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit, audit
from regrade.report.shown import anchor
from tests.report.corpora import page_of
from tests.report.judged import drawn
from tests.report.pages import OURS, Page, told

pytestmark = pytest.mark.slow


def parts(done: Audit) -> dict[str, str]:
    """The section's source, by sample."""
    text = page_of(done).split('<section id="review"')[1].split("</section>")[0]
    found = re.split(r'<h3 id="s-[^"]*"><bdi>([^<]*)</bdi></h3>', text)
    return dict(zip(found[1::2], found[2::2], strict=True))


SENTENCES = {
    "simulated": "SIMULATED The corpus is simulated.",
    "another draw": "Verdicts of another draw are not counted.",
    "by": "Stratified by reasoning, allocation equal",
    "asked": "Question Is it so?",
    "empty": "Sample hash none: nothing is drawn",
    "none masked": "no drawn trial speaks of a model or vendor by a known name",
    "masked": "of the drawn trials the text speaks of a model or vendor by name",
    "undefined": "Agreement and estimates: undefined, ",
    "partial": "Partial: r1 has not labelled 1.",
    "one": "1 reviewer labelled ",
    "two": "2 reviewers agree on ",
    "not settled": "undefined: 1 of 4 drawn trials are not settled",
    "no others": "undefined: every trial of the frame was compared, and there are no others",
    "others": "The intervals are over other trials drawn in the same way",
    "zero": "none, all are known",
    "no pair": "Raw agreement undefined undefined: no trial has labels of two reviewers",
    "settled": "No two labels of a trial differ, and nothing was ruled on.",
    "ruled": "; 1 by ruling.",
    "whole": "are upheld: all were drawn and settled.",
    "exact": "exact, by the hypergeometric distribution",
    "not exact": "by Chernoff's bound under the worst split",
    "open": "an open trial may be either",
    "few lineages": "undefined: there are 2 lineages, and the spread between lineages takes 5",
    "rough": "Rough: 6 lineages, fewer than 20.",
    "one stratum": "False penalties, false credits and corrected pass rates: undefined, the sample is of",
    "not checked": "not shown, the assumption cannot be checked",
    "corrected": "Assumed: The grader errs alike on every configuration",
}


def test_each_sentence_stands_where_it_holds_and_not_elsewhere(judged: Audit, simulated: Audit) -> None:
    found = {}
    for name, done in (("judged", judged), ("simulated", simulated)):
        for sample, text in parts(done).items():
            words = told(text.replace("</dt>", " ").replace("</td>", " ").replace("</th>", " "))
            found[name, sample] = {kind for kind, sentence in SENTENCES.items() if sentence in words}
    assert found == {
        ("judged", "flips"): {"none masked", "two", "others", "ruled", "exact", "one stratum"},
        ("judged", "whole"): {"masked", "two", "no others", "zero", "settled", "whole", "rough", "not checked"},
        ("judged", "parted"): {
            "by", "asked", "none masked", "partial", "one", "others", "no pair", "settled", "not exact", "open",
            "not settled", "one stratum",
        },
        ("judged", "empty"): {"empty", "undefined"},
        ("simulated", "flips"): {"simulated", "none masked", "undefined"},
        ("simulated", "whole"): {
            "simulated", "masked", "one", "others", "no pair", "zero", "settled", "whole", "few lineages", "corrected",
        },
        ("simulated", "parted"): {"simulated", "another draw", "by", "asked", "none masked", "undefined"},
        ("simulated", "empty"): {"simulated", "empty", "undefined"},
    }  # fmt: skip
    assert set(SENTENCES) == set().union(*found.values())


def one(cell: str) -> float | None:
    """The number that a cell begins with, a percentage as a rate; None where it is undefined."""
    if cell == "undefined":
        return None
    if cell.startswith(("at most ", "none")):
        return 0.0
    [number, percent] = re.match(r"(-?[\d,.]+)(%?)", cell).groups()  # type: ignore[union-attr]
    return float(number.replace(",", "")) / (100 if percent else 1)


def rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 3)


def bounds(cell: str) -> list[float | None] | str:
    return cell if cell.startswith("undefined") else [one(part) for part in cell.split(" to ")]


def near(interval: Mapping[str, Any], digits: int) -> Any:
    """Bounds as the page rounds them, or why there are none."""
    reason = interval["undefined"]
    return f"undefined: {reason}" if reason else pytest.approx([interval["low"], interval["high"]], abs=10**-digits)


@pytest.mark.parametrize("name", ["judged", "simulated"])
def test_the_figures_are_those_of_the_summary(name: str, request: pytest.FixtureRequest) -> None:
    done: Audit = request.getfixturevalue(name)
    tables = Page(page_of(done)).tables
    for sample, known in done.summary["samples"].items():
        assert known["drawn"] == len(drawn(done, sample)) == sum(each["drawn"] for each in known["strata"])
        assert known["frame"] == sum(each["frame"] for each in known["strata"])
        if known["undefined"]:
            assert known["agreement"] is known["estimates"] is None and f"Agreement, {sample}" not in tables
            continue
        found, estimates = known["agreement"], known["estimates"]
        assert tables[f"Labels of each reviewer, {sample}"][1:] == [
            [who["reviewer"], *map(str, (who["labelled"], who["unlabelled"], *who["labels"].values()))]
            for who in found["reviewers"]
        ]
        assert {key: found[key] for key in ("agree", "disagree", "upheld")} == {
            key: known[key] for key in ("agree", "disagree", "upheld")
        }
        for pair in found["pairs"]:
            shown = tables[f"Trials by the labels of {' and '.join(pair['reviewers'])}, {sample}"]
            assert [list(map(int, row[1:])) for row in shown[1:]] == pair["table"]
        measures = [found["raw"], *(pair["kappa"] for pair in found["pairs"]), found["alpha"], found["ac1"]]
        for row, each in zip(tables[f"Agreement, {sample}"][1:], measures, strict=True):
            assert one(row[1]) == rounded(each["value"]) and bounds(row[2]) == near(each, 3)
        rows = tables[f"Upheld beyond this corpus, {sample}"][1:]
        by = [each["beyond"][key] for each in estimates["upheld"].values() for key in ("by_lineage", "by_item")]
        for row, each in zip(rows, by, strict=True):
            assert (one(row[2]), one(row[3])) == (each.get("lineages", each.get("items")), rounded(each["rate"]))
            assert bounds(row[4].split(" Rough")[0]) == near(each["interval"], 3)
        rows = tables.get(f"False penalties and false credits, {sample}", [[]])[1:]
        kinds = [each[k] for each in estimates["errors"]["graders"].values() for k in ("false_penalty", "false_credit")]
        for row, each in zip(rows, kinds, strict=True):
            assert list(map(int, row[2:6])) == [each["count"], each["n"], each["open"], each["unclear"]]
            assert one(row[6]) == rounded(each["rate"]) and bounds(row[7]) == near(each["in_corpus"], 3)
            by_lineage = each["beyond"]["by_lineage"]
            assert row[8] == f"{by_lineage['lineages']} of {by_lineage['frame']} lineages of the frame"
            assert one(row[9]) == rounded(by_lineage["rate"])
            assert bounds(row[10].split(" Rough")[0]) == near(each["beyond"]["by_lineage"]["interval"], 3)
        for grader, each in estimates["errors"]["graders"].items():
            rows = tables.get(f"Pass rates corrected under {grader}, {sample}", [[]])[1:]
            for row, (configuration, rate) in zip(rows, each["corrected"]["configurations"].items(), strict=True):
                assert row[0] == configuration and list(map(int, row[1:3])) == [rate["passed"], rate["n"]]
                assert one(row[4]) == rounded(rate["corrected"]) and bounds(row[5]) == near(rate["interval"], 3)


def test_the_interval_in_this_corpus_is_told_with_its_frame(judged: Audit) -> None:
    flips = judged.summary["samples"]["flips"]["estimates"]["upheld"]["fail_to_pass"]
    low, high = flips["in_corpus"]["low"], flips["in_corpus"]["high"]
    told_ = told(parts(judged)["flips"])
    assert f"fail to pass: 5 of 6 drawn upheld. Between {low} and {high} of the 8 are upheld (95%, exact" in told_


def test_a_disagreement_stands_with_its_ruling_and_leads_to_its_trial(judged: Audit) -> None:
    page = Page(page_of(judged))
    trial = drawn(judged, "flips")[0]
    [row] = page.tables["Disagreements and rulings, flips"][1:]
    assert row[:2] == [trial, "passed"] and row[3] == "failed" and row[5] == "ann"
    assert row[2].startswith("r1: passed") and "r2: failed" in row[2] and "made up <script>" in row[4]
    assert page.targets[trial] == f"#{anchor('t', trial)}" and anchor("t", trial) in page.ids
    assert page.scripts == [OURS] and "\x1b" not in page_of(judged)


def test_the_store_alone_gives_the_page_of_the_audit(judged: Audit, simulated: Audit) -> None:
    for done in (judged, simulated):
        assert page_of(done) == (done.out / "report.html").read_text("utf-8")


def test_a_count_is_an_upper_bound_again_where_verdicts_are_of_another_draw(judged: Audit, simulated: Audit) -> None:
    moved = simulated.summary["samples"]["parted"]
    text = parts(simulated)["parted"]
    assert "0" * 64 in text and moved["sha256"] in text and "reviews/parted/r1.jsonl" in text
    assert moved["reviewers"] is None and moved["to_do"] in told(text)
    assert judged.summary["samples"]["parted"]["reviewers"] == 1


def test_one_verdict_moves_the_figures_by_one(judged: Audit, tmp_path: Path) -> None:
    shutil.copytree(judged.out.parent / "corpus", tmp_path / "corpus")
    file = tmp_path / "corpus" / "reviews" / "flips" / "r2.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([lines[0], lines[1].replace('"passed"', '"failed"'), *lines[2:]]))
    done = audit(tmp_path / "corpus", tmp_path / "out")
    before, after = (each.summary["samples"]["flips"] for each in (judged, done))
    assert [after[key] - before[key] for key in ("agree", "disagree", "upheld")] == [-1, 1, -1]
    assert "fail to pass: 4 of 6 drawn upheld, 1 open." in told(parts(done)["flips"])
    tables = Page(page_of(done)).tables
    assert tables["Labels of each reviewer, flips"][2] == ["r2", "6", "0", "4", "2", "0"]
    assert tables["Trials by the labels of r1 and r2, flips"][1] == ["passed", "4", "2", "0"]
    assert len(tables["Disagreements and rulings, flips"]) == 3
    assert {**after, **dict.fromkeys(("agreement", "estimates", "agree", "disagree", "upheld", "open"))} == {
        **before, **dict.fromkeys(("agreement", "estimates", "agree", "disagree", "upheld", "open")),
    }  # fmt: skip


def test_the_answer_parts_what_was_upheld_from_the_decision_on_a_rejected_rule(judged: Audit) -> None:
    answer = told(page_of(judged).split('<section id="answer"')[1].split("</section>")[0])
    [line] = [part for part in answer.split("Under ") if part.startswith("last_line_fallback")]
    assert " upheld 5. That speaks of these trials; to reject last_line_fallback_v1 is a decision on the rule." in line
    assert answer.count("is a decision on the rule") == line.count("is a decision on the rule") > 0
