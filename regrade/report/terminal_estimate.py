"""What `regrade review estimate` prints for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from regrade.grades.plan import FROZEN
from regrade.report.console import console, line, table
from regrade.report.page import plural
from regrade.report.rates import effective_text, interval_text
from regrade.report.reviewed import lineages_text, reviewers_text, share_text

KINDS = {"false_penalty": "false penalty", "false_credit": "false credit"}


def print_estimate(found: Mapping[str, Any]) -> None:
    """Print both estimates of what is upheld, then each grader's errors, and two graders' pass rates corrected."""
    out = console()
    simulated = "Simulated. " if found["simulated"] else ""
    labels = ", ".join(f"{count:,} {label}" for label, count in found["labels"].items() if count)
    _say(
        out,
        f"{simulated}{found['sample']}: {found['drawn']:,} of {found['frame']:,} trials drawn under"
        f" {found['candidate']} on {found['axis']}, tier {found['tier']}, seed {found['seed']};"
        f" {reviewers_text(len(found['reviewers']), found)}; labels: {labels}.",
    )
    for move, each in found["upheld"].items():
        _print_upheld(out, move, each)
    errors = found["errors"]
    if errors["undefined"]:
        _say(out, f"Error rates of the graders: undefined, {errors['undefined']}.")
        return
    each_way = [(name, each[kind], KINDS[kind]) for name, each in errors["graders"].items() for kind in KINDS]
    here = [
        (name, what, _counted(each), share_text(each["rate"], each["in_corpus"]), interval_text(each["in_corpus"]))
        for name, each, what in each_way
    ]
    title = "Errors of the graders in this corpus, by inclusion probability"
    out.print(table(title, ("grader", "error", "labelled", "rate", "95% interval"), here, left=2))
    elsewhere = [(name, what, *_beyond(each)[:2]) for name, each, what in each_way]
    title = "Beyond it, by lineage"
    out.print(table(title, ("grader", "error", "mean of lineages", "95% interval"), elsewhere, left=2))
    told = "A false penalty is of the trials that should pass, a false credit of those that should fail."
    _say(out, f"{told} A rate leaves out the trials found unclear, and is undefined while one is open.")
    for warning in sorted({_beyond(each)[2] for _, each, _ in each_way} - {""}):
        _say(out, warning)
    reasons: dict[str, list[str]] = {}
    for grader, each in errors["graders"].items():
        if reason := each["corrected"]["undefined"]:
            reasons.setdefault(reason, []).append(grader)
        elif grader in (FROZEN, found["candidate"]):
            _print_corrected(out, grader, each["corrected"])
    for reason, graders in reasons.items():
        _say(out, f"Corrected pass rates under {', '.join(graders)}: not shown, {reason}.")


def _print_upheld(out: Console, move: str, found: Mapping[str, Any]) -> None:
    still = f", {found['open']:,} open" if found["open"] else ""
    _say(out, f"{move}: {found['upheld']:,} of {found['drawn']:,} drawn upheld{still}.")
    bounds = found["in_corpus"]
    if bounds["undefined"]:
        told = f"undefined, {bounds['undefined']}"
    elif bounds["low"] == bounds["high"]:
        told = f"{bounds['low']:,} of the {found['frame']:,} are upheld"
    else:
        told = (
            f"between {bounds['low']:,} and {bounds['high']:,} of the {found['frame']:,} are upheld (95%, over what may"
            " have been drawn)"
        )
    _say(out, f"  In this corpus: {told}.")
    rate, interval, warning = _beyond(found)
    _say(out, f"  Beyond it, by lineage: {rate}, {interval}. {warning}")
    item = found["beyond"]["by_item"]
    rate = f"{share_text(item['rate'], item['interval'])} ({plural(item['items'], 'item')})"
    _say(out, f"  Beyond it, by item: {rate}, {interval_text(item['interval'])}.")
    for level, worth in found["beyond"]["effective"].items():
        _say(out, f"  Independent observations that these are worth, by {level}: {effective_text(level, worth)}.")


def _counted(found: Mapping[str, Any]) -> str:
    still = "".join(f", {found[what]:,} {what}" for what in ("open", "unclear") if found[what])
    return f"{found['count']:,} of {found['n']:,}{still}"


def _beyond(found: Mapping[str, Any]) -> tuple[str, str, str]:
    """The unweighted mean of lineages, its interval, and the warning."""
    each = found["beyond"]["by_lineage"]
    return (
        f"{share_text(each['rate'], each['interval'])} ({lineages_text(each)})",
        interval_text(each["interval"]),
        each["warning"] or "",
    )


def _print_corrected(out: Console, grader: str, found: Mapping[str, Any]) -> None:
    rows = [
        (
            name,
            f"{each['passed']:,} of {each['n']:,}",
            share_text(each["corrected"], each["interval"]),
            interval_text(each["interval"]),
        )
        for name, each in found["configurations"].items()
    ]
    columns = ("configuration", "passed", "corrected", "in this corpus")
    out.print(table(f"Pass rates under {grader}, corrected", columns, rows))
    chance = f"If so, one lineage is as unlike the others as here with a chance of {found['check']['chance']:.3f}."
    _say(out, f"Assumed: {found['assumption']} {chance}")


def _say(out: Console, text: str) -> None:
    out.print(line(text.rstrip()), soft_wrap=True)
