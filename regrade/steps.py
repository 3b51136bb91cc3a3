"""The steps of an audit one by one, as the commands of their names take them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from regrade.audit import (
    Progress,
    free_out,
    load_store,
    regrade_store,
    silent,
)
from regrade.books import rulebook, store_corpus
from regrade.earlier import copied_store
from regrade.files.corpus_toml import read_corpus
from regrade.files.manifest import freeze as freeze_files
from regrade.flips.overview import corpus_summary
from regrade.grades.plan import plan, used_files
from regrade.outputs import replacing
from regrade.summing import summarise, write_outputs
from regrade.tables.store import FILE_NAME, Store
from regrade.warned import store_warnings


def freeze(path: Path, rules: Path | None = None) -> dict[str, Any]:
    """Write SHA256SUMS of a corpus and LOCK of the rules that its candidates use; say what was written."""
    corpus = read_corpus(path)
    book = rulebook(corpus, rules)
    names = used_files(plan(corpus, book))
    book.check_lock(names)
    sums = freeze_files(corpus)
    locks = book.lock(names)
    return {
        "sums": str(sums),
        "files": len(sums.read_text(encoding="utf-8").splitlines()),
        "locks": [str(p) for p in locks],
        "rules": names,
    }


def prove(path: Path, rules: Path | None = None, *, progress: Progress = silent) -> dict[str, Any]:
    """Check files against SHA256SUMS, rules against LOCK, and parity, writing nothing but a scratch store."""
    corpus = read_corpus(path)
    with tempfile.TemporaryDirectory() as scratch, load_store(corpus, Path(scratch), progress=progress) as store:
        regrade_store(store, corpus, rules=rules, progress=progress)
        summary = summarise(store)
        return {
            "files": summary["corpus"]["files"],
            "frozen": store.facts()["frozen"] == "true",
            "sha256": summary["corpus"]["sha256"],
            "rules": {n: {k: r[k] for k in ("locked", "fingerprint")} for n, r in summary["rules"].items()},
            "kinds": {axis: block["frozen"]["kind"] for axis, block in summary["axes"].items()},
            "parity": {axis: block["parity"] for axis, block in summary["axes"].items()},
            "warnings": list(store_warnings(store)),
        }


def load_only(path: Path, out: Path | None = None, *, progress: Progress = silent) -> dict[str, Any]:
    """Load a corpus into a new store in its output folder; return the counts."""
    corpus = read_corpus(path)
    out = out or free_out(corpus)
    with replacing(out) as new, load_store(corpus, new, progress=progress) as store:
        counts = corpus_summary(store.con, corpus, store.facts()["sha256"])
        warnings = list(store_warnings(store))
    return {"store": str(out / FILE_NAME), **counts, "warnings": warnings}


def run_only(
    folder: Path, *, rules: Path | None = None, allow_parity_gap: bool = False, progress: Progress = silent
) -> dict[str, Any]:
    """Grade the store in a folder by every candidate; it takes the old one's place, and outputs of that are gone.

    Returns:
        `grades` (axis, candidate, status and the number of trials) and `warnings`.
    """
    with Store.open(folder / FILE_NAME, read_only=True) as store:
        corpus = store_corpus(store)
    with replacing(folder) as new:
        with copied_store(folder, new) as store:
            regrade_store(store, corpus, rules=rules, allow_parity_gap=allow_parity_gap, progress=progress)
            rows = store.con.execute(
                "select axis, candidate, status, count(*) as trials from grades group by all order by all"
            ).fetchall()
            warnings = list(store_warnings(store))
    names = ("axis", "candidate", "status", "trials")
    return {"grades": [dict(zip(names, row, strict=True)) for row in rows], "warnings": warnings}


def report_only(store: Store, out: Path) -> dict[str, Any]:
    """Write the report, the flips and the summary of a graded store into `out`."""
    with replacing(out) as new:
        return write_outputs(store, new)
