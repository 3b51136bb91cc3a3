"""The what-if columns of a corpus: each candidate on each axis, with the grader that it stands on."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from regrade.errors import RuleError, near
from regrade.files.corpus import Corpus
from regrade.grades import carried
from regrade.grades.identity import fingerprint, reach
from regrade.grades.rulebook import Rulebook
from regrade.grades.stages import STAGES, Candidate, Grader, Rule

FROZEN = "frozen"
"""Reserved name of the candidate that is the replayed frozen grader."""


@dataclass(frozen=True)
class Column:
    """One what-if column of one axis: a candidate with the grader that it stands on."""

    axis: str
    name: str
    grader: Grader
    candidate: Candidate
    is_new: bool
    """The frozen grader has no such axis."""
    fingerprint: str


def plan(corpus: Corpus, book: Rulebook, only: Mapping[str, Sequence[str]] | None = None) -> list[Column]:
    """The what-if columns of a corpus, the replayed frozen grader of each axis first.

    Args:
        corpus: it declares axes and candidates.
        book: the benchmark's rules.
        only: candidates, each with its rules, in place of those of the book and the corpus.
    """
    frozen = book.frozen_graders(corpus.axes)
    declared = book.candidates([(c.name, c.rules) for c in corpus.candidates]) if only is None else only
    columns = [Column(a, FROZEN, g, Candidate(FROZEN, ()), False, identity(book, g, ())) for a, g in frozen.items()]
    for name, rules in declared.items():
        candidate = book.build(name, rules, list(frozen))
        brought = {a for r in rules for a in book.graders(r)}
        for rule in candidate.rules:
            if len(rules) > 1 and rule.axis not in {*frozen, *brought}:
                raise RuleError(
                    f"Candidate {name!r} has {rule.name}, a rule of the axis {rule.axis!r}, which nothing here"
                    f" grades.{near(rule.axis, frozen)}"
                )
        new = {a: g for r in rules for a, g in book.graders(r).items() if a not in frozen}
        for axis, grader in {**frozen, **new}.items():
            acting = tuple(r for r in candidate.rules if r.axis == axis)
            if acting or axis in new:
                mark = identity(book, grader, acting)
                columns.append(Column(axis, name, grader, Candidate(name, acting), axis in new, mark))
    return columns


def used_files(columns: Sequence[Column]) -> list[str]:
    """The rule and grader files that the columns rest on, by name."""
    rules = {r.name for c in columns for r in c.candidate.rules}
    return sorted(rules | {c.grader.name for c in columns if not c.grader.carried})


def identity(book: Rulebook, grader: Grader, rules: Sequence[Rule]) -> str:
    """The fingerprint of a candidate: a hash of the grader and of each of its rules, in order."""
    parts = {"grader": _carried() if grader.carried else book.file(grader.name).fingerprint}
    parts.update({f"rule {i}": book.file(r.name).fingerprint for i, r in enumerate(rules)})
    return fingerprint(parts)


@functools.cache
def _carried() -> str:
    return fingerprint(reach(Path(carried.__file__), carried.NAME, list(STAGES), {}))
