"""Agreement and rulings as commands: what is told, and what a ruling may not do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from regrade.cli import main
from regrade.errors import CorpusError
from regrade.flips.labels import settle
from regrade.review.rulings import check_rulings, read_rulings
from tests.commands import run
from tests.review import samples
from tests.review.samples import all_of, home, key, trials, write


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six trials by two reviewers, who differ on the first and find the second unclear."""
    corpus = samples.drawn_corpus(tmp_path_factory.mktemp("drawn") / "corpus")
    for reviewer, first in (("r1", "failed"), ("r2", "passed")):
        said = all_of(corpus, t0=first, t1="unclear", t5="failed")
        run("review", "import", corpus, write(corpus, reviewer, "page", said, f"{reviewer} \x1b[31msays"))
    return corpus


@pytest.fixture
def corpus(labelled: Path, tmp_path: Path) -> Path:
    return samples.copied(labelled, tmp_path / "corpus")


def agreement(corpus: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("review", "agreement", corpus, "--json").stdout)
    return found


def rulings(corpus: Path) -> list[dict[str, str]]:
    path = home(corpus) / "rulings.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def given(corpus: Path, *rows: dict[str, str]) -> Path:
    whole = {"sample": key(corpus)["sample"], "trial": trials(corpus)[0], "label": "failed", "reason": "no", "by": "me"}
    (file := corpus / "given.jsonl").write_text("".join(json.dumps({**whole, **row}) + "\n" for row in rows))
    return file


def test_agreement_tells_counts_tables_coefficients_and_disagreements(corpus: Path) -> None:
    found = agreement(corpus)
    assert (found["drawn"], found["labelled"], found["compared"], found["agree"], found["disagree"]) == (6, 6, 6, 5, 1)
    assert found["pairs"][0]["table"] == [[3, 0, 0], [1, 1, 0], [0, 0, 1]]
    assert found["reviewers"][0] == {
        "reviewer": "r1", "labelled": 6, "unlabelled": 0, "labels": {"passed": 3, "failed": 2, "unclear": 1},
    }  # fmt: skip
    assert (found["final"], found["upheld"], found["ruled"]) == (
        {"passed": 3, "failed": 1, "unclear": 1, "open": 1}, 3, 0,
    )  # fmt: skip
    for name in ("raw", "alpha", "ac1"):
        assert found[name]["low"] < found[name]["value"] < found[name]["high"]
    [told] = found["disagreements"]
    assert told["trial"] == trials(corpus)[0] and told["labels"] == {"r1": "failed", "r2": "passed"}
    assert told["ruling"] is None and told["comments"]["r1"] == "r1 \x1b[31msays"


def test_agreement_in_words_names_the_counts_and_obeys_no_comment(corpus: Path) -> None:
    text = run("review", "agreement", corpus).stdout
    assert "6 of 8 trials drawn, 6 labelled; 2 reviewers agree on 5 of 6." in text
    assert "Cohen's kappa, r1 and r2" in text and "Krippendorff's alpha" in text and "Gwet's AC1" in text
    assert f"Disagreement on {trials(corpus)[0]}: r1 failed, r2 passed; open" in text
    assert "\x1b" not in text and "r1 \u241b[31msays" in text


def test_a_ruling_that_nobody_needs_any_more_is_told(corpus: Path) -> None:
    """As where somebody mends a label afterwards: it stands, and is not silent."""
    before = agreement(corpus)
    assert before["other_rulings"] == []
    ruling = {
        "sample": key(corpus)["sample"],
        "trial": trials(corpus)[2],
        "label": "failed",
        "reason": "no",
        "by": "me",
    }
    (home(corpus) / "rulings.jsonl").write_text(json.dumps(ruling))
    found = agreement(corpus)
    assert (before["upheld"], found["upheld"], found["disagreements"]) == (3, 2, before["disagreements"])
    assert [(each["trial"], each["ruling"], each["reason"]) for each in found["other_rulings"]] == [
        (trials(corpus)[2], "failed", "no")
    ]
    told = f"Ruling without a disagreement on {trials(corpus)[2]}: r1 passed, r2 passed; ruled failed: no"
    assert told in run("review", "agreement", corpus).stdout


def test_what_a_second_label_is_wanting_for_is_no_matter_of_a_ruling(corpus: Path) -> None:
    file = home(corpus) / "r2.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:4]))
    found = json.loads(run("review", "rule", corpus, given(corpus, {}), "--json").stdout)
    assert (found["waiting"], found["open"], found["lack_labels"]) == (trials(corpus)[1:2], 2, 2)
    told = answered(corpus, "skip")
    assert "1 wait for a ruling; 2 open for want of labels, not of a ruling." in told


