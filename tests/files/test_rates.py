"""`[[metric]]`, `[[band]]` and `[[panel]]` as corpus.toml writes them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from regrade.errors import CorpusError
from regrade.files.corpus import Band, Corpus, Metric, Panel
from regrade.files.corpus_toml import corpus_from

HEAD = """
[corpus]
name = "small"
format = "jsonl"
files = ["*.jsonl"]
[columns]
configuration = "$filename"
item = "id"
reply = "text"
[frozen.tone]
passed = "ok"
"""

FULL = """
[[metric]]
name = "false_assertion_rate"
counts = ["FABRICATION"]
where = {answerable = false, horizon = [2, 4]}
by = ["arm", "family", "gold.horizon", ["gold.horizon", "extra.hint"]]
best = "lowest"
[[metric]]
name = "safe"
axis = "abstention"
counts = ["passed"]
family = ["deletion", "adjacent"]
needs = "format"
[[metric]]
name = "hop_fabrication_rate"
ratio = ["hops_invented", "hops_asserted"]
family = "deletion"
[[band]]
name = "self_consistency"
where = {answerable = false}
verdicts.asserted = ["passed", "FABRICATION"]
verdicts.abstained = ["ABSTAINED"]
[[panel]]
name = "three"
configurations = ["a", "b", "c"]
"""


def read(text: str) -> Corpus:
    return corpus_from(tomllib.loads(HEAD + text), Path("nowhere"), "corpus.toml")


def test_every_key_is_read_and_the_axis_is_the_primary_one() -> None:
    corpus = read(FULL)
    assert corpus.metrics == (
        Metric(
            "false_assertion_rate", axis="tone", counts=("FABRICATION",), best="lowest",
            where={"answerable": False, "horizon": (2, 4)},
            by=("arm", "family", "gold.horizon", ("gold.horizon", "extra.hint")),
        ),
        Metric("safe", axis="abstention", counts=("passed",), family=("deletion", "adjacent"), needs="format"),
        Metric("hop_fabrication_rate", axis="tone", ratio=("hops_invented", "hops_asserted"), family="deletion"),
    )  # fmt: skip
    assert corpus.bands == (
        Band("self_consistency", axis="tone", where={"answerable": False},
             verdicts={"asserted": ("passed", "FABRICATION"), "abstained": ("ABSTAINED",)}),
    )  # fmt: skip
    assert corpus.panels == (Panel("three", ("a", "b", "c")),)


def test_a_store_remembers_them() -> None:
    corpus = read(FULL)
    text = msgspec.json.encode(corpus, enc_hook=str)
    again = msgspec.json.decode(text, type=Corpus, dec_hook=lambda kind, value: kind(value))
    assert (again.metrics, again.bands, again.panels) == (corpus.metrics, corpus.bands, corpus.panels)


def test_without_them_there_are_none() -> None:
    corpus = read("")
    assert corpus.metrics == corpus.bands == corpus.panels == ()


def metric(**keys: Any) -> str:
    def text(value: Any) -> str:
        return f"[{', '.join(map(text, value))}]" if isinstance(value, list) else repr(value).replace("'", '"')

    return "\n".join(["[[metric]]", 'name = "m"', *(f"{key} = {text(value)}" for key, value in keys.items())])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[metrics]]\nname = "m"', ["'metrics'", "Did you mean 'metric'?"]),
        (metric(count=["X"]), ["[[metric]] 1", "'count'", "Did you mean 'counts'?"]),
        (metric(), ["[[metric]] m", "neither counts nor ratio"]),
        (metric(counts=["X"], ratio=["a", "b"]), ["both counts and ratio"]),
        (metric(counts="X"), ["wrong value of counts", "list"]),
        (metric(ratio=["a"]), ["ratio names 1 measures, expected two"]),
        (metric(ratio=["a", "b"], needs="format"), ["needs goes with counts"]),
        (metric(counts=["X"], best="lower"), ["best", "'lower'", "Did you mean 'lowest'?"]),
        (metric(counts=["X"], by=["armm"]), ["by", "'armm'", "Did you mean 'arm'?"]),
        (metric(counts=["X"], by=["horizon"]), ["'horizon'", "gold.KEY"]),
        (metric(counts=["X"], by=[["arm", "gold."]]), ["'gold.'"]),
        (metric(counts=["X"], axis="pass it"), ["axis and needs", "is no name"]),
        (metric(counts=["X"]) + "\nwhere = {day = 1979-05-27}", ["wrong value of where"]),
        (metric(counts=["X"]) + "\n" + metric(counts=["Y"]), ["[[metric]]", "'m' stands twice"]),
        ('[[band]]\nname = "b"\nverdicts.x = ["A"]\nverdicts.y = ["A"]',
         ["[[band]] b", "'A' comes to two verdicts, x and y"]),
        ('[[band]]\nname = "b"\nverdict = 1', ["Did you mean 'verdicts'?"]),
        ('[[panel]]\nname = "p"\nconfigurations = ["a"]', ["[[panel]] p", "at least two"]),
        ('[[panel]]\nname = "p"\nconfigurations = ["a", "a"]', ["none of them twice"]),
        ('[[panel]]\nname = "p"\nconfigurations = ["a", "b"]\naxes = ["x", "y"]', ["[[panel]] 1", "'axes'"]),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_named(text: str, words: list[str]) -> None:
    with pytest.raises(CorpusError) as caught:
        read(text)
    message = str(caught.value)
    assert message.startswith("corpus.toml: ") and "\n" not in message
    for word in words:
        assert word in message, message
