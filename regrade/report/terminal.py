"""What the commands print for a person: the summary, the flips, the rules."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from regrade.errors import RuleError, near
from regrade.flips.tallies import SPREAD_KEYS
from regrade.flips.tiers import ALL
from regrade.report.console import console, line, spread_text, table
from regrade.report.page import DIRECTIONS, has_gap, plural, rule_states, share, unjudged
from regrade.report.terminal_probes import probe_lines
from regrade.report.terminal_rates import rate_lines
from regrade.report.terminal_review import sample_lines
from regrade.report.trials import example_flip
from regrade.tables.store import FILE_NAME, Store

LISTED = 5
"""Names in a line; the rest are counted."""
"""What stands in brackets behind a count: the distinct ones that it comes from."""


def print_summary(summary: dict[str, Any], out: Path) -> None:
    """Print an audit on standard output, short enough to be read in a minute.

    Args:
        summary: what `summary.json` says.
        out: the folder that the audit wrote into.
    """
    probes = map(line, ("", *probe_lines(summary["axes"])))
    reviewed = map(line, sample_lines(summary["samples"]))
    _print([*_corpus(summary), *_axes(summary), *reviewed, *rate_lines(summary["axes"]), *probes, *_next(out)])


def print_flips(axes: dict[str, Any]) -> None:
    """Print the flips of each candidate in every tier.

    Args:
        axes: `axes` of the summary, or what `choose` left of it.
    """
    shown = {axis: list(block["tiers"]) for axis, block in axes.items()}
    tables = (_flips_table(axis, block, shown[axis], None) for axis, block in axes.items())
    _print([*_key(axes, shown), *tables])


def choose(
    axes: dict[str, Any], axis: str | None = None, candidate: str | None = None, tier: str | None = None
) -> dict[str, Any]:
    """Keep one axis, one candidate, one tier; an axis without the candidate falls out.

    Raises:
        RuleError: there is none of the name.
    """
    if axis is not None:
        if axis not in axes:
            raise RuleError(f"Unknown axis {axis!r}.{near(axis, axes)}")
        axes = {axis: axes[axis]}
    if tier is not None:
        tiers = {name for block in axes.values() for name in block["tiers"]}
        if tier not in tiers:
            raise RuleError(f"Unknown tier {tier!r}.{near(tier, tiers)}")
        axes = {name: _of_tier(block, tier) for name, block in axes.items()}
    if candidate is None:
        return axes
    known = {name for block in axes.values() for name in block["candidates"]}
    if candidate not in known:
        raise RuleError(f"Unknown candidate {candidate!r}.{near(candidate, known)}")
    return {
        name: {**block, "candidates": {candidate: block["candidates"][candidate]}}
        for name, block in axes.items()
        if candidate in block["candidates"]
    }


def _of_tier(block: dict[str, Any], tier: str) -> dict[str, Any]:
    candidates = {
        name: {**candidate, "tiers": {tier: candidate["tiers"][tier]}}
        for name, candidate in block["candidates"].items()
    }
    by_tier = ("tiers", "items", "families", "breakdowns", "cutoffs")
    return {**block, **{key: {tier: block[key][tier]} for key in by_tier}, "candidates": candidates}


def print_rules(listed: Sequence[dict[str, Any]]) -> None:
    """Print a line a rule, as `list_rules` gives them."""
    checked = any("cases_hold" in rule for rule in listed)
    shown = ["rule", "benchmark", "axis", "stage", "decision"]
    columns = [*shown, "state", "fingerprint", *(["cases"] if checked else []), "summary"]
    rows = (
        [
            *(rule[key] or "" for key in shown),
            rule["state"],
            rule["fingerprint"][:12],
            *([_cases(rule)] if checked else []),
            rule["summary"],
        ]
        for rule in listed
    )
    _print([table(f"Rules: {len(listed)}", columns, rows, left=len(columns))])


def print_rule(rule: dict[str, Any]) -> None:
    """Print one rule with its text, cases and the hash of each name that it reaches, as `describe_rule` gives it."""
    shown: list[RenderableType] = [
        line(f"{rule['rule']}: {rule['decision']}, {rule['state']}", "bold"),
        line(
            f"benchmark {rule['benchmark']}, axis {rule['axis'] or 'those of its grader'}, "
            f"stage {rule['stage'] or 'none'}, fingerprint {rule['fingerprint']}"
        ),
    ]
    if rule["reason"]:
        shown.append(line(f"Reason: {rule['reason']}"))
    if rule["scope"]:
        shown.append(line(f"Applies: {', '.join(f'{key} = {value}' for key, value in rule['scope'].items())}"))
    shown += [line(""), *map(line, rule["doc"].splitlines()), line("")]
    for title, key in (("Must flip", "must_flip"), ("Must hold", "must_hold")):
        for number, case in enumerate(rule[key], 1):
            shown.append(line(f"{title} {number}: {json.dumps(case, ensure_ascii=False, default=str)}"))
    if "cases_hold" in rule:
        shown.append(line(f"Cases: {_cases(rule)}"))
        shown += [
            line(f"  {c['kind']} {c['number']}: {c['before']} to {c['after']}, expected {c['expected']}")
            for c in rule["cases"]
            if not c["right"]
        ]
    shown.append(line(f"Fingerprint over {plural(len(rule['names']), 'name')} that it reaches; --json lists them."))
    _print(shown)


def _print(shown: Iterable[RenderableType]) -> None:
    out = console()
    for part in shown:
        # A line is left for the terminal to fold, so that a command in it can be copied whole.
        out.print(part, soft_wrap=isinstance(part, Text))


def _cases(rule: dict[str, Any]) -> str:
    right = sum(case["right"] for case in rule["cases"])
    one_sided = right == len(rule["cases"]) and not rule["cases_hold"]
    lacking = ", NOT held: a rule needs cases on both sides, MUST_FLIP and MUST_HOLD" if one_sided else ", NOT held"
    return f"{right} of {len(rule['cases'])} right{'' if rule['cases_hold'] else lacking}"


def _corpus(summary: dict[str, Any]) -> Iterator[RenderableType]:
    corpus = summary["corpus"]
    stamp = " (SIMULATED)" if corpus["simulated"] else ""
    yield line(f"{corpus['name']}{stamp}, benchmark {corpus['benchmark'] or 'unnamed'}", "bold")
    yield line(
        f"{plural(corpus['files'], 'file')}, {plural(corpus['records'], 'record')} = {corpus['loaded']:,} loaded + "
        f"{corpus['rejected']:,} rejected, {plural(corpus['trials'], 'trial')}"
    )
    if corpus["rejects"]:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in corpus["rejects"].items())
        yield line(f"Rejected: {reasons}; see the table rejects of {FILE_NAME}, or Integrity in the report", "yellow")
    for key, words in (("empty", "Empty files"), ("unlisted", "Configurations not in their file")):
        if corpus[key]:
            more = len(corpus[key]) - LISTED
            yield line(
                f"{words}: {', '.join(corpus[key][:LISTED])}{f' and {more:,} more' if more > 0 else ''}", "yellow"
            )
    if corpus["identical"]:
        yield line(f"Pairs of configurations with over 90% identical replies: {len(corpus['identical']):,}", "yellow")
    for axis, block in summary["axes"].items():
        parity = block["parity"]
        told = f"nothing to compare, the grader is {block['frozen']['kind']}"
        if parity:
            told = f"{parity['agree']:,} of {parity['trials']:,} trials agree"
        if has_gap(parity):
            yield line(f"Parity on {axis}: {told}. GAP: every figure below bears it", "red")
        else:
            yield line(f"Parity on {axis}: {told}")


def _axes(summary: dict[str, Any]) -> Iterator[RenderableType]:
    shown = {axis: [t for t in block["tiers"] if t != ALL] or [ALL] for axis, block in summary["axes"].items()}
    key = iter(_key(summary["axes"], shown))
    for axis, block in summary["axes"].items():
        if any(block["tiers"][ALL][status] for status in ("passed", "failed", "ungraded")):
            yield line("")
            yield _tier_table(axis, block)
        if block["candidates"]:
            yield line("")
            yield from key
            yield _flips_table(axis, block, shown[axis], summary)
        for tier, rows in block["cutoffs"].items():
            if len(rows) > 1 and block["candidates"]:
                yield line("")
                yield _cutoff_table(axis, tier, rows, summary)
        yield from _partitions(block)


def _tier_table(axis: str, block: dict[str, Any]) -> Table:
    keys = ("configurations", "weights", "lineages", "trials", "passed", "failed", "ungraded")
    rows = [[tier, *(t[key] for key in keys), _rate(t)] for tier, t in block["tiers"].items()]
    return table(f"Frozen grades on {axis}", ["tier", *keys, "pass rate"], rows)


def _rate(block: dict[str, Any]) -> str:
    return share(block["passed"], block["passed"] + block["failed"])


def _flips_table(axis: str, block: dict[str, Any], tiers: Sequence[str], summary: dict[str, Any] | None) -> Table:
    """Flips of the candidates by tier; with a summary, whose tiers stand beside, their rules' decisions."""
    if block["frozen"]["kind"] == "none":
        return _measure_table(axis, block, tiers)
    candidates = block["candidates"]
    used = [
        d
        for d in DIRECTIONS
        if d in ("fail_to_pass", "pass_to_fail")
        or any(c["tiers"][t][d]["trials"] for c in candidates.values() for t in tiers)
    ]
    rows = []
    for tier in tiers:
        for name, candidate in candidates.items():
            counted = candidate["tiers"][tier]
            state = [rule_states(summary, axis, name)] if summary else []
            spreads = (spread_text(counted[d]) for d in used)
            rows.append([tier, name, *spreads, counted["recoded"], *(state or [counted["trials"]])])
    judged = "" if summary and not unjudged(summary) else ", upper bound"
    columns = ["tier", "candidate", *(d.replace("_", " ") for d in used), "recoded", "rules" if summary else "trials"]
    return table(f"Flips on {axis}{judged}", columns, rows, left=2)


