"""Blind means blind: what is exported tells nothing of configuration, grade, code, rule, file or key."""

from __future__ import annotations

import csv
import html
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest

from regrade.sampling import Asked, Sampled, sample

SEED = 987654321
TOML = """
[corpus]
name = "veiled_corpus"
format = "jsonl"
files = ["trials/*.jsonl"]
[columns]
configuration = "$filename"
item = "task"
trial = "rep"
turns = "messages"
[frozen.pass]
passed = "ok"
code = "why"
[bank]
file = "bank.json"
[configurations]
file = "configurations.json"
[[tier]]
name = "upper_tier"
min_pass_rate = 0.01
[[candidate]]
name = "veiled_candidate"
rules = ["last_number_v1"]
"""
SPOKEN = ("I am Claude, made by Anthropic.", "As GPT-4o I say:", "通义千问 here.", "", "", "")


def transcripts() -> list[tuple[int, list[dict[str, Any]]]]:
    """The item and the messages of each trial; some say the same, and some speak names."""
    found = []
    for n in range(40):
        call = {"id": "c1", "function": {"name": "look", "arguments": json.dumps({"by": "Mistral", "n": n % 9})}}
        messages = [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": f"=seen {n % 4}"},
            {"role": "assistant", "content": f"{SPOKEN[n % len(SPOKEN)]} It is {n % 4}.\nANSWER: x={n % 4}"},
        ]
        found.append((n % 5, messages))
    return found + found[:7] + found[:3]


def configuration(name: str) -> dict[str, str]:
    # No name begins with another, so that each is hidden for its own sake.
    return {
        "configuration": name,
        "model": f"maker{name}/m{name}",
        **{column: f"{column[0]}{name}" for column in ("weights", "lineage", "provider", "server")},
    }


def write(folder: Path, names: list[str], codes: list[str], seed: int, *, speak: bool = False) -> Path:
    """A corpus of `transcripts`, given out to these configurations, graded and coded by chance."""
    chance = random.Random(seed)
    lines: dict[str, list[str]] = {name: [] for name in names}
    told = transcripts()
    chance.shuffle(told)
    for n, (item, messages) in enumerate(told):
        name = chance.choice(names)
        if speak:
            said = " ".join(configuration(name).values())
            messages = [*messages[:-1], {"role": "assistant", "content": f"{said}. {messages[-1]['content']}"}]
        passed = chance.random() < 0.5
        line = {
            "task": f"t{item}",
            "rep": n,
            "messages": messages,
            "ok": passed,
            "why": None if passed else chance.choice(codes),
        }
        lines[name].append(json.dumps(line))
    (folder / "trials").mkdir(parents=True)
    for name, of in lines.items():
        (folder / "trials" / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in of), "utf-8")
    bank = [
        {"item": f"t{n}", "prompt": f"Say {n}.", "gold": {"kind": "number", "answer": n, "code": chance.choice(codes)}}
        for n in range(5)
    ]
    (folder / "bank.json").write_text(json.dumps(bank), "utf-8")
    (folder / "configurations.json").write_text(json.dumps([configuration(name) for name in names]), "utf-8")
    (folder / "corpus.toml").write_text(TOML, "utf-8")
    return folder


def exported(corpus: Path, out: Path, **changes: Any) -> tuple[Sampled, dict[str, bytes]]:
    """A sample, and the bytes of every file that reviewers get, by path."""
    options = {"candidate": "veiled_candidate", "stratum": "balanced", "size": 10_000, "seed": SEED, **changes}
    made = sample(corpus, Asked("veiled_sample", options), out=out)
    files = {p.relative_to(out).as_posix(): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}
    assert files.pop("sealed/key.json")
    return made, files


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Sampled, dict[str, bytes]]]:
    """The whole frames of two corpora that differ in configuration, grade and code."""
    folder = tmp_path_factory.mktemp("whole")
    one = write(folder / "one", ["zorb-7b", "ox-1"], ["EARLY"], 1)
    other = write(folder / "other", ["a-name-that-is-longer-by-far", "b", "c_2", "d"], ["LATE", "WRONG_UNIT"], 2)
    return [exported(one, folder / "out1"), exported(other, folder / "out2")]


def test_corpora_that_differ_in_what_is_hidden_give_the_same_bytes(
    whole: list[tuple[Sampled, dict[str, bytes]]],
) -> None:
    (one, files), (other, others) = whole
    assert len(one.draw.trials) == len(other.draw.trials) == 50
    assert [s.frame for s in one.draw.strata] != [s.frame for s in other.draw.strata]
    assert one.draw.sha256 != other.draw.sha256 and one.key_sha256 != other.key_sha256
    assert files.keys() == others.keys() and len(files) == 12
    for path, data in files.items():
        for ours, theirs in ((one.draw.sha256, other.draw.sha256), (one.key_sha256, other.key_sha256)):
            data = data.replace(ours.encode(), theirs.encode())
        assert data == others[path], path


