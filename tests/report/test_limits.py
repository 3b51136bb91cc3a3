"""Limits: each sentence in a corpus where it holds, and not in one where it does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit, audit
from regrade.report.sections.limits import SENTENCES
from regrade.steps import freeze
from tests.conftest import TOML, draft_rules, record, write_corpus
from tests.files.inspect_logs import document, sample
from tests.report.corpora import audited, page_of, rules_folder
from tests.report.pages import told as words

WORDS = {
    "simulated": "The transcripts are simulated",
    "rejected": "records were rejected and are in no count",
    "stopped": "A fail there is not shown to be a wrong answer.",
    "unfinished": "what such a log would have held besides is in no count.",
    "correlated_configurations": "Configurations are not independent; of one lineage are",
    "unknown_lineages": "is unknown; each stands as one of its own",
    "carried": "the grader is carried, since it is not ported",
    "parity_gap": "Parity on the axis pass has a gap",
    "ungraded": "trials are ungraded and outside every pass rate",
    "no_verdict": "No one has judged a flip",
    "other_draws": "Verdicts of another draw are in no count",
    "one_stratum": "One-sided samples: ",
    "one_reviewer": "One reviewer alone labelled",
    "beyond_undefined": "Verdicts say nothing beyond this corpus where no interval can be had",
    "no_new_failure": "no pass becomes a failure",
    "no_new_pass": "no failure becomes a pass",
    "correlated_flips": "Flips of one lineage are not independent. The largest in the tier",
    "never_shown": "never shown to a model",
    "drafts": "Not locked, and free to change under the same name",
}
STRICT = """
@per_row("answer")
def check(trial, base):
    return ["never good enough"]
