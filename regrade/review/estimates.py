"""Estimates: what the labels of a drawn sample say of the frame it was drawn from, and apart from that of others.

In this corpus the only thing left to chance is which trials were drawn. Beyond it, lineages and items are what another
corpus would have others of, and the two are never given as one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from regrade.errors import RegradeError
from regrade.flips.samples import STRATA
from regrade.flips.stats import DECIMALS, Interval, undefined
from regrade.review.clusters import Seen, beyond
from regrade.review.totals import TAIL, Part, at_least, at_most

PASSED, FAILED = "passed", "failed"


@dataclass(frozen=True, slots=True)
class Label:
    """A drawn trial, how it was graded, and what it was found to be."""

    trial: str
    stratum: str
    probability: float
    """Of being drawn: those drawn of its stratum over all of it."""
    frozen: str
    """Status under the frozen grader."""
    candidate: str
    """Status under the sample's candidate."""
    label: str | None
    """`passed`, `failed` or `unclear`; None where it is open."""
    configuration: str
    weights: str | None
    lineage: str | None
    item: str

    @property
    def move(self) -> str | None:
        """The stratum of its two statuses, of those in STRATA."""
        return BY_STATUSES.get((self.frozen, self.candidate))

    @property
    def cell(self) -> str:
        """What its stratum is by besides the move."""
        return self.stratum.partition("/")[2]

    @property
    def of_lineage(self) -> str:
        """Its lineage, or where that is not known the weights or the configuration, which share it with none."""
        return self.lineage or self.weights or self.configuration


BY_STATUSES = {statuses: name for name, statuses in STRATA.items()}
Claim = Callable[[Label], bool]


class Drawn:
    """The labels of a sample, with the frame they were drawn from."""

    def __init__(self, labels: Sequence[Label], frame: Mapping[str, int]) -> None:
        """Take the labels of every drawn trial, open ones too.

        Args:
            labels: one a drawn trial.
            frame: trials of the frame by move.

        Raises:
            RegradeError: the probabilities of a stratum are not those of a draw from the frame.
        """
        self.labels = sorted(labels, key=lambda each: each.trial)
        self.frame = {move: frame[move] for move in STRATA if move in frame}
        self.strata: dict[str, list[Label]] = {}
        for each in self.labels:
            self.strata.setdefault(each.stratum, []).append(each)
        self.sizes = {name: _size(name, rows) for name, rows in self.strata.items()}
        known = dict.fromkeys(self.frame, 0)
        for name, rows in self.strata.items():
            moves = {each.move for each in rows}
            [move] = moves if len(moves) == 1 else [None]
            if move not in known:
                raise RegradeError(f"The stratum {name!r} of the sample holds trials of other moves. Draw it again.")
            known[move] += self.sizes[name]
        self.unseen = {move: frame[move] - size for move, size in known.items()}
        """Trials by move that are in a stratum of which none was drawn."""
        if any(size < 0 for size in self.unseen.values()):
            raise RegradeError("The sample's strata are larger than its frame. Draw it again.")

    def weight(self, label: Label) -> Fraction:
        """One over its inclusion probability."""
        return Fraction(self.sizes[label.stratum], len(self.strata[label.stratum]))

    def least(self, claim: Claim, moves: Collection[str], tail: float = TAIL) -> int:
        """How many trials of the frame's moves meet a claim, at least."""
        return at_least(self._parts(claim, moves), tail)

    def most(self, claim: Claim, moves: Collection[str], tail: float = TAIL) -> int:
        """How many do, at most: of what is in no stratum drawn from, all may."""
        return at_most(self._parts(claim, moves), tail) + sum(self.unseen[move] for move in moves)

    def _parts(self, claim: Claim, moves: Collection[str]) -> list[Part]:
        return [
            Part(self.sizes[name], len(rows), sum(map(claim, rows)))
            for name, rows in sorted(self.strata.items())
            if rows[0].move in moves
        ]

    def beyond(self, of: Sequence[Label], claim: Claim) -> dict[str, Any]:
        """What the share of a claim may be among others like these, see `clusters.beyond`."""
        return beyond([Seen(claim(each), self.weight(each), each.of_lineage, each.item) for each in of])


def upheld(drawn: Drawn) -> dict[str, Any]:
    """How many trials of each move the labels uphold: those whose label is the candidate's status.

    Returns:
        By move with a trial in the frame `{frame, drawn, upheld, open, share, in_corpus, beyond}`. `share` is that of
        the settled ones; `in_corpus` bounds the number in the frame, and an open trial may be either; `beyond` is
        over the settled ones. A trial found unclear is settled, and not upheld.
    """
    found = {}
    for move, size in drawn.frame.items():
        rows = [each for each in drawn.labels if each.move == move]
        settled = [each for each in rows if each.label is not None]
        if not size:
            continue
        interval = undefined("no trial of it has a label") if not settled else Interval(
            drawn.least(_upheld, [move]), drawn.most(lambda each: each.label is None or _upheld(each), [move])
        )  # fmt: skip
        found[move] = {
            "frame": size,
            "drawn": len(rows),
            "upheld": sum(map(_upheld, settled)),
            "open": len(rows) - len(settled),
            "share": _share(drawn, settled, _upheld),
            "in_corpus": interval._asdict(),
            "beyond": drawn.beyond(settled, _upheld),
        }
    return found


