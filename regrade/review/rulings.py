"""Rulings: the label of a trial on which the reviewers did not settle, with its reason and who ruled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from regrade.errors import CorpusError
from regrade.flips.labels import Reviewed
from regrade.review.binding import bind
from regrade.review.given import given_text, read_given
from regrade.review.key import RULING, find_key
from regrade.review.verdicts import Ruling, check_said, read_records


def to_rule(trials: Iterable[Reviewed]) -> list[Reviewed]:
    """The trials that wait for a ruling: two labels differ, or all reviewers find it unclear."""
    return [each for each in trials if each.ruling is None and (each.disagreed or each.agreed == "unclear")]


def read_rulings(file: Path, root: Path, key_file: Path | None, by: str | None) -> list[tuple[str, Ruling]]:
    """Read rulings from a file: lines of {sample, trial, label, reason, by}, or a verdict file of any form.

    In a verdict file, that of a packet made for rulings, the comment is the reason and the reviewer is who ruled.

    Args:
        file: the file.
        root: the corpus's folder.
        key_file: the key of a verdict file; None looks for it.
        by: who ruled; None where the file says it.

    Returns:
        Each with its place in the file.

    Raises:
        CorpusError: it cannot be read, is of another draw, or of a packet to be reviewed.
    """
    if _says_trials(file):
        return [(place, ruling) for place, ruling in read_records(file, Ruling) if _is_by(ruling, by, place)]
    rows = read_given(file)
    first = rows[0]
    who = first.reviewer or by or ""
    _, key = find_key(file, first.sample, who, root, given=key_file, purpose=RULING)
    places = {(row.reviewer or by or "", row.id): row.place for row in rows}
    found = []
    for bound in bind(file, rows, key, reviewer=by, partial=True):
        ids = {trial: id_ for id_, trial in key.reviewers[bound.reviewer].items()}
        for each in bound.verdicts:
            place = places[bound.reviewer, ids[each.trial]]
            found.append((place, Ruling(each.sample, each.trial, each.label, each.comment.strip(), bound.reviewer)))
    return found


def _says_trials(file: Path) -> bool:
    text = given_text(file)
    try:
        first, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "trial" in first


def _is_by(ruling: Ruling, by: str | None, place: str) -> bool:
    if by not in (None, ruling.by):
        raise CorpusError(f"{place}: it was ruled by {ruling.by}, and --by says {by}. Leave --by out.")
    return True


def check_rulings(given: Sequence[tuple[str, Ruling]], sample: str, trials: Mapping[str, Reviewed]) -> list[Ruling]:
    """The rulings, once each may stand.

    Args:
        given: rulings, each with its place.
        sample: the hash of the draw.
        trials: those of the sample.

    Raises:
        CorpusError: one is of another draw or of a trial that was not drawn, was ruled on before, or is settled; or it
            has no reason or does not say who ruled.
    """
    seen: dict[str, str] = {}
    for place, ruling in given:
        if ruling.sample != sample:
            raise CorpusError(
                f"{place}: it is of another draw: its sample is {ruling.sample[:12]!r}, and the one drawn now is"
                f" {sample[:12]!r}. Rule on the trials of this one."
            )
        if ruling.trial not in trials:
            raise CorpusError(f"{place}: the trial {ruling.trial!r} was not drawn.")
        if first := seen.get(ruling.trial):
            raise CorpusError(f"{place}: {ruling.trial} is ruled on twice, first in {first}. Keep one of them.")
        seen[ruling.trial] = place
        check_ruling(ruling, trials[ruling.trial], place)
    return [ruling for _, ruling in given]


def check_ruling(ruling: Ruling, trial: Reviewed, place: str) -> None:
    """CorpusError where a ruling on a trial cannot stand."""
    if trial.ruling is not None:
        raise CorpusError(
            f"{place}: {ruling.trial} was ruled {trial.ruling} before, and a ruling is not written over. Leave it out."
        )
    if not trial.labels:
        raise CorpusError(f"{place}: no reviewer has labelled {ruling.trial}, so there is nothing to rule on.")
    if not trial.unsettled:
        raise CorpusError(f"{place}: all reviewers label {ruling.trial} {trial.agreed}: there is nothing to rule on.")
    check_said(ruling, place)