def test_a_sample_without_a_verdict_is_told(corpus: Path) -> None:
    for file in home(corpus).glob("*.jsonl"):
        file.unlink()
    assert "nobody has labelled a trial" in run("review", "agreement", corpus, code=2).stderr
    for options in ((), ("--packet", corpus / "again")):
        told = run("review", "rule", corpus, "--by", "ann", *options, code=2).stderr
        assert "nobody has labelled a trial" in told and "review import" in told
    assert (
        "unknown sample 'flip' in corpus.toml. Did you mean 'flips'?"
        in run("review", "agreement", corpus, "--sample", "flip", code=2).stderr
    )


def test_rulings_of_a_file_settle_what_was_open(corpus: Path) -> None:
    first, second = trials(corpus)[:2]
    found = json.loads(
        run("review", "rule", corpus, given(corpus, {}, {"trial": second, "label": "passed"}), "--json").stdout
    )
    assert (found["ruled"], found["waiting"], found["agree"], found["disagree"], found["upheld"]) == (2, [], 5, 1, 4)
    assert [(r["trial"], r["label"], r["by"]) for r in rulings(corpus)] == [
        (first, "failed", "me"), (second, "passed", "me"),
    ]  # fmt: skip
    assert "ruled failed: no" in run("review", "agreement", corpus).stdout


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"reason": " "}, "line 1: no reason"),
        ({"by": ""}, "line 1: no by"),
        ({"label": "wrong"}, "line 1: label: unknown value 'wrong'"),
        ({"sample": "0" * 64}, "line 1: it is of another draw"),
        ({"trial": "a/T01/9"}, "line 1: the trial 'a/T01/9' was not drawn"),
        ({"trial": "t2"}, "label passed: there is nothing to rule on"),
        ({"labels": "x"}, "line 1: unknown key 'labels'"),
    ],
)
def test_a_ruling_that_cannot_stand_is_refused(corpus: Path, row: dict[str, str], told: str) -> None:
    if row.get("trial") == "t2":
        row = {"trial": trials(corpus)[2]}
    both = {trial: {"r1": "passed", "r2": "passed"} for trial in trials(corpus)}
    both[trials(corpus)[0]]["r1"] = "failed"
    known = {each.trial_id: each for each in settle(trials(corpus), both, {}, ["r1", "r2"])}
    with pytest.raises(CorpusError) as raised:
        check_rulings(read_rulings(given(corpus, row), corpus, None, None), key(corpus)["sample"], known)
    assert told in str(raised.value).replace(f"{trials(corpus)[2]} passed", "label passed")


def test_nothing_is_written_over(corpus: Path) -> None:
    run("review", "rule", corpus, given(corpus, {}))
    before = rulings(corpus)
    assert "was ruled failed before" in run("review", "rule", corpus, given(corpus, {"label": "passed"}), code=2).stderr
    assert (
        "ruled on twice"
        in run("review", "rule", corpus, given(corpus, *[{"trial": trials(corpus)[1]}] * 2), code=2).stderr
    )
    assert rulings(corpus) == before


