"""What `regrade flips --configuration` prints: what each candidate does to one configuration."""

from __future__ import annotations

from typing import Any

from regrade.errors import RuleError, near
from regrade.report.console import console, table

HEADINGS = ("fail to pass", "pass to fail", "gain", "passed", "graded")


def of_configuration(axes: dict[str, Any], name: str) -> dict[str, Any]:
    """Keep one configuration: its record in `gains` of each axis, with every candidate that is left there.

    Beside its flips a candidate has `passed` and `graded`: how many trials pass and have a grade under it, so that what
    leaves or enters the denominator shows. An axis that the frozen grader never had falls out, as nothing flips there.

    Args:
        axes: `axes` of the summary, or what `choose` left of it.
        name: the configuration.

    Raises:
        RuleError: there is none of the name.
    """
    known = {each for block in axes.values() for each in block["gains"]}
    if name not in known:
        raise RuleError(f"Unknown configuration {name!r}.{near(name, known)}")
    return {
        axis: {
            "configuration": name,
            **block["gains"][name],
            "candidates": {each: _counts(block, name, each) for each in block["candidates"]},
        }
        for axis, block in axes.items()
        if name in block["gains"] and block["candidates"] and block["frozen"]["kind"] != "none"
    }


def _counts(block: dict[str, Any], name: str, candidate: str) -> dict[str, int]:
    record = block["gains"][name]
    flips = record["candidates"].get(candidate, {"fail_to_pass": 0, "pass_to_fail": 0, "gain": 0})
    frozen = record["passed"], record["passed"] + record["failed"]
    passed, graded = block["ranks"]["passed"].get(name, {}).get(candidate, frozen)
    return {**flips, "passed": passed, "graded": graded}


def print_gains(found: dict[str, Any]) -> None:
    """Print a table an axis, as `of_configuration` gives them."""
    for axis, record in found.items():
        frozen = ["frozen", "", "", "", record["passed"], record["passed"] + record["failed"]]
        rows = [[name, *counts.values()] for name, counts in record["candidates"].items()]
        console().print(table(f"{record['configuration']} on {axis}", ["candidate", *HEADINGS], [frozen, *rows]))
