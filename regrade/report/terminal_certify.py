"""What `regrade certify` prints for a person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regrade.report.console import console, line
from regrade.report.page import plural

SHOWN = 5
"""Absences that are listed; a certificate has one for each of many items."""


def print_certificate(made: Mapping[str, Any], path: Path) -> None:
    """Print what a certificate says and where it is."""
    out = console()
    for claim in made["claims"]:
        out.print(line(claim["statement"]), soft_wrap=True)
    for absence in made["absences"][:SHOWN]:
        out.print(line(absence["statement"]), soft_wrap=True)
    if len(made["absences"]) > SHOWN:
        out.print(line(f"... and {len(made['absences']) - SHOWN:,} more absences."))
    corpus = made["corpus"]
    out.print(line(f"Bound to corpus {corpus['name']}, sha256 {corpus['sha256']}."), soft_wrap=True)
    if made["world"]:
        out.print(line(f"Bound to world {made['world']['path']}, sha256 {made['world']['sha256']}."), soft_wrap=True)
    for rule, fingerprint in made["rules"].items():
        out.print(line(f"Bound to rule {rule}, fingerprint {fingerprint}."), soft_wrap=True)
    versions = ", ".join(f"{name} {version}" for name, version in made["versions"].items())
    out.print(line(f"Bound to {versions}, and to the source of regrade, sha256 {made['code']}."), soft_wrap=True)
    out.print(line(f"{path}"), soft_wrap=True)


def print_check(found: Mapping[str, Any]) -> None:
    """Print what a check came to."""
    out = console()
    out.print(line(found["verdict"], "bold"))
    for record in found["moved"]:
        said, now = (record[key] or "nothing" for key in ("said", "found"))
        out.print(line(f"{record['kind']} {record['name']}: said {said}, found {now}"), soft_wrap=True)
    for record in found["differs"]:
        out.print(line(f"{record['where']}: said {record['said']!r}, found {record['found']!r}"), soft_wrap=True)
    if held := len(found["statements"]):
        out.print(line(f"{plural(held, 'statement')} {'holds' if held == 1 else 'hold'}."))
