"""The content of a proposal, part by part in the order of the document, and its machine form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from regrade.report.page import has_gap, plural, rule_states
from regrade.report.proposal.blocks import Block, Code, Heading, Line, Listing, Paragraph, Strong, Table, coded, joined
from regrade.report.proposal.closing import cannot, note, reproduce
from regrade.report.proposal.given import LEAVE, REWORD, Given
from regrade.report.proposal.items import items
from regrade.report.proposal.rules import find, rules
from regrade.report.proposal.whole import rejected, whole
from regrade.report.sections.limits import limits

SCHEMA = "regrade.proposal/1"


def content(given: Given) -> list[Block]:
    """The whole document; the table of commands comes last, when every number has been quoted."""
    return [block for part in PARTS for block in part(given)]


def head(given: Given) -> Iterator[Block]:
    """Name, stamps, warnings, and on what audit this rests."""
    page, name = given.page, given.candidate
    yield Heading(1, f"Proposal: {name} for {page.corpus.name}", "proposal")
    if page.corpus.simulated:
        yield Paragraph("SIMULATED: a script wrote these transcripts, no model did.", stamp=True)
    yield Paragraph(f"NOT COMPARABLE with results of {given.frozen_names}.", stamp=True)
    for axis, block in page.summary["axes"].items():
        if has_gap(block["parity"]):
            agree, trials = block["parity"]["agree"], block["parity"]["trials"]
            yield Paragraph(
                f"Parity gap on {axis}: the replayed grader gives the frozen grade on {agree:,} of {trials:,} trials."
                " Every figure below bears this gap.",
                stamp=True,
            )
    for warning in page.warnings:
        yield Paragraph((Strong("Warning:"), " ", warning))
    corpus = page.summary["corpus"]
    yield Paragraph(
        (
            "A proposal for the next version of this benchmark's grader, from the audit of"
            f" {plural(corpus['trials'], 'trial')} in {plural(corpus['files'], 'file')}"
            f" ({plural(corpus['records'], 'record')} = {corpus['loaded']:,} loaded + {corpus['rejected']:,} rejected)",
            " ",
            given.figures.corpus().ref,
            ". No frozen grade is rewritten, and no model was asked anything.",
        )
    )
    for axis in given.axes:
        if parity := page.summary["axes"][axis]["parity"]:
            told = f"{parity['agree']:,} of {parity['trials']:,} frozen grades on the axis {axis} "
            yield Paragraph(("The frozen grader, replayed, gives ", told, given.figures.graders().ref, "."))


def short(given: Given) -> Iterator[Block]:
    """What is proposed in one list, and what it comes to."""
    name, notes = given.candidate, given.page.corpus.notes
    yield Heading(2, "In short", "short")
    told = "; ".join(f"axis {axis}: {rule_states(given.page.summary, axis, name)}" for axis in given.axes)
    yield Paragraph((Code(name), f" is {given.frozen_names} with {plural(len(given.rules), 'rule')} ({told})."))
    changes: list[Line] = [
        (Code(rule), ": ", *coded((known["doc"] or "").partition("\n")[0])) for rule, known in given.rules.items()
    ]
    for kind, title in {**{k: f"Reword, {wrong}" for k, wrong in REWORD.items()}, **LEAVE}.items():
        if named := [note.item for note in notes if note.kind == kind]:
            changes.append((f"{title}: ", *joined(named), ". Needs a live run." if kind in REWORD else "."))
    yield Listing(changes, numbered=True)
    for axis in given.axes:
        yield from _frozen_table(given, axis)
        yield given.by_tier(axis, name)


def _frozen_table(given: Given, axis: str) -> Iterator[Block]:
    if given.is_new(axis):
        return
    keys = ("configurations", "weights", "lineages", "items", "trials", "passed", "failed", "ungraded")
    tiers = given.page.summary["axes"][axis]["tiers"]
    rows = [[tier, *(block[key] for key in keys)] for tier, block in tiers.items()]
    headings = ("Tier", *(key.capitalize() for key in keys))
    yield Table(f"Frozen grades by tier, axis {axis}", headings, rows, [given.figures.frozen(axis).ref])


PARTS: tuple[Callable[[Given], Iterator[Block]], ...] = (
    head,
    short,
    rules,
    whole,
    rejected,
    items,
    cannot,
    note,
    reproduce,
)
"""In the order of the document; `reproduce` lists the figures that those before it have quoted."""


def machine(given: Given) -> dict[str, Any]:
    """The machine form, made after the content: what is proposed, the examples, and every figure with its command."""
    page, notes = given.page, given.page.corpus.notes
    return {
        "schema": SCHEMA,
        "corpus": {key: page.summary["corpus"][key] for key in ("name", "benchmark", "simulated", "sha256")},
        "candidate": given.candidate,
        "axes": {
            axis: {
                "fingerprint": page.summary["axes"][axis]["candidates"][given.candidate]["fingerprint"],
                "not_comparable_with": page.summary["axes"][axis]["frozen"],
                "upper_bound": page.is_unjudged(axis, given.candidate),
            }
            for axis in given.axes
        },
        "rules": {
            name: {
                **{key: rule[key] for key in ("decision", "locked", "fingerprint", "axis", "stage", "doc")},
                "alone": given.alone(name),
                "examples": [example.plain() for example in find(given, name)],
            }
            for name, rule in given.rules.items()
        },
        "rejected": {name: rule["reason"] for name, rule in given.rejected.items()},
        "items": {
            kind: [{"item": n.item, "text": n.text, "live_run": kind in REWORD} for n in notes if n.kind == kind]
            for kind in (*REWORD, *LEAVE)
        },
        "limits": limits(page)["sentences"],
        "figures": [figure.plain() for figure in given.figures],
    }
