"""Overview: what summary.json says of the corpus as a whole, and of the rules."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Corpus
from regrade.flips.stopped import stopped_counts

ALIKE = 0.9
"""Share of identical replies above which two configurations are listed."""

TWINS = f"""
with said as materialized (select configuration, item, coalesce(run, '') as run, trial, reply from trials),
same as (
  select a.configuration as one, b.configuration as other, count(*) as identical
  from said a join said b using (item, run, trial, reply) where a.configuration < b.configuration group by all
),
shared as (
  select a.configuration as one, b.configuration as other, count(*) as shared
  from said a join said b using (item, run, trial) where a.configuration < b.configuration
  and a.configuration in (select one from same) and b.configuration in (select other from same) group by all
)
select one, other, identical, shared from same join shared using (one, other)
where identical > {ALIKE} * shared order by one, other
"""


def corpus_summary(con: DuckDBPyConnection, corpus: Corpus, sha256: str) -> dict[str, Any]:
    """Make `corpus` of summary.json.

    Beside the agreed keys: `rejects` (reason to count), `unlisted` (configurations that the configurations file
    lacks), `identical` (pairs of configurations with over 90% identical replies on the trials that both have),
    `signals` (signal to the number of trials that have it), `empty` (files without a record), `stopped` (what
    `stopped_counts` gives, on the primary axis).
    """
    [(files, records, loaded, rejected)] = con.execute(
        "select count(*), coalesce(sum(records), 0), coalesce(sum(loaded), 0), coalesce(sum(rejected), 0) from files"
    ).fetchall()
    [(trials,)] = con.execute("select count(*) from trials").fetchall()
    return {
        "name": corpus.name,
        "benchmark": corpus.benchmark,
        "simulated": corpus.simulated,
        "files": files,
        "records": int(records),
        "loaded": int(loaded),
        "rejected": int(rejected),
        "trials": trials,
        "sha256": sha256,
        "rejects": dict(con.execute("select reason, count(*) from rejects group by reason order by reason").fetchall()),
        "empty": [r[0] for r in con.execute("select path from files where records = 0 order by path").fetchall()],
        "unlisted": _unlisted(con) if corpus.configurations else [],
        "identical": _identical(con),
        "signals": dict(
            con.execute(
                "select signal, count(distinct trial_id) from signals group by signal order by signal"
            ).fetchall()
        ),
        "stopped": stopped_counts(con, corpus.axis),
    }


def rules_summary(con: DuckDBPyConnection) -> dict[str, Any]:
    """Make `rules` of summary.json: decision, lock and fingerprint, with axis, stage, reason and text beside."""
    rows = con.execute(
        "select rule, decision, locked, fingerprint, axis, stage, reason, doc from rules order by rule"
    ).fetchall()
    names = ("decision", "locked", "fingerprint", "axis", "stage", "reason", "doc")
    return {rule: dict(zip(names, rest, strict=True)) for rule, *rest in rows}


def _unlisted(con: DuckDBPyConnection) -> list[str]:
    rows = con.execute("select configuration from configurations where not listed order by configuration").fetchall()
    return [r[0] for r in rows]


def _identical(con: DuckDBPyConnection) -> list[dict[str, Any]]:
    rows = con.execute(TWINS).fetchall()
    return [
        {"configurations": [one, other], "shared": shared, "identical": identical}
        for one, other, identical, shared in rows
    ]
