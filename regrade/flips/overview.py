"""Overview: what summary.json says of the corpus as a whole, and of the rules."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

from regrade.files.corpus import Corpus
from regrade.flips.stopped import stopped_counts
from regrade.flips.twins import twins


def corpus_summary(con: DuckDBPyConnection, corpus: Corpus, sha256: str) -> dict[str, Any]:
    """Make `corpus` of summary.json.

    Beside the agreed keys: `rejects` (reason to count), `unlisted` (configurations that the configurations file
    lacks), `identical` (what `twins` gives), `signals` (signal to the number of trials that have it), `empty` (files
    without a record), `stopped` (what `stopped_counts` gives, on the primary axis).
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
        "identical": twins(con),
        "signals": dict(
            con.execute(
                "select signal, count(distinct trial_id) from signals group by signal order by signal"
            ).fetchall()
        ),
        "stopped": stopped_counts(con, corpus.axis),
    }


def rules_summary(con: DuckDBPyConnection) -> dict[str, Any]:
    """Make `rules` of summary.json: decision, lock and fingerprint, with axis, stage, reason, text and cases beside."""
    names = ("decision", "locked", "fingerprint", "axis", "stage", "reason", "doc", "must_flip", "must_hold")
    rows = con.execute(f"select rule, {', '.join(names)} from rules order by rule").fetchall()
    return {rule: dict(zip(names, rest, strict=True)) for rule, *rest in rows}


def _unlisted(con: DuckDBPyConnection) -> list[str]:
    rows = con.execute("select configuration from configurations where not listed order by configuration").fetchall()
    return [r[0] for r in rows]
