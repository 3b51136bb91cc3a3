"""Small corpora for the reports: written as files, audited for real."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from regrade.audit import Audit, audit
from regrade.books import store_corpus
from regrade.report.build import build_pages
from regrade.tables.store import FILE_NAME, Store
from regrade.warned import store_warnings
from tests.conftest import TOML, twenty, write_corpus

TIERS = """
[[tier]]
name = "some"
min_pass_rate = 0.3
cutoffs = [0.5]
[[candidate]]
name = "v2"
rules = ["last_equals_v1", "ask_accepted_v1", "format_code_v1"]
[[partition]]
name = "why"
sets = ["last_equals", "missing_prefix"]
[[sample]]
name = "flips"
candidate = "v2"
stratum = "fail_to_pass"
size = 5
seed = 1234567
"""

RULE = '''"""Say {what}.

What it changes: {what}.
Why: a test.
Evidence: none.
What it cannot show: anything.
"""

import polars as pl

from regrade.grades import Stages, per_row, text

AXIS, DECISION = "pass", "{decision}"
REASON = "a test"

{body}
MUST_FLIP = []
MUST_HOLD = []
'''


def audited(folder: Path, toml: str = TOML + TIERS, records: Any = None, **options: Any) -> Audit:
    """Audit a corpus of twenty trials, or of other records, in `folder`."""
    corpus = write_corpus(folder / "corpus", twenty() if records is None else records, toml)
    return audit(corpus, folder / "out", **options)


def page_of(done: Audit, summary: dict[str, Any] | None = None) -> str:
    """The report of an audit, made anew from its store."""
    with Store.open(done.out / FILE_NAME, read_only=True) as store:
        known = summary or json.loads((done.out / "summary.json").read_text("utf-8"))
        *_, (_, text) = build_pages(store.con, store_corpus(store), known, store_warnings(store))
        return text


def rules_folder(folder: Path, **bodies: str) -> Path:
    """A rules folder whose benchmark `made` has a rule for each body, its grades carried."""
    (folder / "made").mkdir(parents=True)
    for name, body in bodies.items():
        (folder / "made" / f"{name}_v1.py").write_text(RULE.format(what=name, decision="proposed", body=body), "utf-8")
    return folder
