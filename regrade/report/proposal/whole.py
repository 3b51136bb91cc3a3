"""The proposal as a whole: how its rules act together and at what risk; and what is not proposed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from regrade.report.proposal.blocks import Block, Code, Heading, Paragraph, Strong, Table, coded, joined
from regrade.report.proposal.given import Given, graded, move_name
from regrade.report.proposal.metrics import metrics
from regrade.report.proposal.risk import judged, risk
from regrade.report.proposal.rules import in_words, state
from regrade.report.shown import anchor


def whole(given: Given) -> Iterator[Block]:
    """What the rules come to together."""
    yield Heading(2, "The proposal as a whole", "whole")
    yield Heading(3, "Where its flips come from", "sources")
    sources: list[Block] = [table for axis in given.axes for table in given.by_groups(axis, given.candidate)]
    yield from sources or [Paragraph("It turns no failure into a pass and no pass into a failure.")]
    yield from metrics(given)
    yield Heading(3, "How its rules act together", "together")
    for axis in given.axes:
        if not given.is_new(axis):
            yield from _needs(given, axis)
            yield from _undone(given, axis)
    yield Heading(3, "What it might wrongly pass or fail", "risk")
    for axis in given.axes:
        yield from risk(given, axis, given.candidate)


def _needs(given: Given, axis: str) -> Iterator[Block]:
    needs, tiers = given.figures.needs(axis, given.candidate), list(given.tiers(axis, given.candidate))
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for tier, old, new, by, *counts in needs.rows:
        cells.setdefault((move_name(old, new), _by(by)), {})[tier] = _spread(counts)
    if not cells:
        yield Paragraph((f"The proposal changes no grade on the axis {axis} ", needs.ref, "."))
        return
    rows = [[move, by, *(found.get(tier, "0") for tier in tiers)] for (move, by), found in cells.items()]
    caption = f"Smallest set of rules behind each change, axis {axis}{given.bound(axis, given.candidate)}"
    yield Table(caption, ("Move", "Rules", *tiers), rows, [needs.ref])
    yield Paragraph("Where either of two rules would do, the first of the candidate stands.")


def _by(rules: str | None) -> str:
    if rules is None:
        return "none: the replayed grader differs from the record"
    return rules or "the grader alone"


def _spread(counts: Sequence[int]) -> str:
    return f"{counts[0]:,} ({'/'.join(f'{n:,}' for n in counts[1:])})"


def _undone(given: Given, axis: str) -> Iterator[Block]:
    if not (alone := given.alone_on(axis)):
        return
    undone, tiers = given.figures.undone(axis, given.candidate, alone), list(given.tiers(axis, given.candidate))
    if not undone.rows:
        yield Paragraph((f"No rule undoes what another moves on the axis {axis} ", undone.ref, "."))
        return
    cells: dict[tuple[str, str, str, str], dict[str, str]] = {}
    for name, tier, old, old_code, status, code, new, new_code, *counts in undone.rows:
        key = (name, graded(old, old_code), graded(status, code), graded(new, new_code))
        cells.setdefault(key, {})[tier] = _spread(counts)
    rows = [[*key, *(found.get(tier, "0") for tier in tiers)] for key, found in cells.items()]
    caption = f"What a rule moves alone and the proposal grades otherwise, axis {axis}"
    yield Table(caption, ("Rule alone", "Frozen", "Alone", "Proposal", *tiers), rows, [undone.ref])


def rejected(given: Given) -> Iterator[Block]:
    """What was tried and rejected, with the reason and the counts; and what else was measured."""
    yield Heading(2, "Tried and rejected", "rejected")
    if not given.rejected:
        yield Paragraph(("No rule is rejected ", given.figures.rules().ref, "."))
    for name, rule in given.rejected.items():
        yield Heading(3, Code(name), anchor("rule", name))
        yield Paragraph((Strong("Why it was rejected:"), " ", *coded(rule["reason"] or "no reason is given")))
        yield Paragraph(state(given, rule))
        yield from in_words(rule)
        if (alone := given.alone(name)) is not None:
            for axis in given.axes_of(alone):
                yield given.by_tier(axis, alone)
                yield from given.by_groups(axis, alone)
                yield from judged(given, axis, alone)
    out = given.rejected.keys()
    if resting := [name for name, of in given.candidates.items() if len(of) > 1 and out & {*of}]:
        yield Paragraph(("Not proposed either, since they have a rejected rule: ", *joined(resting), "."))
    others = [n for n, of in given.candidates.items() if not {*of} <= {*given.rules} and not out & {*of}]
    if others:
        yield Heading(3, "Measured, and neither proposed nor rejected here", "measured")
    for name in others:
        yield from (given.by_tier(axis, name) for axis in given.axes_of(name))
