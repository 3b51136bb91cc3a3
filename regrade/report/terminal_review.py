"""What `regrade review` prints for a person, and how it asks one for a ruling."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from regrade.flips.labels import LABELS, Reviewed
from regrade.report.console import console, line, print_declaration, table
from regrade.report.page import plural
from regrade.report.rates import coefficient_text
from regrade.report.reviewed import reviewers_text
from regrade.signs import name, visible

OPEN = "open"


def print_imported(done: Mapping[str, Any]) -> None:
    """Print what was brought home, a line a reviewer."""
    out = console()
    for each in done["imported"]:
        left = f"; {each['unlabelled']:,} not labelled yet" if each["unlabelled"] else ""
        if lost := each["comments_left_out"]:
            left += f", on which {plural(lost, 'comment')} {'is' if lost == 1 else 'are'} left out"
        told = f"{each['sample']}: {plural(each['labelled'], 'verdict')} of {each['reviewer']}{left}. {each['path']}"
        out.print(line(told), soft_wrap=True)
    out.print(
        line("An audit, or `regrade review agreement`, checks that the same trials would still be drawn."),
        soft_wrap=True,
    )
    for declaration in dict.fromkeys(each["declaration"] for each in done["imported"] if not each["declared"]):
        print_declaration(declaration)


def sample_lines(samples: Mapping[str, Any]) -> Iterator[str]:
    """What reviewers made of each sample that has verdicts: `samples` of the summary."""
    for title, sample in samples.items():
        if sample["reviewers"] is not None:
            whose = f"Review of {title} ({sample['candidate']} on {sample['axis']})"
            of = f"{sample['upheld']:,} of {sample['drawn']:,} drawn of {sample['frame']:,} upheld"
            still = f", {sample['open']:,} open" if sample["open"] else ""
            yield f"{whose}: {reviewers_text(sample['reviewers'], sample)}; {of}{still}"


def print_agreement(found: Mapping[str, Any]) -> None:
    """Print how far reviewers agree, with the intervals, each disagreement and each other ruling."""
    out, counts = console(), {**found, "rulings": found["ruled"]}
    simulated = "Simulated. " if found["simulated"] else ""
    out.print(
        line(
            f"{simulated}{found['sample']}: {found['drawn']:,} of {found['frame']:,} trials drawn,"
            f" {found['labelled']:,} labelled; {reviewers_text(len(found['reviewers']), counts)}."
        ),
        soft_wrap=True,
    )
    rows = [(each["reviewer"], *(each["labels"][label] for label in LABELS)) for each in found["reviewers"]]
    out.print(table("Labels by reviewer", ("reviewer", *LABELS), rows))
    for pair in found["pairs"]:
        one, other = pair["reviewers"]
        cells = [(f"{one}: {label}", *row) for label, row in zip(LABELS, pair["table"], strict=True)]
        out.print(table(f"{one} and {other}", ("", *(f"{other}: {label}" for label in LABELS)), cells))
    coefficients = [("raw agreement", found["raw"])]
    coefficients += [(f"Cohen's kappa, {' and '.join(p['reviewers'])}", p["kappa"]) for p in found["pairs"]]
    coefficients += [("Krippendorff's alpha", found["alpha"]), ("Gwet's AC1", found["ac1"])]
    out.print(
        table(
            "Agreement",
            ("", "value", f"{found['level']:.0%} interval"),
            [(what, *coefficient_text(each)) for what, each in coefficients],
        )
    )
    if found["compared"] < found["frame"]:
        told = "The intervals are over other trials drawn in the same way, with these reviewers; those of the"
        out.print(line(f"{told} coefficients are approximations for large samples."), soft_wrap=True)
    finals = ", ".join(f"{count:,} {label}" for label, count in found["final"].items() if count)
    out.print(
        line(f"Final labels: {finals}; {found['ruled']:,} ruled. Upheld: {found['upheld']:,} of {found['drawn']:,}."),
        soft_wrap=True,
    )
    cases = [("Disagreement", each) for each in found["disagreements"]]
    cases += [("Ruling without a disagreement", each) for each in found["other_rulings"]]
    for what, each in cases:
        said = ", ".join(f"{who} {label}" for who, label in each["labels"].items())
        ruled = f"ruled {each['ruling']}: {each['reason']}" if each["ruling"] else OPEN
        out.print(line(f"{what} on {each['trial']}: {said}; {ruled}"), soft_wrap=True)
        for who, comment in each["comments"].items():
            out.print(line(f"  {who}: {comment}"), soft_wrap=True)


def print_ruled(done: Mapping[str, Any]) -> None:
    """Print what rulings have come to, or where the packet is."""
    out = console()
    if packet := done.get("packet"):
        told = f"{packet}: {plural(len(done['waiting']), 'trial')} to rule on; give this folder, and nothing else, to"
        out.print(line(f"{told} {done['by']}."), soft_wrap=True)
        out.print(line(f"{done['key']}: keep this from them. It takes their file back:"), soft_wrap=True)
        out.print(line(f"regrade review rule CORPUS FILE --key {done['key']}"), soft_wrap=True)
        return
    waiting = f"{len(done['waiting']):,} wait for a ruling" if done["waiting"] else "none waits for a ruling"
    if lacking := done["lack_labels"]:
        waiting += f"; {lacking:,} open for want of labels, not of a ruling"
    where = f" {done['path']}" if done["ruled"] else ""
    out.print(line(f"{done['sample']}: {done['ruled']:,} ruled; {waiting}.{where}"), soft_wrap=True)


def ask_ruling(record: Mapping[str, Any], trial: Reviewed, comments: Mapping[str, str]) -> tuple[str, str] | None:
    """Show a trial as a packet does, then its labels and comments, and ask for label and reason; None to skip it."""
    for text in shown_record(record):
        click.echo(text)
    for who, label in trial.labels.items():
        click.echo(name(f"{who}: {label}" + (f": {comments[who]}" if who in comments else "")))
    label = click.prompt("Label, or skip", type=click.Choice([*LABELS, "skip"]))
    if label == "skip":
        return None
    reason = ""
    while not reason.strip():
        reason = click.prompt("Reason")
    return label, reason.strip()


def shown_record(record: Mapping[str, Any]) -> list[str]:
    """The lines of a packet's record: instruction, gold, the turns with their calls, the question."""
    found = [f"--- {record['id']}"]
    for what in ("instruction", "gold"):
        if record[what] is not None:
            found.append(f"[{what}]\n{_text(record[what])}")
    for turn in record["turns"]:
        if turn["text"] or not turn["calls"]:
            found.append(f"[{name(turn['role'])}]\n{visible(turn['text'])}")
        for call in turn["calls"]:
            found.append(f"[call {name(call['name'])}]\n{_text(call['arguments'])}")
            if call["result"] is not None:
                found.append(f"[result]\n{visible(call['result'])}")
    return [*found, name(record["question"])]


def _text(value: Any) -> str:
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
