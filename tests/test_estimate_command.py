"""`regrade review estimate`: from verdict files in a corpus to both estimates."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from regrade.report.terminal_estimate import print_estimate
from tests.commands import run
from tests.conftest import BANK, TOML, record, write_corpus

NAMES = "abcdefgh"
SAMPLES = """
[configurations]
file = "configurations.json"
[[sample]]
name = "flips"
candidate = "last_line_fallback"
stratum = "fail_to_pass"
size = 6
seed = 1
[[sample]]
name = "whole"
candidate = "last_line_fallback"
stratum = "balanced"
size = 99
seed = 1
"""


def records(names=NAMES):
    """Of each configuration five trials: only the one that asks should fail."""
    for name in names:
        yield record(name, "T01", 0, "read_sensor", f"{name}: converted.\nANSWER: 3=7.0", False, "STALE_DATA")
        yield record(name, "T01", 1, "read_sensor", f"{name}: converted.\nANSWER: 7.02", True)
        yield record(name, "T02", 0, "list_files", f"{name}: one.\nANSWER: ASK: is it notes.txt?", False, "FABRICATION")
        yield record(name, "T02", 1, "list_files", f"{name}: none.\nNOT_FOUND", False, "FABRICATION")
        yield record(name, "T02", 2, "list_files", f"{name}: none.\nANSWER: NOT_FOUND", True)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return made(tmp_path)


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus with the verdicts of both samples."""
    folder = made(tmp_path_factory.mktemp("reviewed"))
    review(folder, "flips")
    review(folder, "whole")
    return folder


def made(folder: Path) -> Path:
    folder = write_corpus(folder / "twenty", list(records()), TOML + SAMPLES, BANK)
    # The first three share a lineage, and nothing is known of the last.
    known = [{"configuration": name, "lineage": "one" if name in "abc" else name} for name in NAMES[:-1]]
    (folder / "configurations.json").write_text(json.dumps(known))
    return folder