"""
EACH = {
    "loud": set(WORDS)
    - {
        "stopped", "unfinished", "carried", "other_draws", "one_reviewer", "beyond_undefined", "no_new_pass", "drafts",
    },
    "small": {
        "unknown_lineages", "no_verdict", "one_stratum", "no_new_failure", "never_shown",
    },
    "carried": {"carried", "unknown_lineages"},
    "judged": {
        "correlated_configurations", "no_verdict", "one_stratum", "one_reviewer", "beyond_undefined", "no_new_failure",
        "correlated_flips", "never_shown",
    },
    "simulated": {
        "simulated", "correlated_configurations", "no_verdict", "other_draws", "one_stratum", "one_reviewer",
        "beyond_undefined", "no_new_failure", "correlated_flips", "never_shown",
    },
    "strict": {
        "unknown_lineages", "carried", "no_verdict", "no_new_pass", "drafts", "never_shown",
    },
    "ended": {"stopped", "unfinished", "carried", "ungraded", "unknown_lineages"},
}  # fmt: skip
"""The sentences of each corpus: a fixture of this folder."""


def section(done: Audit, summary: dict[str, Any] | None = None) -> str:
    """The source of the section."""
    return page_of(done, summary).split('<section id="limits"')[1].split("</section>")[0]


def told(source: str) -> set[str]:
    text = words(source)
    return {kind for kind, sentence in WORDS.items() if sentence in text}


@pytest.fixture
def strict(tmp_path: Path) -> Audit:
    """A rule that only fails, in a folder without a LOCK."""
    return audited(
        tmp_path, TOML.replace('"tool_loop"', '"made"'), rules=rules_folder(tmp_path / "rules", strict=STRICT)
    )


@pytest.fixture
def ended(tmp_path: Path) -> Audit:
    """A log that was cancelled, one of its trials stopped at a limit, another at an error."""
    broke = {"error": {"message": "broke", "traceback": "", "traceback_ansi": ""}, "scores": {}}
    stopped = sample(1, value="I", limit={"type": "message", "limit": 3})
    log = json.loads(document(stopped, sample(2, **broke), sample(3, value="C")))
    (tmp_path / "log.json").write_text(json.dumps({**log, "status": "cancelled"}))
    toml = tmp_path / "corpus.toml"
    toml.write_text('[corpus]\nname = "c"\nformat = "inspect"\nfiles = ["log.json"]\n')
    return audit(tmp_path, tmp_path / "out")


def test_every_sentence_is_tested_on_both_sides() -> None:
    assert list(WORDS) == [sentence.__name__ for sentence in SENTENCES], "a sentence is added with its words here"
    assert set().union(*EACH.values()) == set(WORDS), "and with a corpus where it stands"
    assert set.intersection(*EACH.values()) == set(), "and with one where it does not"
    assert all(sentence.__doc__ for sentence in SENTENCES)


@pytest.mark.parametrize("corpus", EACH)
def test_each_sentence_stands_where_its_condition_holds_and_not_elsewhere(
    corpus: str, request: pytest.FixtureRequest
) -> None:
    done: Audit = request.getfixturevalue(corpus)
    source = section(done)
    assert told(source) == EACH[corpus]
    # Of some there is one for each axis; more would be sentences that have no words above.
    assert len(EACH[corpus]) <= source.count("<li>") <= len(EACH[corpus]) * len(done.summary["axes"])


def test_the_sentences_hold_the_figures(loud: Audit, judged: Audit, simulated: Audit) -> None:
    for done, sentences in (
        (loud, (
            "2 of 24 records were rejected",
            "of one lineage are 4 of the 5 in the tier all (80.0%, Same)",
            "gives the frozen grade on 21 of 22 trials",
            "so that 1 trial may flip before any rule acts",
            "On the axis pass 1 of 22 trials are ungraded",
        )),
        (judged, (
            "One-sided samples: flips (fail to pass), parted (fail to pass), empty (pass to fail).",
            "One reviewer alone labelled parted:",
            "flips over other items (fail to pass)",
        )),
        (simulated, ("Verdicts of another draw are in no count: parted (1 file).", "whole over other lineages")),
    ):  # fmt: skip
        text = words(section(done))
        for sentence in sentences:
            assert sentence in text


def test_where_no_lineage_is_known_none_is_shown_as_one(small: Audit, judged: Audit) -> None:
    for done, known in ((small, False), (judged, True)):
        page = words(page_of(done))
        assert ("Largest lineage among the flips" in page) is known
        assert ("None is known, so how many flips are of one is not said." in page) is not known


def test_of_candidates_that_are_not_declared_the_largest_lineage_alone_is_told(loud: Audit) -> None:
    told_ = words(section(loud)).split("The largest in the tier some: ")[1].split(".")[0].split("; ")
    assert len(told_) == 2 and told_[0].startswith("v2 ") and told_[1].startswith("of the other candidates ")


def test_verdicts_end_the_upper_bound(small: Audit) -> None:
    summary = json.loads((small.out / "summary.json").read_text("utf-8"))
    summary["samples"]["flips"].update(reviewers=2, agree=5, disagree=0, upheld=5)
    before, after = (words(section(small, known)) for known in (None, summary))
    assert "No one has judged a flip: every count of flips" in before
    assert "v2" not in after.split("No one has judged a flip of ")[1].split(": every such count")[0]


def test_the_bound_names_the_candidates_that_no_one_judged(judged: Audit) -> None:
    [sentence] = [part for part in words(section(judged)).split(". ") if part.startswith("No one has judged")]
    assert "last_line_fallback" not in sentence and "such count" in sentence


def test_drafts_are_called_so_and_locked_rules_are_not(tmp_path: Path) -> None:
    rules = draft_rules(tmp_path / "rules")
    corpus = write_corpus(tmp_path / "corpus", [record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True)], TOML)
    rows = [record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True)]
    draft = audited(tmp_path / "draft", TOML, rows, rules=rules)
    assert "drafts" in told(section(draft))
    freeze(corpus, rules)
    done = audited(tmp_path, TOML, [record("a", "T01", 0, "read_sensor", "ANSWER: 7.0", True)], rules=rules)
    assert told(section(done)) == {"unknown_lineages", "never_shown"}
    assert ", draft" not in (done.out / "report.html").read_text("utf-8")
