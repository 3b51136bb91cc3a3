"""Rules as a reader sees them: what `regrade rule` lists and prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from regrade.errors import RuleError, near
from regrade.grades.cases import check_cases, say
from regrade.grades.rule_file import RuleFile
from regrade.grades.rulebook import Rulebook


def list_rules(roots: Sequence[Path], benchmark: str | None = None, *, check: bool = False) -> list[dict[str, Any]]:
    """Every rule of every benchmark's folder, or of one; with `check` each has run its cases.

    Raises:
        RuleError: there is no such folder, or a rule file in one cannot be used.
    """
    found = []
    for book in _books(roots, benchmark):
        for name in book.rule_names():
            file = book.file(name)
            entry = {
                "rule": name,
                "benchmark": book.benchmark,
                "axis": file.axis,
                "stage": file.stage,
                "decision": file.decision,
                "state": file.state,
                "fingerprint": file.fingerprint,
                "summary": file.doc.splitlines()[0],
            }
            found.append({**entry, **(_checked(book, file) if check else {})})
    return found


def describe_rule(
    roots: Sequence[Path], name: str, benchmark: str | None = None, *, check: bool = False
) -> dict[str, Any]:
    """One rule or grader file: its text, scope, cases, decision and the hash of each name that it reaches.

    Raises:
        RuleError: no folder has it, or several have and `benchmark` does not say which.
    """
    books = _books(roots, benchmark)
    having = [b for b in books if name in b.paths]
    if not having:
        raise RuleError(f"Unknown rule {name!r}.{near(name, {n for b in books for n in b.paths})}")
    if len(having) > 1:
        raise RuleError(f"{name} is in {', '.join(str(b.benchmark) for b in having)}. Say which with --benchmark.")
    book, file = having[0], having[0].file(name)
    return {
        "rule": name,
        "benchmark": book.benchmark,
        "axis": file.axis,
        "stage": file.stage,
        "decision": file.decision,
        "reason": file.reason,
        "state": file.state,
        "fingerprint": file.fingerprint,
        "names": dict(sorted(file.names.items())),
        "scope": file.scope,
        "doc": file.doc,
        "source": file.path.read_text(encoding="utf-8"),
        "must_flip": list(file.must_flip),
        "must_hold": list(file.must_hold),
        **(_checked(book, file) if check else {}),
    }


def _books(roots: Sequence[Path], benchmark: str | None) -> list[Rulebook]:
    names = {p.name for r in roots if r.is_dir() for p in r.iterdir() if p.is_dir() and any(p.glob("*_v*.py"))}
    if benchmark is not None and benchmark not in names:
        raise RuleError(f"No rules folder for the benchmark {benchmark!r}.{near(benchmark, names)}")
    return [Rulebook(roots, n) for n in sorted(names) if benchmark in (None, n)]


def _checked(book: Rulebook, file: RuleFile) -> dict[str, Any]:
    if file.stage is None:
        return {"cases": [], "cases_hold": True}
    cases = [
        {
            "kind": o.kind,
            "number": o.number,
            "expected": o.expected,
            "before": say(o.before),
            "after": say(o.after),
            "right": o.right,
        }
        for o in check_cases(book, file.name)
    ]
    return {"cases": cases, "cases_hold": _both_sides(file) and all(c["right"] for c in cases)}


def _both_sides(file: RuleFile) -> bool:
    return bool(file.must_flip and file.must_hold)
