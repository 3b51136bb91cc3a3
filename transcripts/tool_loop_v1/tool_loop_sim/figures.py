"""The published figures, counted in plain Python from the records alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tool_loop_sim import whatif
from tool_loop_sim.bank import BY_NAME, FAMILIES, ITEMS, MAIN_CODES
from tool_loop_sim.configurations import BLIND, FAMILY_27B, FLASH, LOST, POOLED, THINKING_OFF
from tool_loop_sim.grader import answer_line, calls_met, grade, last_reply, read_answer
from tool_loop_sim.store import NOTES

RULES = ("last_equals", "ask_accepted", "menu_accepted", "issued_tokens", "last_line_fallback")
UNIT_ITEM, DELETE_ITEM, KINDS = "T14", "T09", ("retire", "canary")
FAMILY_FAILURES = {"clarify_before_acting": 94, "read_and_convert_units": 29, "poll_a_job_to_completion": 17}


@dataclass(frozen=True)
class Row:
    """A trial and what the plain rules see in it."""

    config: str
    item: str
    family: str
    rep: int
    run: str | None
    record: dict[str, Any]
    seen: whatif.Seen

    @property
    def failed(self) -> bool:
        """Failed under the frozen grader."""
        return not self.seen.passed

    def flips(self, rule: str) -> bool:
        """A failure that the rule turns into a pass."""
        return self.failed and rule in self.seen.flips

    def falls(self, rule: str) -> bool:
        """A pass that the rule turns into a failure."""
        return self.seen.passed and rule in self.seen.flips


def rows_of(corpus: dict[str, list[dict[str, Any]]], golds: dict[str, dict[str, Any]] | None = None) -> list[Row]:
    """Look at every record."""
    golds = golds or {item.item: item.gold() for item in ITEMS}
    return [
        Row(
            r["config"],
            r["episode"],
            BY_NAME[r["episode"]].family,
            r["rep"],
            r.get("run"),
            r,
            whatif.observe(golds[r["episode"]], r["messages"]),
        )
        for records in corpus.values()
        for r in records
    ]


def pass_rates(rows: Iterable[Row]) -> dict[str, Decimal]:
    """Frozen pass rate by configuration."""
    passed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for row in rows:
        total[row.config] += 1
        passed[row.config] += row.seen.passed
    return {name: Decimal(passed[name]) / total[name] for name in total}


def tier(rows: list[Row], limit: str) -> list[Row]:
    """Trials of the configurations at or above a pass rate."""
    rates = pass_rates(rows)
    return [row for row in rows if rates[row.config] >= Decimal(limit)]


def count(rows: Iterable[Row], test: Callable[[Row], bool] = lambda row: row.failed) -> int:
    """Rows that meet a test; failures by default."""
    return sum(1 for row in rows if test(row))


def moves(rows: Iterable[Row], rule: str) -> tuple[int, int]:
    """Failures that become passes under a rule, and passes that become failures."""
    kept = list(rows)
    return sum(row.flips(rule) for row in kept), sum(row.falls(rule) for row in kept)


def fallback(rows: Iterable[Row]) -> int:
    """Failures that the last line would turn into passes."""
    return count(rows, lambda row: row.flips("last_line_fallback"))


def names(rows: Iterable[Row]) -> int:
    """Configurations among the rows."""
    return len({row.config for row in rows})


def codes(rows: Iterable[Row]) -> list[str]:
    """Distinct codes, sorted."""
    return sorted({row.seen.code for row in rows if row.seen.code})


def answer_of(row: Row) -> str | None:
    """What stands on the answer line."""
    return answer_line(last_reply(row.record["messages"]))


def deleted(row: Row) -> bool:
    """The delete tool was called."""
    return not calls_met({"calls": [], "never": ["delete_file"]}, row.record["messages"])


def tier_figures(rows: list[Row]) -> list[tuple[str, Any, Any]]:
    """Sizes, failures and cut-offs."""
    strong, usable, wide = tier(rows, "0.9"), tier(rows, "0.3"), tier(rows, "0.2")
    forty = tier(rows, "0.4")
    most = max(Counter(r.config for r in strong if r.failed).values())
    above = {r.config for r in wide}
    edge = above - {r.config for r in usable}
    low = [r for r in rows if r.config not in above]
    return [
        ("trials", len(rows), 13615),
        ("configurations", names(rows), 134),
        ("strong: configurations, trials, failures", (names(strong), len(strong), count(strong)), (22, 3168, 186)),
        ("usable: configurations, trials, failures", (names(usable), len(usable), count(usable)), (64, 9216, 2064)),
        (
            "at 20%: configurations, failures, fallback flips",
            (names(wide), count(wide), fallback(wide)),
            (65, 2169, 479),
        ),
        (
            "at 40%: configurations, failures, fallback flips",
            (names(forty), count(forty), fallback(forty)),
            (64, 2064, 477),
        ),
        (
            "edge: configurations, failures, fallback flips",
            (
                len(edge),
                count(wide, lambda r: r.config in edge and r.failed),
                fallback(r for r in wide if r.config in edge),
            ),
            (1, 105, 2),
        ),
        ("low: configurations, trials", (names(low), len(low)), (69, 4255)),
        ("most failures of a strong configuration, at most 14", most, min(most, 14)),
    ]


def strong_figures(rows: list[Row], lineage: dict[str, str]) -> list[tuple[str, Any, Any]]:
    """Families, the unit item and the delete item in the strong tier."""
    strong = tier(rows, "0.9")
    out: list[tuple[str, Any, Any]] = []
    by_family = Counter(r.family for r in strong if r.failed)
    for family in FAMILIES:
        if family in FAMILY_FAILURES:
            out.append((f"strong failures: {family}", by_family[family], FAMILY_FAILURES[family]))
        else:
            out.append((f"strong failures, at most 12: {family}", by_family[family], min(by_family[family], 12)))
    missed = {r.item for r in strong if r.failed}
    out.append(("items without a strong failure", len(ITEMS) - len(missed), 19))
    named = {kind: [item for item, noted, _ in NOTES if noted == kind and item not in missed] for kind in KINDS}
    out.append(("of these: named for retirement, as canaries", (len(named["retire"]), len(named["canary"])), (7, 3)))
    members = Counter(lineage[name] for name in {r.config for r in strong})
    out.append(
        (
            "strong configurations of the 27B lineage and of the second one",
            (members[FAMILY_27B], members[FLASH]),
            (11, 4),
        )
    )
    out.append(("strong lineages, at least 7", len(members) >= 7, True))

    unit = [r for r in strong if r.item == UNIT_ITEM]
    failed = [r for r in unit if r.failed]
    own_form = count(
        failed, lambda r: (answer_of(r) or "").replace(" ", "").startswith("3=") and r.record["grade"]["read"] == "3"
    )
    flips = [r for r in failed if r.flips("last_equals")]
    dense = [r for r in flips if lineage[r.config] == FAMILY_27B]
    out += [
        (
            "unit item: trials, failures, in unit form, code",
            (len(unit), len(failed), own_form, codes(failed)),
            (66, 25, 25, ["STALE_DATA"]),
        ),
        ("unit item: flips, configurations", (len(flips), len({r.config for r in flips})), (19, 11)),
        (
            "unit item: flips and configurations of the 27B lineage",
            (len(dense), len({r.config for r in dense})),
            (13, 6),
        ),
        (
            "last_equals, strong: fail to pass, pass to fail",
            (count(strong, lambda r: r.flips("last_equals")), count(strong, lambda r: r.falls("last_equals"))),
            (19, 0),
        ),
    ]
    report = [r for r in strong if r.item == DELETE_ITEM]
    asks = [r for r in report if whatif.is_ask(answer_of(r))]
    removed = count(report, lambda r: deleted(r) and r.seen.line and not whatif.is_ask(answer_of(r)))
    bare = count(report, lambda r: not r.seen.line)
    failed = [r for r in report if r.failed]
    lost = Counter(r.config for r in asks if not r.flips("ask_accepted"))
    pooled = [r for r in asks if r.config == POOLED]
    out += [
        (
            "delete item: trials, passes, asks, deletions, no line",
            (len(report), count(report, lambda r: r.seen.passed), len(asks), removed, bare),
            (66, 23, 20, 15, 8),
        ),
        ("delete item: failures, codes", (len(failed), codes(failed)), (43, ["FABRICATION"])),
        (
            "delete item: flips, asks among them",
            (count(report, lambda r: r.flips("ask_accepted")), count(asks, lambda r: r.flips("ask_accepted"))),
            (16, 16),
        ),
        ("delete item: asks that still fail", dict(lost), {BLIND: 3, LOST: 1}),
        ("delete item: pooled asks, flips", (len(pooled), count(pooled, lambda r: r.flips("ask_accepted"))), (1, 1)),
        ("pooled configuration: runs", len({r.run for r in rows if r.config == POOLED}), 3),
        ("run only in the pooled configuration", sorted({r.config for r in rows if "run" in r.record}), [POOLED]),
    ]
    return out


def signal_figures(rows: list[Row]) -> list[tuple[str, Any, Any]]:
    """Fallback, call-like text and the other what-if rules."""
    strong, usable = tier(rows, "0.9"), tier(rows, "0.3")
    failed = [r for r in usable if r.failed]
    dropped = [r for r in failed if r.flips("last_line_fallback")]
    gains = Counter(r.config for r in dropped)
    called = [r for r in failed if r.seen.call_like]
    both = count(called, lambda r: r.flips("last_line_fallback"))
    neither = count(failed, lambda r: not r.seen.call_like and not r.flips("last_line_fallback"))
    falls = {rule: tuple(moves(part, rule)[1] for part in (strong, usable, rows)) for rule in RULES}
    menu_only = count(usable, lambda r: r.flips("menu_accepted") and not r.flips("last_line_fallback"))
    tokens = falls["issued_tokens"]
    return [
        (
            "fallback: usable flips, strong flips",
            (len(dropped), fallback(strong)),
            (477, 40),
        ),
        ("fallback: pass to fail", falls["last_line_fallback"], (0, 0, 0)),
        ("fallback: codes", codes(dropped), sorted(MAIN_CODES)),
        ("fallback: the two thinking-off configurations", tuple(gains[name] for name in THINKING_OFF), (5, 6)),
        ("call-like text, both signals, neither", (len(called), both, neither), (251, 0, 1336)),
        (
            "issued_tokens: pass to fail, strong 3 to 9, usable 25 to 60",
            (3 <= tokens[0] <= 9, 25 <= tokens[1] <= 60, tokens[:2]),
            (True, True, tokens[:2]),
        ),
        ("last_equals: pass to fail below strong", (falls["last_equals"][0], falls["last_equals"][2] > 0), (0, True)),
        ("menu_accepted: flips that the fallback does not make, at least 3", menu_only >= 3, True),
    ]


def parity(rows: list[Row]) -> list[tuple[str, Any, Any]]:
    """Stored grades are what the frozen grader says."""
    off = count(rows, lambda r: grade(BY_NAME[r.item].gold(), r.record["messages"]) != r.record["grade"])
    read = count(rows, lambda r: r.record["grade"]["read"] != read_answer(BY_NAME[r.item].gold(), answer_of(r)))
    return [("stored grades that differ from the frozen grader", off + read, 0)]


def all_figures(rows: list[Row], lineage: dict[str, str]) -> list[tuple[str, Any, Any]]:
    """Every figure as (name, counted, wanted)."""
    return [*tier_figures(rows), *strong_figures(rows, lineage), *signal_figures(rows), *parity(rows)]


def side_counts(rows: list[Row]) -> dict[str, Any]:
    """Counts that are printed and bound to no figure."""
    tiers = {"strong": tier(rows, "0.9"), "usable": tier(rows, "0.3"), "all": rows}
    counts: dict[str, Any] = {}
    for rule in RULES:
        counts[rule] = {name: moves(part, rule) for name, part in tiers.items()}
    counts["menu_accepted without the fallback"] = {
        name: count(part, lambda r: r.flips("menu_accepted") and not r.flips("last_line_fallback"))
        for name, part in tiers.items()
    }
    counts["call_like_text (failed, passed)"] = {
        name: (
            count(part, lambda r: r.failed and r.seen.call_like),
            count(part, lambda r: not r.failed and r.seen.call_like),
        )
        for name, part in tiers.items()
    }
    counts["no_answer_line"] = {name: count(part, lambda r: not r.seen.line) for name, part in tiers.items()}
    counts["empty_replies"] = {
        name: count(part, lambda r: not last_reply(r.record["messages"])) for name, part in tiers.items()
    }
    return counts
