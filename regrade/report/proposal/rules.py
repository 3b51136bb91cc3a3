"""The rules of a proposal, one by one: what each changes, on which trials, with whom, and at what risk."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from regrade.report.explain import grade_text
from regrade.report.page import plural, rule_state, share
from regrade.report.proposal.blocks import (
    Block,
    Code,
    Heading,
    Line,
    Listing,
    Paragraph,
    Reading,
    Span,
    Strong,
    Table,
    coded,
    joined,
)
from regrade.report.proposal.examples import Example, around, find_examples
from regrade.report.proposal.given import Given
from regrade.report.sections.rules import headed
from regrade.report.shown import anchor
from regrade.report.trials import CARRIED, UNKNOWN

MOVES = {
    ("failed", "passed"): "fail to pass",
    ("passed", "failed"): "pass to fail",
    ("failed", "failed"): "failed, recoded",
    ("passed", "passed"): "passed, recoded",
}
CALLS = 12
"""Calls shown of a trial, the last ones."""
TOLD = 120
"""Characters kept at each end of arguments and results."""


def move_name(before: str, after: str) -> str:
    """What a move from one status to another is called."""
    return MOVES.get((before, after), f"{before} to {after}" if before != after else f"{before}, recoded")


def rules(given: Given) -> Iterator[Block]:
    """A part for every rule."""
    yield Heading(2, "The rules, one by one", "rules")
    for name, rule in given.rules.items():
        yield Heading(3, Code(name), anchor("rule", name))
        yield Paragraph(state(given, rule))
        yield from in_words(rule)
        alone = given.alone(name)
        if alone is None:
            yield Paragraph("It was not run alone, so that what it changes by itself is not counted.")
        else:
            yield Heading(4, "What it flips alone", anchor("flips", name))
            yield from given.flip_tables(alone)
        yield Heading(4, "Before and after", anchor("examples", name))
        yield from examples(given, name)
        yield Heading(4, "With the other rules", anchor("others", name))
        yield from _others(given, name)
        yield Heading(4, "What it might wrongly pass or fail", anchor("risk", name))
        for axis in given.axes_of(alone or given.candidate):
            yield from risk(given, axis, alone or given.candidate)


def state(given: Given, rule: dict[str, Any]) -> Line:
    """Decision, lock, stage, axis and fingerprint of a rule."""
    changes = f"changes the stage {rule['stage']}" if rule["stage"] else "brings a grader"
    on = f" on the axis {rule['axis']}" if rule["axis"] else ""
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
        "Of each direction trials of different items, those of the strongest tier before others, chosen by a hash of"
        " their names and by nobody's eye. Below a reply stands what each grader read in it."
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
    yield Paragraph(
        (Strong(f"{move_name(example.before, example.after)}{on}: "), Code(trial["trial_id"]), ", ", Code(_status(frozen)),
         " before, ", Code(_status(grade)), " after, by ", *joined(grade["decided_by"] or ()))
    )  # fmt: skip
    unread = trial["axes"][example.axis]["kind"] == CARRIED and frozen["answer"] is None
    before: list[Span] = [UNKNOWN] if unread else [Code(grade_text({**frozen, "decided_by": None}))]
    yield Listing(
        [
            ("Frozen: ", *before),
            (f"{given.candidate}: ", Code(grade_text({**grade, "decided_by": None}))),
            (
                "Again: ",
                Code(f"regrade explain {shlex.quote(trial['trial_id'])} --store . --candidate {given.candidate}"),
            ),
        ]
    )
    for what, text in (("Prompt", trial["prompt"]), ("Gold", example.gold), ("Calls", _calls(trial["calls"]))):
        if text:
            yield Paragraph(f"{what}:")
            yield Reading(around(text, ())[0])
    yield Paragraph("Reply:")
    yield Reading(example.reply, example.marks)


def _status(grade: dict[str, Any]) -> str:
    return f"{grade['status']} {grade['code']}" if grade["code"] else str(grade["status"])


def _calls(calls: list[dict[str, Any]]) -> str:
    """A line a call, each with its result; the last ones where there are many."""
    lines = [f"[\u2026 {len(calls) - CALLS:,} calls left out \u2026]"] * (len(calls) > CALLS)
    for call in calls[-CALLS:]:
        result = (
            "no result"
            if call["result"] is None
            else json.dumps(around(call["result"], (), TOLD)[0], ensure_ascii=False)
        )
        lines.append(f"{call['name']} {around(call['arguments'] or '', (), TOLD)[0]} -> {result}")
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
    undone = given.figures.undone(axis, given.candidate, alone_of(given, axis))
    rows = [row for row in undone.rows if row[:2] == (alone, given.page.widest)]
    if not rows:
        yield Paragraph(("Nothing that it moves alone is graded otherwise by the proposal ", undone.ref, "."))
        return
    yield Listing(
        [
            (f"{row[7]:,} that it makes ", Code(_pair(*row[3:5])), " alone are ", Code(_pair(*row[5:7])), " in the proposal: another"
             " rule decides there ", undone.ref)
            for row in rows
        ]
    )  # fmt: skip


def _pair(status: str, code: str | None) -> str:
    return f"{status} {code}" if code else status


def alone_of(given: Given, axis: str) -> list[str]:
    """The candidates on an axis that are a rule of the proposal alone."""
    known = given.page.summary["axes"][axis]["candidates"]
    return [name for rule in given.rules if (name := given.alone(rule)) and name in known]


def risk(given: Given, axis: str, candidate: str) -> Iterator[Block]:
    """What a candidate might wrongly pass or fail on an axis: what is judged of it, and which probes pass."""
    if not given.is_new(axis):
        tier = given.page.widest
        block, ref = given.tiers(axis, candidate).get(tier), given.figures.flips(axis, candidate).ref
        up, down = (block[way]["trials"] if block else 0 for way in ("fail_to_pass", "pass_to_fail"))
        yield Paragraph(
            (f"In the tier {tier} it grants {plural(up, 'pass').replace('passs', 'passes')} and takes {down:,} away ", ref, ". Whether each should be"
             f" {'is not' if given.page.is_unjudged(axis, candidate) else 'was'} judged{' by anybody' if given.page.is_unjudged(axis, candidate) else ' of a sample only'}.")
        )  # fmt: skip
    yield from judged(given, axis, candidate)
    yield from _probes(given, axis, candidate)


def judged(given: Given, axis: str, candidate: str) -> Iterator[Block]:
    """What reviewers said of the candidate's samples, and what it comes to in this corpus."""
    for name, sample in given.samples(candidate).items():
        if sample["axis"] != axis:
            continue
        what = f"{sample['size']:,} drawn of {sample['frame']:,} ({sample['stratum'].replace('_', ' ')}, seed {sample['seed']})"
        if sample["reviewers"] is None:
            yield Paragraph(("Sample ", Code(name), f": {what}, and nobody has judged one."))
            continue
        agreed = given.figures.told(
            f"Verdicts of the sample {name}",
            {**sample, "drawn": sample["size"]},
            ("frame", "drawn", "agree", "disagree", "upheld"),
            f"regrade review agreement CORPUS --sample {name} --json",
        )
        yield Paragraph(
            ("Sample ", Code(name), f": {what}, {plural(sample['reviewers'], 'reviewer')}; they agree on {sample['agree']:,} and disagree on"
             f" {sample['disagree']:,}; {sample['upheld']:,} are upheld ", agreed.ref, ".")
        )  # fmt: skip
        yield Listing(list(_estimated(given, name)))


