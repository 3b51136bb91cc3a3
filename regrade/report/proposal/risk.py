"""Risk: what a candidate might wrongly pass or fail, of what was judged and of what was probed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regrade.grades.plan import FROZEN
from regrade.report.page import DIRECTIONS, plural
from regrade.report.proposal.blocks import Block, Code, Line, Listing, Paragraph, Strong, Table, joined
from regrade.report.proposal.given import Given
from regrade.report.rates import interval_text, percent
from regrade.report.sections.probes import MEANING
from regrade.report.sections.review import KINDS


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
    """What reviewers said of a candidate's samples, and what it comes to in this corpus and beyond it."""
    for name, sample in given.page.summary["samples"].items():
        if (sample["axis"], sample["candidate"]) != (axis, candidate):
            continue
        stratum = sample["stratum"].replace("_", " ")
        drawn = f": {sample['drawn']:,} drawn of {sample['frame']:,} ({stratum}, seed {sample['seed']})"
        if sample["undefined"]:
            ref = given.figures.drawn().ref
            yield Paragraph(("Sample ", Code(name), f"{drawn} ", ref, f"; no figures, since {sample['undefined']}."))
            continue
        command = f"regrade review agreement CORPUS --sample {name} --json"
        paths = ("frame", "drawn", "agree", "disagree", "upheld")
        ref = given.figures.told(f"Verdicts of the sample {name}", sample, paths, command).ref
        said = (
            f"; {plural(sample['reviewers'], 'reviewer')} agree on {sample['agree']:,} and disagree on"
            f" {sample['disagree']:,}; {sample['upheld']:,} are upheld "
        )
        yield Paragraph(("Sample ", Code(name), drawn, said, ref, "."))
        yield Listing(list(_estimated(given, name, candidate, sample["estimates"])))


def _estimated(given: Given, name: str, candidate: str, found: dict[str, Any]) -> Iterator[Line]:
    """How many are upheld here, which share beyond it, and the errors of both graders where they are known."""
    told: list[tuple[str, str]] = []
    for move, each in found["upheld"].items():
        path, words, bounds = f"upheld.{move}", move.replace("_", " "), each["in_corpus"]
        low, high = bounds["low"], bounds["high"]
        here = f"between {low:,} and {high:,} of the {each['frame']:,} are upheld (95%, over what may have been drawn)"
        if bounds["undefined"]:
            here = f"undefined, {bounds['undefined']}"
        elif low == high:
            here = f"{low:,} of the {each['frame']:,} are upheld"
        told.append((f"{path}.in_corpus", f"{words}, in this corpus: {here}"))
        if each["beyond"]:
            told.append((f"{path}.beyond.by_lineage", f"{words}, beyond it: {_beyond(each['beyond']['by_lineage'])}"))
    for grader in (FROZEN, candidate) if found["errors"]["graders"] else ():
        for kind, words in KINDS.items():
            error = found["errors"]["graders"][grader][kind]
            here = (
                f"{error['count']:,} of {error['n']:,} labelled, 95% in this corpus {interval_text(error['in_corpus'])}"
            )
            told.append((f"errors.graders.{grader}.{kind}.in_corpus", f"{words} of {grader}: {here}"))
    ends = {"by_lineage": ("rate", "interval.low", "interval.high"), "in_corpus": ("low", "high")}
    paths = [f"{path}.{end}" for path, _ in told for end in ends[path.rpartition(".")[2]]]
    command = f"regrade review estimate CORPUS --sample {name} --json"
    ref = given.figures.told(f"Estimates from the sample {name}", found, paths, command).ref
    yield from ((f"{words} ", ref, ".") for _, words in told)


def _beyond(found: dict[str, Any]) -> str:
    rate = "undefined" if found["rate"] is None else percent(found["rate"], 1)
    warning = f". {found['warning'].rstrip('.')}" if found["warning"] else ""
    mean = f"{rate}, the mean of {plural(found['lineages'], 'lineage')}"
    return f"{mean}, 95% over lineages {interval_text(found['interval'])}{warning}"


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
