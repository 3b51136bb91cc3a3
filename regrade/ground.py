"""A corpus graded in a scratch store by a few candidates: the ground on which claims are made and checked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from regrade.audit import Progress, grade_corpus, load_store
from regrade.errors import CorpusError, near
from regrade.files.corpus import Corpus
from regrade.files.manifest import Manifest
from regrade.flips.outcomes import find_outcomes
from regrade.flips.scopes import Attributes, read_attributes
from regrade.flips.stopped import stopped_counts
from regrade.grades.items import read_items
from regrade.grades.plan import Column, plan, used_files
from regrade.grades.proving import find_absences, in_world
from regrade.grades.rulebook import Rulebook
from regrade.publish.certificate import Absence, Certificate, File
from regrade.publish.claims import Claim, Question, answer
from regrade.publish.codes import Codes, possible_codes
from regrade.tables.store import Store


@dataclass(frozen=True)
class Ground:
    """A graded corpus, in which questions are answered."""

    corpus: Corpus
    store: Store
    graded: Mapping[str, Sequence[str]]
    known: Attributes
    codes: Codes
    absent: Mapping[str, tuple[str, Any]]
    held: Mapping[str, int]
    """What `Bound` says of records and trials, by the name of its field."""

    def claim(self, question: Question) -> Claim:
        """The answer to a question; CorpusError where it has none."""
        return answer(
            self.store.con,
            question,
            graded=self.graded,
            known=self.known,
            codes=self.codes,
            simulated=self.corpus.simulated,
            records=self.held["records"],
            rejected=self.held["rejected"],
        )

    def fill(self, bare: Certificate, claims: Sequence[Claim], absences: Sequence[Absence]) -> Certificate:
        """A certificate of what was found, in place of one of nothing yet."""
        corpus = msgspec.structs.replace(bare.corpus, **self.held)
        return msgspec.structs.replace(bare, corpus=corpus, claims=tuple(claims), absences=tuple(absences))

    def absence(self, item: str, world: File | None) -> Absence:
        """What the world lacks for an item; CorpusError where it is not told to lack anything."""
        if item not in self.absent or world is None:
            raise CorpusError(f"No absence can be certified for the item {item!r}.{near(item, self.absent)}")
        absent, witness = self.absent[item]
        simulated = "Simulated: " if self.corpus.simulated else ""
        statement = f"{simulated}{world.path} with the SHA-256 {world.sha256} holds no {absent}."
        return Absence(item, absent, world.sha256, witness, statement)


def declared(corpus: Corpus, book: Rulebook) -> dict[str, tuple[str, ...]]:
    """The candidates of a corpus, each with its rules."""
    return book.candidates([(each.name, each.rules) for each in corpus.candidates])


def columns_of(corpus: Corpus, book: Rulebook, candidates: set[str]) -> list[Column]:
    """The columns of the frozen grader and of those candidates that there are."""
    return plan(corpus, book, {n: rules for n, rules in declared(corpus, book).items() if n in candidates})


@contextmanager
def graded_corpus(
    corpus: Corpus, manifest: Manifest, book: Rulebook, columns: Sequence[Column], progress: Progress
) -> Iterator[Ground]:
    """The corpus, graded as in `graded_store`, to answer questions."""
    with graded_store(corpus, manifest, book, columns, progress) as store:
        graded, known = find_outcomes(store.con), read_attributes(store.con)
        absent = find_absences(in_world(store, columns), read_items(store.con))
        codes = possible_codes(corpus, columns, known)
        yield Ground(corpus, store, graded, known, codes, absent, _held(store, corpus))


@contextmanager
def graded_store(
    corpus: Corpus,
    manifest: Manifest,
    book: Rulebook,
    columns: Sequence[Column],
    progress: Progress,
    *,
    allow_parity_gap: bool = False,
) -> Iterator[Store]:
    """The corpus, loaded from its files and graded in a scratch store that is gone afterwards; its tiers are found."""
    with tempfile.TemporaryDirectory() as scratch:
        with load_store(corpus, Path(scratch), manifest, progress=progress) as store:
            book.check_lock(used_files(columns))
            grade_corpus(store, corpus, book, columns, progress, allow_parity_gap=allow_parity_gap)
            yield store


def _held(store: Store, corpus: Corpus) -> dict[str, int]:
    [numbers] = store.con.execute("select sum(records), sum(loaded), sum(rejected) from files").fetchall()
    stopped = stopped_counts(store.con, corpus.axis)["any"]["trials"]
    return {**dict(zip(("records", "loaded", "rejected"), map(int, numbers), strict=True)), "stopped": stopped}
