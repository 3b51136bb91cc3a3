"""What a graded store says, as `summary.json` and the files beside it."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb
import polars

import regrade
from regrade.books import require_graded, store_corpus
from regrade.code import PAINTERS
from regrade.earlier import SUMMARY
from regrade.flips.flips_csv import write_flips_csv
from regrade.flips.overview import corpus_summary, rules_summary
from regrade.flips.summary import axes_summary
from regrade.outputs import json_text, write_text
from regrade.pages import REPORT
from regrade.report.build import build_pages
from regrade.report.charts import Drawing
from regrade.review.told import review_summary
from regrade.tables.store import Store
from regrade.warned import store_warnings

SCHEMA = "regrade.summary/1"


def summarise(store: Store) -> dict[str, Any]:
    """Everything that the store says, as `summary.json` without the hashes of the outputs."""
    corpus = store_corpus(store)
    require_graded(store)
    facts = store.facts()
    return {
        "schema": SCHEMA,
        "corpus": corpus_summary(store.con, corpus, facts["sha256"]),
        "versions": {
            "regrade": regrade.__version__,
            "duckdb": duckdb.__version__,
            "polars": polars.__version__,
            **{name: version(name) for name in PAINTERS},
        },
        "outputs": {},
        "axes": axes_summary(store.con, corpus),
        "rules": rules_summary(store.con),
        "samples": review_summary(store.con, corpus),
    }


def write_outputs(store: Store, out: Path) -> dict[str, Any]:
    """Write `flips.csv`, the report with the pages of its trials and, last, `summary.json`; return the summary."""
    # The child that draws is loaded while the figures are counted.
    with Drawing() as drawing:
        summary = summarise(store)
        write_flips_csv(store.con, out / "flips.csv")
        told = (store.con, store_corpus(store), summary, store_warnings(store))
        digests = {name: _written(out / name, text) for name, text in build_pages(*told, drawing.draw)}
    flips = hashlib.sha256((out / "flips.csv").read_bytes()).hexdigest()
    if drawing.undrawn:
        summary["undrawn"] = drawing.undrawn
    summary["outputs"] = {REPORT: digests.pop(REPORT), "flips.csv": flips, **digests}
    write_text(out / SUMMARY, json_text(summary))
    return summary


def _written(path: Path, text: str) -> str:
    """Write a text; return its hash."""
    write_text(path, text)
    return hashlib.sha256(text.encode()).hexdigest()
