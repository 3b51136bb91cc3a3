from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from regrade.audit import Audit
from regrade.steps import freeze
from tests.conftest import TOML, draft_rules, record, write_corpus
from tests.report.corpora import audited, page_of, rules_folder

ROOT = Path(__file__).resolve().parents[2]

SENTENCES = {
    "simulated": "The transcripts are simulated",
    "rejected": "records were rejected and are in no count",
    "correlated configurations": "Configurations are not independent; of one lineage are",
    "unknown lineage": "is unknown; each stands as one of its own",
    "carried": "On the axis pass the grader is carried",
    "gap": "Parity on the axis pass has a gap",
    "ungraded": "trials are ungraded and outside every pass rate",
    "unjudged": "every count of flips is an upper bound",
    "forgiving": "no pass becomes a failure",
    "strict": "no failure becomes a pass",
    "correlated flips": "Flips of one lineage are not independent. The largest in the tier some:",
    "never shown": "never shown to a model",
    "draft": "Not locked, and free to change under the same name",
}


def told(done: Audit, summary: dict[str, Any] | None = None) -> set[str]:
    text = " ".join(page_of(done, summary).split())
    return {kind for kind, sentence in SENTENCES.items() if sentence in text}


def test_each_sentence_stands_where_its_condition_holds(loud: Audit) -> None:
    assert told(loud) == set(SENTENCES) - {"carried", "strict", "draft"}


def test_the_sentences_hold_the_figures(loud: Audit) -> None:
    text = " ".join(page_of(loud).split())
    for sentence in (
        "2 of 24 records were rejected",
        "of one lineage are 4 of the 5 in the tier all (80.0%, Same)",
        "gives the frozen grade on 21 of 22 trials",
        "On the axis pass 1 of 22 trials are ungraded",
    ):
        assert sentence in text


def test_each_sentence_is_absent_where_it_does_not_hold(small: Audit) -> None:
    assert told(small) == {"unknown lineage", "unjudged", "forgiving", "correlated flips", "never shown"}


def test_without_rules_there_is_only_the_carried_grader_to_warn_of(carried: Audit) -> None:
    assert told(carried) == {"carried", "unknown lineage"}


def test_a_rule_that_only_fails_is_one_sided_the_other_way(tmp_path: Path) -> None:
    body = """
@per_row("answer")
def check(trial, base):
    return ["never good enough"]
"""
    rules = rules_folder(tmp_path / "rules", strict=body)
    done = audited(tmp_path, TOML.replace('"tool_loop"', '"made"'), rules=rules)
    found = told(done)
    assert "strict" in found and "forgiving" not in found


def test_verdicts_end_the_upper_bound(small: Audit) -> None:
    summary = json.loads((small.out / "summary.json").read_text("utf-8"))
    summary["samples"]["flips"].update(reviewers=2, agree=5, disagree=0, upheld=5)
    assert "unjudged" not in told(small, summary)


def test_drafts_are_called_so_and_locked_rules_are_not(tmp_path: Path) -> None:
    rules = draft_rules(tmp_path / "rules")
    corpus = write_corpus(tmp_path / "corpus", [record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True)], TOML)
    rows = [record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True)]
    draft = audited(tmp_path / "draft", TOML, rows, rules=rules)
    assert "draft" in told(draft)
    freeze(corpus, rules)
    done = audited(tmp_path, TOML, [record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True)], rules=rules)
    assert told(done) == {"unknown lineage", "never shown"}
    assert ", draft" not in (done.out / "report.html").read_text("utf-8")
