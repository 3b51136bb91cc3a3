"""What a call's arguments say reaches reviewers, whatever they say."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from regrade.files.documents import parse_json
from tests.commands import run
from tests.conftest import TOML, record, write_corpus
from tests.review import samples
from tests.review.samples import CANDIDATE, SAMPLE, all_of, home, key, packet

TRIALS = 9


def nested(depth: int) -> str:
    """An object with as many objects inside one another."""
    return '{"a":' * depth + "1" + "}" * depth


def corpus_of(folder: Path, arguments: list[str]) -> Path:
    """A corpus with a drawn sample, in which each trial makes a call with one of these arguments."""
    rows = []
    for trial, text in enumerate(arguments):
        row = record("a", "T01", trial, "read_sensor", f"{trial}\nANSWER: 3=7.0", False, "STALE_DATA")
        row["messages"][1]["tool_calls"][0]["function"]["arguments"] = text
        rows.append(row)
    corpus = write_corpus(folder, rows, TOML + CANDIDATE + SAMPLE.replace("size = 6", f"size = {TRIALS}"))
    run("sample", corpus, "--name", "flips")
    return corpus


def spelt(text: str) -> Any:
    """A JSON text, its numbers as they are written."""
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)


def check(arguments: list[str]) -> None:
    """Each trial's packet shows its arguments as they are, or as the text that they were logged as."""
    with tempfile.TemporaryDirectory() as scratch:
        corpus = corpus_of(Path(scratch), arguments)
        trials = key(corpus)["reviewers"]["r1"]
        for each in packet(corpus, "r1"):
            logged = arguments[int(trials[each["id"]].rpartition("/")[2])]
            shown = each["turns"][1]["calls"][0]["arguments"]
            # A made-up text may name a model, which is masked.
            masked = "[masked" in json.dumps(shown, ensure_ascii=False)
            assert masked or shown == logged or spelt(json.dumps(shown)) == spelt(logged)
            # What a reviewer gives back is read with a limit on its depth.
            parse_json(json.dumps(each), "packet")


ODD = [
    '{"": "QWEN"}',
    '{"a":"\\ud800"}',
    '{"\\udfff":1}',
    nested(500),
    nested(60),
    '{"a":-0}',
    '{"a":1e400}',
    "no JSON",
    '{"a":-1}',
]
texts = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud800\udfff"), max_size=5)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(texts, inside, max_size=3),
)
objects = st.dictionaries(texts, values, max_size=3).map(json.dumps)
logged = st.lists(objects | st.integers(1, 700).map(nested) | st.sampled_from(ODD), min_size=TRIALS, max_size=TRIALS)


@settings(max_examples=4)
@given(logged)
@example(ODD)
def test_whatever_a_call_says_can_be_drawn(arguments: list[str]) -> None:
    check(arguments)


def test_what_was_drawn_of_it_is_labelled_and_audited(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path / "corpus", ODD)
    run("review", "import", corpus, samples.write(corpus, "r1", "jsonl", all_of(corpus)))
    assert (home(corpus) / "r1.jsonl").is_file()
    run("audit", corpus, "--out", tmp_path / "out")
