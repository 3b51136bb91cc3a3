"""Risk: what a candidate might wrongly pass or fail, of what was judged and of what was probed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regrade.report.page import DIRECTIONS, plural
from regrade.report.proposal.blocks import Block, Code, Line, Listing, Paragraph, Strong, Table, joined
from regrade.report.proposal.given import Given
from regrade.report.sections.probes import MEANING


def risk(given: Given, axis: str, candidate: str, *, every: bool = True) -> Iterator[Block]:
    """Passes that a candidate grants and takes away on an axis, what is judged of them, and which probes pass.

    Args:
        given: the audit.
        axis: where.
        candidate: a rule alone, or what is proposed.
        every: show every kind of probe, not those alone that pass otherwise than before.
    """
    if not given.is_new(axis):
        yield _moved(given, axis, candidate)
        yield from judged(given, axis, candidate)
    yield from _probes(given, axis, candidate, every)


def _moved(given: Given, axis: str, candidate: str) -> Paragraph:
    tier = given.page.widest
    block, ref = given.tiers(axis, candidate).get(tier), given.figures.flips(axis, candidate).ref
    up, down, left, back = (block[way]["trials"] if block else 0 for way in DIRECTIONS)
    told = [
        f"{up:,} {'failure into a pass' if up == 1 else 'failures into passes'}",
        f"{down:,} {'pass into a failure' if down == 1 else 'passes into failures'}",
        *[f"{plural(left, 'graded trial')} ungraded, which leave every denominator"] * bool(left),
        *[f"{plural(back, 'ungraded trial')} graded, which enter the denominators"] * bool(back),
    ]
    said = (
        ". Nobody has judged one of them, so each count is an upper bound on what it puts right."
        if given.page.is_unjudged(axis, candidate)
        else ". Of a sample it was judged whether they should be:"
    )
    moved = up or down or left or back
    return Paragraph(
        (f"In the tier {tier} it turns {', '.join(told[:-1])} and {told[-1]} ", ref, said if moved else ".")
    )


def judged(given: Given, axis: str, candidate: str) -> Iterator[Block]:
    """What reviewers said of a candidate's samples, and what it comes to in this corpus."""
    for name, sample in given.page.summary["samples"].items():
        if (sample["axis"], sample["candidate"]) != (axis, candidate):
            continue
        of = f"{sample['frame']:,} ({sample['stratum'].replace('_', ' ')}, seed {sample['seed']})"
        if sample["reviewers"] is None:
            drawn = min(sample["size"], sample["frame"])
            figure = given.figures.drawn()
            yield Paragraph(
                ("Sample ", Code(name), f": {drawn:,} drawn of {of} ", figure.ref, "; nobody has judged one.")
            )
            continue
        estimate = given.estimates[name]
        figure = given.figures.told(
            f"Verdicts of the sample {name}",
            {**sample, "drawn": estimate["drawn"]},
            ("frame", "drawn", "agree", "disagree", "upheld"),
            f"regrade review agreement CORPUS --sample {name} --json",
        )
        said = (
            f": {estimate['drawn']:,} drawn of {of}; {plural(sample['reviewers'], 'reviewer')} agree on"
            f" {sample['agree']:,} and disagree on {sample['disagree']:,}; {sample['upheld']:,} are upheld "
        )
        yield Paragraph(("Sample ", Code(name), said, figure.ref, "."))
        yield Listing(list(_estimated(given, name, estimate)))


def _estimated(given: Given, name: str, estimate: dict[str, Any]) -> Iterator[Line]:
    upheld = estimate["upheld"]
    paths = [f"upheld.{move}.in_corpus.{end}" for move in upheld for end in ("low", "high")]
    command = f"regrade review estimate CORPUS --sample {name} --json"
    ref = given.figures.told(f"Estimates from the sample {name}", estimate, paths, command).ref
    for move, each in upheld.items():
        bounds = each["in_corpus"]
        told = (
            f"undefined, {bounds['undefined']}"
            if bounds["undefined"]
            else f"between {bounds['low']:,} and {bounds['high']:,} of the {each['frame']:,} are upheld (95%, over what"
            " may have been drawn)"
        )
        yield (f"{move.replace('_', ' ')}, in this corpus: {told} ", ref, ".")


def _probes(given: Given, axis: str, candidate: str, every: bool) -> Iterator[Block]:
    figure = given.figures.probes(axis, candidate)
    shown = [row for row in figure.rows if every or row[2] is None or row[4] or row[5]]
    if not figure.rows:
        yield Paragraph((f"No made-up reply was graded on the axis {axis} ", figure.ref, "."))
    elif not shown:
        same = "Of the made-up replies (probes) each item passes the same ones as under the frozen grader "
        yield Paragraph((same, figure.ref, "."))
    else:
        rows: list[list[Any]] = [[*counts, _items(more), _items(fewer)] for *counts, more, fewer in shown]
        headings = ("Probe", "Items probed", "Pass frozen", f"Pass {candidate}", "Pass only now", "Pass no more")
        yield Table(f"Items that made-up replies pass (probes), axis {axis}", headings, rows, [figure.ref])
        yield Listing([(Strong(row[0]), ": ", MEANING[row[0]]) for row in shown])


def _items(names: list[str] | None) -> Line | None:
    return None if names is None else joined(names) or "none"
