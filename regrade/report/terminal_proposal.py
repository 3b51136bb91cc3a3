"""What `regrade propose` prints for a person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regrade.report.console import console, line
from regrade.report.page import plural


def print_proposal(found: Mapping[str, Any], out: Path) -> None:
    """Print what is proposed, what is not, and where it is written."""
    shown = console()
    simulated = "SIMULATED. " if found["corpus"]["simulated"] else ""
    told = [
        f"{simulated}Proposed for {found['corpus']['name']}: {found['candidate']}, not comparable with frozen results."
    ]
    for name, rule in found["rules"].items():
        state = "locked" if rule["locked"] else "draft"
        told.append(f"  {name}: {rule['decision']}, {state}: {(rule['doc'] or '').partition(chr(10))[0]}")
    told += [f"Rejected: {', '.join(found['rejected'])}."] * bool(found["rejected"])
    live = sum(note["live_run"] for notes in found["items"].values() for note in notes)
    told += [f"Items that need a live run: {live}."] * bool(live)
    told.append(f"{plural(len(found['figures']), 'command')} give the numbers again.")
    told += [f"Written:  {out / name}" for name in found["outputs"]]
    for text in told:
        shown.print(line(text), soft_wrap=True)