def review(corpus: Path, sample: str, but: dict[str, str] | None = None, reviewers: int = 2, *how: str) -> None:
    """Draw a sample and write verdicts: what each trial should be, `but` what the first reviewer sees otherwise."""
    run("sample", corpus, "--name", sample, *how)
    folder = corpus / "reviews" / sample
    key = json.loads((folder / "sealed" / "key.json").read_text())
    for number in range(1, reviewers + 1):
        rows = [
            {"sample": key["sample"], "trial": trial, "reviewer": f"r{number}", "label": label, "comment": ""}
            for trial in sorted(key["probabilities"])
            for label in [(but or {}).get(trial) if number == 1 and trial in (but or {}) else should(trial)]
        ]
        (folder / f"r{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def should(trial: str) -> str:
    return "failed" if trial.endswith("T02/0") else "passed"


def estimate(corpus: Path, sample: str, *how: str) -> dict:
    return json.loads(run("review", "estimate", corpus, "--sample", sample, "--json", *how).stdout)


def test_both_estimates_of_the_flips(reviewed):
    found = estimate(reviewed, "flips")
    assert found["schema"] == "regrade.estimate/1" and found["reviewers"] == ["r1", "r2"]
    assert (found["frame"], found["drawn"]) == (8, 6)
    assert found["labels"] == {"passed": 6, "failed": 0, "unclear": 0, "open": 0}
    flips = found["upheld"]["fail_to_pass"]
    assert (flips["upheld"], flips["share"]) == (6, 1.0)
    assert flips["in_corpus"] == {"low": 6, "high": 8, "undefined": None}
    assert 4 <= flips["beyond"]["by_lineage"]["lineages"] <= 6
    assert flips["beyond"]["by_item"]["interval"]["undefined"].startswith("there is 1 item")
    assert "fail_to_pass alone" in found["errors"]["undefined"] and found["errors"]["graders"] == {}


def test_what_the_reviewers_do_not_settle_is_open_until_it_is_ruled_on(corpus):
    run("sample", corpus, "--name", "flips")
    key = json.loads((corpus / "reviews/flips/sealed/key.json").read_text())
    trial = min(key["probabilities"])
    review(corpus, "flips", {trial: "failed"})
    flips = estimate(corpus, "flips")["upheld"]["fail_to_pass"]
    assert (flips["upheld"], flips["open"], flips["in_corpus"]["low"], flips["in_corpus"]["high"]) == (5, 1, 5, 8)
    told = run("review", "estimate", corpus, "--sample", "flips").stdout
    reason = "undefined: 1 of 6 drawn trials are not settled; have them labelled or ruled on first"
    assert told.count(reason) == 4 and flips["share"] is flips["beyond"]["by_item"]["rate"] is None
    ruling = {"sample": key["sample"], "trial": trial, "label": "failed", "reason": "it made that up", "by": "me"}
    (corpus / "reviews/flips/rulings.jsonl").write_text(json.dumps(ruling) + "\n")
    flips = estimate(corpus, "flips")["upheld"]["fail_to_pass"]
    assert (flips["upheld"], flips["open"], flips["in_corpus"]["low"], flips["in_corpus"]["high"]) == (5, 0, 5, 7)


def test_a_balanced_sample_tells_the_errors_of_every_grader(reviewed):
    found = estimate(reviewed, "whole")
    assert {move: each["frame"] for move, each in found["upheld"].items()} == {
        "fail_to_pass": 8, "both_passed": 16, "both_failed": 16,
    }  # fmt: skip
    graders = found["errors"]["graders"]
    rates = {
        name: tuple(each[kind]["rate"] for kind in ("false_penalty", "false_credit")) for name, each in graders.items()
    }
    assert rates["frozen"] == (0.5, 0.0)
    assert rates["last_line_fallback"] == (0.25, 0.0)
    # The draw is not by this one.
    assert rates["last_equals"] == (0.25, 0.0) and rates["ask_accepted"] == (0.5, 1.0)
    penalty = graders["frozen"]["false_penalty"]
    assert (penalty["count"], penalty["n"]) == (16, 32)
    assert penalty["in_corpus"] == {"low": 0.5, "high": 0.5, "undefined": None}
    assert penalty["beyond"]["by_lineage"]["lineages"] == 6
    assert graders["frozen"]["corrected"]["undefined"].startswith("the assumption cannot be checked: 0 of 6 lineages")


def test_one_label_moves_a_rate_by_one_trial(corpus):
    review(corpus, "whole", {"a/T01/1": "failed"}, reviewers=1)
    frozen = estimate(corpus, "whole")["errors"]["graders"]["frozen"]
    assert (frozen["false_penalty"]["count"], frozen["false_penalty"]["n"]) == (16, 31)
    assert (frozen["false_credit"]["count"], frozen["false_credit"]["n"]) == (1, 9)


def test_pass_rates_are_corrected_where_two_lineages_can_be_compared(tmp_path):
    # In no frame, and in no pass rate.
    gap, ungraded = "--allow-parity-gap", record("a", "T01", 2, "read_sensor", "a: converted.\nANSWER: 7.0", None)
    folder = write_corpus(tmp_path / "two", [*records("abcdefghij"), ungraded], TOML + SAMPLES, BANK)
    known = [{"configuration": name, "lineage": "one" if name in "abcde" else "two"} for name in "abcdefghij"]
    (folder / "configurations.json").write_text(json.dumps(known))
    review(folder, "whole", None, 2, gap)
    found = estimate(folder, "whole", gap)["errors"]["graders"]["last_line_fallback"]["corrected"]
    assert (found["undefined"], found["check"]["checked"]) == (None, ["one", "two"])
    assert list(found["configurations"]) == list("abcdefghij")
    # It passes three of five graded ones, and fails one of the four that should pass: 0.6 / (1 - 1/4).
    a = found["configurations"]["a"]
    assert (a["passed"], a["n"], a["rate"], a["corrected"]) == (3, 5, 0.6, 0.8)
    told = run("review", "estimate", folder, "--sample", "whole", gap).stdout
    assert "Pass rates under last_line_fallback, corrected" in told and "3 of 5" in told and "Assumed: " in told
    assert "Pass rates under frozen, corrected" in told and "Pass rates under last_equals" not in told


def test_what_a_person_reads(reviewed):
    told = run("review", "estimate", reviewed, "--sample", "flips").stdout
    assert "fail_to_pass: 6 of 6 drawn upheld." in told
    assert "In this corpus: between 6 and 8 of the 8 are upheld" in told
    assert re.search(r"Beyond it, by lineage: 100\.0% \([456] of 6 lineages of the frame\), ", told)
    assert "Error rates of the graders: undefined, the sample is of fail_to_pass alone" in told
    told = run("review", "estimate", reviewed, "--sample", "whole").stdout
    assert "16 of 32" in told and "Corrected pass rates under frozen, ask_accepted, " in told
    assert "The lineage of 1 of 8 configurations is not known: " in told
    told_of_all = run("review", "agreement", reviewed, "--sample", "whole").stdout
    assert "undefined: every trial of the frame was compared" in told_of_all and "intervals are over" not in told_of_all
    assert "intervals are over" in run("review", "agreement", reviewed, "--sample", "flips").stdout
    assert "none, all are known" in told and not re.search(r"(?<! to) 0\.0%(?! to)", told)


def test_where_no_lineage_is_known_there_is_none_to_count(tmp_path):
    samples = SAMPLES.replace('[configurations]\nfile = "configurations.json"\n', "")
    folder = write_corpus(tmp_path / "none", list(records()), TOML + samples, BANK)
    review(folder, "flips")
    found = estimate(folder, "flips")["upheld"]["fail_to_pass"]["beyond"]["by_lineage"]
    assert (found["rate"], found["unknown"], found["configurations"]) == (None, 6, 6)
    told = run("review", "estimate", folder, "--sample", "flips").stdout
    assert "Beyond it, by lineage: undefined (6 of 8 lineages of the frame), undefined: the lineage of 6 of 6" in told


def test_one_lineage_and_one_item_are_one(reviewed, capsys):
    found = estimate(reviewed, "flips")
    beyond = found["upheld"]["fail_to_pass"]["beyond"]
    beyond["by_lineage"]["lineages"] = beyond["by_lineage"]["frame"] = beyond["by_item"]["items"] = 1
    print_estimate(found)
    told = capsys.readouterr().out
    assert "(1 of 1 lineage of the frame)" in told and "(1 item)" in told


def test_without_verdicts_there_is_nothing_to_estimate(corpus):
    told = run("review", "estimate", corpus, "--sample", "flips", code=2).stderr
    assert "nobody has labelled a trial" in told and "regrade review import" in told
