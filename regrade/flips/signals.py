"""Signals: things noticed in a transcript that are no grade."""

from __future__ import annotations

from typing import Any

import polars as pl
from duckdb import DuckDBPyConnection

from regrade.files.corpus import Corpus
from regrade.grades.dialects import call_like
from regrade.grades.text import last_line
from regrade.grades.words import Word
from regrade.tables.schema import KEPT

BATCH = 20_000
"""Texts looked at together."""

MISSING_PREFIX = """
select trial_id, coalesce(trials.reply_turn, 0) as turn, reply as text
from trials join grades using (trial_id) join graders using (axis)
where axis = $axis and candidate = 'frozen' and graders.kind = 'ported' and grades.answer is null
"""

CALL_LIKE_TEXT = """
select trial_id, i - 1 as turn, turns[i].text as text from trials, range(1, len(turns) + 1) as r(i)
where turns[i].role = 'assistant' and not list_contains(list_transform(calls, lambda c: c.turn), i - 1)
union all
select trial_id, 0 as turn, reply as text from trials where turns is null
"""

SIGNALS: dict[str, tuple[str, Word]] = {
    "call_like_text": (CALL_LIKE_TEXT, call_like),
    "missing_prefix": (MISSING_PREFIX, last_line),
}
"""Each signal: the texts to look at (trial_id, turn, text), and the word that finds the place in one."""


def find_signals(con: DuckDBPyConnection, corpus: Corpus) -> None:
    """Fill the table `signals`, in place of what it held.

    `missing_prefix`: the ported frozen grader of the primary axis found no answer in a reply that is not blank;
    the place is the last non-empty line. `call_like_text`: an assistant turn without a parsed call holds text
    that looks like one. A reply without turns counts as turn 0.
    """
    found = [
        _look(con, name, query, word, {"axis": corpus.axis} if "$axis" in query else {})
        for name, (query, word) in SIGNALS.items()
    ]
    frame = pl.concat(found).sort("signal", "trial_id", "turn").to_arrow()
    con.execute("delete from signals")
    con.register("found_signals", frame)
    con.execute("insert into signals by name select * from found_signals")
    con.unregister("found_signals")


def _look(con: DuckDBPyConnection, name: str, query: str, word: Word, bound: dict[str, Any]) -> pl.DataFrame:
    span = word(pl.col("text"))
    hits = [_hits(pl.DataFrame(schema={"trial_id": pl.String, "turn": pl.Int64, "text": pl.String}), name, span)]
    for batch in con.cursor().sql(query, params=bound).to_arrow_reader(BATCH):
        hits.append(_hits(pl.DataFrame(batch), name, span))
    return pl.concat(hits)


def _hits(texts: pl.DataFrame, name: str, span: Any) -> pl.DataFrame:
    return (
        texts.select("trial_id", "turn", signal=pl.lit(name), span=span.expr)
        .filter(pl.col("span").is_not_null())
        .unnest("span")
        .with_columns(pl.col("text").str.head(KEPT))
    )