@pytest.mark.parametrize("form", ["page", "csv"])
def test_disagreements_as_a_packet_again(corpus: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "again"
    found = json.loads(run("review", "rule", corpus, "--packet", out, "--by", "ann", "--json").stdout)
    assert found["waiting"] == trials(corpus)[:2]
    folder = out / "packets" / "ann"
    records = [json.loads(line) for line in (folder / "packet.jsonl").read_text().splitlines()]
    assert len(records) == 2 and {r["reviewer"] for r in records} == {"ann"}
    told = "".join(path.read_text() for path in folder.iterdir())
    assert not any(trial in told for trial in trials(corpus)) and "failed\\n" not in told and "says" not in told
    if form == "page":
        verdicts = [{"id": r["id"], "label": "failed", "comment": "invented"} for r in records]
        whole = {
            "schema": "regrade.verdicts/1",
            "sample": key(corpus)["sample"],
            "reviewer": "ann",
            "verdicts": verdicts,
        }
        (file := folder / "verdicts-ann.json").write_text(json.dumps(whole))
    else:
        lines = ["sample,reviewer,id,label,comment"]
        lines += [f"{r['sample']},ann,{r['id']},failed,invented" for r in records]
        (file := folder / "filled.csv").write_text("\n".join(lines))
    run("review", "rule", corpus, file)
    ruled = sorted((r["trial"], r["label"], r["reason"], r["by"]) for r in rulings(corpus))
    assert ruled == [(trial, "failed", "invented", "ann") for trial in trials(corpus)[:2]]


def test_a_packet_to_rule_on_and_its_key_lie_apart(corpus: Path, tmp_path: Path) -> None:
    told = run("review", "rule", corpus, "--packet", tmp_path / "again", "--by", "ann").stdout
    sealed = tmp_path / "again" / "sealed" / "key.json"
    assert f"{tmp_path}/again/packets/ann: 2 trials to rule on" in told and f"{sealed}: keep this from them" in told
    record = json.loads((tmp_path / "again/packets/ann/packet.jsonl").read_text("utf-8").splitlines()[0])
    (corpus / "mail").mkdir()
    (file := corpus / "mail" / "ann.jsonl").write_text(json.dumps({**record, "label": "failed", "comment": "no"}))
    assert "made with its packet with --key FILE" in run("review", "rule", corpus, file, code=2).stderr
    run("review", "rule", corpus, file, "--key", sealed)
    assert [ruling["by"] for ruling in rulings(corpus)] == ["ann"]


@pytest.fixture
def again(corpus: Path, tmp_path: Path) -> Path:
    """The filled verdict file of a packet made for rulings, by somebody who reviews too."""
    run("review", "rule", corpus, "--packet", tmp_path / "again", "--by", "r1")
    folder = tmp_path / "again" / "packets" / "r1"
    rows = [json.loads(line) for line in (folder / "packet.jsonl").read_text().splitlines()]
    verdicts = [{"id": row["id"], "label": "failed", "comment": "invented"} for row in rows]
    whole = {"schema": "regrade.verdicts/1", "sample": key(corpus)["sample"], "reviewer": "r1", "verdicts": verdicts}
    (file := folder / "verdicts-r1.json").write_text(json.dumps(whole))
    return file


def test_a_ruling_is_no_third_verdict_and_a_verdict_no_ruling(corpus: Path, again: Path, tmp_path: Path) -> None:
    (home(corpus) / "r1.jsonl").unlink()
    sealed = tmp_path / "again" / "sealed" / "key.json"
    for options in ([], ["--key", sealed]):
        told = run("review", "import", corpus, again, *options, code=2).stderr
        assert "rulings are no verdicts. Give it to: regrade review rule CORPUS FILE" in told
    assert not (home(corpus) / "r1.jsonl").exists()
    review = write(corpus, "r2", "page", all_of(corpus))
    for options in ([], ["--key", home(corpus) / "sealed" / "key.json"]):
        told = run("review", "rule", corpus, review, *options, code=2).stderr
        assert "verdicts are no rulings. Give it to: regrade review import CORPUS FILE" in told
    assert rulings(corpus) == []


def test_each_file_finds_the_key_of_its_own_purpose(corpus: Path, again: Path, tmp_path: Path) -> None:
    """Though both are of one draw and of one person, whichever key is met first."""
    (corpus / "reviews" / "another").mkdir()
    (tmp_path / "again" / "sealed").rename(corpus / "reviews" / "another" / "sealed")
    (home(corpus) / "r1.jsonl").unlink()
    review = write(corpus, "r1", "page", all_of(corpus, t0="failed")).rename(tmp_path / "mailed.json")
    run("review", "import", corpus, review)
    run("review", "rule", corpus, again)
    assert [(r["by"], r["trial"]) for r in rulings(corpus)] == [("r1", trial) for trial in trials(corpus)[:2]]


def answered(corpus: Path, *answers: str, code: int = 0) -> str:
    found = CliRunner().invoke(
        main, ["review", "rule", str(corpus), "--by", "ann"], input="".join(f"{answer}\n" for answer in answers)
    )
    assert found.exit_code == code, (found.stdout, found.stderr)
    return found.stdout


def test_one_by_one_in_the_terminal(corpus: Path) -> None:
    text = answered(corpus, "failed", "it made that up", "skip")
    assert "r1: failed" in text and "r2: passed" in text and "[call " in text and "\x1b" not in text
    assert "1 ruled; 1 wait for a ruling" in text
    assert [(r["trial"], r["reason"], r["by"]) for r in rulings(corpus)] == [
        (trials(corpus)[0], "it made that up", "ann")
    ]
    assert "1 ruled; none waits" in answered(corpus, "wrong", "unclear", " ", "who can tell")
    again = run("review", "rule", corpus, "--packet", corpus / "more", "--by", "ann", code=2)
    assert "no trial waits for a ruling" in again.stderr


def test_what_was_ruled_stays_when_the_terminal_goes(corpus: Path) -> None:
    answered(corpus, "failed", "it made that up", code=130)
    assert len(rulings(corpus)) == 1


def test_who_rules_must_be_said(corpus: Path, tmp_path: Path) -> None:
    for options in ((), ("--packet", tmp_path / "p")):
        assert "--by NAME" in run("review", "rule", corpus, *options, code=2).stderr
    found = run("review", "rule", corpus, "--packet", tmp_path / "p", "--by", "../r1", code=2)
    assert "'../r1' cannot name a file" in found.stderr
    file = given(corpus, {})
    assert "name one" in run("review", "rule", corpus, file, "--packet", tmp_path / "p", code=2).stderr
    assert "ruled by me, and --by says ann" in run("review", "rule", corpus, file, "--by", "ann", code=2).stderr
