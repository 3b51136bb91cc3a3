"""Audits of the bundled fabrication corpora come out at every published figure, by the product alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from regrade.audit import Audit, audit
from regrade.flips.folding import unfold
from tests.transcripts.kremis import NAMES, folder, read_json, simulation, world_of

pytestmark = pytest.mark.slow

CONTEXT = "llm-context hint=False"
SOLVANE = f"ladlebox solvane:4b {CONTEXT} ctx=16384"
PICKET = f"ladlebox picket-mini {CONTEXT} ctx=16384"
AULDREN = f"relayhouse auldren-cloud {CONTEXT} ctx=16384"
MERRIN = f"relayhouse tollgate/merrin-70b {CONTEXT} ctx=16384"
PANEL = [f"ladlebox {model} {CONTEXT} ctx=8192" for model in ("harrowby:7b", "picket-mini", "moravel:8b")]


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Audit]:
    return {name: audit(folder(name), tmp_path_factory.mktemp(name)) for name in NAMES}


def metric(done: Audit, name: str, configuration: str, candidate: str = "frozen") -> tuple[int, int]:
    """Count and denominator of a metric."""
    blocks = unfold(done.summary["axes"]["pass"]["metrics"][name]["candidates"])
    found = blocks[candidate]["configurations"][configuration]
    return found["of_graded"]["count"], found["of_graded"]["n"]


def query(done: Audit, sql: str, *values: Any) -> list[Any]:
    with duckdb.connect(str(done.out / "audit.duckdb"), read_only=True) as con:
        return con.execute(sql, values).fetchall()


@pytest.mark.parametrize(("name", "trials"), [("base", 408), ("horizon", 630)])
def test_nothing_is_lost_and_every_stored_verdict_is_given_again(
    audits: dict[str, Audit], name: str, trials: int
) -> None:
    corpus, axis = audits[name].summary["corpus"], audits[name].summary["axes"]["pass"]
    assert (corpus["loaded"], corpus["rejected"], corpus["simulated"]) == (trials, 0, True)
    assert axis["parity"] == {"trials": trials, "agree": trials, "allowed": False}
    assert axis["frozen"]["kind"] == "ported"


@pytest.mark.parametrize(
    ("name", "configuration", "fabricated", "right", "hops"),
    [
        ("base", SOLVANE, (0, 16), (8, 8), None),
        ("base", PICKET, (2, 16), (2, 8), None),
        ("base", AULDREN, (0, 16), (8, 8), None),
        ("horizon", AULDREN, (0, 60), (30, 30), (0, 180)),
        ("horizon", SOLVANE, (2, 60), (6, 30), (2, 38)),
        ("horizon", PICKET, (1, 60), (2, 30), (1, 5)),
        ("horizon", MERRIN, (37, 60), (30, 30), None),
    ],
)
def test_the_full_context_arm(
    audits: dict[str, Audit],
    name: str,
    configuration: str,
    fabricated: tuple[int, int],
    right: tuple[int, int],
    hops: tuple[int, int] | None,
) -> None:
    done = audits[name]
    assert metric(done, "false_assertion_rate", configuration) == fabricated
    assert metric(done, "abstention_recall", configuration) == (fabricated[1] - fabricated[0], fabricated[1])
    assert metric(done, "answer_accuracy", configuration) == right
    if hops:
        assert metric(done, "hop_fabrication_rate", configuration) == hops


def test_the_37_by_length_and_trap_and_the_17_that_make_the_bound(audits: dict[str, Audit]) -> None:
    found = query(
        audits["horizon"],
        "select i.family, i.gold->>'horizon', g.code, count(*) from grades g join trials t using (trial_id) "
        "join items i using (item) where t.configuration = ? and g.candidate = 'frozen' and i.family <> 'answerable' "
        "group by all",
        MERRIN,
    )
    counts = {(family, length, code): number for family, length, code, number in found}
    lengths = ("2", "4", "6", "8", "10")
    assert [counts["broken_link", length, "FABRICATION"] for length in lengths] == [5, 5, 3, 4, 5]
    assert sum(counts["reverse_path", length, "FABRICATION"] for length in lengths) == 15
    assert sum(number for (_, _, code), number in counts.items() if code == "MALFORMED") == 17
    assert metric(audits["horizon"], "false_assertion_rate", MERRIN, "malformed_asserts") == (54, 60)


@pytest.mark.parametrize("name", NAMES)
def test_the_upper_bound_is_above_every_other_column(audits: dict[str, Audit], name: str) -> None:
    candidates = audits[name].summary["axes"]["pass"]["metrics"]["false_assertion_rate"]["candidates"]
    for configuration in candidates["frozen"]["configurations"]:
        found = {one: metric(audits[name], "false_assertion_rate", configuration, one)[0] for one in candidates}
        assert found["upper_bound"] == max(found.values()), configuration
    # Not only of each rate: what any column counts, the bound counts.
    assert not query(
        audits[name],
        "select trial_id, candidate from grades g where code = 'FABRICATION' and not exists (from grades u where "
        "u.trial_id = g.trial_id and u.candidate = 'upper_bound' and u.code = 'FABRICATION')",
    )


@pytest.mark.parametrize(
    ("configuration", "fabricated", "right"),
    [(PANEL[0], (2, 16), (8, 8)), (PANEL[1], (3, 16), (4, 8)), (PANEL[2], (4, 16), (8, 8))],
)
def test_the_first_run_of_the_panel(
    audits: dict[str, Audit], configuration: str, fabricated: tuple[int, int], right: tuple[int, int]
) -> None:
    def first(name: str) -> tuple[int, int]:
        block = audits["base"].summary["axes"]["pass"]["metrics"][name]["candidates"]["frozen"]
        [split] = [split for split in block["by"] if split["by"] == ["trial"]]
        [part] = [part for part in split["parts"] if part["values"] == ["0"]]
        rate = part["configurations"][configuration]["of_graded"]
        return rate["count"], rate["n"]

    assert (first("false_assertion_rate"), first("answer_accuracy")) == (fabricated, right)


@pytest.mark.parametrize("name", ["base", "horizon"])
def test_every_metric_is_split_by_arm_and_trap(audits: dict[str, Audit], name: str) -> None:
    for declared in audits[name].summary["axes"]["pass"]["metrics"].values():
        splits = [split["by"] for split in declared["candidates"]["frozen"]["by"]]
        assert ["arm"] in splits and ["family"] in splits


def test_nobody_leads_across_arms(audits: dict[str, Audit]) -> None:
    block = audits["base"].summary["axes"]["pass"]["metrics"]["answer_accuracy"]["candidates"]["frozen"]
    assert {compared["arm"] for compared in block["gaps"]} == {"llm-bare", "llm-context", "llm-rag"}
    for compared in block["gaps"]:
        named = {compared["of_graded"]["leader"], *compared["of_graded"]["gaps"]}
        assert {part for name in named for part in name.split() if part.startswith("llm-")} == {compared["arm"]}


def test_the_bands_of_the_panel_and_of_its_pool(audits: dict[str, Audit]) -> None:
    bands = audits["base"].summary["axes"]["pass"]["bands"]["self_consistency"]["candidates"]["frozen"]
    found = [bands["configurations"][name] for name in PANEL] + [bands["panels"]["three_families"]]
    assert [(b["repeats"], b["verdict_moved"], b["form_moved"]) for b in found] == [
        (24, 0, 0),
        (24, 1, 0),
        (24, 0, 1),
        (72, 1, 1),
    ]
    assert [b["ceiling"] for b in found] == [0.125, None, 0.125, None]
    assert [b["rate"] for b in found] == [None, 1 / 24, None, 1 / 72]


def test_one_more_fabrication_moves_the_figure_by_one(tmp_path: Path) -> None:
    copy = tmp_path / "corpus"
    shutil.copytree(folder("horizon"), copy, ignore=shutil.ignore_patterns("SHA256SUMS", "*.py"))
    classifier, world = simulation("classifier"), world_of(read_json(copy / "world.json"))
    path = copy / "caches" / "arms.json"
    cache = read_json(path)
    start = "horizon|420|relayhouse|auldren-cloud|llm-context|False|16384|0|"
    question = next(one for one in world.questions if one.truth is None)
    reply = f"ANSWER: {question.source} -> {question.target}"
    reading = classifier.read(reply, *question.key, world.known)
    cache[start + "|".join(question.key)] = [reply, 7000, classifier.grade(question, reading)]
    path.write_text(json.dumps(cache), encoding="utf-8")
    done = audit(copy, tmp_path / "out")
    assert metric(done, "false_assertion_rate", AULDREN) == (1, 60)
    assert metric(done, "hop_fabrication_rate", AULDREN) == (1, 181)
    assert metric(done, "answer_accuracy", AULDREN) == (30, 30)
