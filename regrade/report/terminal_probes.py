"""What a person is told of the probes: a line for the graders that pass the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from regrade.report.page import plural


def probe_lines(axes: Mapping[str, Any]) -> Iterator[str]:
    """Say which graders pass which probes on how many items, those that pass the same together.

    Args:
        axes: `axes` of the summary.
    """
    for axis, block in axes.items():
        where = f"Probes on {axis}:"
        frozen = block["probes"].get("frozen")
        if block["frozen"]["kind"] == "carried":
            idle = block["idle_passes"]["trials"]
            called = f"; {plural(idle, 'trial')} passed without a call, where others called" if idle else ""
            yield f"{where} not probed, the frozen grader is carried{called}"
        groups: dict[str, list[str]] = {}
        alike = []
        for name, counts in block["probes"].items():
            told = ", ".join(_told(probe, count) for probe, count in (counts or {}).items() if count["passing"])
            if told and name != "frozen" and counts == frozen:
                alike.append(name)
            elif told:
                groups.setdefault(told, []).append(name)
        for told, names in groups.items():
            yield f"{where} {', '.join(names)} {'pass' if names[1:] else 'passes'} {told}"
        if alike:
            yield f"{where} as frozen: {', '.join(alike)}"


def _told(probe: str, count: Mapping[str, Any]) -> str:
    items = plural(count["items"], "item")
    return (
        f"{probe} on {len(count['passing']):,} of {items} ({count['passed']:,} of {plural(count['probes'], 'probe')})"
    )
