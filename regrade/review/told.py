"""What the summary tells of the declared samples: the draw, who labelled it, and what the labels come to."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Corpus, SampleSpec
from regrade.flips.labels import reviewers_of
from regrade.flips.samples import check_sample, samples_summary
from regrade.review.agreed import sample_agreement
from regrade.review.draw import QUESTION
from regrade.review.labelled import estimate_sample
from regrade.review.verdicts import REMEDY, other_draws

STRATA = """
select stratum, round(count(*) / any_value(probability))::bigint as frame, count(*) as drawn, any_value(probability)
from samples where sample = ? group by stratum order by stratum
"""
ESTIMATES = ("labels", "upheld", "errors")
"""What is taken of an estimate; the rest of it stands beside it."""


def review_summary(con: DuckDBPyConnection, corpus: Corpus) -> dict[str, dict[str, Any]]:
    """Make `samples` of summary.json: how each declared sample was drawn, and what reviewers made of it.

    Args:
        con: a graded store whose samples, verdicts and rulings are loaded.
        corpus: the corpus.

    Returns:
        By sample what `samples_summary` gives, and `tier`, `by`, `allocation`, `question`, `drawn`, `masked` (drawn
        trials whose transcript speaks a name), `strata` (`{stratum, frame, drawn, probability}`), `other_draws`
        (`{file, sha256}` of files that are not counted), `to_do` (about those, or null), `undefined` (why there are no
        figures, or null), `agreement` as `sample_agreement` gives it and `estimates`, of what `estimate_sample` gives
        the keys ESTIMATES; both null where there are no figures.

    Raises:
        CorpusError: an axis, candidate, stratum or tier is unknown.
    """
    known, others = samples_summary(con, corpus), other_draws(con)
    return {
        each.name: {**known[each.name], **_told(con, corpus, check_sample(con, corpus, each), others)}
        for each in corpus.samples
    }


def _told(con: DuckDBPyConnection, corpus: Corpus, spec: SampleSpec, others: dict[str, Any]) -> dict[str, Any]:
    strata = con.execute(STRATA, [spec.name]).fetchall()
    query = "select count(*) filter (masked) from samples where sample = ?"
    [(masked,)] = con.execute(query, [spec.name]).fetchall()
    reason = _lacks(con, spec, bool(strata), bool(others.get(spec.name)))
    estimate = None if reason else estimate_sample(con, spec, corpus.simulated)
    return {
        "tier": spec.tier,
        "by": list(spec.by),
        "allocation": spec.allocation,
        "question": spec.question or QUESTION,
        "drawn": sum(drawn for _, _, drawn, _ in strata),
        "masked": masked,
        "strata": [dict(zip(("stratum", "frame", "drawn", "probability"), row, strict=True)) for row in strata],
        "to_do": REMEDY if others.get(spec.name) else None,
        "other_draws": [each._asdict() for each in others.get(spec.name, ())],
        "undefined": reason,
        "agreement": None if reason else sample_agreement(con, spec),
        "estimates": estimate and {key: estimate[key] for key in ESTIMATES},
    }


def _lacks(con: DuckDBPyConnection, spec: SampleSpec, drawn: bool, others: bool) -> str | None:
    """Why there is no figure of a sample."""
    if not drawn:
        return "no trial of its tier and stratum can be drawn"
    if reviewers_of(con, spec.name):
        return None
    return "its verdicts are of another draw" if others else "nobody has labelled a trial yet"