def _estimated(given: Given, name: str) -> Iterator[Line]:
    command = f"regrade review estimate CORPUS --sample {name} --json"
    upheld = given.estimates[name]["upheld"]
    paths = [f"upheld.{move}.in_corpus.{end}" for move in upheld for end in ("low", "high")]
    figure = given.figures.told(f"Estimates from the sample {name}", given.estimates[name], paths, command)
    for move, each in upheld.items():
        bounds = each["in_corpus"]
        if bounds["undefined"]:
            yield (f"{move.replace('_', ' ')}, in this corpus: undefined, {bounds['undefined']} ", figure.ref)
        else:
            yield (
                f"{move.replace('_', ' ')}, in this corpus: between {bounds['low']:,} and {bounds['high']:,} of the"
                f" {each['frame']:,} are upheld (95%, over what may have been drawn) ", figure.ref,
            )  # fmt: skip


def _probes(given: Given, axis: str, candidate: str) -> Iterator[Block]:
    figure = given.figures.probes(axis, candidate)
    if not figure.rows:
        yield Paragraph(("No probe was graded ", figure.ref, "."))
        return
    carried = given.page.summary["axes"][axis]["probes"].get("frozen") is None
    rows: list[list[Line | int | None]] = [
        [
            probe,
            items,
            None if carried else old,
            new,
            joined(gained) or "none",
            None if carried else (joined(lost) or "none"),
        ]
        for probe, items, old, new, gained, lost in figure.rows
    ]
    headings = ("Probe", "Items probed", "Pass frozen", f"Pass {candidate}", "Pass only now", "Pass no more")
    yield Table(f"Items that made-up replies pass, axis {axis}", headings, rows, [figure.ref])
