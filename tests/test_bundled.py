"""What the repository carries of its own use: locked rules, frozen corpora, and reports as a rebuild gives them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest

from regrade.audit import Audit, audit
from regrade.books import rule_roots
from regrade.files.corpus_toml import read_corpus
from regrade.files.manifest import verify
from regrade.grades.listing import list_rules
from regrade.pages import FOLDER
from regrade.steps import report_only
from regrade.tables.schema import TABLES, quote
from regrade.tables.store import FILE_NAME, Store
from tests.conftest import ROOT

REPORTS = ROOT / "reports"
AUDITED = {"tool_loop_v1": "tool_loop", "broken_campus": "campus"}
"""Corpora that a fixture has audited once for all tests."""


def test_every_bundled_rule_is_locked_as_it_is() -> None:
    assert {r["rule"]: r["state"] for r in list_rules(rule_roots()) if r["state"] != "locked"} == {}


def bundled() -> list[str]:
    """The corpora that the repository carries; those that somebody has made in the checkout are not of them."""
    kept = subprocess.run(["git", "ls-files", "transcripts"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    found = sorted((ROOT / "transcripts").glob("*/corpus.toml"))
    return [p.parent.name for p in found if not kept or p.relative_to(ROOT).as_posix() in kept]


def test_every_bundled_corpus_is_frozen_and_says_that_it_is_simulated() -> None:
    corpora = [read_corpus(ROOT / "transcripts" / name) for name in bundled()]
    assert corpora and all(corpus.simulated and verify(corpus).present for corpus in corpora)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "tool_loop_v1" else pytest.mark.slow) for name in bundled()]
)
def test_the_stored_report_is_what_an_audit_gives(
    name: str, request: pytest.FixtureRequest, drawn: None, tmp_path: Path
) -> None:
    if name in AUDITED:
        made: Audit = request.getfixturevalue(AUDITED[name])
        with Store.open(made.out / FILE_NAME, read_only=True) as store:
            report_only(store, tmp_path)
    else:
        audit(ROOT / "transcripts" / name, tmp_path)
    stored = REPORTS / name
    assert (stored / "flips.csv").read_bytes() == (tmp_path / "flips.csv").read_bytes()
    known, made_now = (json.loads((folder / "summary.json").read_text("utf-8")) for folder in (stored, tmp_path))

    def figures(summary: dict[str, Any]) -> dict[str, Any]:
        return {k: v for k, v in summary.items() if k not in ("versions", "outputs")}

    assert figures(known) == figures(made_now)
    if known["versions"] != made_now["versions"]:
        pytest.skip("the stored page was made with other versions of the engines, which it names")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert (stored / "report.html").read_text("utf-8") == page
    kept, made_pages = ({p.name: p.read_bytes() for p in (f / FOLDER).glob("*")} for f in (stored, tmp_path))
    assert kept == made_pages
    assert "<svg" in page and "No picture was drawn" not in page


def test_the_repository_stays_small() -> None:
    folders = [ROOT / name for name in ("transcripts", "reports", "rules", "regrade")]
    size = sum(p.stat().st_size for f in folders for p in f.rglob("*") if p.is_file() and p.suffix != ".duckdb")
    assert size < 25_000_000


def test_a_key_names_one_row_of_its_table(tool_loop_store: duckdb.DuckDBPyConnection) -> None:
    for table in TABLES:
        if table.key:
            keys = ", ".join(quote(name) for name in table.key)
            query = f"select {keys} from {quote(table.name)} group by all having count(*) > 1"
            assert tool_loop_store.execute(query).fetchall() == [], table.name
