"""Say in the store what it is graded by: candidates, graders and rules."""

from __future__ import annotations

import json
from collections.abc import Sequence

from regrade.grades.plan import FROZEN, Column, identity, used_files
from regrade.grades.rule_file import RuleFile
from regrade.grades.rulebook import Rulebook
from regrade.tables.store import Store


def describe(store: Store, book: Rulebook, columns: Sequence[Column]) -> None:
    """Fill the tables `candidates`, `graders` and `rules`, which hold nothing yet.

    Args:
        store: a loaded store.
        book: the benchmark's rules.
        columns: what it is graded by.
    """
    store.insert(
        "candidates",
        [(c.axis, c.name, [r.name for r in c.candidate.rules], c.fingerprint) for c in columns if c.name != FROZEN],
    )
    graders = {c.axis: c for c in reversed(columns)}
    store.insert(
        "graders",
        [
            (
                axis,
                "none" if c.is_new else "carried" if c.grader.carried else "ported",
                None if c.grader.carried else c.grader.name,
                identity(book, c.grader, ()),
                None,
                None,
                False,
            )
            for axis, c in sorted(graders.items())
        ],
    )
    store.insert(
        "rules",
        [
            (f.name, f.axis, f.stage, f.decision, f.reason, f.locked, f.fingerprint, f.doc, *_cases(f))
            for f in (book.file(n) for n in used_files(columns))
        ],
    )


def _cases(file: RuleFile) -> tuple[list[str], list[str]]:
    """A rule's cases, each as JSON: those that must flip, and those that must hold."""
    flip, hold = (
        [json.dumps(case, ensure_ascii=False, default=str) for case in cases]
        for cases in (file.must_flip, file.must_hold)
    )
    return flip, hold
