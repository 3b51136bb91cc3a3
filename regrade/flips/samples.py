"""Samples: which trials a declared draw is taken from, and what is known of each draw."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from duckdb import DuckDBPyConnection

from regrade.errors import CorpusError, near
from regrade.files.corpus import Corpus, SampleSpec
from regrade.flips.labels import review_counts
from regrade.flips.tiers import tier_names

MOVES = {
    "fail_to_pass": ("failed", "passed"),
    "pass_to_fail": ("passed", "failed"),
    "both_passed": ("passed", "passed"),
    "both_failed": ("failed", "failed"),
}
"""What moved: the frozen status and then the candidate's."""
STRATA = {**{move: (move,) for move in MOVES}, "balanced": tuple(MOVES)}
"""What a sample may be of, each with its moves."""

FRAME = """
select trial_id, configuration, item, from_status, to_status, from_code
from moves join trials using (trial_id) join tiers using (configuration)
where axis = $axis and candidate = $candidate and tier = $tier
and (from_status, to_status) in (select unnest($old::varchar[]), unnest($new::varchar[]))
order by trial_id
"""


class Framed(NamedTuple):
    """A trial that may be drawn."""

    trial_id: str
    configuration: str
    item: str
    move: str
    """A key of `MOVES`."""
    code: str | None
    """The frozen one."""


def read_frame(con: DuckDBPyConnection, spec: SampleSpec) -> list[Framed]:
    """The trials that a sample is drawn from, by name: those of its stratum under its candidate, in its tier.

    Args:
        con: a graded store whose tiers are found.
        spec: the sample, its axis filled in.
    """
    statuses = {MOVES[move]: move for move in STRATA[spec.stratum]}
    old, new = zip(*statuses, strict=True)
    bound = {
        "axis": spec.axis, "candidate": spec.candidate, "tier": spec.tier, "old": list(old), "new": list(new),
    }  # fmt: skip
    return [
        Framed(trial, configuration, item, statuses[frozen, now], code)
        for trial, configuration, item, frozen, now, code in con.execute(FRAME, bound).fetchall()
    ]


def check_sample(con: DuckDBPyConnection, corpus: Corpus, spec: SampleSpec) -> SampleSpec:
    """A sample with its axis filled in. CorpusError where its axis, candidate, stratum or tier is unknown here."""
    spec = msgspec.structs.replace(spec, axis=spec.axis or corpus.axis)
    graded: dict[str, list[str]] = {}
    for axis, candidate in con.execute("select axis, candidate from candidates order by all").fetchall():
        graded.setdefault(axis, []).append(candidate)
    known = {
        # Where nothing is graded at all, the candidate is what there is none of.
        "axis": list(graded) or [spec.axis],
        "candidate": graded.get(spec.axis, []),
        "stratum": list(STRATA),
        "tier": list(tier_names(corpus)),
    }
    for key, names in known.items():
        if (name := getattr(spec, key)) not in names:
            raise CorpusError(f"Unknown {key} in [[sample]] {spec.name}: found {name!r}.{near(name, names)}")
    return spec


def samples_summary(con: DuckDBPyConnection, corpus: Corpus) -> dict[str, Any]:
    """Tell of each declared sample what it is drawn of, its seed, size, frame and hash, and what was counted.

    The hash is null where nothing is drawn.

    Raises:
        CorpusError: an axis, candidate, stratum or tier is unknown.
    """
    drawn = dict(con.execute("select sample, any_value(sha256) from samples group by sample").fetchall())
    summary: dict[str, Any] = {}
    for each in corpus.samples:
        spec = check_sample(con, corpus, each)
        summary[spec.name] = {
            "axis": spec.axis or corpus.axis,
            "candidate": spec.candidate,
            "stratum": spec.stratum,
            "seed": spec.seed,
            "size": spec.size,
            "frame": len(read_frame(con, spec)),
            "sha256": drawn.get(spec.name),
            **review_counts(con, spec),
        }
    return summary
