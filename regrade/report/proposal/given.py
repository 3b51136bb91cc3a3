"""What a proposal is made from, and what several of its parts quote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from regrade.report.console import spread_text
from regrade.report.page import DIRECTIONS, Page, share
from regrade.report.proposal.blocks import Code, Line, Table
from regrade.report.proposal.figures import Figures

ROWS = 12
"""Weights and lineages that have a row of their own; the rest are one row."""
REWORD = {"ambiguous": "ambiguous wording", "convention": "unstated convention", "conflicting_cue": "conflicting cue"}
"""Kinds of notes that ask for another wording, and what is wrong with the present one."""
LEAVE = {"retire": "Items to retire", "canary": "Items to keep unscored, as canaries"}
"""Kinds of notes by which an item leaves the score."""
SPREAD = "in brackets the distinct items/configurations/weights/lineages"


@dataclass(frozen=True)
class Given:
    """An audit, and which of its candidates is proposed."""

    page: Page
    candidate: str
    candidates: Mapping[str, tuple[str, ...]]
    """Every candidate of the corpus, with all its rules."""

    @cached_property
    def figures(self) -> Figures:
        """The numbers quoted so far."""
        return Figures(self.page)

    @property
    def rules(self) -> dict[str, dict[str, Any]]:
        """The rules proposed, in order, as the summary has them."""
        return {name: self.page.summary["rules"][name] for name in self.candidates[self.candidate]}

    @property
    def rejected(self) -> dict[str, dict[str, Any]]:
        """The rules that were rejected."""
        return {n: rule for n, rule in self.page.summary["rules"].items() if rule["decision"] == "rejected"}

    @property
    def axes(self) -> list[str]:
        """The axes that the proposal has grades on, the primary first."""
        return self.axes_of(self.candidate)

    @property
    def primary(self) -> str:
        """The first of them."""
        return self.axes[0]

    def axes_of(self, candidate: str) -> list[str]:
        """The axes that a candidate has grades on."""
        return [axis for axis, block in self.page.summary["axes"].items() if candidate in block["candidates"]]

    def alone(self, rule: str) -> str | None:
        """The candidate that is the rule alone; None where it was not run so."""
        return next((name for name, rules in self.candidates.items() if rules == (rule,)), None)

    def is_new(self, axis: str) -> bool:
        """Whether the frozen grader never had an axis."""
        return bool(self.page.summary["axes"][axis]["frozen"]["kind"] == "none")

    def tiers(self, axis: str, candidate: str) -> dict[str, Any]:
        """What a candidate changes on an axis, by tier, of those that have a trial."""
        tiers = self.page.summary["axes"][axis]["candidates"][candidate]["tiers"]
        return {tier: block for tier, block in tiers.items() if block["trials"]}

    def bound(self, axis: str, candidate: str) -> str:
        """Behind a count of flips that nobody has judged."""
        return " (upper bound)" if self.page.is_unjudged(axis, candidate) else ""

    def frozen_name(self, axis: str) -> str:
        """What the frozen grades of an axis are by."""
        frozen = self.page.summary["axes"][axis]["frozen"]
        return str(frozen["rule"] or {"carried": "the logged grader", "none": "no grader"}[frozen["kind"]])

    @property
    def frozen_names(self) -> str:
        """The frozen graders of the axes that the proposal changes."""
        names = dict.fromkeys(self.frozen_name(axis) for axis in self.axes if not self.is_new(axis))
        return " and ".join(names) or "any other grader"

    def alone_on(self, axis: str) -> list[str]:
        """The candidates on an axis that are one rule of the proposal alone."""
        known = self.page.summary["axes"][axis]["candidates"]
        return [name for rule in self.rules if (name := self.alone(rule)) and name in known]

    def by_groups(self, axis: str, candidate: str) -> Iterator[Table]:
        """Flips both ways by lineage and by weights, where there are some."""
        if not self.is_new(axis):
            yield from (
                self.by(axis, candidate, by) for by in ("lineage", "weights") if self._groups(axis, candidate, by)
            )

    def by_tier(self, axis: str, candidate: str) -> Table:
        """Flips and recodes by tier; on an axis that the frozen grader never had, the grades."""
        tiers = self.tiers(axis, candidate)
        if self.is_new(axis):
            statuses = ("passed", "failed", "ungraded")
            graded: list[list[Any]] = [
                [tier, *(block["moves"].get("none", {}).get(s, 0) for s in statuses), block["trials"]]
                for tier, block in tiers.items()
            ]
            caption = f"Grades of {candidate} by tier, axis {axis}, which the frozen grader never had"
            headings = ("Tier", *(s.capitalize() for s in statuses), "Trials")
            return Table(caption, headings, graded, [self.figures.flips(axis, candidate).ref])
        ways = [w for w in DIRECTIONS if w.endswith(("pass", "fail")) or any(b[w]["trials"] for b in tiers.values())]
        rows: list[list[Any]] = [
            [tier, *_counts(block, ways), block["recoded"], block["trials"]] for tier, block in tiers.items()
        ]
        headings = ("Tier", *(h for way in ways for h in _headings(way)), "Recoded", "Trials")
        caption = f"Flips of {candidate} by tier, axis {axis}{self.bound(axis, candidate)}; {SPREAD}"
        return Table(caption, headings, rows, [self.figures.flips(axis, candidate).ref])

    def _groups(self, axis: str, candidate: str, by: str) -> dict[str, dict[str, Any]]:
        """By name the flips of a candidate in each tier, those with most in the widest tier first."""
        found: dict[str, dict[str, Any]] = {}
        for tier, groups in self.page.summary["axes"][axis]["breakdowns"].items():
            for name, record in groups[by].items():
                if candidate in record["flips"]:
                    found.setdefault(name, {})[tier] = record["flips"][candidate]

        def most(name: str) -> list[int]:
            return [-sum(way["trials"] for way in found[name].get(t, {}).values()) for t in (self.page.widest, "all")]

        return {name: found[name] for name in sorted(found, key=lambda n: (most(n), n))}

    def by(self, axis: str, candidate: str, by: str) -> Table:
        """Flips both ways by weights or lineage and tier."""
        groups = self._groups(axis, candidate, by)
        tiers = list(self.tiers(axis, candidate))
        names = list(groups)
        rows: list[list[Line | int | None]] = [
            [Code(name), *(_both(groups[name].get(t)) for t in tiers)] for name in names[:ROWS]
        ]
        if rest := names[ROWS:]:
            sums = [[sum(groups[n].get(t, NONE)[way]["trials"] for n in rest) for way in NONE] for t in tiers]
            rows.append([f"{len(rest):,} more", *(f"{up:,} / {down:,}" for up, down in sums)])
        order = f"{self.bound(axis, candidate)}; most in {self.page.widest} first"
        caption = f"Flips of {candidate} by {by}: fail to pass / pass to fail, axis {axis}{order}"
        return Table(
            caption, (by.capitalize(), *tiers), rows, [self.figures.groups(axis, candidate, by).ref], folded=True
        )


NONE = {"fail_to_pass": {"trials": 0}, "pass_to_fail": {"trials": 0}}


def _both(flips: Mapping[str, Any] | None) -> str | None:
    return f"{spread_text(flips['fail_to_pass'])} / {spread_text(flips['pass_to_fail'])}" if flips else None


def _headings(way: str) -> Iterator[str]:
    yield way.replace("_", " ").capitalize()
    if way in NONE:
        yield "of failed" if way == "fail_to_pass" else "of passed"


def _counts(block: Mapping[str, Any], ways: list[str]) -> Iterator[str | None]:
    for way in ways:
        yield spread_text(block[way])
        if way in NONE:
            of = sum(block["moves"]["failed" if way == "fail_to_pass" else "passed"].values())
            yield f"{share(block[way]['trials'], of)} of {of:,}" if of else None


MOVES = {("failed", "passed"): "fail to pass", ("passed", "failed"): "pass to fail"}


def move_name(before: str, after: str) -> str:
    """What a move from one status to another is called."""
    return f"{before}, recoded" if before == after else MOVES.get((before, after), f"{before} to {after}")


def graded(status: str, code: str | None) -> str:
    """A status with its code."""
    return f"{status} {code}" if code else status