@pytest.mark.parametrize("size", [50, 12])
def test_nothing_hidden_stands_in_what_is_exported(size: int, tmp_path: Path) -> None:
    names, codes = ["zorb-7b", "quill_v2.1", "Ox-Prime"], ["EARLY_STOP", "WRONG_UNIT"]
    corpus = write(tmp_path / "corpus", names, codes, 3, speak=True)
    made, files = exported(
        corpus, tmp_path / "out", size=size, tier="upper_tier", by=["code", "lineage"] if size > 20 else []
    )
    hidden = {
        *names, *codes, *(value for name in names for value in configuration(name).values()),
        *(t.trial_id for t in made.draw.trials), *(t.stratum for t in made.draw.trials),
        "veiled", "upper_tier", "last_number", "fail_to_pass", "balanced", "jsonl.gz", ".jsonl", "trials/", "frozen",
        str(SEED), "Claude", "Anthropic", "GPT-4o", "Mistral", "通义千问", "probability", str(tmp_path), "key.json",
    }  # fmt: skip
    for path, data in files.items():
        for text in readings(path, data.decode()):
            for word in hidden:
                assert word.casefold() not in text.casefold(), (path, word)
    assert made.packets.key["masked"] == len(made.draw.trials)
    key = (tmp_path / "out" / "sealed" / "key.json").read_text("utf-8")
    assert all(word in key for word in ("zorb-7b", "veiled_candidate", "upper_tier"))


def readings(path: str, text: str) -> list[str]:
    """A file's text as it is, and as whoever opens it would read it."""
    if path.endswith(".html"):
        return [text, html.unescape(text)]
    if path.endswith(".csv"):
        return [text, "\n".join(cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row)]
    return [text, text.encode().decode("unicode_escape", errors="replace")]


def test_a_record_has_these_keys_and_no_more(whole: list[tuple[Sampled, dict[str, bytes]]]) -> None:
    made, files = whole[0]
    for line in files["packets/r1/packet.jsonl"].decode().splitlines():
        record = json.loads(line)
        assert list(record) == ["sample", "reviewer", "id", "instruction", "gold", "turns", "question", "labels"]
        assert list(record["gold"]) == ["kind", "answer"]
        assert [list(turn) for turn in record["turns"]] == [["role", "text", "calls"]] * 3
        assert record["turns"][1]["calls"][0].keys() == {"name", "arguments", "result"}
        assert record["sample"] == made.draw.sha256 and len(record["id"]) == 16


def test_order_and_ids_are_a_reviewers_own_and_never_those_of_the_corpus(
    whole: list[tuple[Sampled, dict[str, bytes]]],
) -> None:
    records, key = whole[0][0].packets
    one, other = ([record["id"] for record in records[reviewer]] for reviewer in ("r1", "r2"))
    assert not set(one) & set(other) and len(set(one)) == len(set(other)) == 50
    orders = [[key["reviewers"][r][name] for name in ids] for r, ids in (("r1", one), ("r2", other))]
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1])
    assert all(order != sorted(order) for order in orders)
    assert one == sorted(one) and not any(name[0].isdigit() for name in one)


def test_the_key_leads_back_to_the_transcripts(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus", ["n1", "n2"], ["X"], 4)
    made, _ = exported(corpus, tmp_path / "out", size=20)
    replies = {}
    for name in ("n1", "n2"):
        for line in (corpus / "trials" / f"{name}.jsonl").read_text("utf-8").splitlines():
            record = json.loads(line)
            replies[f"{name}/{record['task']}/{record['rep']}"] = record["messages"][-1]["content"]
    records, key = made.packets
    assert key["probabilities"] == {t.trial_id: t.probability for t in made.draw.trials}
    for reviewer in ("r1", "r2"):
        assert key["reviewers"][reviewer].keys() == {record["id"] for record in records[reviewer]}
        for record in records[reviewer]:
            said = replies[key["reviewers"][reviewer][record["id"]]]
            assert record["turns"][-1]["text"].partition(" It is ")[2] == said.partition(" It is ")[2]


def test_the_trials_that_spoke_a_name_are_counted_once_each(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus", ["n1", "n2"], ["X"], 5)
    lines = (corpus / "trials" / "n1.jsonl").read_text("utf-8").replace("Mistral", "me").splitlines()
    (corpus / "trials" / "n1.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    (corpus / "trials" / "n2.jsonl").write_text("", "utf-8")
    made, _ = exported(corpus, tmp_path / "out")
    replies = [json.loads(line)["messages"][-1]["content"] for line in lines]
    spoke = sum(not reply.startswith(" It is") for reply in replies)
    assert 0 < spoke < len(replies)
    assert made.packets.key["masked"] == spoke
