"""What `regrade sample` prints for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regrade.report.console import console, line, print_declaration, table


def print_sample(made: Mapping[str, Any]) -> None:
    """Print what was drawn and where packets and key are."""
    out = console()
    out.print(
        line(
            f"{made['sample']}: {made['drawn']:,} of {made['frame']:,} trials drawn under {made['candidate']} on"
            f" {made['axis']}, tier {made['tier']}, seed {made['seed']}."
        ),
        soft_wrap=True,
    )
    if made["drawn"] < made["size"]:
        out.print(line(f"{made['size']:,} were asked for; the frame has no more."), soft_wrap=True)
    out.print(
        table(
            "Strata",
            ("stratum", "frame", "drawn", "probability"),
            [(s["name"], s["frame"], s["drawn"], _share(s["drawn"], s["frame"])) for s in made["strata"]],
        )
    )
    out.print(line(f"Names of models and vendors are masked in {made['masked']:,} of the transcripts."), soft_wrap=True)
    for place, count in made["left_out"].items():
        out.print(
            line(f"Left out of the gold of {count:,} trials, as a code of their grades: {place}."), soft_wrap=True
        )
    for reviewer in made["reviewers"]:
        out.print(
            line(f"{made['packets']}/{reviewer}: give this folder, and nothing else, to {reviewer}."), soft_wrap=True
        )
    out.print(line(f"{made['key']}: keep this from them. sha256 {made['key_sha256']}"), soft_wrap=True)
    out.print(line(f"Sample sha256 {made['sha256']}"), soft_wrap=True)
    if not made["declared"]:
        print_declaration(made["declaration"])


def _share(drawn: int, frame: int) -> str:
    return f"{drawn / frame:.4f}" if frame else "none to draw"
