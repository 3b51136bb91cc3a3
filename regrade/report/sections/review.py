"""Review: what was drawn blind, who labelled it, how far they agree, and what that tells here and elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regrade.flips.labels import LABELS
from regrade.report.page import Page
from regrade.report.rates import coefficient_text, effective_text, percent
from regrade.report.reviewed import lineages_text, reviewers_text, share_text
from regrade.report.shown import anchor

KINDS = {"false_penalty": "false penalty", "false_credit": "false credit"}


def review(page: Page) -> dict[str, Any] | None:
    """Each declared sample: every figure as the summary has it, and the trials on which the reviewers differ."""
    if not page.corpus.samples:
        return None
    return {
        "title": "Blind review",
        "samples": [_sample(name, sample) for name, sample in page.summary["samples"].items()],
        "labels": LABELS,
        "kinds": KINDS,
        "percent": lambda rate: "undefined" if rate is None else percent(rate, 1),
        "share": share_text,
        "effective": effective_text,
        "reviewers_text": reviewers_text,
        "lineages_text": lineages_text,
    }


def _sample(name: str, sample: Mapping[str, Any]) -> dict[str, Any]:
    found, estimates = sample["agreement"], sample["estimates"]
    return {
        **sample,
        "name": name,
        "id": anchor("s", name),
        "coefficients": _coefficients(found) if found else [],
        "settled": [*found["disagreements"], *found["other_rulings"]] if found else [],
        "corrected": _corrected(estimates["errors"]) if estimates else {},
    }


def _coefficients(found: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Each coefficient of agreement in words, with value and interval."""
    named = [("Raw agreement", found["raw"])]
    named += [(f"Cohen's kappa, {' and '.join(pair['reviewers'])}", pair["kappa"]) for pair in found["pairs"]]
    named += [("Krippendorff's alpha", found["alpha"]), ("Gwet's AC1", found["ac1"])]
    return [(what, *coefficient_text(each)) for what, each in named]


def _corrected(errors: Mapping[str, Any]) -> dict[str, Any]:
    """The graders whose pass rates are corrected, and by reason those whose are not."""
    shown: dict[str, Any] = {}
    withheld: dict[str, list[str]] = {}
    for grader, each in errors["graders"].items():
        if reason := each["corrected"]["undefined"]:
            withheld.setdefault(reason, []).append(grader)
        else:
            shown[grader] = each["corrected"]
    return {"shown": shown, "withheld": withheld}
