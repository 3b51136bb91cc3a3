from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit, audit
from regrade.tables.store import FILE_NAME, Store
from tests.conftest import BANK, TOML, draft_rules, record, write_corpus
from tests.report.corpora import RULE

DECLARED = """
[frozen.tone]
passed = "grade.tone"
code = "grade.tone_code"
[configurations]
file = "configurations.json"
[[tier]]
name = "some"
min_pass_rate = 0.25
min_trials = 2
cutoffs = [0.4, 0.6]
[[tier]]
name = "most"
min_pass_rate = 0.625
[[candidate]]
name = "v2"
rules = ["last_equals_v1", "ask_accepted_v1", "format_code_v1", "doubted_v1", "shaped_v1"]
[[candidate]]
name = "lenient"
rules = ["last_line_fallback_v1", "last_equals_v1"]
[[partition]]
name = "why"
sets = ["last_equals", "missing_prefix", "call_like_text"]
[[partition]]
name = "passes"
of = "passed"
sets = ["last_line_fallback"]
[[metric]]
name = "invented"
counts = ["FABRICATION", "UNDECLARED"]
family = ["files", "more"]
best = "lowest"
by = ["family", "arm", "trial", "gold.kind", ["reasoning", "extra.hint"]]
[[metric]]
name = "passed_in_shape"
counts = ["passed"]
where = {kind = "number"}
needs = "shape"
best = "highest"
[[metric]]
name = "toned"
axis = "tone"
counts = ["passed"]
[[band]]
name = "repeats"
verdicts = {good = ["passed"], made_up = ["FABRICATION"]}
[[panel]]
name = "two"
configurations = ["a", "b"]
"""
SAMPLE = '[[sample]]\nname = "{}"\ncandidate = "{}"\nstratum = "{}"\nsize = {}\nseed = 7\n{}'
BODIES = {
    "doubted": """
@per_row("reply")
def check(trial, base):
    if "mumbled" in trial.reply:
        return None
    return ["sure"] if "maybe" in trial.reply else base(trial)
""",
    "shaped": """
@per_row("reply")
def check(trial, base):
    return base(trial)


@per_row("reply")
def shape(trial):
    return [] if "ANSWER:" in trial.reply else ["line"]


@per_row("missed")
def called(trial):
    return "SHAPELESS" if trial.missed else None


GRADER = {"shape": {"*": Stages(lambda trial: trial.reply, lambda trial: trial.answer, shape, called)}}
""",
}
MORE = {
    "item": "T03",
    "family": "more",
    "prompt": "Delete the log.",
    "gold": {**BANK[1]["gold"], "answer": "GONE"},  # type: ignore[dict-item]
}
GOOD = [("T01", "read_sensor", "ANSWER: 7.02"), ("T02", "list_files", "ANSWER: NOT_FOUND"),
        ("T03", "list_files", "ANSWER: GONE")]  # fmt: skip


def records(name: str, at: int) -> Iterator[dict[str, Any]]:
    """Ten trials or so of a configuration, of which the more pass the lower its number is."""
    one = record(name, "T01", 0, "read_sensor", f"{name}: converted.\nANSWER: 3=7.0", False, "STALE_DATA")
    yield {**one, "grade": {**one["grade"], "tone": at % 2 == 0, "tone_code": None if at % 2 == 0 else "RUDE"}}
    yield record(name, "T02", 0, "list_files", f"{name}: one.\nANSWER: ASK: is it notes.txt?", False, "FABRICATION")
    yield record(name, "T02", 1, "list_files", f"{name}: none.\nNOT_FOUND", False, "FABRICATION")
    for number in range(2, 7 - at // 2):
        item, tool, said = GOOD[number % 3]
        doubt = {2: "maybe. ", 3: "mumbled. "}.get(number + at, "")
        one = record(name, item, number, tool, f"{name}: {doubt}so.\n{said}", True)
        yield {**one, "grade": {**one["grade"], "tone": number != 4}}
    if at > 2:
        yield record(name, "T03", 9, "list_files", f"{name}: <tool_call>x</tool_call>", False, "FABRICATION")
    if at in (1, 4):
        yield record(name, "T01", 8, "read_sensor", f"{name}: cut", None)


def drawn(store: Path, sample: str) -> list[str]:
    with Store.open(store / FILE_NAME, read_only=True) as held:
        query = "select trial_id from samples where sample = ? order by trial_id"
        return [trial for (trial,) in held.con.execute(query, [sample]).fetchall()]


def say(corpus: Path, done: Audit, sample: str, who: str, labels: Mapping[str, str], **more: Any) -> None:
    told = more or {"reviewer": who, "comment": "made up"}
    file = corpus / "reviews" / sample / f"{who}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    sha256 = done.summary["samples"][sample]["sha256"]
    lines = [{"sample": sha256, "trial": trial, "label": label, **told} for trial, label in labels.items()]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """A small corpus with all that a report can show: three axes, tiers, every kind of flip, samples with verdicts.

    Eight configurations of five lineages in two arms; ungraded trials, rejects, a carried axis and a new one.
    """
    folder = tmp_path_factory.mktemp("everything")
    rules = draft_rules(folder / "rules")
    for name, body in BODIES.items():
        text = RULE.format(what=name, decision="proposed", body=body)
        (rules / "tool_loop" / f"{name}_v1.py").write_text(text, "utf-8")
    rows: list[Any] = [row for at, name in enumerate("abcdefgh") for row in records(name, at)]
    rows += [b"no json", record("a", "T99", 0, "read_sensor", "ANSWER: 7.0", True)]
    samples = SAMPLE.format("flips", "lenient", "fail_to_pass", 6, "") + SAMPLE.format(
        "whole", "v2", "balanced", 99, ""
    )
    samples += SAMPLE.format("open", "v2", "pass_to_fail", 2, 'tier = "some"\n')
    notes = '[[note]]\nitem = "T03"\nkind = "retire"\ntext = "easy"\n'
    toml = TOML.replace("benchmark =", "simulated = true\nbenchmark =").replace(
        'file = "bank.json"', 'file = "bank.json"\nnotes = "notes.toml"'
    )
    corpus = write_corpus(folder / "corpus", rows, toml + DECLARED + samples, [*BANK, MORE])
    (corpus / "notes.toml").write_text(notes, "utf-8")
    lineages = ("one", "two", "one", "three", "four", "five", "two")
    known = [
        {
            "configuration": name,
            "lineage": lineage,
            "weights": f"w{lineage}{at // 3}",
            "arm": "full" if at < 5 else "bare",
            "reasoning": "on" if at % 2 else "off",
            "hint": at % 3 == 0,
        }
        for at, (name, lineage) in enumerate(zip("abcdefg", lineages, strict=True))
    ]
    (corpus / "configurations.json").write_text(json.dumps(known), "utf-8")
    done = audit(corpus, folder / "out", rules=rules, allow_parity_gap=True)
    trials = drawn(done.out, "flips")
    say(corpus, done, "flips", "r1", dict.fromkeys(trials, "passed"))
    say(corpus, done, "flips", "r2", {**dict.fromkeys(trials, "passed"), trials[0]: "failed", trials[1]: "unclear"})
    say(corpus, done, "flips", "rulings", {trials[0]: "failed"}, reason="made up", by="ann")
    every = drawn(done.out, "whole")
    say(corpus, done, "whole", "r1", {trial: "passed" if at % 4 else "failed" for at, trial in enumerate(every)})
    return audit(corpus, folder / "out", rules=rules, allow_parity_gap=True)
