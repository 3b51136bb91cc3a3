"""Limits: what this audit cannot establish; each sentence stands only where its condition holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from regrade.flips.samples import STRATA
from regrade.flips.tiers import ALL
from regrade.report.page import Page, has_gap, largest_lineage, plural, share, unjudged

WAYS = (("fail_to_pass", "fail to pass"), ("pass_to_fail", "pass to fail"))


def limits(page: Page) -> dict[str, Any]:
    """Sentences written from the data; names of rules, candidates and samples stand in backticks."""
    return {
        "title": "What this audit cannot establish",
        "sentences": [told for sentence in SENTENCES for told in sentence(page)],
    }


def simulated(page: Page) -> Iterator[str]:
    """A script wrote the transcripts."""
    if page.summary["corpus"]["simulated"]:
        yield (
            "The transcripts are simulated: a script wrote them. The figures show what the audit does and say nothing "
            "of any model."
        )


def rejected(page: Page) -> Iterator[str]:
    """Some records are no trials."""
    corpus = page.summary["corpus"]
    if corpus["rejected"]:
        yield (
            f"{corpus['rejected']:,} of {corpus['records']:,} records were rejected and are in no count; what they "
            "would have changed is unknown."
        )


def stopped(page: Page) -> Iterator[str]:
    """Some trials did not end by themselves."""
    found = page.summary["corpus"]["stopped"]
    ended = found["any"]
    at = " or ".join(
        where for where, there in (("a limit", found["limit"]), ("an error", found["error"]["trials"])) if there
    )
    if at:
        yield (
            f"{plural(ended['trials'], 'trial')} stopped at {at}; {ended['failed']:,} of them failed on "
            f"the axis {page.corpus.axis}. A fail there is not shown to be a wrong answer."
        )


def unfinished(page: Page) -> Iterator[str]:
    """Some logs did not end by themselves."""
    trials = sum(record["trials"] for record in page.summary["corpus"]["stopped"]["log"].values())
    if trials:
        yield (
            f"{plural(trials, 'trial')} stood in a log that was left unfinished, was cancelled or ended in an "
            "error; what such a log would have held besides is in no count."
        )


def correlated_configurations(page: Page) -> Iterator[str]:
    """Several configurations of a tier are of one lineage."""
    told = [told for tier in page.primary["tiers"] if (told := _largest(page, tier))]
    if told:
        yield (
            f"Configurations are not independent; of one lineage are {'; '.join(told)}. Counts of trials are no "
            "counts of models."
        )


def _largest(page: Page, tier: str) -> str | None:
    """How many configurations of a tier are of its largest lineage, where that is more than one."""
    records = page.primary["breakdowns"][tier]["lineage"]
    name = max(records, key=lambda n: (records[n]["configurations"], n), default=None)
    if name is None or (most := records[name]["configurations"]) < 2:
        return None
    total = page.primary["tiers"][tier]["configurations"]
    return f"{most:,} of the {total:,} in the tier {tier} ({share(most, total)}, {name})"


def unknown_lineages(page: Page) -> Iterator[str]:
    """The lineage of some configurations is not given."""
    [(unknown,)] = page.con.execute(
        "select count(*) from configurations "
        "where lineage is null and configuration in (select configuration from trials)"
    ).fetchall()
    if unknown:
        none = "" if page.knows_lineages else " None is known, so how many flips are of one is not said."
        yield (
            f"The lineage of {plural(unknown, 'configuration')} is unknown; each stands as one of its own or as that "
            f"of its weights, so that there may be fewer distinct lineages than are counted.{none}"
        )


def carried(page: Page) -> Iterator[str]:
    """The grader of an axis is not replayed."""
    for axis, block in page.summary["axes"].items():
        if block["frozen"]["kind"] == "carried":
            yield (
                f"On the axis {axis} the grader is carried, since it is not ported: its grade is taken from the log, "
                "no parity can be shown, and a rule that only reads the reply anew turns failures, never passes."
            )


def parity_gap(page: Page) -> Iterator[str]:
    """The replayed grader does not give every frozen grade of an axis."""
    for axis, block in page.summary["axes"].items():
        if has_gap(block["parity"]):
            agree, trials = block["parity"]["agree"], block["parity"]["trials"]
            yield (
                f"Parity on the axis {axis} has a gap: the replayed grader gives the frozen grade on {agree:,} of "
                f"{trials:,} trials. A flip leads from the frozen grade as recorded to that of a candidate, built on "
                f"the replayed grader, so that {plural(trials - agree, 'trial')} may flip before any rule acts."
            )


def ungraded(page: Page) -> Iterator[str]:
    """Some trials of an axis neither passed nor failed."""
    for axis, block in page.summary["axes"].items():
        trials = block["tiers"][ALL]["ungraded"]
        if trials:
            yield (
                f"On the axis {axis} {trials:,} of {block['tiers'][ALL]['trials']:,} trials are ungraded and outside "
                "every pass rate."
            )


def _flipping(page: Page) -> dict[str, Mapping[str, Any]]:
    """The counts of every candidate that flips a trial, by its name in backticks."""
    tested = {
        _named(page, axis, name): candidate["tiers"][ALL]
        for axis, block in page.summary["axes"].items()
        for name, candidate in block["candidates"].items()
    }
    return {name: counts for name, counts in tested.items() if any(counts[way]["trials"] for way, _ in WAYS)}


def _named(page: Page, axis: str, candidate: str) -> str:
    return f"`{axis} {candidate}`" if axis != page.corpus.axis else f"`{candidate}`"


def no_verdict(page: Page) -> Iterator[str]:
    """Nobody has judged a flip of some candidate."""
    flipping = _flipping(page)
    unread = {_named(page, axis, name) for axis, name in unjudged(page.summary)}
    open_ = [name for name in flipping if name in unread]
    if open_:
        of = "" if len(open_) == len(flipping) else f" of {', '.join(open_)}"
        yield (
            f"No one has judged a flip{of}: every {'count of flips' if not of else 'such count'} is an upper bound on"
            " corrections, not a number of wrong grades."
        )


def other_draws(page: Page) -> Iterator[str]:
    """Verdicts are of another draw than the one that is declared now."""
    told = [
        f"`{name}` ({plural(len(sample['other_draws']), 'file')})"
        for name, sample in page.summary["samples"].items()
        if sample["other_draws"]
    ]
    if told:
        yield (
            f"Verdicts of another draw are in no count: {', '.join(told)}. What those reviewers saw is not what is "
            "drawn now, and the trials that are drawn now have not been judged by them."
        )


def one_stratum(page: Page) -> Iterator[str]:
    """A sample is drawn from trials that made one move."""
    told = [
        f"`{name}` ({sample['stratum'].replace('_', ' ')})"
        for name, sample in page.summary["samples"].items()
        if len(STRATA[sample["stratum"]]) == 1
    ]
    if told:
        yield (
            f"One-sided samples: {', '.join(told)}. Trials of one move tell how many of that move are upheld; how often"
            " a grader passes or fails wrongly, false passes among the trials that no rule moves, and a corrected pass "
            "rate cannot be measured from them."
        )


def one_reviewer(page: Page) -> Iterator[str]:
    """One person alone has labelled a sample."""
    told = [f"`{name}`" for name, sample in page.summary["samples"].items() if sample["reviewers"] == 1]
    if told:
        yield (
            f"One reviewer alone labelled {', '.join(told)}: how far another one would agree is unknown, and the "
            "labels are that one's."
        )


def beyond_undefined(page: Page) -> Iterator[str]:
    """What verdicts tell of other lineages or items has no interval."""
    reasons: dict[str, list[str]] = {}
    for name, sample in page.summary["samples"].items():
        for move, found in (sample["estimates"] or {"upheld": {}})["upheld"].items():
            for over in ("lineage", "item"):
                if reason := found["beyond"][f"by_{over}"]["interval"]["undefined"]:
                    told = f"`{name}` over other {over}s ({move.replace('_', ' ')})"
                    reasons.setdefault(reason, []).append(told)
    if reasons:
        whys = "; ".join(f"{', '.join(told)}: {reason}" for reason, told in reasons.items())
        yield (
            f"Verdicts say nothing beyond this corpus where no interval can be had: {whys}. A share that is seen here "
            "is no estimate of one elsewhere."
        )


def no_new_failure(page: Page) -> Iterator[str]:
    """Some candidates turn no pass."""
    told = [name for name, counts in _flipping(page).items() if not counts["pass_to_fail"]["trials"]]
    if told:
        yield (
            f"Flips are one-sided under {', '.join(told)}: no pass becomes a failure. What only looks for false "
            "failures cannot measure false passes."
        )


def no_new_pass(page: Page) -> Iterator[str]:
    """Some candidates turn no failure."""
    told = [name for name, counts in _flipping(page).items() if not counts["fail_to_pass"]["trials"]]
    if told:
        yield (
            f"Flips are one-sided under {', '.join(told)}: no failure becomes a pass, so false failures are not "
            "measured."
        )


def correlated_flips(page: Page) -> Iterator[str]:
    """Several flips of a candidate come from one lineage, and lineages are known."""
    told, others = [], []
    for name, candidate in page.primary["candidates"].items() if page.knows_lineages else ():
        for way, words in WAYS:
            total: dict[str, Any] = candidate["tiers"][page.widest][way]
            largest = largest_lineage(page.primary, page.widest, name, way)
            if largest is not None and largest[1] > 1:
                said = f"`{name}` {words}, {largest[1]:,} of {total['trials']:,} from {largest[0]}"
                if name in page.declared:
                    told.append(said)
                else:
                    others.append((largest[1], said))
    if others:
        told.append(f"of the other candidates {max(others, key=lambda other: other[0])[1]}")
    if told:
        yield f"Flips of one lineage are not independent. The largest in the tier {page.widest}: {'; '.join(told)}."


def never_shown(page: Page) -> Iterator[str]:
    """Rules were tried that no model knew of."""
    if any(block["candidates"] for block in page.summary["axes"].values()):
        yield (
            "The what-if rules were applied to saved transcripts and never shown to a model, which might have answered "
            "otherwise had it known them. No regrade is a new ranking."
        )


def drafts(page: Page) -> Iterator[str]:
    """Some rules are not locked."""
    told = sorted(f"`{name}`" for name, rule in page.summary["rules"].items() if not rule["locked"])
    if told:
        yield f"Not locked, and free to change under the same name: {', '.join(told)}."


SENTENCES: tuple[Callable[[Page], Iterator[str]], ...] = (
    simulated,
    rejected,
    stopped,
    unfinished,
    correlated_configurations,
    unknown_lineages,
    carried,
    parity_gap,
    ungraded,
    no_verdict,
    other_draws,
    one_stratum,
    one_reviewer,
    beyond_undefined,
    no_new_failure,
    no_new_pass,
    correlated_flips,
    never_shown,
    drafts,
)
"""In the order of the page; each yields its sentence where its condition holds, for each axis where it is of one."""
