"""What a reader of an audit must know beside its figures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from regrade.books import store_corpus
from regrade.errors import near
from regrade.grades.plan import Column
from regrade.grades.rule_file import EVERY
from regrade.grades.rulebook import Rulebook
from regrade.report.rates import declared, unseen_text
from regrade.tables.store import Store


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


def unseen_codes(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """The warnings that a metric counts what no grade is: a zero for certain, or a code that is misspelt."""
    metrics = declared(summary["axes"], "metrics")
    return tuple(unseen_text(name, metric["unseen"]) for name, (_, metric) in metrics.items() if metric["unseen"])


def undrawn(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """The warning that charts have no picture, where some have none."""
    missing = summary.get("undrawn", 0)
    told = (
        f"{missing} of the report's charts could not be drawn, and are tables alone. Run the audit again to have them."
    )
    return (told,) if missing else ()