def _upheld(label: Label) -> bool:
    return label.label == label.candidate


@dataclass(frozen=True, slots=True)
class Grades:
    """What a grader says of the drawn trials, and where in the frame its statuses occur."""

    status: Mapping[str, str]
    """Drawn trial to status."""
    occurs: Mapping[str, Collection[str]]
    """Move to the statuses that it gives to trials of the frame that made that move."""

    def graded(self, labels: Sequence[Label]) -> list[Label]:
        """Those that it passed or failed."""
        return [each for each in labels if self.status[each.trial] in (PASSED, FAILED)]

    def moves(self, status: str) -> list[str]:
        """The moves of the trials that it gives a status."""
        return [move for move, statuses in self.occurs.items() if status in statuses]


def error_rates(drawn: Drawn, grades: Grades, *, balanced: bool, tail: float = TAIL) -> dict[str, dict[str, Any]]:
    """How often a grader errs, each way.

    Args:
        drawn: the labels.
        grades: the grader's.
        balanced: the sample was drawn from every move; from one alone a grader's errors cannot be had.
        tail: chance that one bound is wrong, at most.

    Returns:
        `false_penalty`: of the trials that should pass, those it failed; `false_credit`: of those that should fail,
        those it passed. Each is `{count, n, open, rate, in_corpus, beyond}`: `count` of `n` labelled trials, the rate
        by inclusion probability. `in_corpus` lets each open or unclear trial be either, and is wider than 95% asks:
        the errors and the rest are bounded apart, each bound at half the tail. Trials that the grader did not grade
        are in none of it.
    """
    return {
        "false_penalty": _errors(drawn, grades, balanced, tail, errs=FAILED, truth=PASSED),
        "false_credit": _errors(drawn, grades, balanced, tail, errs=PASSED, truth=FAILED),
    }


def _errors(drawn: Drawn, grades: Grades, balanced: bool, tail: float, *, errs: str, truth: str) -> dict[str, Any]:
    status, graded = grades.status, grades.graded(drawn.labels)
    known = [each for each in graded if each.label == truth]
    unknown = {each.trial for each in graded if each.label not in (PASSED, FAILED)}

    def wrong(label: Label) -> bool:
        return label.label == truth and status[label.trial] == errs

    def right(label: Label) -> bool:
        return label.label == truth and status[label.trial] == truth

    def may(claim: Claim, said: str) -> Claim:
        return lambda each: claim(each) or (each.trial in unknown and status[each.trial] == said)

    found: dict[str, Any] = {"count": sum(map(wrong, known)), "n": len(known), "open": len(unknown)}
    reason = None
    if not balanced:
        reason = "the sample was not drawn from passes and failures alike, so it cannot show it"
    elif not known:
        reason = f"no labelled trial should have {truth}"
    if reason:
        return {**found, "rate": None, "in_corpus": undefined(reason)._asdict(), "beyond": None}
    erring, other, half = grades.moves(errs), grades.moves(truth), tail / 2
    few, many = drawn.least(wrong, erring, half), drawn.most(may(wrong, errs), erring, half)
    little, much = drawn.least(right, other, half), drawn.most(may(right, truth), other, half)
    low, high = Fraction(few, few + much) if few else Fraction(0), Fraction(many, many + little)
    return {
        **found,
        "rate": _share(drawn, known, wrong),
        "in_corpus": Interval(round(float(low), DECIMALS), round(float(high), DECIMALS))._asdict(),
        "beyond": drawn.beyond(known, wrong),
    }


def _share(drawn: Drawn, of: Sequence[Label], claim: Claim) -> float | None:
    """The share that meets a claim, by inclusion probability."""
    whole = sum((drawn.weight(each) for each in of), Fraction(0))
    part = sum((drawn.weight(each) for each in of if claim(each)), Fraction(0))
    return round(float(part / whole), DECIMALS) if whole else None


def _size(name: str, rows: Sequence[Label]) -> int:
    """How many trials the stratum of some drawn ones has."""
    probabilities = {each.probability for each in rows}
    [probability] = probabilities if len(probabilities) == 1 else [0.0]
    size = round(len(rows) / probability) if 0 < probability <= 1 else 0
    if not size or abs(size * probability - len(rows)) > 1e-6 * len(rows):
        raise RegradeError(
            f"The inclusion probabilities of the stratum {name!r} are not {len(rows)} drawn over its size. "
            "Draw it again."
        )
    return size
