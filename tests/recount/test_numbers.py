"""Every leaf of summary.json is recounted, and every number of report.html stands there or in a table of the store.

The recount is SQL over the base tables and shares nothing with what the product counts by; intervals, coefficients and
sentences are held to other sources by the tests that `Elsewhere` names. Of a page, `stand.SECTIONS` says what each
section may show; a percentage may be a share of two such numbers. What it quotes of transcripts, prompts, golds, codes
and rules is no figure.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from regrade.audit import Audit, audit
from regrade.books import store_corpus
from regrade.tables.store import FILE_NAME, Store
from tests.conftest import ROOT
from tests.recount.ground import WAYS, Elsewhere, Ground
from tests.recount.stand import SECTIONS, homeless
from tests.recount.whole import recount, unlike
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
        "select unnest([records, loaded, rejected, bytes]) from files",
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


def recounted(out: Path) -> dict[str, Any]:
    with Store.open(out / FILE_NAME, read_only=True) as store:
        return recount(store.con, store_corpus(store))


def named(part: Any) -> Iterator[str]:
    """The tests that hold what is not recounted."""
    if isinstance(part, Elsewhere):
        yield part.test
    elif isinstance(part, dict | list):
        for each in part.values() if isinstance(part, dict) else part:
            yield from named(each)


@pytest.mark.slow
def test_every_leaf_of_a_summary_is_recounted(everything: Audit) -> None:
    counted = recounted(everything.out)
    assert list(unlike(everything.summary, counted)) == []
    assert [test for test in sorted(set(named(counted))) if not (ROOT / test).is_file()] == []
    # What nobody recounts is a failure, in whatever part of the summary it stands.
    block = everything.summary["axes"]["pass"]["candidates"]["v2"]["tiers"]["some"]
    block["new_figure"] = 3
    try:
        [(path, told, _)] = unlike(everything.summary, counted)
    finally:
        del block["new_figure"]
    assert (path, told) == (("axes", "pass", "candidates", "v2", "tiers", "some", "new_figure"), 3)


def moved(everything: Audit, folder: Path, change: str) -> dict[tuple[Any, ...], tuple[Any, Any]]:
    """Where the summary and a recount differ once a row of the base tables is changed."""
    shutil.copy(everything.out / FILE_NAME, folder / FILE_NAME)
    with duckdb.connect(str(folder / FILE_NAME)) as con:
        [(rows,)] = con.execute(change).fetchall()
        assert rows == 1
    return {path: (told, counted) for path, told, counted in unlike(everything.summary, recounted(folder))}


@pytest.mark.slow
def test_one_flip_less_in_the_tables_is_one_less_in_each_of_its_figures_and_nowhere_else(
    everything: Audit, tmp_path: Path
) -> None:
    row = "axis = 'pass' and candidate = 'v2' and trial_id = 'a/T01/0'"
    found = moved(
        everything, tmp_path, f"update grades set status = 'failed', code = 'STALE_DATA', decided_by = null where {row}"
    )
    axis, all_trials = ("axes", "pass"), ("axes", "pass", "candidates", "v2", "tiers", "all")
    for path, less in {
        (*all_trials, "moves", "failed", "passed"): 1,
        (*all_trials, "moves", "failed", "failed"): -1,
        (*all_trials, "unmoved"): -1,
        (*all_trials, "fail_to_pass", "trials"): 1,
        (*axis, "gains", "a", "candidates", "v2", "gain"): 1,
        (*axis, "cutoffs", "some", 0, "flips", "v2", "fail_to_pass"): 1,
        (*axis, "curve", "all", "rows", 0, "flips", "v2", "fail_to_pass"): 1,
        (*axis, "items", "all", "T01", "flips", "v2", "fail_to_pass", "trials"): 1,
        (*axis, "families", "some", "units", "flips", "v2", "fail_to_pass", "trials"): 1,
        (*axis, "beyond", "v2", "all", "fail_to_pass", "count"): 1,
        ("samples", "whole", "strata", 2, "frame"): 1,
    }.items():
        told, counted = found[path]
        assert told - counted == less, path
    # Of another candidate, of the frozen grader and of another axis nothing differs, nor do the members of a tier.
    assert {path[0] for path in found} == {"axes", "samples"}
    assert all(path[1] == "pass" and "v2" in path for path in found if path[0] == "axes")
    assert all(path[1] in ("whole", "open") for path in found if path[0] == "samples")


@pytest.mark.slow
def test_one_frozen_grade_more_that_failed_is_one_more_in_each_of_its_figures(
    everything: Audit, tmp_path: Path
) -> None:
    row = "axis = 'tone' and trial_id = 'a/T01/0'"
    found = moved(everything, tmp_path, f"update frozen_grades set status = 'failed', code = 'RUDE' where {row}")
    for path, less in {
        ("tiers", "all", "passed"): 1,
        ("tiers", "all", "failed"): -1,
        ("tiers", "all", "codes", "RUDE"): -1,
        ("gains", "a", "passed"): 1,
        ("items", "all", "T01", "missed", "trials"): -1,
        ("families", "all", "units", "failed"): -1,
        ("curve", "all", "rows", 0, "failed"): -1,
        ("ranks", "tiers", "all", "configurations", "a", "passed"): 1,
        ("metrics", "toned", "candidates", "frozen", "configurations", "a", "of_graded", "count"): 1,
    }.items():
        told, counted = found["axes", "tone", *path]
        assert told - counted == less, path
    assert all(path[:2] == ("axes", "tone") for path in found)


@pytest.mark.slow
@pytest.mark.parametrize("name", bundled())
def test_every_leaf_of_a_bundled_summary_is_recounted(name: str, tmp_path: Path) -> None:
    done = audit(ROOT / "transcripts" / name, tmp_path)
    assert list(unlike(done.summary, recounted(done.out))) == []


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


def test_every_number_of_a_page_stands_somewhere_and_one_that_does_not_is_named(everything: Audit) -> None:
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
def test_every_number_of_a_bundled_page_stands_somewhere(name: str, tmp_path: Path) -> None:
    page, known = told(audit(ROOT / "transcripts" / name, tmp_path))
    assert list(homeless(page, **known)) == []
