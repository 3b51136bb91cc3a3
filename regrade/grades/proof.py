"""Parity: the frozen grader, replayed, gives the frozen grades."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regrade.errors import GateFailed
from regrade.tables.store import Store


def prove_parity(store: Store, allow_gap: bool) -> None:
    """Compare status and code of replayed and frozen grades, on every trial of every ported axis."""
    con = store.con
    pairs = (
        "from frozen_grades f left join (from grades where candidate = 'frozen') g using (trial_id, axis) "
        "where f.stored and axis = $axis"
    )
    agree = "g.status is not distinct from f.status and g.code is not distinct from f.code"
    gaps = []
    for axis, rule in con.execute("select axis, rule from graders where kind = 'ported' order by axis").fetchall():
        bound: Mapping[str, Any] = {"axis": axis}
        [(trials, agreed)] = con.execute(f"select count(*), count(*) filter ({agree}) {pairs}", bound).fetchall()
        if not trials:
            continue
        con.execute(
            "update graders set parity_trials = ?, parity_agree = ?, parity_allowed = ? where axis = ?",
            [trials, agreed, allow_gap and agreed < trials, axis],
        )
        if agreed < trials:
            first = con.execute(
                f"select trial_id, f.status, f.code, g.status, g.code {pairs} and not ({agree}) order by trial_id"
                " limit 5",
                bound,
            ).fetchall()
            listed = "; ".join(f"{t}: frozen {_say(a, b)}, replayed {_say(c, d)}" for t, a, b, c, d in first)
            gaps.append(f"axis {axis}: {rule} gives another grade on {trials - agreed} of {trials} trials: {listed}")
    if gaps and not allow_gap:
        raise GateFailed(
            f"Parity failed, {'; '.join(gaps)}. Mend the ported grader, or pass --allow-parity-gap to go on with the"
            " gap shown."
        )


def fill_unstored(store: Store) -> None:
    """Where the log has no grade but the grader is ported, the frozen grade is what it says."""
    store.con.execute(
        "insert into frozen_grades select trial_id, axis, status, code, answer, score, false from grades g "
        "where candidate = 'frozen' and axis in (select axis from graders where kind = 'ported') "
        "and not exists (from frozen_grades f where f.trial_id = g.trial_id and f.axis = g.axis)"
    )


def _say(status: str | None, code: str | None) -> str:
    return " ".join(p for p in (status or "no grade", code) if p)
