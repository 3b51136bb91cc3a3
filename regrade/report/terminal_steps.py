"""What the steps of an audit print for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regrade.report.console import console, line
from regrade.report.page import plural


def print_frozen(done: Mapping[str, Any]) -> None:
    """Print what `freeze` gives."""
    out = console()
    out.print(line(f"{done['sums']}: {plural(done['files'], 'file')}."), soft_wrap=True)
    for lock in done["locks"]:
        out.print(line(f"{lock}: {', '.join(done['rules'])}."), soft_wrap=True)


def print_proof(found: Mapping[str, Any]) -> None:
    """Print what `prove` gives."""
    out = console()
    state = "as frozen" if found["frozen"] else "read; there is no SHA256SUMS"
    out.print(line(f"Files: {found['files']} {state}, sha256 {found['sha256']}."), soft_wrap=True)
    for name, rule in found["rules"].items():
        state = "locked" if rule["locked"] else "draft"
        out.print(line(f"{name}: {state}, {rule['fingerprint'][:12]}."), soft_wrap=True)
    for axis, parity in found["parity"].items():
        agree = f"nothing to compare, the grader is {found['kinds'][axis]}."
        if parity:
            agree = f"{parity['agree']:,} of {parity['trials']:,} trials agree."
        out.print(line(f"Parity on {axis}: {agree}"), soft_wrap=True)