def _key(axes: dict[str, Any], shown: dict[str, list[str]]) -> list[RenderableType]:
    """What the brackets mean, by the first count of the tables that has one."""
    blocks = (c["tiers"][t] for axis, tiers in shown.items() for t in tiers for c in axes[axis]["candidates"].values())
    count = next((t[d] for t in blocks for d in DIRECTIONS if t.get(d, {}).get("trials")), None)
    if count is None:
        return []
    trials, items, configurations = (plural(count[f"{noun}s"], noun) for noun in ("trial", "item", "configuration"))
    told = f"{trials} of {items} and {configurations} (weights: {count['weights']:,}, lineages: {count['lineages']:,})"
    return [line(f"In brackets {'/'.join(SPREAD_KEYS[1:])}: {spread_text(count)} is {told}.")]


def _measure_table(axis: str, block: dict[str, Any], tiers: Sequence[str]) -> Table:
    statuses = ("passed", "failed", "ungraded")
    rows = []
    for tier in tiers:
        for name, candidate in block["candidates"].items():
            counted = candidate["tiers"][tier]
            graded = counted["moves"].get("none", {})
            rows.append([tier, name, *(graded.get(status, 0) for status in statuses), counted["trials"]])
    title = f"Measured on {axis}, which the frozen grader never had"
    return table(title, ["tier", "candidate", *statuses, "trials"], rows, left=2)


