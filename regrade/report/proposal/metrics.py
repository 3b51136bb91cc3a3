"""What the proposal does to the metrics that the corpus declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from regrade.flips.folding import unfold
from regrade.grades.plan import FROZEN
from regrade.report.page import plural
from regrade.report.proposal.blocks import Block, Code, Heading, Line, Listing, Paragraph, Table
from regrade.report.proposal.given import Given
from regrade.report.rates import declared, lead_texts, meaning, record_text


def metrics(given: Given) -> Iterator[Block]:
    """Each metric: who leads it before and after, and every rate that moves; those that stay are named."""
    found = declared(given.page.summary["axes"], "metrics")
    if found:
        yield Heading(3, "What it does to the declared metrics", "metrics")
    stay: list[Line] = []
    for name, (axis, metric) in found.items():
        if given.candidate in metric["candidates"]:
            yield from _metric(given, name, axis, metric, stay)
        else:
            stay.append((Code(name), ": nothing that it rests on is graded otherwise."))
    if stay:
        yield Paragraph("No figure of these moves:")
        yield Listing(stay)


def _metric(given: Given, name: str, axis: str, metric: Mapping[str, Any], stay: list[Line]) -> Iterator[Block]:
    ref = given.figures.metric(axis, name, given.candidate).ref
    blocks = unfold(metric["candidates"])
    before, after = (blocks.get(under) for under in (FROZEN, given.candidate))
    old, new = (block["configurations"] if block else {} for block in (before, after))
    texts = {each: (record_text(old.get(each)), record_text(new.get(each))) for each in sorted(old.keys() | new.keys())}
    moved = {each: both for each, both in texts.items() if len({*both}) > 1}
    if not moved and lead_texts(before) == lead_texts(after):
        stay.append((Code(name), f": {meaning(axis, metric)} ", ref))
        return
    yield Paragraph((Code(name), f": {meaning(axis, metric)}. {_moved(len(moved), old, new)} ", ref, "."))
    if leads := list(_leads(lead_texts(before), lead_texts(after))):
        yield Listing(leads)
    if moved:
        shown = 2 if old else 1
        headings = ["Configuration", *["Frozen", given.candidate][-shown:]]
        rows: list[list[Line | int | None]] = [[Code(each), *both[-shown:]] for each, both in moved.items()]
        yield Table(f"{name} by configuration{', where it moves' if old else ''}", headings, rows, [ref], folded=True)


def _moved(moved: int, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    if not new:
        return "It is undefined under the proposal"
    if not old:
        return f"The frozen grader has no figure of it; under the proposal {plural(len(new), 'configuration')} have one"
    return f"It moves for {moved:,} of {plural(len(new), 'configuration')}"


def _leads(before: Mapping[str | None, str], after: Mapping[str | None, str]) -> Iterator[str]:
    """Who leads in each arm, before and after."""
    for arm in dict.fromkeys((*before, *after)):
        within = f" in the arm {arm}" if arm else ""
        if before.get(arm) == after.get(arm):
            yield f"Frozen and under the proposal{within}: {before[arm]}."
        elif arm in before:
            yield f"Frozen{within}: {before[arm]}. Under the proposal: {after.get(arm, 'nobody is compared')}."
        else:
            yield f"Under the proposal{within}: {after[arm]}."
