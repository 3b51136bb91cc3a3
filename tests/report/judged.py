"""Corpora with samples and verdicts, for the sections that tell of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit, audit
from regrade.tables.store import FILE_NAME, Store
from tests.conftest import BANK, TOML, write_corpus
from tests.test_estimate_command import records, should

SAMPLE = '[[sample]]\nname = "{}"\ncandidate = "last_line_fallback"\nstratum = "{}"\nsize = {}\nseed = 1\n{}'
HOSTILE = "<script>alert(1)</script>\x1b[2J"


def made(folder: Path, names: str, lineages: Mapping[str, str], toml: str) -> Path:
    """A corpus of five trials a configuration, half of them with one reasoning setting."""
    tables = TOML.replace("benchmark =", f"{toml}benchmark =") + '[configurations]\nfile = "configurations.json"\n'
    samples = SAMPLE.format("flips", "fail_to_pass", 6, "") + SAMPLE.format("whole", "balanced", 99, "")
    samples += SAMPLE.format("parted", "fail_to_pass", 4, 'by = ["reasoning"]\nquestion = "Is it so?"\n')
    samples += SAMPLE.format("empty", "pass_to_fail", 4, "")
    corpus = write_corpus(folder / "corpus", list(records(names)), tables + samples, BANK)
    known = [
        {"configuration": n, "lineage": lineages.get(n, n), "reasoning": "on" if n < "e" else "off"} for n in names
    ]
    (corpus / "configurations.json").write_text(json.dumps(known))
    return corpus


def drawn(done: Audit, sample: str) -> list[str]:
    with Store.open(done.out / FILE_NAME, read_only=True) as store:
        query = "select trial_id from samples where sample = ? order by trial_id"
        return [trial for (trial,) in store.con.execute(query, [sample]).fetchall()]


def say(corpus: Path, done: Audit, sample: str, reviewer: str, labels: Mapping[str, str], **more: Any) -> None:
    """Write a reviewer's verdicts, or with `more` a ruling on each trial."""
    who = {} if more else {"reviewer": reviewer, "comment": HOSTILE}
    lines = [
        {"sample": done.summary["samples"][sample]["sha256"], "trial": trial, "label": label, **who, **more}
        for trial, label in labels.items()
    ]
    file = corpus / "reviews" / sample / f"{reviewer}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Six lineages. `flips` with a ruling, `whole` complete, `parted` labelled in part by one reviewer."""
    folder = tmp_path_factory.mktemp("judged")
    corpus = made(folder, "abcdefgh", dict.fromkeys("abc", "one"), "")
    done = audit(corpus, folder / "out")
    trials = drawn(done, "flips")
    say(corpus, done, "flips", "r1", {trial: should(trial) for trial in trials})
    say(corpus, done, "flips", "r2", {t: "failed" if t == trials[0] else should(t) for t in trials})
    say(corpus, done, "flips", "rulings", {trials[0]: "failed"}, reason="made up " + HOSTILE, by="ann")
    for who in ("r1", "r2"):
        say(corpus, done, "whole", who, {trial: should(trial) for trial in drawn(done, "whole")})
    say(corpus, done, "parted", "r1", {trial: should(trial) for trial in drawn(done, "parted")[:3]})
    return audit(corpus, folder / "out")


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Two lineages of a simulated corpus. `whole` is labelled, `flips` by nobody, `parted` of another draw."""
    folder = tmp_path_factory.mktemp("simulated")
    corpus = made(folder, "abcdefghij", {n: "one" if n < "f" else "two" for n in "abcdefghij"}, "simulated = true\n")
    done = audit(corpus, folder / "out")
    say(corpus, done, "whole", "r1", {trial: should(trial) for trial in drawn(done, "whole")})
    say(corpus, done, "parted", "r1", {trial: should(trial) for trial in drawn(done, "parted")})
    file = corpus / "reviews" / "parted" / "r1.jsonl"
    file.write_text(file.read_text().replace(done.summary["samples"]["parted"]["sha256"], "0" * 64))
    return audit(corpus, folder / "out")
