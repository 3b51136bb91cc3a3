"""What `regrade diff` compares: finds what A and B are, grades what is not graded yet, and counts the cells.

Nothing is written but scratch stores, and a page where one is asked for: a corpus is loaded and graded in one, and
rules named for a store are graded in one that sees the store's trials.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from regrade.audit import Progress, load_store, regrade_store, silent
from regrade.books import require_graded, rulebook, store_corpus
from regrade.errors import RegradeError, RuleError, StoreError, near
from regrade.files.corpus import CandidateSpec
from regrade.files.corpus_toml import read_corpus
from regrade.flips.changes import find_changes
from regrade.flips.diff import SIDES, Side, diff_cells
from regrade.flips.diff_tiers import find_members
from regrade.flips.diff_trials import list_trials
from regrade.grades.plan import FROZEN, Column, plan, used_files
from regrade.grades.rulebook import Rulebook
from regrade.grades.run import grade
from regrade.outputs import write_text
from regrade.report.charts import Drawing
from regrade.report.diffing.page import build_diff
from regrade.tables.schema import quote
from regrade.tables.store import FILE_NAME, Store, literal
from regrade.warned import store_warnings

SCHEMA = "regrade.diff/1"
SEEN = ("files", "items", "configurations", "trials")
"""Tables of a store that rules are graded on from elsewhere."""
COUNTED = ("files", "trials", "items", "configurations")
"""What is counted of a side: those that have a trial."""


@dataclass(frozen=True)
class Operand:
    """A or B, with the stores that hold what is compared of it."""

    given: str
    kind: str
    """`candidate`, `rules`, `audit` or `corpus`."""
    trials: Path
    grades: Path
    """The same store, but for `rules`."""
    candidate: str | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Means:
    """What A and B are found with."""

    store: Callable[[], Store]
    """Opens the store that a bare candidate or rule is looked for in, for reading."""
    rules: Path | None
    allow_parity_gap: bool
    progress: Progress


def compare(
    a: str,
    b: str,
    *,
    store: Callable[[], Store],
    rules: Path | None = None,
    allow_parity_gap: bool = False,
    limit: int = 5,
    html: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Compare two candidates, rule sets, audits or corpora, cell by cell.

    Each side is a folder or file, or a name in a store:

    - the output folder of an audit, or its audit.duckdb; a folder with a corpus.toml, or that file, which is graded in
      a scratch store; either with `:candidate` behind it for one candidate;
    - a candidate of the store, or `frozen`; rules joined by `+`, graded on the store without writing to it.

    A side that names no candidate is compared by each candidate that both have, or by that of the other side.

    Args:
        a: the side that grades change from.
        b: the side that they change to.
        store: opens the store that a bare name is looked for in; called only where there is one.
        rules: a rules folder that wins over the corpus's and the bundled one.
        allow_parity_gap: go on where the frozen grader of a corpus is not reproduced.
        limit: trials in each list.
        html: a file to write the comparison to as a page.
        progress: called as the work goes on.

    Returns:
        `schema`, what `a` and `b` are, what `diff_cells` gives, `changes` as `find_changes` gives them, `trials` as
        `list_trials` does, `tiers` as `find_members` does, `warnings`.

    Raises:
        GateFailed: checksum, lock or parity of what has to be graded.
        OutputError: the page cannot be written.
        RegradeError: a side is nothing of the above, or cannot be used.
    """
    means = Means(store, rules, allow_parity_gap, progress)
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(scratch) / name for name in SIDES]
        one, other = (_operand(text, means, folder) for text, folder in zip((a, b), folders, strict=True))
        with duckdb.connect(config={"temp_directory": f"{scratch}/spill"}) as con:
            names: dict[Path, str] = {}
            left, right = (_attach(con, operand, names) for operand in (one, other))
            left, right = _matched(con, one, left, right), _matched(con, other, right, left)
            cells = diff_cells(con, left, right, limit=limit)
            found = {
                "schema": SCHEMA,
                "a": _told(con, one, left),
                "b": _told(con, other, right),
                **cells,
                "changes": find_changes(con, left, right),
                "trials": list_trials(con, left.trials, right.trials, limit),
                "tiers": find_members(con, left.trials, right.trials),
                "warnings": [f"{n.upper()}: {w}" for n, o in zip(SIDES, (one, other), strict=True) for w in o.warnings],
            }
            if html is not None:
                with Drawing() as drawing:
                    page = build_diff(con, (left, right), found, drawing.draw)
                    write_text(html, page, "another file with --html")
            return found


def _operand(text: str, means: Means, folder: Path) -> Operand:
    head, colon, tail = text.rpartition(":")
    for path, candidate in ((text, None), *([(head, tail)] if colon else [])):
        # A long list of rules is no path that a file system takes, which is no error to these.
        if path.endswith(".duckdb") or os.path.isfile(os.path.join(path, FILE_NAME)):
            place = Path(path) if path.endswith(".duckdb") else Path(path, FILE_NAME)
            return _audit(text, place, candidate)
        if path.endswith(".toml") or os.path.isfile(os.path.join(path, "corpus.toml")):
            return _corpus(text, Path(path), candidate, means, folder)
    return _named(text, means, folder)


def _audit(text: str, path: Path, candidate: str | None) -> Operand:
    with Store.open(path, read_only=True) as store:
        require_graded(store)
        _require_candidate(store, candidate)
    return Operand(text, "audit", path, path, candidate)


