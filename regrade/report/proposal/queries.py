"""Queries: what a proposal prints for its reader to run over the store, each on one line and without a double quote."""

from __future__ import annotations

from collections.abc import Sequence

from regrade.tables.store import literal

GROUPS = {"weights": "coalesce(weights, configuration)", "lineage": "coalesce(lineage, weights, configuration)"}
"""What stands for the weights or the lineage where the corpus does not say."""

SPREAD = (
    "count(*) as trials, count(distinct item) as items, count(distinct configuration) as configurations, "
    f"count(distinct {GROUPS['weights']}) as weights, count(distinct {GROUPS['lineage']}) as lineages"
)
JOINED = "join trials using (trial_id) left join configurations using (configuration) join tiers using (configuration)"


def fill(query: str, **names: str | Sequence[str]) -> str:
    """A query about what has these names."""
    given = {key: [name] if isinstance(name, str) else name for key, name in names.items()}
    return query.format(**{key: ", ".join(map(literal, name)) for key, name in given.items()})


FLIPS_BY = {
    by: (
        f"select tier, {column} as {by}_of, from_status, to_status, {SPREAD} from flips {JOINED} "
        "where axis = {axis} and candidate = {candidate} and 'ungraded' not in (from_status, to_status) "
        "group by all order by all"
    )
    for by, column in GROUPS.items()
}


NEEDS = (
    "select tier, from_status, to_status, array_to_string(decided_by, ' + ') as rules, "
    f"{SPREAD} from moves join grades using (trial_id, axis, candidate) {JOINED} "
    "where axis = {axis} and candidate = {candidate} "
    "and from_status <> 'none' and (from_status <> to_status or from_code is distinct from to_code) "
    "group by all order by all"
)

UNDONE = (
    "select m.candidate as alone, tier, m.from_status, m.from_code, m.to_status as alone_status, "
    f"m.to_code as alone_code, g.status, g.code, {SPREAD} from moves m join grades g using (trial_id, axis) "
    f"{JOINED} where axis = {{axis}} and m.candidate in ({{alone}}) and g.candidate = {{candidate}} "
    "and m.from_status <> 'none' and (m.from_status <> m.to_status or m.from_code is distinct from m.to_code) "
    "and (m.to_status <> g.status or m.to_code is distinct from g.code) group by all order by all"
)

PROBES = (
    "with p as (select probe, item, bool_or(status = 'passed') filter (candidate = 'frozen') as f, "
    "bool_or(status = 'passed') filter (candidate = {candidate}) as c from probes where axis = {axis} group by all) "
    "select probe, count(c) as items, if(count(f) = 0, null, count(*) filter (f)) as frozen_passes, "
    "count(*) filter (c) as candidate_passes, "
    "if(count(f) = 0, null, coalesce(list(item order by item) filter (c and not f), [])) as only_candidate, "
    "if(count(f) = 0, null, coalesce(list(item order by item) filter (f and not c), [])) as only_frozen "
    "from p where c is not null group by probe order by probe"
)
"""What a carried grader passes is not known."""

GRADED = (
    "from moves join trials using (trial_id) join tiers using (configuration) where axis = {axis} "
    "and candidate = {candidate} and tier = {tier}"
)
ITEMS = (
    "select item, count(*) filter (from_status = 'passed') as passed, "
    "count(*) filter (from_status = 'failed') as failed, "
    "count(*) filter (from_status = 'ungraded') as ungraded, "
    "count(*) filter (from_status = 'failed' and to_status = 'passed') as fail_to_pass, "
    "count(*) filter (from_status = 'passed' and to_status = 'failed') as pass_to_fail "
    f"{GRADED} and item in ({{items}}) group by item order by item"
)

ALWAYS = (
    f"select item {GRADED} group by item having bool_and(from_status = 'passed') "
    f"and count(distinct configuration) = (select count(distinct configuration) {GRADED}) order by item"
)

LINEAGES = (
    f"select tier, {GROUPS['lineage']} as lineage_of, count(*) as configurations, "
    "count(*) filter (lineage is null) as unknown from tiers left join configurations using (configuration) "
    "group by all order by all"
)
BY_LINEAGE = (
    f"select candidate, tier, {GROUPS['lineage']} as lineage_of, from_status, to_status, count(*) as trials "
    f"from flips {JOINED} where axis = {{axis}} group by all order by all"
)
DRAWN = (
    "select sample, count(*) as drawn, any_value(frame) as frame, any_value(seed) as seed from samples "
    "group by sample order by sample"
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
