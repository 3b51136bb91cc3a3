"""Rules: what each changes and why, what it cannot show, and whether it is decided and locked."""

from __future__ import annotations

from typing import Any

from regrade.grades.rule_file import HEADINGS
from regrade.report.page import Page


def rules(page: Page) -> dict[str, Any] | None:
    """The text of every rule and grader file under its headings."""
    known = page.summary["rules"]
    if not known:
        return None
    return {"title": "Rules", "rules": {name: {**rule, **headed(rule["doc"] or "")} for name, rule in known.items()}}


def headed(doc: str) -> dict[str, Any]:
    """The first line of a rule's text, what stands before its headings, and what stands under each."""
    first, _, rest = doc.partition("\n")
    before: list[str] = []
    parts: dict[str, list[str]] = {}
    current = before
    for line in rest.splitlines():
        heading = next((h for h in HEADINGS if line.startswith(h)), None)
        if heading is not None:
            current = parts.setdefault(heading.removesuffix(":"), [])
            line = line.removeprefix(heading)
        current.append(line.strip())
    return {
        "first": first,
        "before": " ".join(before).strip(),
        "parts": {heading: " ".join(lines).strip() for heading, lines in parts.items()},
    }
