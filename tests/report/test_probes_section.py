"""Probes in the report and in the terminal."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest

from regrade.audit import Audit, audit
from regrade.report.terminal import print_summary
from tests.conftest import BANK, TOML, twenty, write_corpus
from tests.report.corpora import page_of, rules_folder
from tests.report.pages import OURS, Page, told

PASSING = "Items that pass, of those probed; probes that pass, of those made; axis pass"
PASSED = "Passed probes gold_beside_wrong, axis pass"


@pytest.fixture(scope="module")
def page(small: Audit) -> str:
    return page_of(small)


def test_the_counts_are_those_of_the_summary(small: Audit, page: str) -> None:
    rows = {row[0]: row[1:] for row in Page(page).tables[PASSING][1:]}
    block = small.summary["axes"]["pass"]["probes"]
    assert list(rows) == list(block)
    for name, counts in block.items():
        assert rows[name] == [
            f"{len(c['passing'])} of {c['items']}; {c['passed']} of {c['probes']}" for c in counts.values()
        ]


def test_a_passed_probe_stands_with_its_reply_and_who_passes_it(page: str) -> None:
    rows = Page(page).tables[PASSED]
    assert ["T01", "framed, gold first, with calls", "ANSWER: 7.0 or 8.1", "7.0", "every one"] in rows
    assert ["T01", "bare, gold first, with calls", "7.0 or 8.1", "7.0", "last_line_fallback"] in rows
    assert "It is no measured false pass" in told(page)


def test_a_carried_grader_is_said_not_to_be_probed(carried: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    page = page_of(carried)
    assert "The frozen grader is not probed: it is carried" in told(page)
    assert "no pass without a call" in told(page)
    print_summary(carried.summary, carried.out)
    assert "Probes on pass: not probed, the frozen grader is carried" in capsys.readouterr().out


def test_the_terminal_has_a_line_for_each_grader_that_passes_any(
    small: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    print_summary(small.summary, small.out)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Probes on pass: ")]
    assert [line.split(" ")[3] for line in lines] == ["frozen", "last_line_fallback", "as"]
    assert "gold_beside_wrong on 1 of 1 item (1 of 8 probes)" in lines[0]
    assert "(2 of 8 probes)" in lines[1]


def test_hostile_prompts_are_shown_and_not_obeyed(tmp_path: Path) -> None:
    prompt = "<script>alert(7.0)</script>\x1b[2J </pre></td> 7.0"
    rule = "def extract(trial, base):\n    return text.last_number(trial.reply)\n"
    toml = TOML.replace('benchmark = "tool_loop"', 'benchmark = "made"')
    corpus = write_corpus(tmp_path / "c", twenty(), toml, [{**BANK[0], "prompt": prompt}, BANK[1]])
    text = page_of(audit(corpus, tmp_path / "out", rules=rules_folder(tmp_path / "rules", last=rule)))
    page = Page(text)
    rows = {row[1]: row[2] for row in page.tables["Passed probes question_repeated, axis pass"] if row[0] == "T01"}
    assert all("alert" in reply and "[ESC]" in reply for reply in rows.values()) and rows
    assert page.scripts == [OURS] and "\x1b" not in text and escape("<script>") in text
