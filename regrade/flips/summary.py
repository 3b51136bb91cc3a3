"""Summary: everything that summary.json says of the axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Corpus
from regrade.flips.beyond import beyond
from regrade.flips.breakdowns import break_down, gains
from regrade.flips.counts import candidate_counts, tier_counts
from regrade.flips.cutoffs import Step, curve, cutoffs, steps
from regrade.flips.items import item_counts, item_lists, item_matrix
from regrade.flips.needs import add_needs
from regrade.flips.partitions import partition
from regrade.flips.probes import idle_passes, probe_counts
from regrade.flips.ranks import rank_counts
from regrade.flips.rates import rates_summary
from regrade.flips.tallies import tally
from regrade.flips.tier_changes import tier_changes
from regrade.flips.tiers import ALL, PassCount, pass_counts, strongest, tier_names


def axes_summary(con: DuckDBPyConnection, corpus: Corpus) -> dict[str, Any]:
    """Make `axes` of summary.json: the primary axis first, then the others by name.

    Candidates stand as they are declared, the others of the rulebook behind them by name. Beside the agreed keys each
    axis has `items` and `families` (`{tier: {name: record}}`), `breakdowns` (`{tier: {weights | lineage: {name:
    record}}}`) and `gains` (by configuration), records being those of `break_down`, `probes` and `idle_passes`, and
    `ranks` (`rank_counts`). A tier has its `grades` by status and code too, a candidate's block `unmoved` trials and
    what `add_needs` adds. `beyond` is what the function of that name gives of the declared candidates. `curve` has of
    each tier `{min_trials, rows}`, the rows of `curve`, or `as`, the tier that has the same. `item_lists` by tier and
    the `item_matrix` of the strongest one are what `item_lists` and `item_matrix` give. Partitions, samples and tier
    changes are of the primary axis, so the other axes' `partitions` and `tier_changes` are empty, as are the pairs of
    their ranks. `metrics`, `bands` and `panels` are what `rates_summary` gives.

    Args:
        con: a graded store; temp tables and views are made on it.
        corpus: the corpus as declared.

    Raises:
        CorpusError: a partition, metric or band names what is unknown, or a panel cannot be pooled.
        StoreError: the numbers do not add up.
    """
    tally(con)
    counts = pass_counts(con, corpus.axis)
    axes = _axes(con, corpus)
    rates = rates_summary(con, corpus, axes)
    return {axis: {**_axis(con, corpus, axis, counts), **rates[axis]} for axis in axes}


def _axes(con: DuckDBPyConnection, corpus: Corpus) -> list[str]:
    rows = con.execute(
        "select axis from graders union select axis from candidates union select axis from frozen_tallies"
    ).fetchall()
    return [corpus.axis, *sorted({axis for (axis,) in rows} - {corpus.axis})]


def _axis(con: DuckDBPyConnection, corpus: Corpus, axis: str, counts: dict[str, PassCount]) -> dict[str, Any]:
    tiers = tier_names(corpus)
    frozen, parity = _grader(con, axis)
    rows = con.execute(
        "select candidate, rules, fingerprint from candidates where axis = $axis order by candidate", {"axis": axis}
    ).fetchall()
    known = {name: {"rules": rules, "fingerprint": fingerprint} for name, rules, fingerprint in rows}
    names = corpus.declared_first(known)
    tier_blocks = tier_counts(con, axis, tiers)
    everything = tier_blocks[ALL]
    new = everything["passed"] + everything["failed"] + everything["ungraded"] == 0
    blocks = candidate_counts(con, axis, names, tiers, new=new)
    groups = break_down(con, axis, tiers)
    items = item_counts(con, axis, groups["item"], tier_blocks, corpus.notes)
    gained = gains(con, groups["configuration"])
    top = strongest(corpus, counts)
    paired = top, [spec.name for spec in corpus.candidates if spec.name in names]
    primary = axis == corpus.axis
    partitions = corpus.partitions if primary else ()
    candidates = {name: {**known[name], "tiers": blocks[name]} for name in names}
    add_needs(con, axis, candidates)
    # A limit is met by the same configurations in every tier that asks for as many trials.
    least = {ALL: 1, **{tier.name: tier.min_trials for tier in corpus.tiers}}
    every = {number: steps(counts, gained, names, number) for number in set(least.values())}
    return {
        "frozen": frozen,
        "parity": parity,
        "tiers": tier_blocks,
        "candidates": candidates,
        "partitions": {spec.name: partition(con, spec, axis, names, tier_blocks) for spec in partitions},
        "cutoffs": {ALL: [], **{tier.name: cutoffs(tier, every[tier.min_trials]) for tier in corpus.tiers}},
        "curve": _curves(least, every, corpus.declared(names)),
        "tier_changes": tier_changes(con, axis, corpus.tiers, counts, names) if primary else {},
        "beyond": beyond(con, axis, () if new else corpus.declared(names), tiers),
        "items": items,
        "item_lists": {tier: item_lists(items[tier]) for tier in tiers},
        "item_matrix": item_matrix(con, axis, top),
        "families": groups["family"],
        "breakdowns": {tier: {by: groups[by][tier] for by in ("weights", "lineage")} for tier in tiers},
        "gains": gained,
        "probes": probe_counts(con, axis, frozen["kind"], names),
        "idle_passes": idle_passes(con, axis, frozen["kind"]),
        "ranks": rank_counts(con, axis, names, tiers, new=new, paired=paired if primary else None),
    }


def _curves(least: Mapping[str, int], every: Mapping[int, Sequence[Step]], names: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for tier, number in least.items():
        same = next((other for other in found if least[other] == number), None)
        told = {"rows": curve(every[number], names)} if same is None else {"as": same}
        found[tier] = {"min_trials": number, **told}
    return found


def _grader(con: DuckDBPyConnection, axis: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
    rows = con.execute(
        "select kind, rule, fingerprint, parity_trials, parity_agree, parity_allowed from graders where axis = $axis",
        {"axis": axis},
    ).fetchall()
    kind, rule, fingerprint, trials, agree, allowed = rows[0] if rows else ("none", *[None] * 5)
    compared = kind == "ported" and trials is not None
    return (
        {"kind": kind, "rule": rule, "fingerprint": fingerprint},
        {"trials": trials, "agree": agree, "allowed": bool(allowed)} if compared else None,
    )
