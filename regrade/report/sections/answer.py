"""The answer: what the audit found, in a paragraph and four figures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from regrade.flips.tiers import ALL
from regrade.report.page import Page, largest_lineage, rule_states
from regrade.report.rates import declared, lead_changes, leaders
from regrade.report.sections.ranks import told as told_of_ranks


def answer(page: Page) -> dict[str, Any]:
    """Parity, flips both ways of the widest tier, their shares, and how much of them is of one lineage, if known."""
    axis = page.primary
    shown = [_found(page, name) for name in page.declared]
    alone = _largest_alone(page)
    told = {rule: None for found in shown for rule in found["rules"] if not alone or rule not in alone["rules"]}
    metrics = {name: figures for name, (_, figures) in declared(page.summary["axes"], "metrics").items()}
    return {
        "title": "The answer",
        "axis": axis,
        "tier": page.widest,
        "frozen": axis["tiers"][page.widest],
        "everything": axis["tiers"][ALL],
        "found": shown,
        "leaders": leaders(metrics, page.declared),
        "ranks": _ranks(page),
        "alone": alone and {**alone, "does": _rules(page, alone["rules"])},
        "rules": _rules(page, told),
        "lineages": page.knows_lineages,
    }


def _ranks(page: Page) -> list[dict[str, Any]]:
    """What the declared candidates do to the ranks of the highest tier; nothing where nobody is ranked."""
    tier = page.primary["ranks"]["tiers"].get(page.strongest)
    if tier is None or tier["ranked"] < 2:
        return []
    return [told_of_ranks(name, tier, page.strongest) for name in page.declared]


def _found(page: Page, name: str) -> dict[str, Any]:
    candidate = page.primary["candidates"][name]
    return {
        "name": name,
        "rules": candidate["rules"],
        "state": rule_states(page.summary, page.corpus.axis, name),
        "block": candidate["tiers"][page.widest],
        "leads": lead_changes(page.primary["metrics"], name) if name in page.declared else [],
        "lineages": {
            direction: largest_lineage(page.primary, page.widest, name, direction)
            for direction in ("fail_to_pass", "pass_to_fail")
        },
    }


def _largest_alone(page: Page) -> dict[str, Any] | None:
    """The single rule, beside the declared candidates, that moves most failures to passes."""
    single = [
        _found(page, name)
        for name, candidate in page.primary["candidates"].items()
        if len(candidate["rules"]) == 1 and name not in page.declared
    ]
    most = max(single, key=lambda f: f["block"]["fail_to_pass"]["trials"], default=None)
    return most if most is not None and most["block"]["fail_to_pass"]["trials"] else None


def _rules(page: Page, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What each rule does, in its text's first line, and where it was rejected the reason's first sentence."""
    known = {name: page.summary["rules"][name] for name in names}
    return {
        name: {
            "does": (rule["doc"] or "").partition("\n")[0],
            "decision": rule["decision"],
            "reason": re.split(r"(?<=[.!?])\s", rule["reason"])[0] if rule["reason"] else None,
        }
        for name, rule in known.items()
    }
