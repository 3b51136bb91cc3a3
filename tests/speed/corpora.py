"""Simulated corpora of any size in the shape of the tool loop's: `python -m tests.speed.corpora TRIALS FOLDER`.

Nothing here was said by a model. A trial has six turns and about 2 kB, and hardly two are alike; its grade is what the
frozen grader of the bundled corpus says of it. The same number of trials and seed give the same bytes.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from tests.conftest import simulation
from tests.speed.bank import Item, items

SEED = 20260101
LINEAGES = ("Alderon", "Bracken", "Corvane", "Dunmere")
SIZES = ("4b", "12b", "70b")
QUANTS = ("fp8", "q4")

TOML = """# A simulated corpus: written by a seeded script, said by no model.

[corpus]
name = "simulated_{trials}"
benchmark = "tool_loop"
format = "jsonl"
files = ["trials/*.jsonl"]
axis = "pass"
simulated = true

[columns]
configuration = "config"
item = "episode"
trial = "rep"
turns = "messages"

[frozen.pass]
passed = "grade.pass"
code = "grade.code"

[bank]
file = "bank.json"

[configurations]
file = "configurations.json"

[[tier]]
name = "usable"
min_pass_rate = 0.3
"""

OWNERS = ("Odile Kern", "Ruth Salo", "Noor Haddad", "Ada Prior", "Jens Holm", "Ivo Lind")
NAMES = (*OWNERS, "Ines Värk", "Bai Lin 白林")
SENTENCES = (
    "I looked at entry {n} before I went on.",
    "The list has {n} lines, and {name} is in one of them.",
    "First I turned to what the tool gave back, then to the note of {name}.",
    "Nothing was changed on the way – it stands as it stood.",
    "There is a second value, {n}, which I left out on purpose.",
    "- checked the line of {name} (no. {n})",
    "**Step {n}:** compared with what was said before.",
    "As of now that is all that I could see; {name} may know more.",
)
FOLLOW_UPS = (
    "Thanks. Give me the result now, {name} is waiting.",
    "Go on, and mind that {name} has changed line {n} since.",
    "Fine. What is the answer as of now?",
)


def configurations() -> list[dict[str, str]]:
    """Invented configurations: four lineages, twelve weights."""
    return [
        {
            "configuration": f"{lineage.lower()}-{size}_{quant}",
            "weights": f"{lineage.lower()}-{size}",
            "lineage": lineage,
            "quant": quant,
        }
        for lineage in LINEAGES
        for size in SIZES
        for quant in QUANTS
    ]


def write_corpus(folder: Path, trials: int, seed: int = SEED) -> Path:
    """Write a corpus of so many trials, a file a configuration, and return its folder."""
    bank, runs = items(), configurations()
    (folder / "trials").mkdir(parents=True)
    (folder / "corpus.toml").write_text(TOML.format(trials=trials), encoding="utf-8")
    (folder / "bank.json").write_bytes(orjson.dumps([item.entry for item in bank], option=orjson.OPT_INDENT_2))
    (folder / "configurations.json").write_bytes(orjson.dumps(runs, option=orjson.OPT_INDENT_2))
    for at, entry in enumerate(runs):
        name, count = entry["configuration"], trials // len(runs) + (at < trials % len(runs))
        if count:
            rng = random.Random(f"{seed} {name}")
            skill = 1 - 0.75 * at / len(runs)
            with open(folder / "trials" / f"{name}.jsonl", "wb", buffering=1 << 20) as out:
                out.writelines(
                    orjson.dumps(r, option=orjson.OPT_APPEND_NEWLINE) for r in records(name, bank, count, rng, skill)
                )
    return folder


def records(name: str, bank: Sequence[Item], count: int, rng: random.Random, skill: float) -> Iterator[dict[str, Any]]:
    """The trials of a configuration that knows the right answer as often as `skill` says."""
    grade = simulation("grader").grade
    rand = rng.random

    def one(values: Sequence[Any]) -> Any:
        return values[int(rand() * len(values))]

    def worded(forms: Sequence[str]) -> list[str]:
        return [form.format(n=rng.randrange(2, 5000), name=one(NAMES)) for form in forms for _ in range(200)]

    sentences, follow_ups = worded(SENTENCES), worded(FOLLOW_UPS)
    rows = [
        f'{{"id":"{rng.randrange(1 << 24):06x}","name":"{one(OWNERS)}","amount":{rng.randrange(10000)},"open":true}}'
        for _ in range(2000)
    ]
    for at in range(count):
        item = bank[at % len(bank)]
        wrong = one(item.wrongs)
        right = item.words["right"] if rand() < skill else one(item.wrongs)
        reply = one(item.forms).format(
            **{**item.words, "right": right, "wrong": wrong},
            prose=" ".join(rng.choices(sentences, k=2 + int(rand() * 6))),
            name=one(NAMES),
        )
        call_id = f"call_{int(rand() * 4294967296):08x}"
        chance = rand()
        token = one(item.tokens)
        arguments = f'{{"of": "{at}"}}' if token is None else f'{{"of": "{at}", "token": "{token}"}}'
        calls = [_call(call_id, item.other if chance < 0.03 else item.tool, arguments)]
        if chance > 0.97:
            calls.append(_call(call_id + "b", item.other, arguments))
        listed = ",".join(rng.choices(rows, k=6 + int(rand() * 6)))
        messages = [
            *item.opening,
            {"role": "assistant", "content": None, "tool_calls": calls},
            {
                "role": "tool",
                # A result that answers no call is one that the model never had.
                "tool_call_id": "lost" if 0.94 < chance < 0.97 else call_id,
                "content": f'{{"rows":[{listed}],"next":null}}',
            },
            {"role": "user", "content": one(follow_ups)},
            {"role": "assistant", "content": reply},
        ]
        graded = grade(item.gold, messages)
        yield {
            "config": name,
            "episode": item.entry["item"],
            "rep": at // len(bank),
            "messages": messages,
            "grade": {"pass": graded["pass"], "code": graded["code"]},
        }


def _call(call_id: str, tool: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": tool, "arguments": arguments}}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write a simulated corpus.")
    parser.add_argument("trials", type=int)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    write_corpus(given.folder, given.trials)
