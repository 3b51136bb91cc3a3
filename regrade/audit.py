"""The main job, joined from its steps: verify, load, grade, prove parity, count flips, write the report.

Each step is a function that the command of its name calls, on a store that the step before has left.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from regrade.books import rulebook, store_corpus
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
from regrade.errors import OutputError
from regrade.files.corpus import Corpus
from regrade.files.corpus_toml import read_corpus
from regrade.files.manifest import Manifest, match_files, require_still, verify
from regrade.flips.signals import find_signals
from regrade.flips.tiers import find_tiers
from regrade.grades.kept import mark_items
from regrade.grades.plan import Column, plan, used_files
from regrade.grades.probing import find_probes
from regrade.grades.rule_sets import find_rule_sets
from regrade.grades.rulebook import Rulebook
from regrade.grades.run import Graded, grade
from regrade.outputs import replacing
from regrade.review.samples import find_samples
from regrade.review.verdicts import load_verdicts, other_draws_text
from regrade.summing import write_outputs
from regrade.tables.ingest import load
from regrade.tables.store import FILE_NAME, Store
from regrade.warned import plan_warnings, store_warnings, undrawn, unseen_codes

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
            warnings = (*store_warnings(audited), *unseen_codes(summary))
            return Audit(out, summary, warnings, {c.axis: {} for c in columns})
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
            warnings = (*store_warnings(store), *unseen_codes(summary), *undrawn(summary))
    return Audit(out, summary, warnings, graded)


def default_out(corpus: Corpus) -> Path:
    """Where the outputs of a corpus go unless told otherwise."""
    return Path("reports") / corpus.name


def free_out(corpus: Corpus, out: Path | None = None, option: str = "--out") -> Path:
    """Where the outputs of a corpus go, by default or as the option says; OutputError where another's are."""
    out = out or default_out(corpus)
    if store := open_earlier(out):
        with store:
            other = store_corpus(store)
        if corpus.guessed and not other.guessed and other.places == corpus.places:
            raise OutputError(
                f"{out} holds the audit of {other.root / 'corpus.toml'}, which says what the fields of this log are. "
                f"Audit that corpus, or name another folder with {option}."
            )
        if other.places != corpus.places:
            named = " of that name" if other.name == corpus.name else ""
            raise OutputError(
                f"{out} holds the audit of another corpus{named}, {other.root / other.files[0]}. "
                f"Name another folder with {option}."
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
