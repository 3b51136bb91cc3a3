"""Figures: every number of a proposal, with the command that gives it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from regrade.flips.tallies import SPREAD_KEYS
from regrade.report.page import DIRECTIONS, Page
from regrade.report.proposal.blocks import Ref
from regrade.tables.store import literal

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
    """The figures of a proposal in the order of their first use; what one command gives is one figure."""

    def __init__(self, page: Page) -> None:
        """Start with none."""
        self.page = page
        self._known: dict[str, Figure] = {}

    def __iter__(self) -> Any:
        return iter(self._known.values())

    def add(self, what: str, columns: Sequence[str], rows: Iterable[Row], command: str) -> Figure:
        """Name a figure, or find the one of that command."""
        if command not in self._known:
            name = f"r{len(self._known) + 1}"
            self._known[command] = Figure(name, what, tuple(columns), tuple(map(tuple, rows)), command)
        return self._known[command]

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
        command = _spread(f"tier, {GROUPS[by]} as {by}_of, from_status, to_status", axis, candidate)
        columns = ("tier", f"{by}_of", "from_status", "to_status", *SPREAD_KEYS)
        return self.add(f"Flips of {candidate} by {by}, axis {axis}", columns, sorted(rows), command)

    def needs(self, axis: str, candidate: str) -> Figure:
        """The smallest set of rules behind each flip and recode of a candidate, by tier."""
        command = NEEDS.format(axis=literal(axis), candidate=literal(candidate), spread=SPREAD)
        return self.query(f"Smallest sets of rules behind what {candidate} moves, axis {axis}", command)

    def undone(self, axis: str, candidate: str, alone: Sequence[str]) -> Figure:
        """What rules move alone and the candidate grades otherwise, by tier."""
        listed = ", ".join(map(literal, alone))
        command = UNDONE.format(axis=literal(axis), candidate=literal(candidate), alone=listed, spread=SPREAD)
        return self.query(f"What a rule moves alone and {candidate} grades otherwise, axis {axis}", command)

    def probes(self, axis: str, candidate: str) -> Figure:
        """Items that pass a probe under the frozen grader and under a candidate."""
        block = self.page.summary["axes"][axis]["probes"]
        frozen = block.get("frozen") or {}
        rows = []
        for probe, counts in block[candidate].items():
            old, new = set(frozen[probe]["passing"] if probe in frozen else ()), set(counts["passing"])
            if counts["items"]:
                rows.append((probe, counts["items"], len(old), len(new), sorted(new - old), sorted(old - new)))
        columns = ("probe", "items", "frozen_passes", "candidate_passes", "only_candidate", "only_frozen")
        command = PROBES.format(axis=literal(axis), candidate=literal(candidate))
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
        listed = ", ".join(map(literal, sorted(items)))
        command = ITEMS.format(axis=literal(axis), candidate=literal(candidate), tier=literal(tier), items=listed)
        return self.add(
            f"Frozen grades and flips of the items with a note, tier {tier}, axis {axis}", columns, rows, command
        )

    def always(self, axis: str, tier: str) -> Figure:
        """The items that every configuration of a tier tried and always passed."""
        records = self.page.summary["axes"][axis]["items"][tier]
        rows = [(item,) for item, record in sorted(records.items()) if record["always_passed"]]
        command = ALWAYS.format(axis=literal(axis), tier=literal(tier))
        return self.add(
            f"Items that every configuration of the tier {tier} always passed, axis {axis}", ("item",), rows, command
        )

    def corpus(self) -> Figure:
        """Files, records and trials."""
        keys = ("files", "records", "loaded", "rejected", "trials")
        corpus = self.page.summary["corpus"]
        return self.add("The corpus", keys, [tuple(corpus[key] for key in keys)], CORPUS)

    def graders(self) -> Figure:
        """The frozen grader of each axis, and its parity."""
        columns = ("axis", "kind", "rule", "fingerprint", "parity_trials", "parity_agree")
        rows = []
        for axis, block in self.page.summary["axes"].items():
            frozen, parity = block["frozen"], block["parity"] or {"trials": None, "agree": None}
            if frozen["kind"] != "none":
                rows.append((axis, *frozen.values(), parity["trials"], parity["agree"]))
        return self.add("The frozen graders and their parity", columns, sorted(rows), GRADERS)

    def rules(self) -> Figure:
        """Decision, lock and fingerprint of every rule."""
        keys = ("decision", "locked", "fingerprint")
        rows = [(name, *(rule[key] for key in keys)) for name, rule in sorted(self.page.summary["rules"].items())]
        return self.add("Decision, lock and fingerprint of the rules", ("rule", *keys), rows, RULES)

    def fingerprints(self, candidate: str) -> Figure:
        """The candidate's fingerprint on each axis."""
        rows = [
            (axis, block["candidates"][candidate]["fingerprint"])
            for axis, block in sorted(self.page.summary["axes"].items())
            if candidate in block["candidates"]
        ]
        command = FINGERPRINTS.format(candidate=literal(candidate))
        return self.add(f"The fingerprint of {candidate} on each axis", ("axis", "fingerprint"), rows, command)


