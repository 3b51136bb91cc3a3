"""Figures: every number of a proposal, with the command that gives it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from regrade.flips.tallies import SPREAD_KEYS
from regrade.grades.plan import FROZEN
from regrade.report.page import DIRECTIONS, Page
from regrade.report.proposal import queries
from regrade.report.proposal.blocks import Ref

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Figure:
    """Numbers that one command gives."""

    name: str
    what: str
    columns: tuple[str, ...]
    """Of a command of `regrade`, `path` in what it prints with `--json`, and `value` there."""
    rows: tuple[Row, ...]
    """In the order in which a query gives them."""
    command: str
    """A query over `audit.duckdb`, or a command of `regrade`."""

    @property
    def is_query(self) -> bool:
        """Whether the command is one for the store."""
        return not self.command.startswith("regrade ")

    @property
    def ref(self) -> Ref:
        """What stands beside the numbers."""
        return Ref(self.name)

    def plain(self) -> dict[str, Any]:
        """The machine form."""
        return {**asdict(self), "columns": list(self.columns), "rows": [list(row) for row in self.rows]}


class Figures:
    """The figures of a proposal in the order of their first use."""

    def __init__(self, page: Page) -> None:
        """Start with none."""
        self.page = page
        self._known: dict[tuple[str, str], Figure] = {}

    def __iter__(self) -> Any:
        return iter(self._known.values())

    def add(self, what: str, columns: Sequence[str], rows: Iterable[Row], command: str) -> Figure:
        """Name a figure, or find it where it was named before."""
        if (what, command) not in self._known:
            name = f"r{len(self._known) + 1}"
            self._known[what, command] = Figure(name, what, tuple(columns), tuple(map(tuple, rows)), command)
        return self._known[what, command]

    def query(self, what: str, command: str) -> Figure:
        """A figure that the store alone has: the query is run."""
        found = self.page.con.execute(command)
        return self.add(what, [column[0] for column in found.description], found.fetchall(), command)

    def told(self, what: str, found: Mapping[str, Any], paths: Iterable[str], command: str) -> Figure:
        """A figure of a command of `regrade`: what stands at some paths of what it prints with `--json`."""
        return self.add(what, ("path", "value"), [(path, _at(found, path)) for path in paths], command)

    def flips(self, axis: str, candidate: str) -> Figure:
        """Flips both ways and recodes of a candidate, by tier."""
        block = {axis: self.page.summary["axes"][axis]}
        tiers = f"{axis}.candidates.{candidate}.tiers"
        paths = [
            f"{tiers}.{tier}.{path}" for tier in block[axis]["tiers"] for path in self._paths(axis, candidate, tier)
        ]
        command = f"regrade flips --store . --axis {axis} --candidate {candidate} --json"
        return self.told(f"Grades that {candidate} changes, by tier, axis {axis}", block, paths, command)

    def _paths(self, axis: str, candidate: str, tier: str) -> list[str]:
        moves = self.page.summary["axes"][axis]["candidates"][candidate]["tiers"][tier]["moves"]
        return [
            *(f"moves.{old}.{new}" for old, counts in moves.items() for new in counts),
            *(f"{way}.{key}" for way in DIRECTIONS for key in SPREAD_KEYS),
            "recoded",
            "trials",
        ]

    def frozen(self, axis: str) -> Figure:
        """The frozen grades by tier."""
        block = {axis: self.page.summary["axes"][axis]}
        keys = (*SPREAD_KEYS, "passed", "failed", "ungraded")
        paths = [f"{axis}.tiers.{tier}.{key}" for tier in block[axis]["tiers"] for key in keys]
        return self.told(
            f"Frozen grades by tier, axis {axis}", block, paths, f"regrade flips --store . --axis {axis} --json"
        )

    def metric(self, axis: str, metric: str, candidate: str) -> Figure:
        """A metric under the frozen grader and a candidate: the record of each configuration, and who leads."""
        block = {axis: self.page.summary["axes"][axis]}
        blocks = block[axis]["metrics"][metric]["candidates"]
        paths = [
            f"{axis}.metrics.{metric}.candidates.{under}{part}"
            for under in (FROZEN, candidate)
            if under in blocks
            for part in ([""] if blocks[under] is None or "as" in blocks[under] else [".configurations", ".gaps"])
        ]
        command = f"regrade flips --store . --axis {axis} --json"
        return self.told(f"The metric {metric}, frozen and under {candidate}, axis {axis}", block, paths, command)

    def groups(self, axis: str, candidate: str, by: str) -> Figure:
        """Flips both ways of a candidate, by tier and weights or lineage."""
        rows = [
            (tier, name, old, new, *(flips[way][key] for key in SPREAD_KEYS))
            for tier, groups in self.page.summary["axes"][axis]["breakdowns"].items()
            for name, record in groups[by].items()
            if (flips := record["flips"].get(candidate))
            for way, old, new in (("fail_to_pass", "failed", "passed"), ("pass_to_fail", "passed", "failed"))
            if flips[way]["trials"]
        ]
        command = queries.fill(queries.FLIPS_BY[by], axis=axis, candidate=candidate)
        columns = ("tier", f"{by}_of", "from_status", "to_status", *SPREAD_KEYS)
        return self.add(f"Flips of {candidate} by {by}, axis {axis}", columns, sorted(rows), command)

    def needs(self, axis: str, candidate: str) -> Figure:
        """The smallest set of rules behind each flip and recode of a candidate, by tier."""
        command = queries.fill(queries.NEEDS, axis=axis, candidate=candidate)
        return self.query(f"Smallest sets of rules behind what {candidate} moves, axis {axis}", command)

    def undone(self, axis: str, candidate: str, alone: Sequence[str]) -> Figure:
        """What rules move alone and the candidate grades otherwise, by tier."""
        command = queries.fill(queries.UNDONE, axis=axis, candidate=candidate, alone=alone)
        return self.query(f"What a rule moves alone and {candidate} grades otherwise, axis {axis}", command)

    def probes(self, axis: str, candidate: str) -> Figure:
        """Items that pass a probe under the frozen grader and under a candidate."""
        block = self.page.summary["axes"][axis]["probes"]
        rows: list[Row] = []
        for probe, counts in block[candidate].items():
            new = set(counts["passing"])
            if counts["items"] and block.get("frozen"):
                old = set(block["frozen"][probe]["passing"])
                rows.append((probe, counts["items"], len(old), len(new), sorted(new - old), sorted(old - new)))
            elif counts["items"]:
                rows.append((probe, counts["items"], None, len(new), None, None))
        columns = ("probe", "items", "frozen_passes", "candidate_passes", "only_candidate", "only_frozen")
        command = queries.fill(queries.PROBES, axis=axis, candidate=candidate)
        return self.add(f"Items that pass a probe under {candidate}, axis {axis}", columns, sorted(rows), command)

    def items(self, axis: str, candidate: str, tier: str, items: Iterable[str]) -> Figure:
        """Frozen grades and flips of some items in a tier."""
        known = self.page.summary["axes"][axis]["items"][tier]
        rows = []
        for item in sorted({*items} & {*known}):
            flips = known[item]["flips"].get(candidate, {})
            ways = (flips.get(way, {"trials": 0})["trials"] for way in ("fail_to_pass", "pass_to_fail"))
            rows.append((item, *(known[item][key] for key in ("passed", "failed", "ungraded")), *ways))
        columns = ("item", "passed", "failed", "ungraded", "fail_to_pass", "pass_to_fail")
        command = queries.fill(queries.ITEMS, axis=axis, candidate=candidate, tier=tier, items=sorted(items))
        return self.add(
            f"Frozen grades and flips of the items with a note, tier {tier}, axis {axis}", columns, rows, command
        )

    def always(self, axis: str, candidate: str, tier: str) -> Figure:
        """The items that every configuration of a tier tried and always passed."""
        records = self.page.summary["axes"][axis]["items"][tier]
        rows = [(item,) for item, record in sorted(records.items()) if record["always_passed"]]
        command = queries.fill(queries.ALWAYS, axis=axis, candidate=candidate, tier=tier)
        return self.add(
            f"Items that every configuration of the tier {tier} always passed, axis {axis}", ("item",), rows, command
        )

    def lists(self, axis: str, tier: str) -> Figure:
        """The items that were missed repeatedly by several configurations of a tier."""
        block = {axis: self.page.summary["axes"][axis]}
        paths = [f"{axis}.item_lists.{tier}.missed_repeatedly"]
        command = f"regrade flips --store . --axis {axis} --json"
        return self.told(f"Items missed repeatedly, tier {tier}, axis {axis}", block, paths, command)

    def lineages(self) -> Figure:
        """How many configurations each lineage has, by tier, and of how many the corpus does not say."""
        return self.query("Configurations by lineage and tier", queries.LINEAGES)

    def by_lineage(self, axis: str) -> Figure:
        """Flips of every candidate by lineage and tier."""
        return self.query(
            f"Flips of every candidate by lineage, axis {axis}", queries.fill(queries.BY_LINEAGE, axis=axis)
        )

    def stopped(self) -> Figure:
        """The trials that a limit or an error ended."""
        paths = ("corpus.stopped.any.trials", "corpus.stopped.any.failed")
        command = "regrade audit CORPUS --out . --json"
        return self.told("Trials that a limit or an error ended", self.page.summary, paths, command)

    def drawn(self) -> Figure:
        """What was drawn of each declared sample."""
        return self.query("The samples drawn", queries.DRAWN)

    def corpus(self) -> Figure:
        """Files, records and trials."""
        keys = ("files", "records", "loaded", "rejected", "trials")
        corpus = self.page.summary["corpus"]
        return self.add("The corpus", keys, [tuple(corpus[key] for key in keys)], queries.CORPUS)

    def graders(self) -> Figure:
        """The frozen grader of each axis, and its parity."""
        columns = ("axis", "kind", "rule", "fingerprint", "parity_trials", "parity_agree")
        rows = []
        for axis, block in self.page.summary["axes"].items():
            frozen, parity = block["frozen"], block["parity"] or {"trials": None, "agree": None}
            if frozen["kind"] != "none":
                rows.append((axis, *frozen.values(), parity["trials"], parity["agree"]))
        return self.add("The frozen graders and their parity", columns, sorted(rows), queries.GRADERS)

    def rules(self) -> Figure:
        """Decision, lock and fingerprint of every rule."""
        keys = ("decision", "locked", "fingerprint")
        rows = [(name, *(rule[key] for key in keys)) for name, rule in sorted(self.page.summary["rules"].items())]
        return self.add("Decision, lock and fingerprint of the rules", ("rule", *keys), rows, queries.RULES)

    def fingerprints(self, candidate: str) -> Figure:
        """The candidate's fingerprint on each axis."""
        rows = [
            (axis, block["candidates"][candidate]["fingerprint"])
            for axis, block in sorted(self.page.summary["axes"].items())
            if candidate in block["candidates"]
        ]
        command = queries.fill(queries.FINGERPRINTS, candidate=candidate)
        return self.add(f"The fingerprint of {candidate} on each axis", ("axis", "fingerprint"), rows, command)


def _at(found: Any, path: str) -> Any:
    for key in path.split("."):
        found = found[key]
    return found
