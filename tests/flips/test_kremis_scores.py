"""Rates and bands against a benchmark's own scorer: its verdicts go in as grades, and its scores must come out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from regrade.files.corpus import Band, Metric
from tests.flips.flip_store import Attempt, as_json, axes_summary, corpus, insert, store

SWEEPS = ("base_arms", "base_panel", "horizon_arms", "horizon_panel")
SPLITS = ("family", "gold.horizon", ("gold.horizon", "family"))
NO, YES = {"answerable": False}, {"answerable": True}
METRICS = (
    Metric("false_assertion_rate", axis="pass", counts=("FABRICATION",), where=NO, by=SPLITS, best="lowest"),
    Metric("abstention_recall", axis="pass", counts=("passed",), where=NO, best="highest"),
    Metric("answer_accuracy", axis="pass", counts=("passed",), where=YES, by=("gold.horizon",), best="highest"),
    Metric("hop_fabrication_rate", axis="pass", ratio=("hops_invented", "hops_asserted"), by=("gold.horizon",)),
    Metric("wrong_answers", axis="pass", counts=("WRONG_ANSWER",)),
    Metric("malformed", axis="pass", counts=("MALFORMED",)),
)
VERDICTS = {
    "asserted": ("passed", "FABRICATION", "WRONG_ANSWER"),
    "abstained": ("ABSTAINED",),
    "malformed": ("MALFORMED",),
}
BAND = Band("consistency", axis="pass", verdicts=VERDICTS)
PARTS = ("provider", "model", "arm", "hint", "num_ctx")


def configuration(group: dict[str, Any]) -> str:
    return " ".join(str(group[part]) for part in PARTS)


def grade(row: dict[str, Any], truth: list[str] | None) -> str:
    """What the verdict on a reply comes to."""
    if row["verdict"] != "asserted":
        return f"{'passed' if truth is None else 'failed'}:{row['verdict'].upper()}"
    if truth is None:
        return "failed:FABRICATION"
    return "passed" if row["chain"] == truth else "failed:WRONG_ANSWER"


class Sweep:
    """The verdicts of one cache, and what comes out of them with each run a configuration, or with runs as trials."""

    def __init__(self, folder: Path, name: str) -> None:
        self.expected = json.loads((folder / f"expected_{name}.json").read_text("utf-8"))
        world = json.loads((folder / f"world_{name.split('_')[0]}.json").read_text("utf-8"))
        links = {tuple(link) for link in world["dependencies"]}
        questions = {(q["source"], q["target"]): q for q in world["questions"]}
        self.families, self.golds, self.rows = {}, {}, []
        for (source, target), question in questions.items():
            item = f"{source} -> {target}"
            self.families[item] = question["category"].partition("@")[0]
            self.golds[item] = {"answerable": question["truth"] is not None, "horizon": question["horizon"]}
        for group in self.expected["groups"]:
            for row in group["rows"]:
                chain = row["chain"] or []
                hops = list(zip(chain, chain[1:], strict=False)) if row["verdict"] == "asserted" else []
                self.rows.append({
                    "configuration": configuration(group), "run": str(group["run"]),
                    "item": f"{row['source']} -> {row['target']}",
                    "grade": grade(row, questions[row["source"], row["target"]]["truth"]),
                    "value": json.dumps(row["chain"]) if row["chain"] else None,
                    "measures": {"hops_asserted": len(hops), "hops_invented": sum(hop not in links for hop in hops)},
                })  # fmt: skip

    def summary(self, *, apart: bool, **declared: Any) -> dict[str, Any]:
        attempts = [
            Attempt(f"{r['configuration']} run {r['run']}" if apart else r["configuration"], r["item"], r["run"],
                    {"pass": {"frozen": r["grade"]}})
            for r in self.rows
        ]  # fmt: skip
        con = store(attempts, families=self.families, golds=self.golds)
        ids = [a.trial_id for a in attempts]
        insert(con, "measures", [
            {"trial_id": trial, "axis": "pass", "candidate": "frozen", "measure": measure, "amount": float(amount)}
            for trial, row in zip(ids, self.rows, strict=True) for measure, amount in row["measures"].items()
        ])  # fmt: skip
        con.execute("create table read as select unnest(?) as trial_id, unnest(?) as value",
                    [ids, [row["value"] for row in self.rows]])  # fmt: skip
        con.execute("update grades set value = read.value from read where read.trial_id = grades.trial_id")
        return as_json(axes_summary(con, corpus(**declared)))["pass"]


@pytest.fixture(scope="module", params=SWEEPS)
def sweep(request: pytest.FixtureRequest, shared: Path) -> Sweep:
    return Sweep(shared / "data" / "kremis", request.param)


def percent(rate: dict[str, Any]) -> float:
    """As the scorer writes it; nothing of nothing is 0 there."""
    return round(100 * (rate["rate"] or 0), 2)


def test_every_rate_is_that_of_the_scorer(sweep: Sweep) -> None:
    metrics = sweep.summary(apart=True, metrics=METRICS)["metrics"]
    blocks = {name: metric["candidates"]["frozen"] for name, metric in metrics.items()}
    for group in sweep.expected["groups"]:
        name, score = f"{configuration(group)} run {group['run']}", group["score"]
        found = {m: block["configurations"][name]["of_graded"] for m, block in blocks.items()
                 if name in block["configurations"]}  # fmt: skip
        for rate in ("false_assertion_rate", "abstention_recall", "answer_accuracy", "hop_fabrication_rate"):
            assert percent(found[rate]) == score[rate], (name, rate)
        assert [found["false_assertion_rate"][key] for key in ("count", "n")] == [
            score["fabrications"], score["unanswerable_total"],
        ]  # fmt: skip
        assert [found["hop_fabrication_rate"][key] for key in ("count", "n")] == [
            score["invented_hops"], score["asserted_hops"],
        ]  # fmt: skip
        assert found["answer_accuracy"]["n"] == score["answerable_total"]
        assert (found["wrong_answers"]["count"], found["malformed"]["count"]) == (
            score["wrong_answers"], score["malformed"],
        )  # fmt: skip
        check_splits(blocks, name, score)


def split(blocks: dict[str, Any], metric: str, by: list[str], name: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    [found] = [s for s in blocks[metric]["by"] if s["by"] == by]
    return {tuple(p["values"]): p["configurations"][name]["of_graded"] for p in found["parts"]
            if name in p["configurations"]}  # fmt: skip


def check_splits(blocks: dict[str, Any], name: str, score: dict[str, Any]) -> None:
    traps = split(blocks, "false_assertion_rate", ["gold.horizon", "family"], name)
    assert {f"{family}@{horizon}" if horizon else family: (r["count"], r["n"], percent(r))
            for (horizon, family), r in traps.items()} == {
        category: (c["fabricated"], c["n"], c["rate"]) for category, c in score["by_category"].items() if c["n"]
    }  # fmt: skip
    for metric in ("false_assertion_rate", "answer_accuracy", "hop_fabrication_rate"):
        for (horizon,), rate in split(blocks, metric, ["gold.horizon"], name).items():
            if horizon is not None:
                assert percent(rate) == score["by_horizon"][str(horizon)][metric]


def test_every_band_is_that_of_the_scorer(sweep: Sweep) -> None:
    found = sweep.summary(apart=False, bands=(BAND,))["bands"]["consistency"]["candidates"]["frozen"]["configurations"]
    for group in sweep.expected["bands"]:
        band, record = group["band"], found[configuration(group)]
        for key in ("repeats", "verdict_moved", "form_moved", "ceiling"):
            assert record[key] == band[key], (configuration(group), key)
        # The scorer's rate of nothing is 0, with or without repeats; here a zero is never a rate.
        assert (record["rate"] or 0.0) == band["rate"]
        assert record["form_unknown"] == 0
        told = {flip.split(":")[0] for flip in band["flips"]}
        moved = {move["item"] for move in record["moves"]}
        assert told <= moved and (len(told) == len(moved) or len(band["flips"]) == 10)