def _at(found: Any, path: str) -> Any:
    for key in path.split("."):
        found = found[key]
    return found


GROUPS = {"weights": "coalesce(weights, configuration)", "lineage": "coalesce(lineage, weights, configuration)"}
"""What stands for the weights or the lineage where the corpus does not say."""

SPREAD = (
    "count(*) as trials, count(distinct item) as items, count(distinct configuration) as configurations, "
    f"count(distinct {GROUPS['weights']}) as weights, count(distinct {GROUPS['lineage']}) as lineages"
)
JOINED = "join trials using (trial_id) left join configurations using (configuration) join tiers using (configuration)"


def _spread(by: str, axis: str, candidate: str) -> str:
    return (
        f"select {by}, {SPREAD} from flips {JOINED} where axis = {literal(axis)} and candidate = {literal(candidate)} "
        "and 'ungraded' not in (from_status, to_status) group by all order by all"
    )


NEEDS = (
    "select tier, from_status, to_status, array_to_string(decided_by, ' + ') as rules, {spread} from moves "
    f"join grades using (trial_id, axis, candidate) {JOINED} where axis = {{axis}} and candidate = {{candidate}} "
    "and from_status <> 'none' and (from_status <> to_status or from_code is distinct from to_code) "
    "group by all order by all"
)

UNDONE = (
    "select m.candidate as alone, tier, m.from_status, m.to_status as alone_status, m.to_code as alone_code, "
    "g.status, g.code, {spread} from moves m join grades g using (trial_id, axis) "
    f"{JOINED} where axis = {{axis}} and m.candidate in ({{alone}}) and g.candidate = {{candidate}} "
    "and m.from_status <> 'none' and (m.from_status <> m.to_status or m.from_code is distinct from m.to_code) "
    "and (m.to_status <> g.status or m.to_code is distinct from g.code) group by all order by all"
)

PROBES = (
    "with p as (select probe, item, coalesce(bool_or(status = 'passed') filter (candidate = 'frozen'), false) as f, "
    "bool_or(status = 'passed') filter (candidate = {candidate}) as c from probes where axis = {axis} group by all) "
    "select probe, count(c) as items, count(*) filter (f) as frozen_passes, count(*) filter (c) as candidate_passes, "
    "coalesce(list(item order by item) filter (c and not f), []) as only_candidate, "
    "coalesce(list(item order by item) filter (f and not c), []) as only_frozen "
    "from p where c is not null group by probe order by probe"
)

ITEMS = (
    "select item, count(*) filter (from_status = 'passed') as passed, count(*) filter (from_status = 'failed') as failed, "
    "count(*) filter (from_status = 'ungraded') as ungraded, "
    "count(*) filter (from_status = 'failed' and to_status = 'passed') as fail_to_pass, "
    "count(*) filter (from_status = 'passed' and to_status = 'failed') as pass_to_fail "
    "from moves join trials using (trial_id) join tiers using (configuration) where axis = {axis} "
    "and candidate = {candidate} and tier = {tier} and item in ({items}) group by item order by item"
)

ALWAYS = (
    "select item from trials join frozen_grades using (trial_id) join tiers using (configuration) where axis = {axis} "
    "and tier = {tier} group by item having bool_and(status = 'passed') and count(distinct configuration) = "
    "(select count(*) from tiers where tier = {tier}) order by item"
)

CORPUS = (
    "select (select count(*) from files) as files, (select sum(records) from files) as records, "
    "(select sum(loaded) from files) as loaded, (select sum(rejected) from files) as rejected, "
    "(select count(*) from trials) as trials"
)
GRADERS = (
    "select axis, kind, rule, fingerprint, parity_trials, parity_agree from graders where kind <> 'none' order by axis"
)
RULES = "select rule, decision, locked, fingerprint from rules order by rule"
FINGERPRINTS = "select axis, fingerprint from candidates where candidate = {candidate} order by axis"