def _corpus(text: str, path: Path, candidate: str | None, means: Means, folder: Path) -> Operand:
    corpus = read_corpus(path)
    with load_store(corpus, folder, progress=means.progress) as store:
        regrade_store(
            store, corpus, rules=means.rules, allow_parity_gap=means.allow_parity_gap, progress=means.progress
        )
        _require_candidate(store, candidate)
        return Operand(text, "corpus", store.path, store.path, candidate, warnings=store_warnings(store))


def _named(text: str, means: Means, folder: Path) -> Operand:
    try:
        opened = means.store()
    except StoreError as error:
        raise RegradeError(
            f"{text!r} is no audit and no corpus; as a candidate or rules it needs a store: {error}"
        ) from None
    with opened as store:
        require_graded(store)
        known = _candidates(store)
        if text in known:
            return Operand(text, "candidate", store.path, store.path, text)
        corpus = store_corpus(store)
    book = rulebook(corpus, means.rules)
    rules = tuple(text.split("+"))
    try:
        for rule in rules:
            book.file(rule)
    except RuleError:
        if len(rules) > 1:
            raise
        raise RegradeError(
            f"Unknown {text!r}: no audit, no corpus, no candidate of the store {store.path.parent} and no rule."
            f"{near(text, {*known, *book.rule_names()})}"
        ) from None
    asked = msgspec.structs.replace(corpus, candidates=(CandidateSpec(text, rules),))
    columns = [c for c in plan(asked, book) if c.name in (FROZEN, text)]
    if not any(c.name == text for c in columns):
        raise RuleError(f"{text} acts on no axis that the store {store.path.parent} has.")
    book.check_lock(used_files(columns))
    return Operand(text, "rules", store.path, _grade_on(store.path, book, columns, means, folder), text)


def _grade_on(source: Path, book: Rulebook, columns: Sequence[Column], means: Means, folder: Path) -> Path:
    """Grade a store in another one, in which its trials are seen; return where that one is."""
    with Store.create(folder / FILE_NAME) as store:
        store.con.execute(f"attach {literal(str(source))} as source (read_only)")
        for table in SEEN:
            store.con.execute(f"drop table {table}")
            store.con.execute(f"create view {table} as from source.{table}")
        store.con.execute("insert into frozen_grades from source.frozen_grades")
        # A store is graded only where there is no gap, or where it was let through.
        grade(store, book, columns, allow_parity_gap=True, progress=lambda *args: means.progress("grade", *args))
        return store.path


def _candidates(store: Store) -> set[str]:
    return {FROZEN, *(r[0] for r in store.con.execute("select distinct candidate from candidates").fetchall())}


def _require_candidate(store: Store, candidate: str | None) -> None:
    if candidate is not None and candidate not in (known := _candidates(store)):
        raise RuleError(f"Unknown candidate {candidate!r} in {store.path.parent}.{near(candidate, known)}")


def _attach(con: duckdb.DuckDBPyConnection, operand: Operand, names: dict[Path, str]) -> Side:
    """Attach the stores of a side for reading, each once."""
    for path in (operand.trials, operand.grades):
        if path.resolve() not in names:
            name = names[path.resolve()] = f"store_{len(names)}"
            con.execute(f"attach {literal(str(path))} as {quote(name)} (read_only)")
    return Side(names[operand.trials.resolve()], names[operand.grades.resolve()], operand.candidate)


def _matched(con: duckdb.DuckDBPyConnection, operand: Operand, side: Side, other: Side) -> Side:
    """A side that names no candidate takes that of the other: the one of its name, or else of its rules."""
    if side.candidate is not None or other.candidate is None:
        return side
    mine, wanted = _made_of(con, side), _made_of(con, other)[other.candidate]
    alike = [name for name, rules in mine.items() if rules == wanted]
    if other.candidate not in mine and not alike:
        raise RuleError(
            f"{operand.given} has no candidate {other.candidate!r} and none of its rules.{near(other.candidate, mine)}"
        )
    return replace(side, candidate=other.candidate if other.candidate in mine else alike[0])


def _made_of(con: duckdb.DuckDBPyConnection, side: Side) -> dict[str, dict[str, list[str]]]:
    """The rules of each candidate by axis."""
    found: dict[str, dict[str, list[str]]] = {FROZEN: {}}
    for candidate, axis, rules in con.execute(
        f"select candidate, axis, rules from {side.grades}.candidates order by candidate, axis"
    ).fetchall():
        found.setdefault(candidate, {})[axis] = rules
    return found


def _told(con: duckdb.DuckDBPyConnection, operand: Operand, side: Side) -> dict[str, Any]:
    facts = dict(con.execute(f"select key, value from {side.trials}.meta").fetchall())
    corpus: dict[str, Any] = msgspec.json.decode(facts["corpus"])
    parity = con.execute(
        f"select axis, parity_trials, parity_agree from {side.grades}.graders where parity_trials is not null"
        " order by axis"
    ).fetchall()
    counts = con.execute(
        f"select (select count(*) from {side.trials}.files), count(*), count(distinct item), "
        f"count(distinct configuration) from {side.trials}.trials"
    ).fetchall()[0]
    return {
        "given": operand.given,
        "kind": operand.kind,
        "corpus": corpus["name"],
        "simulated": corpus["simulated"],
        "sha256": facts["sha256"],
        "counts": dict(zip(COUNTED, counts, strict=True)),
        "candidate": side.candidate,
        "parity": {axis: {"trials": trials, "agree": agree} for axis, trials, agree in parity},
    }
