"""Samples: how many trials each declared draw is taken from."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

from regrade.errors import CorpusError, near
from regrade.files.corpus import Corpus
from regrade.flips.tiers import tier_names

STRATA = {
    "fail_to_pass": ("failed", "passed"),
    "pass_to_fail": ("passed", "failed"),
    "both_passed": ("passed", "passed"),
    "both_failed": ("failed", "failed"),
}
"""Each stratum's statuses: frozen, then the candidate's."""


def samples_summary(con: DuckDBPyConnection, corpus: Corpus) -> dict[str, Any]:
    """Make `samples` of summary.json: seed, size and frame of each declared sample, nothing drawn yet.

    The frame is the number of trials of the primary axis that are in the candidate's stratum and in the tier.

    Raises:
        CorpusError: a candidate, stratum or tier is unknown.
    """
    known = {
        "candidate": [
            name
            for (name,) in con.execute(
                "select candidate from candidates where axis = $axis", {"axis": corpus.axis}
            ).fetchall()
        ],
        "stratum": list(STRATA),
        "tier": list(tier_names(corpus)),
    }
    summary: dict[str, Any] = {}
    for sample in corpus.samples:
        for key, names in known.items():
            if (name := getattr(sample, key)) not in names:
                raise CorpusError(f"Unknown {key} in [[sample]] {sample.name}: found {name!r}.{near(name, names)}")
        old, new = STRATA[sample.stratum]
        [(frame,)] = con.execute(
            "select count(*) from moves join trials using (trial_id) join tiers using (configuration) "
            "where axis = $axis and candidate = $candidate and tier = $tier "
            "and from_status = $old and to_status = $new",
            {"axis": corpus.axis, "candidate": sample.candidate, "tier": sample.tier, "old": old, "new": new},
        ).fetchall()
        summary[sample.name] = {
            "seed": sample.seed,
            "size": sample.size,
            "frame": frame,
            **dict.fromkeys(("sha256", "reviewers", "agree", "disagree", "upheld")),
        }
    return summary
