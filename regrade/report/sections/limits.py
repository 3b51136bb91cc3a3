"""Limits: what this audit cannot establish; each sentence stands only where its condition holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regrade.flips.tiers import ALL
from regrade.report.page import Page, has_gap, largest_lineage, plural, share, unjudged


def limits(page: Page) -> dict[str, Any]:
    """Sentences written from the data; names of rules and candidates stand in backticks."""
    return {"title": "What this audit cannot establish", "sentences": [*_corpus(page), *_graders(page), *_flips(page)]}


def _corpus(page: Page) -> Iterator[str]:
    corpus = page.summary["corpus"]
    if corpus["simulated"]:
        yield (
            "The transcripts are simulated: a script wrote them. The figures show what the audit does and say nothing "
            "of any model."
        )
    if corpus["rejected"]:
        yield (
            f"{corpus['rejected']:,} of {corpus['records']:,} records were rejected and are in no count; what they "
            "would have changed is unknown."
        )
    yield from _stopped(page)
    correlated = [told for tier in page.primary["tiers"] if (told := _configurations(page, tier))]
    if correlated:
        yield (
            f"Configurations are not independent; of one lineage are {'; '.join(correlated)}. Counts of trials are no "
            "counts of models."
        )
    unknown = _unknown_lineages(page)
    if unknown:
        yield (
            f"The lineage of {plural(unknown, 'configuration')} is unknown; each stands as one of its own or as that "
            "of its weights, so that there may be fewer distinct lineages than are counted."
        )


def _stopped(page: Page) -> Iterator[str]:
    stopped = page.summary["corpus"]["stopped"]
    ended = stopped["any"]
    at = " or ".join(
        where for where, found in (("a limit", stopped["limit"]), ("an error", stopped["error"]["trials"])) if found
    )
    if at:
        yield (
            f"{plural(ended['trials'], 'trial')} stopped at {at}; {ended['failed']:,} of them failed on "
            f"the axis {page.corpus.axis}. A fail there is not shown to be a wrong answer."
        )
    unfinished = sum(record["trials"] for record in stopped["log"].values())
    if unfinished:
        yield (
            f"{plural(unfinished, 'trial')} stood in a log that was left unfinished, was cancelled or ended in an "
            "error; what such a log would have held besides is in no count."
        )


def _configurations(page: Page, tier: str) -> str | None:
    """How many configurations of a tier are of its largest lineage, where that is more than one."""
    records = page.primary["breakdowns"][tier]["lineage"]
    name = max(records, key=lambda n: (records[n]["configurations"], n), default=None)
    if name is None or (most := records[name]["configurations"]) < 2:
        return None
    total = page.primary["tiers"][tier]["configurations"]
    return f"{most:,} of the {total:,} in the tier {tier} ({share(most, total)}, {name})"


def _unknown_lineages(page: Page) -> int:
    [(unknown,)] = page.con.execute(
        "select count(*) from configurations "
        "where lineage is null and configuration in (select configuration from trials)"
    ).fetchall()
    return int(unknown)


def _graders(page: Page) -> Iterator[str]:
    for axis, block in page.summary["axes"].items():
        if block["frozen"]["kind"] == "carried":
            yield (
                f"On the axis {axis} the grader is carried, since it is not ported: its grade is taken from the log, "
                "no parity can be shown, and a rule that only reads the reply anew turns failures, never passes."
            )
        if has_gap(block["parity"]):
            agree, trials = block["parity"]["agree"], block["parity"]["trials"]
            yield (
                f"Parity on the axis {axis} has a gap: the replayed grader gives the frozen grade on {agree:,} of "
                f"{trials:,} trials. Flips are counted from the replayed grades, and {trials - agree:,} trials may be "
                "misjudged before any rule acts."
            )
        ungraded = block["tiers"][ALL]["ungraded"]
        if ungraded:
            yield (
                f"On the axis {axis} {ungraded:,} of {block['tiers'][ALL]['trials']:,} trials are ungraded and outside "
                "every pass rate."
            )


def _flips(page: Page) -> Iterator[str]:
    tested = {
        f"`{axis} {name}`" if axis != page.corpus.axis else f"`{name}`": candidate["tiers"][ALL]
        for axis, block in page.summary["axes"].items()
        for name, candidate in block["candidates"].items()
    }
    flipping = {name: b for name, b in tested.items() if b["fail_to_pass"]["trials"] or b["pass_to_fail"]["trials"]}
    pairs = unjudged(page.summary)
    open_ = [n for n in flipping if n in {f"`{a} {c}`" if a != page.corpus.axis else f"`{c}`" for a, c in pairs}]
    if open_:
        of = "" if len(open_) == len(flipping) else f" of {', '.join(open_)}"
        yield (
            f"No one has judged a flip{of}: every {'count of flips' if not of else 'such count'} is an upper bound on"
            " corrections, not a number of wrong grades."
        )
    forgiving = [name for name, b in flipping.items() if not b["pass_to_fail"]["trials"]]
    if forgiving:
        yield (
            f"Flips are one-sided under {', '.join(forgiving)}: no pass becomes a failure. What only looks for false "
            "failures cannot measure false passes."
        )
    strict = [name for name, b in flipping.items() if not b["fail_to_pass"]["trials"]]
    if strict:
        yield (
            f"Flips are one-sided under {', '.join(strict)}: no failure becomes a pass, so false failures are not "
            "measured."
        )
    yield from _correlated(page)
    if tested:
        yield (
            "The what-if rules were applied to saved transcripts and never shown to a model, which might have answered "
            "otherwise had it known them. No regrade is a new ranking."
        )
    drafts = sorted(f"`{name}`" for name, rule in page.summary["rules"].items() if not rule["locked"])
    if drafts:
        yield f"Not locked, and free to change under the same name: {', '.join(drafts)}."


def _correlated(page: Page) -> Iterator[str]:
    """How much of each candidate's flips comes from one lineage, where several flips do."""
    told = []
    for name, candidate in page.primary["candidates"].items():
        for direction, words in (("fail_to_pass", "fail to pass"), ("pass_to_fail", "pass to fail")):
            total: dict[str, Any] = candidate["tiers"][page.widest][direction]
            largest = largest_lineage(page.primary, page.widest, name, direction)
            if largest is not None and largest[1] > 1:
                told.append(f"`{name}` {words}, {largest[1]:,} of {total['trials']:,} from {largest[0]}")
    if told:
        yield f"Flips of one lineage are not independent. The largest in the tier {page.widest}: {'; '.join(told)}."
