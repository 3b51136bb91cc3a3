"""How far the reviewers of a sample in a store agree, what their labels come to, and where they do not."""

from __future__ import annotations

from collections import Counter
from typing import Any

from duckdb import DuckDBPyConnection

from regrade.files.corpus import SampleSpec
from regrade.flips.labels import LABELS, review_counts, reviewed, reviewers_of, statuses
from regrade.flips.stats import LEVEL, undefined
from regrade.review.agreement import Coefficient, measure_agreement

NO_OTHERS = "every trial of the frame was compared, and there are no others that may have been drawn"


def sample_agreement(con: DuckDBPyConnection, spec: SampleSpec) -> dict[str, Any]:
    """Measure how far the reviewers of a sample agree.

    Args:
        con: a graded store with the sample, its verdicts and its rulings.
        spec: the sample, its axis filled in.

    Returns:
        `reviewers`: of each `reviewer`, how many trials are `labelled` and `unlabelled`, and the `labels`; the trials
        `labelled` by anybody, `compared` (by two or more), `agree` and `disagree`; `level` of the intervals; `raw`,
        `alpha`, `ac1` and the `kappa` of each of `pairs`: `{value, low, high, undefined}`, with the `table` of a pair;
        no interval where all trials of the frame were compared, for it is over others of them;
        `ruled`, `final` labels, `upheld`, and `labelled_by` as `review_counts` gives it; `disagreements`, and
        `other_rulings` on trials that nobody disagrees on: `{trial, candidate, labels, comments, ruling, reason, by}`
        each, `candidate` being the candidate's status.
    """
    trials, reviewers = reviewed(con, spec.name), reviewers_of(con, spec.name)
    [(frame,)] = con.execute("select any_value(frame) from samples where sample = ?", [spec.name]).fetchall()
    status, comments, ruled = statuses(con, spec), read_comments(con, spec.name), _rulings(con, spec.name)
    found = measure_agreement({each.trial_id: each.labels for each in trials}, reviewers)
    finals, counts = Counter(each.final or "open" for each in trials), review_counts(con, spec)

    def told(disagreed: bool) -> list[dict[str, Any]]:
        return [
            {
                "trial": each.trial_id,
                "candidate": status[each.trial_id],
                "labels": dict(each.labels),
                "comments": comments.get(each.trial_id, {}),
                "ruling": each.ruling,
                **dict(zip(("reason", "by"), ruled.get(each.trial_id, (None, None)), strict=True)),
            }
            for each in trials
            if each.disagreed == disagreed and (disagreed or each.ruling)
        ]

    return {
        "reviewers": [_labelled(who, found.marginals[who], len(trials)) for who in reviewers],
        "labelled": found.trials,
        "compared": found.compared,
        "agree": found.agree,
        "disagree": found.disagree,
        "level": LEVEL,
        "raw": _plain(found.raw, found.compared == frame),
        "pairs": [
            {
                "reviewers": list(pair.reviewers), "trials": pair.trials, "agree": pair.agree,
                "table": [list(row) for row in pair.table], "kappa": _plain(pair.kappa, pair.trials == frame),
            }
            for pair in found.pairs
        ],
        "alpha": _plain(found.alpha, found.compared == frame),
        "ac1": _plain(found.ac1, found.compared == frame),
        "ruled": len(ruled),
        "final": {label: finals[label] for label in (*LABELS, "open")},
        "upheld": counts["upheld"],
        "labelled_by": counts["labelled_by"],
        "disagreements": told(True),
        "other_rulings": told(False),
    }  # fmt: skip


def read_comments(con: DuckDBPyConnection, sample: str) -> dict[str, dict[str, str]]:
    """Trial to reviewer to comment, where there is one."""
    found: dict[str, dict[str, str]] = {}
    query = "select trial_id, reviewer, comment from verdicts where sample = ? and comment <> '' order by all"
    for trial, reviewer, comment in con.execute(query, [sample]).fetchall():
        found.setdefault(trial, {})[reviewer] = comment
    return found


def _rulings(con: DuckDBPyConnection, sample: str) -> dict[str, tuple[str, str]]:
    """Trial to the reason of its ruling and who ruled."""
    rows = con.execute('select trial_id, reason, "by" from rulings where sample = ?', [sample]).fetchall()
    return {trial: (reason, by) for trial, reason, by in rows}


def _labelled(who: str, labels: dict[str, int], drawn: int) -> dict[str, Any]:
    labelled = sum(labels.values())
    return {"reviewer": who, "labelled": labelled, "unlabelled": drawn - labelled, "labels": labels}


def _plain(found: Coefficient, of_all: bool) -> dict[str, Any]:
    low, high, reason = undefined(NO_OTHERS) if of_all and found.value is not None else found.interval
    return {"value": found.value, "low": low, "high": high, "undefined": reason}
