"""What every section of the report is made from, and the few figures that several of them quote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Corpus
from regrade.flips.tiers import ALL
from regrade.report.moved import Moved, moved_trials
from regrade.report.shown import anchor, slug

DIRECTIONS = {
    "fail_to_pass": ("failed", "passed"),
    "pass_to_fail": ("passed", "failed"),
    "to_ungraded": ("passed or failed", "ungraded"),
    "from_ungraded": ("ungraded", "passed or failed"),
}
"""Each kind of flip with the statuses that it leads from and to."""
RECODE = "recode"
"""A move to another code of the same status."""

Grade = tuple[str, str | None]
"""Status and code."""


@dataclass(frozen=True)
class Page:
    """A graded store with its corpus and summary, as a section receives it."""

    con: DuckDBPyConnection
    corpus: Corpus
    summary: dict[str, Any]
    warnings: Sequence[str]

    @property
    def primary(self) -> dict[str, Any]:
        """The summary's block of the primary axis."""
        block: dict[str, Any] = self.summary["axes"][self.corpus.axis]
        return block

    @property
    def widest(self) -> str:
        """The declared tier with the lowest limit, or `all` where none is declared."""
        return min(self.corpus.tiers, key=lambda t: t.min_pass_rate).name if self.corpus.tiers else ALL

    @property
    def strongest(self) -> str:
        """The declared tier with the highest limit that a configuration reaches, or `all` where there is none."""
        tier: str = self.primary["item_matrix"]["tier"]
        return tier

    @cached_property
    def candidates(self) -> list[tuple[str, str]]:
        """Each candidate behind its axis, in the order of the page: of each axis those of corpus.toml first."""
        return [(axis, name) for axis, block in self.summary["axes"].items() for name in block["candidates"]]

    @property
    def declared(self) -> list[str]:
        """The candidates of corpus.toml on the primary axis; where it names none, every candidate."""
        return self.corpus.declared(self.primary["candidates"])

    def is_unjudged(self, axis: str | None = None, candidate: str | None = None) -> bool:
        """Whether the candidate, or some one, has no sample with verdicts: its count of flips is an upper bound."""
        found = unjudged(self.summary)
        return bool(found) if candidate is None else (axis, candidate) in found

    def bound(self, axis: str | None = None, candidate: str | None = None) -> str:
        """What stands behind a count of flips of the candidate, or of any, that nobody has judged."""
        return " (upper bound)" if self.is_unjudged(axis, candidate) else ""

    def judged(self, axis: str, candidate: str) -> list[dict[str, Any]]:
        """The samples of the candidate that have verdicts."""
        return [
            sample
            for sample in self.summary["samples"].values()
            if (sample["axis"], sample["candidate"]) == (axis, candidate) and sample["reviewers"] is not None
        ]

    def rejected(self, axis: str, candidate: str) -> list[str]:
        """The rules of a candidate that were rejected."""
        rules: list[str] = self.summary["axes"][axis]["candidates"][candidate]["rules"]
        return [rule for rule in rules if self.summary["rules"][rule]["decision"] == "rejected"]

    @cached_property
    def knows_lineages(self) -> bool:
        """Whether the lineage of some configuration is given; else each is only the configuration or its weights."""
        [(known,)] = self.con.execute(
            "select count(lineage) from configurations where configuration in (select configuration from trials)"
        ).fetchall()
        return bool(known)

    @cached_property
    def moved(self) -> Moved:
        """The trials that flip or are recoded, and where each is shown."""
        return moved_trials(self.con)

    def view_of(self, configuration: str, axis: str | None = None, candidate: str | None = None) -> str | None:
        """What asks the list of trials for those of a configuration, of a candidate too; None where it has none."""
        key, moving = self.moved.configurations.get(configuration, ("", frozenset()))
        if not key:
            return None
        if candidate is None or axis is None:
            return f"configuration={key}"
        return f"configuration={key}&candidate={slug(f'{axis} {candidate}')}" if (axis, candidate) in moving else None

    @cached_property
    def links(self) -> dict[str, str]:
        """Where a name in the text leads: a rule, a candidate of the primary axis, or `<axis> <candidate>`."""
        return {
            **{f"{axis} {name}": anchor("c", axis, name) for axis, name in self.candidates},
            **{name: anchor("c", axis, name) for axis, name in self.candidates if axis == self.corpus.axis},
            **{rule: anchor("rule", rule) for rule in self.summary["rules"]},
        }


def direction_of(old: str, new: str) -> str:
    """Of which kind a move between two statuses is; empty for a trial that is graded for the first time."""
    if old == new:
        return RECODE
    return next((name for name, (befores, afters) in DIRECTIONS.items() if old in befores and new in afters), "")


def change_of(old: Grade, new: Grade) -> str:
    """A move as it is named where trials are searched: `failed STALE_DATA to passed`."""
    return " to ".join(" ".join(filter(None, grade)) for grade in (old, new))


def unjudged(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The candidates, each with its axis, of which no sample has a verdict."""
    judged = {(s["axis"], s["candidate"]) for s in summary["samples"].values() if s["reviewers"] is not None}
    each = [(axis, name) for axis, block in summary["axes"].items() for name in block["candidates"]]
    return [pair for pair in each if pair not in judged]


def has_gap(parity: Mapping[str, Any] | None) -> bool:
    """Whether the replayed frozen grader does not give every frozen grade."""
    return parity is not None and parity["agree"] < parity["trials"]


def share(part: int, whole: int) -> str:
    """A part of a whole in percent, with one decimal; a dash where the whole is nothing."""
    return f"{100 * part / whole:.1f}%" if whole else "\u2013"


def ungrading(candidates: Mapping[str, Any]) -> list[str]:
    """Of the moves to and from ungraded those that some trial makes under some candidate of an axis."""
    blocks = [block for candidate in candidates.values() for block in candidate["tiers"].values()]
    return [way for way in ("to_ungraded", "from_ungraded") if any(block[way]["trials"] for block in blocks)]


def plural(number: int, noun: str) -> str:
    """A number with its noun: `1 item`, `1,204 items`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def largest_lineage(axis: Mapping[str, Any], tier: str, candidate: str, direction: str) -> tuple[str, int] | None:
    """The lineage with most flips of a candidate in a tier, and how many; None where there is no flip."""
    counts = {
        lineage: record["flips"].get(candidate, {}).get(direction, {}).get("trials", 0)
        for lineage, record in axis["breakdowns"][tier]["lineage"].items()
    }
    name = max(counts, key=lambda lineage: (counts[lineage], lineage), default=None)
    return (name, counts[name]) if name is not None and counts[name] else None


def rule_states(summary: Mapping[str, Any], axis: str, candidate: str) -> str:
    """Decisions and states of a candidate's rules on an axis: `proposed, draft`.

    A candidate without a rule on a new axis rests on the file that brings the axis.
    """
    block = summary["axes"][axis]
    known = [summary["rules"][rule] for rule in block["candidates"][candidate]["rules"] or [block["frozen"]["rule"]]]
    decisions, states = {rule["decision"] for rule in known}, {rule_state(rule) for rule in known}
    return f"{' and '.join(sorted(decisions))}, {' and '.join(sorted(states))}"


def rule_state(rule: Mapping[str, Any]) -> str:
    """`locked` or `draft`; a rule that was edited since it was locked is never audited."""
    return "locked" if rule["locked"] else "draft"
