"""What an earlier audit left in the output folder, so that the next one does only what is new."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from regrade.code import code
from regrade.errors import StoreError, StoreHeld
from regrade.files.corpus import Corpus
from regrade.files.manifest import Manifest
from regrade.grades.kept import carry_over
from regrade.grades.plan import Column, used_files
from regrade.grades.rulebook import Rulebook
from regrade.outputs import OUTPUTS, clear
from regrade.pages import FOLDER
from regrade.report.charts import wanted
from regrade.review.verdicts import review_files
from regrade.tables.store import FILE_NAME, Store

SUMMARY = "summary.json"


def load_mark(corpus: Corpus, manifest: Manifest) -> str:
    """Hash of what a loaded store rests on: the files, and how they are read."""
    told = (corpus.bank, corpus.configurations, corpus.configuration_columns)
    return _mark(read_mark(corpus), manifest.sha256, corpus.files, *told)


def read_mark(corpus: Corpus) -> str:
    """Hash of how a record becomes a trial."""
    return _mark(code(), corpus.format, corpus.parts)


def audit_mark(
    corpus: Corpus, manifest: Manifest, book: Rulebook, columns: Sequence[Column], allow_parity_gap: bool
) -> str:
    """Hash of all that the outputs of an audit rest on."""
    declared = msgspec.structs.replace(corpus, root=Path(), rules=None)
    rules = [
        (f.name, f.fingerprint, f.decision, f.reason, f.doc, f.locked, f.scope, f.must_flip, f.must_hold)
        for f in map(book.file, sorted({*used_files(columns), *book.rule_names()}))
    ]
    grades = [(c.axis, c.name, c.fingerprint, [r.name for r in c.candidate.rules]) for c in columns]
    said = [(path.relative_to(corpus.root).as_posix(), path.read_bytes().hex()) for path in review_files(corpus)]
    graded = (manifest.present, declared, book.warning, rules, grades, allow_parity_gap, wanted())
    return _mark(load_mark(corpus, manifest), *graded, said)


def _mark(*parts: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(parts, enc_hook=str)).hexdigest()


def same_audit(out: Path, mark: str) -> tuple[dict[str, Any], Store] | None:
    """The summary and the open store of the audit that is in `out`, if it is of this mark and all of it is there."""
    if not all((out / name).is_file() for name in OUTPUTS):
        return None
    store = open_earlier(out)
    if store is None:
        return None
    facts = store.facts()
    text = (out / SUMMARY).read_bytes()
    if facts.get("audit") == mark and facts.get("summary") == hashlib.sha256(text).hexdigest():
        summary: dict[str, Any] = json.loads(text)
        if _found(out, summary["outputs"]) == summary["outputs"]:
            clear(out)
            return summary, store
    store.close()
    return None


def _found(out: Path, named: Iterable[str]) -> dict[str, str]:
    """Hashes of the outputs that are there; with a folder of trials all that is in it, named or not."""
    names = set(named)
    if any(name.startswith(f"{FOLDER}/") for name in names):
        names |= {path.relative_to(out).as_posix() for path in (out / FOLDER).glob("*")}
    files = [out / name for name in sorted(names) if (out / name).is_file()]
    return {path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def open_earlier(out: Path) -> Store | None:
    """The store in `out`, read only, if it can be used; StoreHeld where another process writes to it."""
    path = out / FILE_NAME
    # What a killed process left beside its store has not been looked at by anybody.
    if not path.is_file() or path.with_name(f"{FILE_NAME}.wal").exists():
        return None
    try:
        return Store.open(path, read_only=True)
    except StoreHeld:
        raise
    except StoreError:
        return None


def copy_store(earlier: Path, new: Path, mark: str) -> Store | None:
    """A copy in `new` of the store in `earlier`, if that was loaded from the same files in the same way."""
    store = open_earlier(earlier)
    if store is None:
        return None
    with store:
        if store.facts().get("load") != mark:
            return None
    return copied_store(earlier, new)


def copied_store(earlier: Path, new: Path) -> Store:
    """A copy in `new` of the store in `earlier`, to be written to."""
    with Store.open(earlier / FILE_NAME, read_only=True) as store:
        # While it is open here nobody writes to it.
        shutil.copyfile(store.path, new / FILE_NAME)
    return Store.open(new / FILE_NAME)


def take_grades(store: Store, corpus: Corpus, earlier: Path, columns: Sequence[Column]) -> None:
    """Copy into a store that was loaded anew the grades of the earlier one that hold as they are."""
    other = open_earlier(earlier)
    if other is None:
        return
    with other:
        same = other.facts().get("read") == read_mark(corpus)
    if same:
        carry_over(store, earlier / FILE_NAME, columns)
