"""What the proposal does to the metrics that the corpus declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from regrade.flips.folding import unfold
from regrade.grades.plan import FROZEN
from regrade.report.page import plural
from regrade.report.proposal.blocks import Block, Code, Heading, Line, Listing, Paragraph, Table, joined
from regrade.report.proposal.given import Given
from regrade.report.rates import declared, leaders, meaning, record_text


def metrics(given: Given) -> Iterator[Block]:
    """Each metric: who leads it before and after, and every rate that moves; those that it does not touch are named."""
    found = declared(given.page.summary["axes"], "metrics")
    measured = {name: known for name, known in found.items() if given.candidate in known[1]["candidates"]}
    if found:
        yield Heading(3, "What it does to the declared metrics", "metrics")
    for name, (axis, metric) in measured.items():
        yield from _metric(given, name, axis, metric)
    if others := [name for name in found if name not in measured]:
        yield Paragraph(("As frozen, since nothing that they rest on is graded otherwise: ", *joined(others), "."))


def _metric(given: Given, name: str, axis: str, metric: Mapping[str, Any]) -> Iterator[Block]:
    ref = given.figures.metric(axis, name, given.candidate).ref
    blocks = unfold(metric["candidates"])
    old, new = (_records(blocks.get(under)) for under in (FROZEN, given.candidate))
    texts = {each: (record_text(old.get(each)), record_text(new.get(each))) for each in sorted(old.keys() | new.keys())}
    moved = {each: both for each, both in texts.items() if len({*both}) > 1}
    yield Paragraph((Code(name), f": {meaning(axis, metric)}. {_moved(len(moved), old, new)} ", ref, "."))
    if led := [_leader(given, each, bool(old)) for each in leaders({name: metric}, [given.candidate])]:
        yield Listing(led)
    if moved:
        rows: list[list[Line | int | None]] = [[Code(each), *both] for each, both in moved.items()]
        caption = f"{name} by configuration, where it moves"
        yield Table(caption, ("Configuration", "Frozen", given.candidate), rows, [ref], folded=True)


def _moved(moved: int, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    if not new:
        return "It is undefined under the proposal"
    if not old:
        return f"It has no frozen figures; it is of {plural(len(new), 'configuration')} under the proposal"
    if not moved:
        return f"It moves for no configuration of {len(new):,}"
    return f"It moves for {moved:,} of {plural(len(new), 'configuration')}"


def _leader(given: Given, led: Mapping[str, Any], frozen: bool) -> str:
    """Who leads in an arm, before and after."""
    within = f" in the arm {led['arm']}" if led["arm"] else ""
    before = led["frozen"] or "nobody"
    if given.candidate not in led["changed"]:
        return f"Leads{within}, frozen and under the proposal: {before}."
    after = f"{led['changed'][given.candidate] or 'nobody'}."
    return f"Leads{within}, frozen: {before}. Under the proposal: {after}" if frozen else f"Leads{within}: {after}"


def _records(block: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return block["configurations"] if block else {}
