"""The labelled sample of a store, and everything that is estimated from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.errors import RegradeError
from regrade.files.corpus import SampleSpec
from regrade.flips.labels import LABELS, review_counts, reviewed, reviewers_of
from regrade.flips.outcomes import find_outcomes
from regrade.flips.samples import MOVES, STRATA, read_frame
from regrade.review.correcting import corrected
from regrade.review.estimates import FAILED, PASSED, Grades, Label, Labels, error_rates, lineage_of, upheld

SCHEMA = "regrade.estimate/1"
SAID = ("agree", "disagree", "rulings", "labelled_by")
"""What is taken of the counts of a review."""

DRAWN = """
select s.trial_id, s.stratum, s.probability, m.from_status, m.to_status, t.configuration, c.weights, c.lineage, t.item
from samples s join trials t using (trial_id)
join moves m on m.trial_id = s.trial_id and m.axis = $axis and m.candidate = $candidate
left join configurations c using (configuration)
where s.sample = $sample order by s.trial_id
"""

OF_FRAME = """
select o.candidate, t.configuration, m.from_status, m.to_status, o.status, count(*)
from moves m join trials t using (trial_id) join tiers r using (configuration)
join outcomes o on o.trial_id = m.trial_id and o.axis = m.axis
where m.axis = $axis and m.candidate = $candidate and r.tier = $tier group by all order by all
"""

STATUSES = """
select o.candidate, o.trial_id, o.status from outcomes o join samples s using (trial_id)
where o.axis = $axis and s.sample = $sample order by all
"""


def estimate_sample(con: DuckDBPyConnection, spec: SampleSpec, simulated: bool) -> dict[str, Any]:
    """Estimate from the labels of a sample what its grades are worth, in this corpus and apart from that beyond it.

    Args:
        con: a graded store with the sample, its verdicts and its rulings.
        spec: the sample, its axis filled in.
        simulated: of the corpus.

    Returns:
        `schema`, the sample's `sample`, `sha256`, `axis`, `candidate`, `tier`, `stratum`, `seed`, `frame` and `drawn`;
        `simulated`; `reviewers`, and of `review_counts` the keys SAID; `labels`: how many trials are settled as what,
        and `open`; `upheld` as `upheld` gives it; `errors`: `{undefined, graders}`, by grader what `error_rates` gives
        and `corrected` as `corrected` gives it, none where `undefined` says why.

    Raises:
        RegradeError: the store has no draw of the sample.
    """
    labels = read_labels(con, spec)
    [(sha256, frame)] = con.execute(
        "select any_value(sha256), any_value(frame) from samples where sample = ?", [spec.name]
    ).fetchall()
    if sum(labels.frame.values()) != frame:
        raise RegradeError(f"The strata of the sample {spec.name} do not add up to its frame of {frame:,} trials.")
    counts, said = Counter(each.label for each in labels.all), review_counts(con, spec)
    return {
        "schema": SCHEMA,
        "sample": spec.name,
        "sha256": sha256,
        "simulated": simulated,
        "axis": spec.axis,
        "candidate": spec.candidate,
        "tier": spec.tier,
        "stratum": spec.stratum,
        "seed": spec.seed,
        "frame": frame,
        "drawn": len(labels.all),
        "reviewers": reviewers_of(con, spec.name),
        **{key: said[key] for key in SAID},
        "labels": {**{label: counts[label] for label in LABELS}, "open": counts[None]},
        "upheld": upheld(labels),
        "errors": _errors(con, spec, labels),
    }


def read_labels(con: DuckDBPyConnection, spec: SampleSpec) -> Labels:
    """The drawn trials of a sample, each with its final label; RegradeError where the store has no draw of it."""
    final = {each.trial_id: each.final for each in reviewed(con, spec.name)}
    bound = {"axis": spec.axis, "candidate": spec.candidate, "sample": spec.name}
    rows = con.execute(DRAWN, bound).fetchall()
    if not rows:
        raise RegradeError(f"The store has no draw of the sample {spec.name}. Run: regrade audit CORPUS")
    known = _lineages(con)
    lineages: dict[str, set[str]] = {}
    for framed in read_frame(con, spec):
        lineages.setdefault(framed.move, set()).add(known[framed.configuration])
    return Labels(
        (
            Label(trial, stratum, probability, old, new, final[trial], configuration, weights, lineage, item)
            for trial, stratum, probability, old, new, configuration, weights, lineage, item in rows
        ),
        lineages,
    )


def _errors(con: DuckDBPyConnection, spec: SampleSpec, labels: Labels) -> dict[str, Any]:
    if len(STRATA[spec.stratum]) < len(MOVES):
        reason = (
            f"the sample is of {spec.stratum} alone; false penalties and false credits take one of passes and failures"
            ' alike, stratum = "balanced"'
        )
        return {"undefined": reason, "graders": {}}
    if all(each.label is None for each in labels.all):
        return {"undefined": "no trial has a label yet", "graders": {}}
    graded = find_outcomes(con)[spec.axis]
    status: dict[str, dict[str, str]] = {name: {} for name in graded}
    for name, trial, said in con.execute(STATUSES, {"axis": spec.axis, "sample": spec.name}).fetchall():
        status[name][trial] = said
    occurs: dict[str, dict[str, set[str]]] = {name: {move: set() for move in MOVES} for name in graded}
    passes: dict[str, dict[str, tuple[int, int]]] = {name: {} for name in graded}
    moves = {statuses: move for move, statuses in MOVES.items()}
    bound = {"axis": spec.axis, "candidate": spec.candidate, "tier": spec.tier}
    for name, configuration, old, new, said, count in con.execute(OF_FRAME, bound).fetchall():
        if (old, new) in moves:
            occurs[name][moves[old, new]].add(said)
            if said in (PASSED, FAILED):
                passed, n = passes[name].get(configuration, (0, 0))
                passes[name][configuration] = (passed + count * (said == PASSED), n + count)
    lineages = _lineages(con)
    graders = {}
    for name in graded:
        grades = Grades(status[name], occurs[name])
        graders[name] = {
            **error_rates(labels, grades),
            "corrected": corrected(labels, grades, passes[name], lineages),
        }
    return {"undefined": None, "graders": graders}


def _lineages(con: DuckDBPyConnection) -> Mapping[str, str]:
    query = "select lineage, weights, configuration from configurations order by configuration"
    return {row[-1]: lineage_of(*row) for row in con.execute(query).fetchall()}
