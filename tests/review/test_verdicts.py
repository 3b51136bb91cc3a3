"""Verdicts and rulings in the store, and what they come to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.corpus_toml import read_corpus
from regrade.flips.labels import LABELS, review_counts, settle
from regrade.review.verdicts import read_spoken
from regrade.reviewing import review_ground
from tests.commands import run
from tests.review import samples
from tests.review.samples import SAMPLE, all_of, home, key, trials, write

pytestmark = pytest.mark.slow

NAMES = ("reviewers", "agree", "disagree", "upheld")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return samples.drawn_corpus(tmp_path_factory.mktemp("drawn") / "corpus")


@pytest.fixture
def corpus(drawn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return samples.copied(drawn, tmp_path / "corpus")


def labelled(corpus: Path, **by: dict[str, str]) -> None:
    for reviewer, said in by.items():
        run("review", "import", corpus, write(corpus, reviewer, "page", said))


def audited(corpus: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("audit", corpus, "--json").stdout)["samples"]["flips"]
    return {name: found[name] for name in NAMES}


def table(name: str) -> list[tuple[Any, ...]]:
    with duckdb.connect("reports/twenty/audit.duckdb", read_only=True) as con:
        return con.execute(f"select * from {name} order by all").fetchall()


def counted(corpus: Path) -> dict[str, int | None]:
    return {name: number for name, number in all_counted(corpus).items() if name in NAMES}


def all_counted(corpus: Path) -> dict[str, Any]:
    with review_ground(corpus, "flips") as ground:
        return review_counts(ground.store.con, ground.spec)


def refused(corpus: Path) -> str:
    """Why what was said of the sample cannot be read."""
    known = read_corpus(corpus)
    with pytest.raises(CorpusError) as raised:
        read_spoken(known, known.samples[0], key(corpus)["sample"], trials(corpus))
    return str(raised.value)


def counts(*numbers: int | None) -> dict[str, int | None]:
    return dict(zip(NAMES, numbers, strict=True))


def test_an_audit_reads_what_was_brought_home_since_the_last_one(corpus: Path) -> None:
    labelled(corpus, r1=all_of(corpus, t0="failed"))
    assert audited(corpus) == counts(1, 0, 0, 5)
    labelled(corpus, r2=all_of(corpus, t1="failed"))
    assert audited(corpus) == counts(2, 4, 2, 4)
    assert table("verdicts") == sorted(
        ("flips", trial, reviewer, "failed" if at == wrong else "passed", "")
        for at, trial in enumerate(trials(corpus))
        for reviewer, wrong in (("r1", 0), ("r2", 1))
    )
    rule(corpus, {trials(corpus)[1]: "passed"})
    assert audited(corpus) == counts(2, 4, 2, 5)
    assert table("rulings") == [("flips", trials(corpus)[1], "passed", "read again", "me")]


def rule(corpus: Path, of: dict[str, str]) -> None:
    sample = key(corpus)["sample"]
    rows = [
        {"sample": sample, "trial": t, "label": label, "reason": "read again", "by": "me"} for t, label in of.items()
    ]
    (file := corpus / "given.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    run("review", "rule", corpus, file)


def test_only_an_audit_reads_which_transcripts_speak_names(corpus: Path) -> None:
    with review_ground(corpus, "flips") as ground:
        assert ground.store.con.execute("select distinct masked from samples").fetchall() == [(None,)]
    audited(corpus)
    assert {masked for *_, masked in table("samples")} == {False}


def test_one_label_moves_each_count_by_one(corpus: Path) -> None:
    labelled(corpus, r1=all_of(corpus), r2=all_of(corpus))
    assert counted(corpus) == counts(2, 6, 0, 6)
    file = home(corpus) / "r2.jsonl"
    file.write_text(file.read_text().replace('"passed"', '"failed"', 1))
    assert counted(corpus) == counts(2, 5, 1, 5)


def test_a_trial_that_one_reviewer_has_not_labelled_is_open(corpus: Path) -> None:
    labelled(corpus, r1=all_of(corpus), r2=dict(list(all_of(corpus).items())[:4]))
    assert counted(corpus) == counts(2, 4, 0, 4)
    assert all_counted(corpus)["open"] == all_counted(corpus)["lack_labels"] == 2


def test_a_third_reviewer_who_labelled_a_part_leaves_the_rest_to_the_other_two(corpus: Path) -> None:
    labelled(corpus, r1=all_of(corpus, t0="failed"), r2=all_of(corpus))
    found = all_counted(corpus)
    assert (found["open"], found["labelled_by"]) == (1, [{"reviewers": 2, "trials": 6}])
    (home(corpus) / "r3.jsonl").write_text("".join(line(corpus, trial=t, reviewer="r3") for t in trials(corpus)[:2]))
    found = all_counted(corpus)
    assert counted(corpus) == counts(3, 5, 1, 5) and (found["open"], found["lack_labels"]) == (1, 0)
    assert found["labelled_by"] == [{"reviewers": 3, "trials": 2}, {"reviewers": 2, "trials": 4}]
    who = "3 reviewers (of the trials drawn, 2 by 3, 4 by 2) agree on 5 of 6"
    assert f"{who}; 5 of 6 drawn of 8 upheld, 1 open" in run("audit", corpus).stdout
    assert f"6 labelled; {who}." in run("review", "agreement", corpus).stdout
    assert f"; {who}; labels: 5 passed, 1 open." in run("review", "estimate", corpus).stdout


def test_one_reviewer_is_said_to_be_one(corpus: Path) -> None:
    labelled(corpus, r1=dict(list(all_of(corpus).items())[:4]))
    assert counted(corpus) == counts(1, 0, 0, 4)
    who = "1 reviewer labelled 4 of 6"
    assert f": {who}; 4 of 6 drawn of 8 upheld, 2 open" in run("audit", corpus).stdout
    assert f"; {who}; labels: 4 passed, 2 open." in run("review", "estimate", corpus).stdout


def test_what_a_sample_names_is_read_and_its_rulings_are_no_verdicts(corpus: Path) -> None:
    labelled(corpus, r1=all_of(corpus), r2=all_of(corpus, t0="failed"))
    rule(corpus, {trials(corpus)[0]: "failed"})
    for file in ("r1.jsonl", "r2.jsonl", "rulings.jsonl"):
        (home(corpus) / file).rename(corpus / file)
    assert counted(corpus) == counts(None, None, None, None)
    named = SAMPLE + 'verdicts = ["r*.jsonl"]\nrulings = "rulings.jsonl"\n'
    toml = corpus / "corpus.toml"
    toml.write_text(toml.read_text().replace(SAMPLE, named))
    assert counted(corpus) == counts(2, 5, 1, 5)


def test_verdicts_that_are_named_and_not_there_are_told(corpus: Path) -> None:
    toml = corpus / "corpus.toml"
    toml.write_text(toml.read_text().replace(SAMPLE, SAMPLE + 'verdicts = ["none/*.jsonl"]\n'))
    assert "[[sample]] flips: verdicts = 'none/*.jsonl' matches no file" in refused(corpus)


def test_rulings_may_be_named_before_the_first_is_made(corpus: Path) -> None:
    toml = corpus / "corpus.toml"
    toml.write_text(toml.read_text().replace(SAMPLE, SAMPLE + 'rulings = "said/ruled.jsonl"\n'))
    labelled(corpus, r1=all_of(corpus), r2=all_of(corpus, t0="failed"))
    rule(corpus, {trials(corpus)[0]: "failed"})
    assert (corpus / "said" / "ruled.jsonl").read_text().count("\n") == 1
    assert counted(corpus) == counts(2, 5, 1, 5)


def line(corpus: Path, **change: Any) -> str:
    whole = {"sample": key(corpus)["sample"], "trial": trials(corpus)[0], "reviewer": "r1", "label": "passed"}
    return json.dumps({**whole, **change}) + "\n"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"trial": "a/T01/1"}, "line 1: the trial 'a/T01/1' was not drawn"),
        ({"label": "pass"}, "line 1: label: unknown value 'pass'. Did you mean 'passed'?"),
        ({"label": None}, "line 1: Expected str, got null - at $.label"),
        ({"lable": "x"}, "line 1: unknown key 'lable'. Did you mean 'label'?"),
    ],
)
def test_a_stored_line_that_cannot_be_used_is_named(corpus: Path, change: dict[str, Any], told: str) -> None:
    (home(corpus) / "r1.jsonl").write_text(line(corpus, **change))
    assert told in refused(corpus)


@pytest.mark.parametrize("name", ["reason", "by"])
def test_a_stored_ruling_without_its_reason_or_who_ruled_is_none(corpus: Path, name: str) -> None:
    (home(corpus) / "r1.jsonl").write_text(line(corpus))
    ruling = {
        "sample": key(corpus)["sample"],
        "trial": trials(corpus)[0],
        "label": "failed",
        "reason": "no",
        "by": "me",
    }
    (home(corpus) / "rulings.jsonl").write_text(json.dumps({**ruling, name: " "}))
    assert f"rulings.jsonl: line 1: no {name}. A ruling says its reason and who ruled." in refused(corpus)


def test_a_reviewer_in_two_files_is_told(corpus: Path) -> None:
    for name in ("r1", "copy"):
        (home(corpus) / f"{name}.jsonl").write_text(line(corpus))
    assert f"r1 labels {trials(corpus)[0]} twice, first in" in refused(corpus)


def test_verdicts_do_not_outlive_their_draw(corpus: Path) -> None:
    """The same trials drawn with another seed are another draw: nothing that was said of one is said of the other."""
    labelled(corpus, r1=all_of(corpus), r2=all_of(corpus, t0="failed"))
    rule(corpus, {trials(corpus)[0]: "failed"})
    old = key(corpus)["sample"]
    toml = corpus / "corpus.toml"
    toml.write_text(toml.read_text().replace("seed = 1", "seed = 2"))
    done = run("audit", corpus, "--json")
    found = json.loads(done.stdout)["samples"]["flips"]
    assert {name: found[name] for name in counts(None, None, None, None)} == counts(None, None, None, None)
    files = [f"reviews/flips/{name}.jsonl" for name in ("r1", "r2", "rulings")]
    assert found["other_draws"] == [{"file": file, "sha256": old} for file in files]
    assert (found["undefined"], found["agreement"], found["estimates"]) == (
        "its verdicts are of another draw",
        None,
        None,
    )
    [warning] = [line for line in done.stderr.splitlines() if "another draw" in line]
    assert all(text in warning for text in (*files, old, found["sha256"], found["to_do"]))
    assert table("verdicts") == table("rulings") == []
    assert json.loads(Path("reports/twenty/summary.json").read_text())["samples"]["flips"] == found
    assert warning in run("audit", corpus).stderr, "again, of what is there"
    told = run("review", "estimate", corpus, code=2).stderr
    assert "Verdicts of another draw" in told and old in told and found["sha256"] in told
    toml.write_text(toml.read_text().replace("seed = 2", "seed = 1"))
    back = run("audit", corpus, "--json")
    assert "another draw" not in back.stderr
    found = json.loads(back.stdout)["samples"]["flips"]
    assert (found["other_draws"], found["agree"], found["upheld"]) == ([], 5, 5)


def test_a_file_of_another_draw_takes_nothing_from_the_others(corpus: Path) -> None:
    labelled(corpus, r1=all_of(corpus), r2=all_of(corpus, t0="failed"))
    file = home(corpus) / "r2.jsonl"
    file.write_text(file.read_text().replace(key(corpus)["sample"], "0" * 64))
    assert audited(corpus) == counts(1, 0, 0, 6)


@pytest.mark.slow
def test_where_nothing_can_be_drawn_any_more_the_verdicts_are_of_another_draw(corpus: Path) -> None:
    labelled(corpus, r1=all_of(corpus))
    toml = corpus / "corpus.toml"
    toml.write_text(toml.read_text().replace('"fail_to_pass"', '"pass_to_fail"'))
    done = run("audit", corpus, "--json")
    assert "now nothing is drawn" in done.stderr
    assert json.loads(done.stdout)["samples"]["flips"]["undefined"] == "no trial of its tier and stratum can be drawn"


def test_an_audit_stops_at_a_file_that_is_damaged(corpus: Path) -> None:
    """Even where it is of another draw: what cannot be read may have been of this one."""
    (home(corpus) / "r1.jsonl").write_text(line(corpus, sample="0" * 64) + line(corpus, label="pass"))
    assert "line 2: label: unknown value 'pass'" in run("audit", corpus, code=2).stderr
    (home(corpus) / "r1.jsonl").write_text(line(corpus) + line(corpus, sample="0" * 64))
    told = run("audit", corpus, code=2).stderr
    assert "line 2: it is of another draw than the lines above" in told
    assert not Path("reports/twenty/summary.json").exists()


names = st.sampled_from(["r1", "r2", "r3"])
said = st.dictionaries(st.sampled_from("abcd"), st.dictionaries(names, st.sampled_from(LABELS)))


@given(said, st.dictionaries(st.sampled_from("abcd"), st.sampled_from(LABELS)))
def test_the_final_label_is_the_ruling_else_the_one_of_two_or_of_all_there_are(
    verdicts: dict[str, dict[str, str]], rulings: dict[str, str]
) -> None:
    reviewers = sorted({who for by in verdicts.values() for who in by})
    for each in settle("abcd", verdicts, rulings, reviewers):
        labels = [verdicts.get(each.trial_id, {}).get(who) for who in reviewers]
        if each.trial_id in rulings:
            assert each.final == rulings[each.trial_id]
        elif len(given_ := [label for label in labels if label]) >= min(2, len(reviewers)) and len(set(given_)) == 1:
            assert each.final == given_[0]
        else:
            assert each.final is None
        assert each.disagreed == (len({label for label in labels if label}) > 1)
