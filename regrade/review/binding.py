"""Bind what reviewers gave back to the draw: the id to its trial, the file to the sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from regrade.errors import CorpusError, near
from regrade.flips.labels import LABELS
from regrade.review.given import Given
from regrade.review.key import Key, trial_of
from regrade.review.verdicts import Verdict


class Bound(NamedTuple):
    """What one reviewer gave back in one file."""

    file: Path
    reviewer: str
    verdicts: tuple[Verdict, ...]
    """By trial."""
    unlabelled: int
    """Trials of the packet that it has no label for."""
    comments: int
    """Comments on trials that it has no label for, which are left out."""


def bind(file: Path, rows: Sequence[Given], key: Key, *, reviewer: str | None, partial: bool) -> list[Bound]:
    """Make verdicts of the rows of a file, those of each reviewer.

    Args:
        file: where they are from.
        rows: what it says.
        key: the key of the draw.
        reviewer: whose packet it is; None where each row says it.
        partial: a row without a label is a trial not labelled yet, and no error.

    Raises:
        CorpusError: a row is of another draw, of an unknown reviewer or id, is there twice, or has an empty or unknown
            label.
    """
    made: dict[str, dict[str, Verdict]] = {}
    places: dict[tuple[str, str], str] = {}
    left: Counter[str] = Counter()
    for row in rows:
        if row.sample != key.sample:
            raise CorpusError(
                f"{row.place}: it is of another draw: its sample is {row.sample[:12]!r}, and the key's is"
                f" {key.sample[:12]!r}. Give each file to the key that was made with its packet."
            )
        who = _reviewer(row, reviewer)
        trial = trial_of(key, who, row.id, row.place)
        if first := places.get((who, trial)):
            raise CorpusError(f"{row.place}: the id {row.id} is there twice, first in {first}. Keep one of them.")
        places[who, trial] = row.place
        of = made.setdefault(who, {})
        if row.label or not partial:
            of[trial] = Verdict(key.sample, trial, who, check_label(row.label, row.place), row.comment)
        elif row.comment.strip():
            left[who] += 1
    return [
        Bound(file, who, tuple(of[trial] for trial in sorted(of)), len(key.reviewers[who]) - len(of), left[who])
        for who, of in made.items()
    ]


def check_label(label: str, place: str) -> str:
    """The label that is meant, however a spreadsheet has capitalised it. CorpusError where it is empty or unknown."""
    if not (meant := label.strip().casefold()):
        raise CorpusError(
            f"{place}: no label. Expected one of {', '.join(LABELS)}. Label it; or with --partial a trial without a"
            " label counts as not labelled yet."
        )
    if meant not in LABELS:
        raise CorpusError(f"{place}: unknown label {label!r}.{near(meant, LABELS)}")
    return meant


def _reviewer(row: Given, named: str | None) -> str:
    if named and row.reviewer and named != row.reviewer:
        raise CorpusError(f"{row.place}: it is of the packet of {row.reviewer}, and --reviewer says {named}.")
    if not (found := row.reviewer or named):
        raise CorpusError(f"{row.place}: it does not say whose packet it is. Name the reviewer with --reviewer NAME.")
    return found
