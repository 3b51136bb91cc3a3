"""Labels: what reviewers said of the trials of a sample, and what they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

from regrade.files.corpus import SampleSpec

LABELS = ("passed", "failed", "unclear")
"""What a reviewer may say of a trial: that it satisfies its item, that it does not, or that it cannot be told."""
UNCLEAR = "unclear"
COUNTS = ("reviewers", "agree", "disagree", "upheld", "rulings", "open", "lack_labels", "labelled_by")
"""What is counted of a sample."""


class Reviewed(NamedTuple):
    """A trial of a sample, and what was said of it."""

    trial_id: str
    labels: Mapping[str, str]
    """Reviewer to label."""
    ruling: str | None
    agreed: str | None
    """The one label of all who gave it one, if they are enough."""

    @property
    def final(self) -> str | None:
        """The ruling, else the label that its reviewers agree on, else none: the trial is open."""
        return self.ruling or self.agreed

    @property
    def disagreed(self) -> bool:
        """Two of its labels differ."""
        return len(set(self.labels.values())) > 1

    @property
    def unsettled(self) -> bool:
        """Its labels say neither passed nor failed with one voice; a ruling may."""
        return self.agreed in (None, UNCLEAR)


def settle(
    trials: Sequence[str],
    verdicts: Mapping[str, Mapping[str, str]],
    rulings: Mapping[str, str],
    reviewers: Sequence[str],
) -> list[Reviewed]:
    """What the labels of each drawn trial come to.

    Args:
        trials: those drawn.
        verdicts: trial to reviewer to label.
        rulings: trial to label.
        reviewers: those of the sample. A trial takes the labels of two of them, or of the only one there is; what more
            of them have not labelled is no disagreement.
    """
    found, enough = [], min(2, len(reviewers))
    for trial in trials:
        labels = verdicts.get(trial, {})
        said = set(labels.values())
        agreed = said.pop() if len(said) == 1 and len(labels) >= enough else None
        found.append(Reviewed(trial, labels, rulings.get(trial), agreed))
    return found


def reviewers_of(con: DuckDBPyConnection, sample: str) -> list[str]:
    """Who labelled a trial of a sample, by name."""
    query = "select distinct reviewer from verdicts where sample = ? order by reviewer"
    return [name for (name,) in con.execute(query, [sample]).fetchall()]


def reviewed(con: DuckDBPyConnection, sample: str) -> list[Reviewed]:
    """The trials of a sample, by trial, and what the labels in the store come to."""
    drawn = con.execute("select trial_id from samples where sample = ? order by trial_id", [sample]).fetchall()
    verdicts: dict[str, dict[str, str]] = {}
    query = "select trial_id, reviewer, label from verdicts where sample = ? order by trial_id, reviewer"
    for trial, reviewer, label in con.execute(query, [sample]).fetchall():
        verdicts.setdefault(trial, {})[reviewer] = label
    rulings = dict(con.execute("select trial_id, label from rulings where sample = ?", [sample]).fetchall())
    return settle([trial for (trial,) in drawn], verdicts, rulings, reviewers_of(con, sample))


def review_counts(con: DuckDBPyConnection, spec: SampleSpec) -> dict[str, Any]:
    """Count reviewers, the trials that they agree and disagree on, and the flips or grades that are upheld.

    Upheld is a trial whose final label is the candidate's status. Trials with one label are neither agreed nor
    disagreed on. Without a verdict every count is None.

    Returns:
        `reviewers`, `agree`, `disagree`, `upheld`, `rulings`; `open` trials, without a final label, and how many of
        those `lack_labels`, where no two labels differ; `labelled_by`: `{reviewers, trials}`, how many drawn trials
        have the labels of how many, from most.

    Args:
        con: a graded store.
        spec: a sample, its axis filled in.
    """
    reviewers, trials = reviewers_of(con, spec.name), reviewed(con, spec.name)
    if not reviewers:
        return dict.fromkeys(COUNTS)
    status = statuses(con, spec)
    disagree = sum(each.disagreed for each in trials)
    still_open = [each for each in trials if each.final is None]
    labelled_by = Counter(len(each.labels) for each in trials)
    return {
        "reviewers": len(reviewers),
        "agree": sum(len(each.labels) > 1 for each in trials) - disagree,
        "disagree": disagree,
        "upheld": sum(each.final == status[each.trial_id] for each in trials),
        "rulings": sum(each.ruling is not None for each in trials),
        "open": len(still_open),
        "lack_labels": sum(not each.disagreed for each in still_open),
        "labelled_by": [{"reviewers": n, "trials": labelled_by[n]} for n in sorted(labelled_by, reverse=True)],
    }


def statuses(con: DuckDBPyConnection, spec: SampleSpec) -> dict[str, str]:
    """The candidate's status of each trial of a sample, its axis filled in."""
    query = (
        "select trial_id, status from grades join samples using (trial_id) "
        "where sample = ? and axis = ? and candidate = ?"
    )
    return dict(con.execute(query, [spec.name, spec.axis, spec.candidate]).fetchall())