def _cutoff_table(axis: str, tier: str, rows: Sequence[dict[str, Any]], summary: dict[str, Any]) -> Table:
    columns = [
        f">= {share(row['min_pass_rate'], 1)}: {row['configurations']:,} configurations, {row['failed']:,} failed"
        for row in rows
    ]
    body = [
        [
            name,
            *(
                f"{flips[name]['fail_to_pass']:,} / {flips[name]['pass_to_fail']:,}"
                for flips in (r["flips"] for r in rows)
            ),
        ]
        for name in summary["axes"][axis]["candidates"]
    ]
    title = f"Cut-offs of {tier} on {axis}: fail to pass / pass to fail{', upper bound' if unjudged(summary) else ''}"
    return table(title, ["candidate", *columns], body)


def _partitions(block: dict[str, Any]) -> Iterator[RenderableType]:
    if block["partitions"]:
        yield line("")
    for name, tiers in block["partitions"].items():
        for tier, cut in tiers.items():
            if tier != ALL or len(tiers) == 1:
                cells = " + ".join(f"{c['trials']:,} {' and '.join(c['in']) or 'in none'}" for c in cut["cells"])
                yield line(f"Partition {name}, {tier}: {cut['total']:,} {cut['of']} = {cells}")


def _next(out: Path) -> Iterator[RenderableType]:
    yield line("")
    trial = None
    if (out / FILE_NAME).is_file():
        with Store.open(out / FILE_NAME, read_only=True) as store:
            trial = example_flip(store.con)
    if trial is not None:
        yield line(f"Look at a flip:   regrade explain {shlex.quote(trial)} --store {shlex.quote(str(out))}")
    yield line(f"Read the report:  {out / 'report.html'}")
