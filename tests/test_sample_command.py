"""`regrade sample`, and the samples that an audit draws."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from regrade.audit import audit
from tests.commands import run
from tests.conftest import TOML, twenty, write_corpus
from tests.report.corpora import TIERS

pytestmark = pytest.mark.slow

FORMS = {
    "packet.jsonl",
    "packet.csv",
    "label_studio_tasks.json",
    "label_studio_config.xml",
    "review.html",
    "key.sha256",
}
DRAW = ("--candidate", "last_equals", "--stratum", "balanced", "--size", 9, "--seed", 3)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", twenty(), TOML + TIERS)


def tree(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_declared_sample_is_drawn_by_its_name_beside_its_corpus(corpus: Path) -> None:
    told = run("sample", corpus, "--name", "flips").stdout
    out = corpus / "reviews" / "flips"
    files = tree(out)
    assert files.keys() == {"sealed/key.json", *(f"packets/{r}/{form}" for r in ("r1", "r2") for form in FORMS)}
    assert "5 of 8 trials drawn under v2 on pass, tier all, seed 1234567" in told
    key = json.loads(files["sealed/key.json"])
    sha256 = hashlib.sha256(files["sealed/key.json"]).hexdigest()
    assert files["packets/r1/key.sha256"].decode() == f"{sha256}\n"
    assert sha256.encode() in files["packets/r1/review.html"] and sha256 in told
    assert key["schema"] == "regrade.key/1" and key["frame"] == 8 and key["sample"] in told
    for form in ("packet.jsonl", "packet.csv", "label_studio_tasks.json", "review.html"):
        assert key["sample"].encode() in files[f"packets/r2/{form}"]
    assert json.loads(run("sample", corpus, "--json").stdout)["sample"] == "flips"


def test_again_it_writes_the_same_and_nothing_that_a_reviewer_filled_in_is_lost(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("sample", corpus, *DRAW, "--out", out)
    files = tree(out)
    run("sample", corpus, *DRAW, "--out", out)
    run("sample", corpus, *DRAW, "--out", tmp_path / "other")
    assert tree(out) == files == tree(tmp_path / "other")
    filled = out / "packets" / "r1" / "packet.csv"
    filled.write_text(filled.read_text("utf-8").replace('"",""', '"passed","yes"'), "utf-8")
    files = tree(out)
    for options in (DRAW, (*DRAW[:-1], 4)):
        told = run("sample", corpus, *options, "--out", out, code=2).stderr
        assert "is there. Move it" in told and tree(out) == files
    shutil.rmtree(out / "packets" / "r2")
    assert "packet.csv" in run("sample", corpus, *DRAW, "--out", out, code=2).stderr
    assert not (out / "packets" / "r2").exists()


def test_for_more_reviewers_the_same_draw_goes_elsewhere(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("sample", corpus, *DRAW, "--out", out)
    files = tree(out)
    told = run("sample", corpus, *DRAW, "--reviewers", 3, "--out", out, code=2).stderr
    assert "key.json: the same draw, for r1, r2, is there. Name another folder for r1, r2, r3." in told
    assert "the key of another draw, of" in run("sample", corpus, *DRAW[:-1], 4, "--out", out, code=2).stderr
    assert tree(out) == files
    (out / "sealed" / "key.json").write_text("{}")
    assert "something else than a key is there" in run("sample", corpus, *DRAW, "--out", out, code=2).stderr


def test_the_machine_form_says_what_was_drawn_of_what(corpus: Path, tmp_path: Path) -> None:
    made = json.loads(run("sample", corpus, *DRAW, "--reviewers", 3, "--out", tmp_path / "out", "--json").stdout)
    assert {k: made[k] for k in ("sample", "declared", "axis", "tier", "seed", "size", "frame", "drawn", "masked")} == {
        "sample": "last_equals_balanced", "declared": False, "axis": "pass", "tier": "all", "seed": 3, "size": 9,
        "frame": 20, "drawn": 9, "masked": 0,
    }  # fmt: skip
    assert made["strata"] == [
        {"name": "fail_to_pass", "frame": 4, "drawn": 3},
        {"name": "pass_to_fail", "frame": 0, "drawn": 0},
        {"name": "both_passed", "frame": 8, "drawn": 3},
        {"name": "both_failed", "frame": 8, "drawn": 3},
    ]
    assert made["reviewers"] == ["r1", "r2", "r3"] and Path(made["key"]).is_file()
    assert made["key_sha256"] == hashlib.sha256(Path(made["key"]).read_bytes()).hexdigest()
    assert made["sha256"] == json.loads(Path(made["key"]).read_text("utf-8"))["sample"]


def test_a_sample_may_be_stratified_and_ask_its_own_question(corpus: Path, tmp_path: Path) -> None:
    options = (
        *DRAW,
        "--by",
        "family,code",
        "--allocation",
        "proportional",
        "--question",
        "Is it so?",
        "--tier",
        "some",
    )
    made = json.loads(run("sample", corpus, *options, "--out", tmp_path / "out", "--json").stdout)
    assert [s["name"] for s in made["strata"] if s["frame"]] == [
        'fail_to_pass, family = "units", code = "STALE_DATA"',
        'both_passed, family = "files", code = null',
        'both_passed, family = "units", code = null',
        'both_failed, family = "files", code = "FABRICATION"',
    ]
    [question] = {json.loads(line)["question"] for line in packet(tmp_path / "out")}
    assert question == "Is it so?"


def packet(out: Path) -> list[str]:
    return (out / "packets" / "r1" / "packet.jsonl").read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    ("options", "hints"),
    [
        (("--name", "flip"), ["unknown sample 'flip'", "Did you mean 'flips'"]),
        (("--name", "flips", "--seed", 4), ["flips is declared", "--seed cannot"]),
        (("--seed", 4, "--size", 3), ["needs --candidate, --stratum"]),
        ((*DRAW[:2], "--stratum", "pass_to_fail", *DRAW[4:]), ["nothing to draw", "pass_to_fail under last_equals"]),
        (("--candidate", "last_equal", *DRAW[2:]), ["unknown candidate 'last_equal'", "Did you mean 'last_equals'"]),
        (("--candidate", "last_number", *DRAW[2:]), ["as [[candidate]]", "which may be generic:", "last_number_v1"]),
        ((*DRAW, "--tier", "som"), ["unknown tier 'som'", "Did you mean 'some'"]),
        ((*DRAW, "--axis", "pas"), ["Unknown axis", "Did you mean 'pass'"]),
        ((*DRAW, "--by", "familly"), ["nothing has 'familly'", "Did you mean 'family'"]),
        ((*DRAW[:4], "--size", 2, *DRAW[6:]), ["2 trials are too few for 3 strata"]),
        ((*DRAW, "--name", "no name"), ["'no name' is no name"]),
        ((*DRAW, "--question", "Was last_equals right?"), ["names what reviewers must not know"]),
        ((*DRAW, "--question", "Was Claude right?"), ["names what reviewers must not know"]),
        ((*DRAW, "--size", 0), ["--size"]),
        ((*DRAW, "--stratum", "fail_pass"), ["--stratum"]),
    ],
)
def test_what_cannot_be_drawn_is_said_and_nothing_is_written(
    corpus: Path, tmp_path: Path, options: tuple[Any, ...], hints: list[str]
) -> None:
    result = run("sample", corpus, *options, "--out", tmp_path / "out", code=2)
    assert all(hint in result.stderr for hint in hints), result.stderr
    assert len(result.stderr.splitlines()) == 1 and not (tmp_path / "out").exists()


@pytest.mark.parametrize("more", [0, 3], ids=["as many as there are", "more than there are"])
def test_a_log_that_shares_the_root_alone_with_its_corpus_is_no_packet(tmp_path: Path, more: int) -> None:
    write_corpus(tmp_path / "log", twenty(), TOML + TIERS)
    log, home = (tmp_path / "log" / "trials.jsonl").resolve(), (tmp_path / "corpus").resolve()
    climbed = "../" * (len(home.parts) - 1 + more) + log.relative_to(log.anchor).as_posix()
    corpus = write_corpus(tmp_path / "corpus", [], TOML.replace('"trials.jsonl"', f'"{climbed}"') + TIERS)
    run("sample", corpus, "--name", "flips")


def test_a_pattern_that_climbs_out_and_in_again_takes_no_packet(tmp_path: Path) -> None:
    files = '"trials.jsonl", "../corpus/reviews/**/*.jsonl"'
    corpus = write_corpus(tmp_path / "corpus", twenty(), TOML.replace('"trials.jsonl"', files) + TIERS)
    (corpus / "reviews").mkdir()
    (corpus / "reviews" / "more.jsonl").write_text(json.dumps({**twenty()[0], "rep": 99}) + "\n", "utf-8")
    assert "would take it for a transcript" in run("sample", corpus, "--name", "flips", code=2).stderr


def test_no_packet_is_written_where_it_would_be_a_transcript(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", twenty(), TOML.replace('"trials.jsonl"', '"**/*.jsonl"') + TIERS)
    told = run("sample", corpus, "--name", "flips", code=2).stderr
    assert "reviews/flips/packets/r1/packet.jsonl" in told and not (corpus / "reviews").exists()
    run("sample", corpus, "--name", "flips", "--out", tmp_path / "out")


def test_fewer_trials_than_asked_for_are_all_drawn_and_that_is_told(corpus: Path, tmp_path: Path) -> None:
    told = run("sample", corpus, *DRAW[:4], "--size", 99, *DRAW[6:], "--out", tmp_path / "out").stdout
    assert "20 of 20 trials drawn" in told and "99 were asked for; the frame has no more." in told


def test_the_declaration_that_is_told_draws_the_same(corpus: Path, tmp_path: Path) -> None:
    options = (*DRAW[:4], "--size", 99, *DRAW[6:], "--by", "family,code", "--question", 'Is it "so"?', "--tier", "some")
    told = run("sample", corpus, *options, "--name", "asked", "--out", tmp_path / "out").stdout
    with (corpus / "corpus.toml").open("a", encoding="utf-8") as toml:
        toml.write("\n[[sample]]\n" + told.split("\n[[sample]]\n")[1])
    made = json.loads(run("sample", corpus, "--name", "asked", "--out", tmp_path / "out", "--json").stdout)
    assert made["declared"] and made["sha256"] in told


def test_an_audit_draws_what_is_declared_as_the_command_does(corpus: Path, tmp_path: Path) -> None:
    run("sample", corpus, "--name", "flips", "--out", tmp_path / "out")
    key = json.loads((tmp_path / "out" / "sealed" / "key.json").read_text("utf-8"))
    done = audit(corpus, tmp_path / "audit")
    with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
        rows = con.execute("from samples order by trial_id").fetchall()
    assert rows == [
        ("flips", trial, key["strata"][trial], key["probabilities"][trial], 1234567, 8, key["sample"], False)
        for trial in sorted(key["probabilities"])
    ]
    assert done.summary["samples"]["flips"]["sha256"] == key["sample"]
    assert done.summary["samples"]["flips"]["frame"] == 8


def test_a_trial_that_says_who_it_is_is_counted_by_the_audit_too(tmp_path: Path) -> None:
    records = twenty()
    for record in records[:10]:
        record["messages"][-1]["content"] = f"I am Claude.\n{record['messages'][-1]['content']}"
    done = audit(
        write_corpus(tmp_path / "corpus", records, TOML + TIERS.replace("size = 5", "size = 8")), tmp_path / "out"
    )
    with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
        assert con.execute("select masked, count(*) from samples group by 1 order by 1").fetchall() == [
            (False, 4),
            (True, 4),
        ]


def test_a_declared_sample_that_cannot_be_drawn_stops_the_audit(tmp_path: Path) -> None:
    toml = TOML + TIERS.replace('stratum = "fail_to_pass"\nsize = 5', 'stratum = "balanced"\nsize = 1')
    told = run("audit", write_corpus(tmp_path / "corpus", twenty(), toml), "--out", tmp_path / "out", code=2).stderr
    assert "[[sample]] flips: 1 trials are too few for" in told and not (tmp_path / "out").exists()
