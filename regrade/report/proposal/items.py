"""The items of a proposal: those to reword, to retire and to keep as canaries, and what the figures would add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from regrade.files.corpus import Note
from regrade.report.page import plural
from regrade.report.proposal.blocks import Block, Code, Heading, Paragraph, Strong, Table, coded, joined
from regrade.report.proposal.given import LEAVE, REWORD, Given


def items(given: Given) -> Iterator[Block]:
    """What the bank's notes ask for, and what the figures single out besides."""
    notes = given.page.corpus.notes
    yield Heading(2, "Items", "items")
    if not notes:
        yield Paragraph("The bank has no notes on its items.")
    if reworded := [note for note in notes if note.kind in REWORD]:
        yield Paragraph(
            (
                Strong("Each item that is reworded needs a live run."),
                " Its saved transcripts were answered to the old wording, and no regrade of them tells how the new one"
                " is answered; passes that lean on the old wording are in doubt as well.",
            )
        )
        yield _noted(given, "Items to reword", reworded)
    for kind, title in LEAVE.items():
        if left := [note for note in notes if note.kind == kind]:
            yield _noted(given, title, left)
    yield from _suggested(given)


def _noted(given: Given, title: str, notes: Sequence[Note]) -> Table:
    axis, tier = given.primary, given.page.strongest
    figure = given.figures.items(axis, given.candidate, tier, {note.item for note in given.page.corpus.notes})
    counts = {item: rest for item, *rest in figure.rows}
    rows: list[list[Any]] = [[Code(n.item), _asked(n), *counts.get(n.item, [None] * 5), coded(n.text)] for n in notes]
    headings = (
        "Item",
        "Note",
        "Passed",
        "Failed",
        "Ungraded",
        "Fail to pass",
        "Pass to fail",
        "What to change, or why",
    )
    caption = f"{title}; frozen grades and flips{given.bound(axis, given.candidate)} in the tier {tier}, axis {axis}"
    return Table(caption, headings, rows, [figure.ref])


def _asked(note: Note) -> str:
    return f"{REWORD[note.kind]}; needs a live run" if note.kind in REWORD else note.kind


def _suggested(given: Given) -> Iterator[Block]:
    """Items that the figures single out and the notes do not."""
    axis, tier = given.primary, given.page.strongest
    block = given.page.summary["axes"][axis]
    if not (records := block["items"][tier]):
        return
    figure = given.figures.always(axis, given.candidate, tier)
    always = [item for (item,) in figure.rows]
    leaving = {note.item for note in given.page.corpus.notes if note.kind in LEAVE}
    yield Paragraph(
        (
            f"{plural(len(always), 'item')} of {len(records):,} never failed in the tier {tier}: every configuration of"
            " it tried them and passed on every trial ",
            figure.ref,
            " ",
            given.figures.frozen(axis).ref,
            ". Its configurations are not independent, and that they all pass does not prove that an item tells no"
            " others apart.",
        )
    )
    yield from _named("Of these no note would retire or keep as a canary: ", [i for i in always if i not in leaving])
    yield from _named("Missed in that tier, though a note would take them out: ", sorted(leaving - {*always}))
    if missed := block.get("item_lists", {}).get(tier, {}).get("missed_repeatedly"):
        told = given.figures.lists(axis, tier)
        words = "Missed repeatedly by several configurations of that tier, so that item and grader are to be looked at "
        yield from _named((words, told.ref, ": "), missed)


def _named(words: Any, names: Sequence[str]) -> Iterator[Block]:
    if names:
        yield Paragraph((*((words,) if isinstance(words, str) else words), *joined(names), "."))
