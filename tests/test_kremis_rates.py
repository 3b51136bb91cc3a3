"""Real reply caches of the fabrication benchmark, audited: every rate, split and band is that of its own scorer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from regrade.audit import audit
from regrade.files.corpus_toml import corpus_from
from tests.files.test_kremis import CACHES

pytestmark = pytest.mark.slow

NO, YES = {"answerable": False}, {"answerable": True}
RUN, LENGTH, TRAP = ["trial"], ["trial", "gold.horizon"], ["trial", "gold.horizon", "family"]
DECLARED: dict[str, Any] = {
    "metric": [
        {"name": "false_assertion_rate", "counts": ["FABRICATION"], "where": NO, "by": [RUN, LENGTH, TRAP]},
        {"name": "abstention_recall", "counts": ["passed"], "where": NO, "by": [RUN]},
        {"name": "answer_accuracy", "counts": ["passed"], "where": YES, "by": [RUN, LENGTH]},
        {"name": "hop_fabrication_rate", "ratio": ["hops_invented", "hops_asserted"], "by": [RUN, LENGTH]},
        {"name": "wrong_answers", "counts": ["WRONG_ANSWER"], "by": [RUN]},
        {"name": "malformed", "counts": ["MALFORMED"], "by": [RUN]},
    ],
    "band": [
        {
            "name": "consistency",
            "verdicts": {
                "asserted": ["passed", "FABRICATION", "WRONG_ANSWER"],
                "abstained": ["ABSTAINED"],
                "malformed": ["MALFORMED"],
            },
        }
    ],
}


class Real(NamedTuple):
    """What its scorer says of a cache, and what the audit does."""

    expected: dict[str, Any]
    axis: dict[str, Any]

    def split(self, metric: str, by: list[str], configuration: str, run: int) -> dict[tuple[Any, ...], dict[str, Any]]:
        """The rates of one run, by what else the split is by."""
        [split] = [s for s in self.axis["metrics"][metric]["candidates"]["frozen"]["by"] if s["by"] == by]
        return {
            tuple(part["values"][1:]): part["configurations"][configuration]["of_graded"]
            for part in split["parts"]
            if part["values"][0] == str(run) and configuration in part["configurations"]
        }


@pytest.fixture(scope="module", params=CACHES)
def real(request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Real:
    data, name = shared / "data" / "kremis", request.param
    expected = json.loads((data / f"expected_{name}.json").read_text("utf-8"))
    tables = {
        "corpus": {"name": name, "benchmark": "kremis", "files": [f"cache_{name}.json"]},
        "bank": {"file": f"world_{expected['world']}.json"},
        **DECLARED,
    }
    done = audit(corpus_from(tables, data, "corpus.toml"), tmp_path_factory.mktemp(name) / "out")
    return Real(expected, done.summary["axes"]["pass"])


def configuration(group: dict[str, Any]) -> str:
    return f"{group['provider']} {group['model']} {group['arm']} hint={group['hint']} ctx={group['num_ctx']}"


def percent(rate: dict[str, Any]) -> float:
    """As the scorer writes it; nothing of nothing is 0 there."""
    return round(100 * (rate["rate"] or 0), 2)


def test_every_rate_is_that_of_the_scorer(real: Real) -> None:
    for group in real.expected["groups"]:
        name, run, score = configuration(group), group["run"], group["score"]
        found = {metric: real.split(metric, RUN, name, run).get(()) for metric in real.axis["metrics"]}
        for metric in ("false_assertion_rate", "abstention_recall", "answer_accuracy", "hop_fabrication_rate"):
            # An interrupted run may lack all questions of one kind.
            assert percent(found[metric] or {"rate": None}) == score[metric], (name, run, metric)
        for metric, keys in (
            ("false_assertion_rate", ("fabrications", "unanswerable_total")),
            ("hop_fabrication_rate", ("invented_hops", "asserted_hops")),
        ):
            rate = found[metric] or {"count": 0, "n": 0}
            assert (rate["count"], rate["n"]) == tuple(score[key] for key in keys), (name, run, metric)
        assert (found["answer_accuracy"] or {"n": 0})["n"] == score["answerable_total"]
        for metric in ("wrong_answers", "malformed"):
            assert (found[metric] or {"count": 0})["count"] == score[metric]


def test_every_trap_and_every_length_is_that_of_the_scorer(real: Real) -> None:
    for group in real.expected["groups"]:
        name, run, score = configuration(group), group["run"], group["score"]
        assert {
            f"{trap}@{length}" if length else trap: (rate["count"], rate["n"], percent(rate))
            for (length, trap), rate in real.split("false_assertion_rate", TRAP, name, run).items()
        } == {trap: (c["fabricated"], c["n"], c["rate"]) for trap, c in score["by_category"].items() if c["n"]}
        for metric in ("false_assertion_rate", "answer_accuracy", "hop_fabrication_rate"):
            for (length,), rate in real.split(metric, LENGTH, name, run).items():
                assert length is None or percent(rate) == score["by_horizon"][str(length)][metric]


def test_every_band_is_that_of_the_scorer(real: Real) -> None:
    records = real.axis["bands"]["consistency"]["candidates"]["frozen"]["configurations"]
    told = 0
    for group in real.expected["bands"]:
        band, record = group["band"], records[configuration(group)]
        for key in ("repeats", "verdict_moved", "form_moved", "ceiling"):
            assert record[key] == band[key], (configuration(group), key)
        # The scorer's rate of nothing is 0, with or without repeats; here a zero is never a rate.
        assert (record["rate"] or 0.0) == band["rate"] and record["form_unknown"] == 0
        flips = {flip.split(":")[0] for flip in band["flips"]}
        moved = {move["item"] for move in record["moves"]}
        assert flips <= moved and (flips == moved or len(band["flips"]) == 10)
        told += band["repeats"]
    assert told
