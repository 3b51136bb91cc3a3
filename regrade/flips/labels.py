"""Labels: what reviewers said of the trials of a sample, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from duckdb import DuckDBPyConnection

from regrade.files.corpus import SampleSpec

LABELS = ("passed", "failed", "unclear")
"""What a reviewer may say of a trial: that it satisfies its item, that it does not, or that it cannot be told."""
UNCLEAR = "unclear"


class Reviewed(NamedTuple):
    """A trial of a sample, and what was said of it."""

    trial_id: str
    labels: Mapping[str, str]
    """Reviewer to label."""
    ruling: str | None
    agreed: str | None
    """The one label that every reviewer of the sample gave it."""

    @property
    def final(self) -> str | None:
        """The ruling, else the label that all reviewers agree on, else none: the trial is open."""
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
        reviewers: those of the sample; a trial that one of them has not labelled is agreed on by none.
    """
    found = []
    for trial in trials:
        labels = verdicts.get(trial, {})
        said = set(labels.values())
        agreed = said.pop() if len(said) == 1 and len(labels) == len(reviewers) else None
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


def review_counts(con: DuckDBPyConnection, spec: SampleSpec) -> dict[str, int | None]:
    """Count reviewers, the trials that they agree and disagree on, and the flips or grades that are upheld.

    Upheld is a trial whose final label is the candidate's status. Trials with one label are neither agreed nor
    disagreed on. Without a verdict every count is None.

    Args:
        con: a graded store.
        spec: a sample, its axis filled in.
    """
    reviewers, trials = reviewers_of(con, spec.name), reviewed(con, spec.name)
    if not reviewers:
        return dict.fromkeys(("reviewers", "agree", "disagree", "upheld"))
    status = statuses(con, spec)
    disagree = sum(each.disagreed for each in trials)
    return {
        "reviewers": len(reviewers),
        "agree": sum(len(each.labels) > 1 for each in trials) - disagree,
        "disagree": disagree,
        "upheld": sum(each.final == status[each.trial_id] for each in trials),
    }


def statuses(con: DuckDBPyConnection, spec: SampleSpec) -> dict[str, str]:
    """The candidate's status of each trial of a sample, its axis filled in."""
    query = (
        "select trial_id, status from grades join samples using (trial_id) "
        "where sample = ? and axis = ? and candidate = ?"
    )
    return dict(con.execute(query, [spec.name, spec.axis, spec.candidate]).fetchall())
