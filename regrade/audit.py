"""The main job, joined from its steps: verify, load, grade, prove parity, count flips, write the report.

Each step is a function that the command of its name calls, on a store that the step before has left.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import polars

import regrade
from regrade.books import require_graded, rulebook, store_corpus
from regrade.code import PAINTERS
from regrade.earlier import (
    SUMMARY,
    audit_mark,
    copy_store,
    load_mark,
    open_earlier,
    read_mark,
    same_audit,
    take_grades,
)
from regrade.errors import OutputError, near
from regrade.files.corpus import Corpus
from regrade.files.corpus_toml import read_corpus
from regrade.files.manifest import Manifest, match_files, require_still, verify
from regrade.flips.flips_csv import write_flips_csv
from regrade.flips.overview import corpus_summary, rules_summary
from regrade.flips.signals import find_signals
from regrade.flips.summary import axes_summary
from regrade.flips.tiers import find_tiers
from regrade.grades.kept import mark_items
from regrade.grades.plan import Column, plan, used_files
from regrade.grades.probing import find_probes
from regrade.grades.rule_file import EVERY
from regrade.grades.rule_sets import find_rule_sets
from regrade.grades.rulebook import Rulebook
from regrade.grades.run import Graded, grade
from regrade.outputs import json_text, replacing, write_text
from regrade.pages import REPORT
from regrade.report.build import build_pages
from regrade.report.charts import Drawing
from regrade.review.samples import find_samples
from regrade.review.told import review_summary
from regrade.review.verdicts import load_verdicts, other_draws_text
from regrade.tables.ingest import load
from regrade.tables.store import FILE_NAME, Store

SCHEMA = "regrade.summary/1"
Progress = Callable[[str, str, int, int], None]
"""Called with (step, what, done, in all)."""


def silent(step: str, what: str, done: int, total: int) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Audit:
    """What an audit gave."""

    out: Path
    summary: dict[str, Any]
    warnings: tuple[str, ...]
    graded: Graded
    """Trials graded, by axis and candidate; what an earlier audit had graded does not count."""


def audit(
    path: Path | str | Corpus,
    out: Path | str | None = None,
    *,
    rules: Path | str | None = None,
    allow_parity_gap: bool = False,
    progress: Progress = silent,
) -> Audit:
    """Verify, load and regrade a corpus, and write `report.html`, `summary.json`, `flips.csv` and `audit.duckdb`.

    Args:
        path: folder with a corpus.toml, or the file; or a corpus made of one.
        out: output folder; default `reports/<name>`.
        rules: a rules folder that wins over the corpus's and the bundled one.
        allow_parity_gap: go on where the frozen grader does not give the frozen grades, with the gap shown.
        progress: called as the work goes on.

    Raises:
        GateFailed: checksum, lock or parity; nothing new is written.
        RegradeError: the corpus, a rule or the output cannot be used; nothing new is written.
    """
    corpus = path if isinstance(path, Corpus) else read_corpus(Path(path))
    out = Path(out) if out is not None else free_out(corpus)
    rules = Path(rules) if rules is not None else None
    manifest = verify(corpus)
    book, columns = planned(corpus, rules)
    mark = audit_mark(corpus, manifest, book, columns, allow_parity_gap)
    if same := same_audit(out, mark):
        summary, audited = same
        with audited:
            return Audit(out, summary, store_warnings(audited), {c.axis: {} for c in columns})
    with replacing(out) as new:
        copied = copy_store(out, new, load_mark(corpus, manifest))
        with copied or load_store(corpus, new, manifest, progress=progress) as store:
            if copied is None:
                take_grades(store, corpus, out, columns)
            _remember_corpus(store, corpus, manifest)
            graded = _regrade(store, corpus, book, columns, allow_parity_gap, progress)
            summary = write_outputs(store, new)
            text = (new / SUMMARY).read_bytes()
            # Another run may draw what this one could not.
            done = "" if "undrawn" in summary else mark
            store.remember({"audit": done, "summary": hashlib.sha256(text).hexdigest()})
            warnings = (*store_warnings(store), *undrawn(summary))
    return Audit(out, summary, warnings, graded)


def default_out(corpus: Corpus) -> Path:
    """Where the outputs of a corpus go unless told otherwise."""
    return Path("reports") / corpus.name


def free_out(corpus: Corpus) -> Path:
    """Where the outputs of a corpus go by default; OutputError where those of another corpus of its name are."""
    out = default_out(corpus)
    if store := open_earlier(out):
        with store:
            other = store_corpus(store)
        if other.places != corpus.places:
            raise OutputError(
                f"{out} holds the audit of another corpus of that name, {other.root / other.files[0]}. "
                "Name another folder with --out."
            )
    return out


def planned(corpus: Corpus, rules: Path | None) -> tuple[Rulebook, list[Column]]:
    """The rules of a corpus and its what-if columns; GateFailed where a locked rule was edited."""
    book = rulebook(corpus, rules)
    columns = plan(corpus, book)
    book.check_lock(used_files(columns))
    return book, columns


def load_store(corpus: Corpus, out: Path, manifest: Manifest | None = None, *, progress: Progress = silent) -> Store:
    """Load the files, verified before or now, into a new store in `out`."""
    manifest = manifest or verify(corpus)
    store = Store.create(out / FILE_NAME)
    try:
        digests = _transcripts(corpus, manifest)
        load(store, corpus, digests, progress=lambda *args: progress("load", *args))
        require_still(corpus, manifest)
        mark_items(store.con)
        store.remember({"load": load_mark(corpus, manifest), "read": read_mark(corpus)})
        _remember_corpus(store, corpus, manifest)
    except BaseException:
        store.close()
        raise
    return store


def _remember_corpus(store: Store, corpus: Corpus, manifest: Manifest) -> None:
    # A store is used from other folders than the one that it was made in.
    rules = None if corpus.rules is None else corpus.rules.resolve()
    corpus = msgspec.structs.replace(corpus, root=corpus.root.resolve(), rules=rules)
    store.remember(
        {
            "corpus": msgspec.json.encode(corpus, enc_hook=str).decode(),
            "sha256": manifest.sha256,
            "frozen": json.dumps(manifest.present),
        }
    )


def _transcripts(corpus: Corpus, manifest: Manifest) -> list[Any]:
    names = {p.as_posix() for p in match_files(corpus)}
    return [d for d in manifest.files if d.path in names]


def regrade_store(
    store: Store,
    corpus: Corpus,
    *,
    rules: Path | None = None,
    allow_parity_gap: bool = False,
    progress: Progress = silent,
) -> Graded:
    """Run every candidate over a loaded store, prove parity, find samples, signals, probes; return what was graded."""
    book, columns = planned(corpus, rules)
    return _regrade(store, corpus, book, columns, allow_parity_gap, progress)


def _regrade(
    store: Store,
    corpus: Corpus,
    book: Rulebook,
    columns: Sequence[Column],
    allow_parity_gap: bool,
    progress: Progress,
) -> Graded:
    # What was written from the grades before is not of these.
    store.remember({"audit": ""})
    graded = grade_corpus(store, corpus, book, columns, progress, allow_parity_gap=allow_parity_gap)
    find_samples(store, corpus)
    load_verdicts(store, corpus)
    find_signals(store.con, corpus)
    find_probes(store, columns)
    find_rule_sets(store, columns)
    store.remember({"warnings": json.dumps([*plan_warnings(store, book, columns), other_draws_text(store.con)])})
    return graded


def grade_corpus(
    store: Store,
    corpus: Corpus,
    book: Rulebook,
    columns: Sequence[Column],
    progress: Progress,
    *,
    allow_parity_gap: bool = False,
) -> Graded:
    """Grade a loaded store by the columns, prove parity, find the tiers; return what was graded."""
    graded = grade(
        store,
        book,
        columns,
        allow_parity_gap=allow_parity_gap,
        progress=lambda *args: progress("grade", *args),
    )
    find_tiers(store.con, corpus)
    return graded


def plan_warnings(store: Store, book: Rulebook, columns: Sequence[Column]) -> list[str]:
    """What of the benchmark's rules does nothing on this corpus, and an axis that nothing grades."""
    found = [book.warning] if book.warning else []
    if not columns:
        found.append("Nothing is graded: corpus.toml has no [frozen.*], and the benchmark has no grader of its own.")
    axes = {c.axis for c in columns}
    stored = {axis for (axis,) in store.con.execute("select distinct axis from frozen_grades").fetchall()}
    found += [
        f"Nothing is graded on the axis {axis!r}: no record stores a grade, and the benchmark has no grader of its own."
        for axis in sorted({c.axis for c in columns if c.grader.carried} - stored)
    ]
    rows = store.con.execute("select item, family, gold from items").fetchall()
    items = [(item, family, json.loads(gold) if gold else None) for item, family, gold in rows]
    idle = []
    for name in book.rule_names():
        file = book.file(name)
        if file.axis not in {*axes, EVERY}:
            found.append(
                f"{name} is a rule of the axis {file.axis!r}, which nothing here grades.{near(str(file.axis), axes)}"
            )
        elif not any(
            file.applies(gold if isinstance(gold, dict) else {}, family, item) for item, family, gold in items
        ):
            idle.append(name)
    if idle:
        found.append(
            f"No item is in the scope (WHERE, FAMILIES, ITEMS) of {', '.join(idle)}; they change nothing here."
        )
    return found


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


def store_warnings(store: Store) -> tuple[str, ...]:
    """What a reader of the terminal must know beside the figures."""
    facts = store.facts()
    found = [*store_corpus(store).guessed, *json.loads(facts.get("warnings", "[]"))]
    found += [f"No record has {path!r}, which corpus.toml maps; mend the path." for path in json.loads(facts["absent"])]
    if facts.get("frozen") == "false":
        found.append(
            "No SHA256SUMS: nothing shows that the transcripts are as they were. Write one with: regrade freeze CORPUS"
        )
    return tuple(w for w in found if w)


def undrawn(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """The warning that charts have no picture, where some have none."""
    missing = summary.get("undrawn", 0)
    told = (
        f"{missing} of the report's charts could not be drawn, and are tables alone. Run the audit again to have them."
    )
    return (told,) if missing else ()


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
