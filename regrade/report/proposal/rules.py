"""The rules of a proposal, one by one: what each changes, on which trials, with whom, and at what risk."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from regrade.grades.rule_file import EVERY
from regrade.report.explain import grade_text
from regrade.report.page import rule_state
from regrade.report.proposal.blocks import (
    Block,
    Code,
    Heading,
    Line,
    Listing,
    Paragraph,
    Reading,
    Strong,
    coded,
    joined,
)
from regrade.report.proposal.examples import Example, around, find_examples
from regrade.report.proposal.given import Given, graded, move_name
from regrade.report.proposal.risk import risk
from regrade.report.sections.rules import headed
from regrade.report.shown import anchor
from regrade.report.trials import CARRIED, UNKNOWN
from regrade.signs import name as on_one_line

CALLS = 12
"""Calls shown of a trial, the last ones."""
TOLD = 120
"""Characters kept at each end of arguments and results."""


def rules(given: Given) -> Iterator[Block]:
    """A part for every rule."""
    yield Heading(2, "The rules, one by one", "rules")
    for name, rule in given.rules.items():
        yield Heading(3, Code(name), anchor("rule", name))
        yield Paragraph(state(given, rule))
        yield from in_words(rule)
        yield Heading(4, "Before and after", anchor("examples", name))
        yield from examples(given, name)
        alone = given.alone(name)
        if alone is None:
            yield Paragraph("It was not run alone, so that what it changes by itself is not counted.")
        else:
            yield Heading(4, "What it flips alone", anchor("flips", name))
            for axis in given.axes_of(alone):
                yield given.by_tier(axis, alone)
        yield Heading(4, "With the other rules", anchor("others", name))
        yield from _others(given, name)
        yield Heading(4, "What it might wrongly pass or fail", anchor("risk", name))
        if alone is None:
            yield Paragraph("That is told of all the rules together, below.")
        else:
            for axis in given.axes_of(alone):
                yield from risk(given, axis, alone, every=False)
            for axis in given.axes_of(alone):
                yield from given.by_groups(axis, alone)


def state(given: Given, rule: dict[str, Any]) -> Line:
    """Decision, lock, stage, axis and fingerprint of a rule."""
    changes = f"changes the stage {rule['stage']}" if rule["stage"] else "brings a grader"
    on = {None: "", EVERY: " on every axis"}.get(rule["axis"], f" on the axis {rule['axis']}")
    said = f", {rule_state(rule)}; {changes}{on}; fingerprint "
    return (Strong(rule["decision"]), said, Code(rule["fingerprint"]), " ", given.figures.rules().ref)


def in_words(rule: dict[str, Any]) -> Iterator[Block]:
    """The text of a rule under its headings."""
    text = headed(rule["doc"] or "")
    yield Paragraph(coded(text["first"]))
    if text["before"]:
        yield Paragraph(coded(text["before"]))
    yield Listing([(Strong(f"{heading}:"), " ", *coded(said)) for heading, said in text["parts"].items()])


def examples(given: Given, rule: str) -> Iterator[Block]:
    """Trials that the rule moves under the proposal, each before and after."""
    found = find(given, rule)
    if not found:
        yield Paragraph(("No grade of ", Code(given.candidate), " that differs from the frozen one needs this rule."))
        return
    yield Paragraph(
        "Of each direction at most two trials, of different items, those of the strongest tier before others, chosen by"
        " a hash of their names and by nobody's eye. In a reply the places are marked that each grader read."
    )
    for example in found:
        yield from _example(given, example)


def find(given: Given, rule: str) -> list[Example]:
    """The examples of a rule on every axis."""
    con, tier = given.page.con, given.page.strongest
    return [e for axis in given.axes for e in find_examples(con, axis, given.candidate, rule, tier)]


def _example(given: Given, example: Example) -> Iterator[Block]:
    trial, frozen, grade = example.trial, example.frozen, example.grade
    on = f", axis {example.axis}" if len(given.axes) > 1 else ""
    before, after = (Code(graded(each["status"], each["code"])) for each in (frozen, grade))
    moved = Strong(f"{move_name(example.before, example.after)}{on}")
    by = joined(grade["decided_by"] or ())
    yield Paragraph((moved, ": ", Code(trial["trial_id"]), ", ", before, " before, ", after, " after, by ", *by))
    unread = trial["axes"][example.axis]["kind"] == CARRIED and frozen["answer"] is None
    again = f"regrade explain {shlex.quote(trial['trial_id'])} --store . --candidate {given.candidate}"
    yield Listing(
        [
            ("Frozen: ", UNKNOWN if unread else Code(grade_text({**frozen, "decided_by": None}))),
            (f"{given.candidate}: ", Code(grade_text({**grade, "decided_by": None}))),
            ("All of it: ", Code(again)),
        ]
    )
    for what, text in (("Prompt", trial["prompt"]), ("Gold", example.gold), ("Calls", _calls(trial["calls"]))):
        if text:
            yield Paragraph(f"{what}:")
            yield Reading(around(text, ())[0])
    if trial["reply"]:
        yield Paragraph("Reply:")
        yield Reading(example.reply, example.marks)
    else:
        yield Paragraph("The reply is empty.")


def _calls(calls: list[dict[str, Any]]) -> str:
    """A line a call, each with its result; the last ones where there are many."""
    lines = [f"[\u2026 {len(calls) - CALLS:,} calls left out \u2026]"] * (len(calls) > CALLS)
    for call in calls[-CALLS:]:
        arguments, result = (on_one_line(around(call[key] or "", (), TOLD)[0]) for key in ("arguments", "result"))
        lines.append(f"{call['name']} {arguments} -> {'no result' if call['result'] is None else result}")
    return "\n".join(lines)


def _others(given: Given, rule: str) -> Iterator[Block]:
    """What the proposal moves by this rule alone, what it moves by it and others, and what it undoes."""
    name, tier, alone = given.candidate, given.page.widest, given.alone(rule)
    for axis in given.axes:
        if given.is_new(axis):
            continue
        needs = given.figures.needs(axis, name)
        sets = [(row[1:3], row[3].split(" + "), row[4]) for row in needs.rows if row[0] == tier and row[3]]
        by_it = [(move_name(*move), trials) for move, by, trials in sets if by == [rule]]
        with_others = [(move_name(*move), by, trials) for move, by, trials in sets if rule in by and len(by) > 1]
        on = f", axis {axis}" if len(given.axes) > 1 else ""
        told = ", ".join(f"{trials:,} {move}" for move, trials in by_it) or "nothing"
        yield Paragraph((f"In the tier {tier}{on}, the proposal moves by this rule alone: {told} ", needs.ref, "."))
        if with_others:
            yield Listing(
                [
                    (f"{trials:,} {move} need it together with ", *joined([r for r in by if r != rule]))
                    for move, by, trials in with_others
                ]
            )
        else:
            yield Paragraph("No grade of the proposal needs it together with another rule.")
        if alone is not None and axis in given.axes_of(alone):
            yield from _undone(given, axis, alone)


def _undone(given: Given, axis: str, alone: str) -> Iterator[Block]:
    undone = given.figures.undone(axis, given.candidate, given.alone_on(axis))
    rows = [row for row in undone.rows if row[:2] == (alone, given.page.widest)]
    if not rows:
        yield Paragraph(("Nothing that it moves alone is graded otherwise by the proposal ", undone.ref, "."))
        return
    decides = " in the proposal, where another rule decides "
    yield Listing(
        [
            (
                f"{row[8]:,} that it makes ",
                Code(graded(*row[4:6])),
                " alone are ",
                Code(graded(*row[6:8])),
                decides,
                undone.ref,
            )
            for row in rows
        ]
    )
