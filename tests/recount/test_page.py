"""Every number of report.html stands in summary.json, is a share of two of its numbers, or is in a table of the store.

Transcripts, prompts, golds, codes and rules are quoted and no figures. `stand.SECTIONS` says what each section may show.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import Audit, audit
from regrade.books import store_corpus
from regrade.tables.store import FILE_NAME, Store
from tests.conftest import ROOT
from tests.recount.ground import WAYS, Ground
from tests.recount.stand import SECTIONS, homeless
from tests.test_bundled import bundled

NAMES = "select trial_id from trials union select item from items union select configuration from configurations"
RECODED = "status = from_status and code is distinct from from_code"
MOVED = f"from_status <> 'none' and (status <> from_status or {RECODED})"
KINDS = (
    "(select trial_id, configuration, kind, tiers from (select trial_id, any_value(configuration) as configuration, "
    "list((axis, candidate, from_status, from_code, status, code) order by axis, candidate) as kind "
    f"from regraded where {MOVED} group by trial_id) join (select configuration, list(tier order by tier) as tiers "
    "from member group by 1) using (configuration))"
)
"""Each moved trial with all its moves and all its tiers."""
FIGURE = re.compile(r"(?<=[> (])\d+(?=</td>|</strong>| trials| of )")
STORED = {
    "integrity": (
        "select line from rejects",
        "select count(*) from (select configuration, count(*) as n from trials group by 1) "
        "where n < (select max(n) from (select count(*) as n from trials group by configuration))",
    ),
    "probes": ("select distinct value from probes",),
    "evidence": (
        "select distinct line from trials",
        "select distinct answer from grades union select distinct value from grades",
        "select gold::varchar from items",
        "select turn from signals",
        "select len(calls) from trials",
        f"select count(distinct trial_id) from regraded where {MOVED}",
        f"select count(*) from {KINDS} group by kind, tiers",
        f"select count(*) from {KINDS} join member using (configuration) group by kind, tier",
        *(
            "select count(*) from (select trial_id, axis, candidate, list(tier order by tier) as tiers from regraded "
            f"join member using (configuration) where {way} group by all) group by axis, candidate, tiers"
            for way in (*WAYS.values(), RECODED)
        ),
    ),
}
"""What a section shows of the store: lines of the logs, what was read, and trials by the tiers that they are in."""


def told(done: Audit) -> tuple[str, dict[str, Any]]:
    """The page, and what `homeless` is to know."""
    with Store.open(done.out / FILE_NAME, read_only=True) as store:
        on = Ground(store.con, store_corpus(store))
        names = {name for (name,) in on.rows(NAMES)}
        stored = {
            section: [value for query in queries for (value,) in on.rows(query)] for section, queries in STORED.items()
        }
    page = (done.out / "report.html").read_text("utf-8")
    return page, {"summary": done.summary, "names": names, "stored": stored}


def test_all_of_a_small_corpus_and_a_number_that_stands_nowhere(everything: Audit) -> None:
    page, known = told(everything)
    assert list(homeless(page, **known)) == []
    wrong = {}
    for at, name in enumerate(SECTIONS):
        place = page.find(f'<section id="{name}"')
        figure = FIGURE.search(page, max(place, 0))
        # Rules are quoted whole: that section has no figure of its own.
        if figure and name != "rules" and (place >= 0 or name == "header"):
            wrong[name] = f"{987_000 + at:,}"
            page = f"{page[: figure.start()]}{wrong[name]}{page[figure.end() :]}"
    assert len(wrong) == len(SECTIONS) - 1
    assert {section: number for section, number, _ in homeless(page, **known)} == wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", bundled())
def test_all_of_a_bundled_corpus(name: str, tmp_path: Path) -> None:
    page, known = told(audit(ROOT / "transcripts" / name, tmp_path))
    assert list(homeless(page, **known)) == []
