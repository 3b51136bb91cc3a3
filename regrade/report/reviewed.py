"""Reviews in words: what page and terminal both say of who labelled a sample, and of what is estimated from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regrade.report.page import plural
from regrade.report.rates import percent


def reviewers_text(reviewers: int, counts: Mapping[str, Any]) -> str:
    """Who labelled a sample and how far they agree: `2 reviewers agree on 49 of 50, 1 ruled`.

    Args:
        reviewers: how many.
        counts: `agree`, `disagree`, `rulings` and `labelled_by`, as `review_counts` gives them.
    """
    by, compared = counts["labelled_by"], counts["agree"] + counts["disagree"]
    labelled = sum(each["trials"] for each in by if each["reviewers"])
    told = plural(reviewers, "reviewer")
    if reviewers == 1:
        told += f" labelled {labelled:,} of {sum(each['trials'] for each in by):,}"
    elif len(by) > 1 or by[0]["reviewers"] < reviewers:
        parts = (f"{each['trials']:,} by {each['reviewers'] or 'none'}" for each in by)
        told += f" (of the trials drawn, {', '.join(parts)}) agree on {counts['agree']:,} of {compared:,}"
    else:
        told += f" agree on {counts['agree']:,} of {compared:,}"
    return told + (f", {counts['rulings']:,} ruled" if counts["rulings"] else "")


def share_text(rate: float | None, interval: Mapping[str, Any]) -> str:
    """A rate in percent; a zero as what it may stand for, the upper bound of its interval."""
    if rate is None:
        return "undefined"
    if rate:
        return percent(rate, 1)
    if interval["undefined"]:
        return "none seen"
    return f"at most {percent(interval['high'], 1)}" if interval["high"] else "none, all are known"


def lineages_text(by_lineage: Mapping[str, Any]) -> str:
    """How many lineages of the frame a rate is over."""
    return f"{by_lineage['lineages']:,} of {plural(by_lineage['frame'], 'lineage')} of the frame"
