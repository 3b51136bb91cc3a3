"""Estimates: what the labels of a drawn sample say of the frame it was drawn from, and apart from that of others.

In this corpus the only thing left to chance is which trials were labels. Beyond it, lineages and items are what another
corpus would have others of, and the two are never given as one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from regrade.errors import RegradeError
from regrade.flips.samples import MOVES
from regrade.flips.stats import DECIMALS, Interval, undefined
from regrade.review.clusters import Seen, beyond
from regrade.review.draw import canonical, read_stratum
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
        """The stratum of its two statuses, of those in MOVES."""
        return BY_STATUSES.get((self.frozen, self.candidate))

    @property
    def cell(self) -> str:
        """What its stratum is by besides the move and the frozen code, which are what the graders say."""
        return _cell(self.stratum)

    @property
    def of_lineage(self) -> str:
        """Its lineage, or where that is not known the weights or the configuration, which share it with none."""
        return lineage_of(self.lineage, self.weights, self.configuration)


def lineage_of(lineage: str | None, weights: str | None, configuration: str) -> str:
    """The lineage, or where that is not known what stands for it."""
    return lineage or weights or configuration


@cache
def _cell(stratum: str) -> str:
    _, by = read_stratum(stratum)
    return canonical({name: value for name, value in by.items() if name != "code"})


BY_STATUSES = {statuses: name for name, statuses in MOVES.items()}
Claim = Callable[[Label], bool]


class Labels:
    """The labels of a sample, and the frame they tell of."""

    def __init__(self, labels: Iterable[Label], lineages: Mapping[str, Collection[str]] | None = None) -> None:
        """Take one for every drawn trial, open ones too.

        Args:
            labels: of every drawn trial.
            lineages: of the frame, move to `of_lineage` of its trials; None is those drawn.

        Raises:
            RegradeError: the probabilities of a stratum are not those of a draw from one move.
        """
        self.all = sorted(labels, key=lambda each: each.trial)
        self.lineages = lineages or {}
        self.strata: dict[str, list[Label]] = {}
        for each in self.all:
            self.strata.setdefault(each.stratum, []).append(each)
        self.sizes = {name: _size(name, rows) for name, rows in self.strata.items()}
        self.frame = {
            move: size
            for move in MOVES
            if (size := sum(self.sizes[name] for name, rows in self.strata.items() if rows[0].move == move))
        }
        """Trials by move, of those that it has."""

    def weight(self, label: Label) -> Fraction:
        """One over its inclusion probability."""
        return Fraction(self.sizes[label.stratum], len(self.strata[label.stratum]))

    def least(self, claim: Claim, moves: Collection[str], tail: float = TAIL) -> int:
        """How many trials of the frame's moves meet a claim, at least."""
        return at_least(self._parts(claim, moves), tail)

    def most(self, claim: Claim, moves: Collection[str], tail: float = TAIL) -> int:
        """How many do, at most."""
        return at_most(self._parts(claim, moves), tail)

    def _parts(self, claim: Claim, moves: Collection[str]) -> list[Part]:
        return [
            Part(self.sizes[name], len(rows), sum(map(claim, rows)))
            for name, rows in sorted(self.strata.items())
            if rows[0].move in moves
        ]

    def is_exact(self, moves: Collection[str]) -> bool:
        """Whether those bounds are exact: at most one stratum was not drawn whole."""
        return sum(part.drawn < part.size for part in self._parts(lambda _: False, moves)) < 2

    def beyond(
        self, of: Sequence[Label], claim: Claim, moves: Collection[str], lacks: str | None = None
    ) -> dict[str, Any]:
        """What the share of a claim may be among others like these of some moves, see `clusters.beyond`."""
        seen = [
            Seen(claim(each), self.weight(each), each.of_lineage, each.item, each.configuration, bool(each.lineage))
            for each in of
        ]
        drawn = {each.of_lineage for each in self.all if each.move in moves}
        return beyond(seen, drawn.union(*(self.lineages.get(move, ()) for move in moves)), lacks)


def upheld(labels: Labels) -> dict[str, Any]:
    """How many trials of each move the labels uphold: those whose label is the candidate's status.

    Returns:
        By move of the frame `{frame, drawn, upheld, open, share, in_corpus, exact, beyond}`. `in_corpus` bounds the
        number in the frame, and an open trial may be either; `exact` says whether these bounds are. `share` and
        `beyond` are undefined while a trial is open, for the open ones are no draw of all. A trial found unclear is
        settled, and not upheld.
    """
    found = {}
    for move, size in labels.frame.items():
        rows = [each for each in labels.all if each.move == move]
        settled = [each for each in rows if each.label is not None]
        lacks = _unsettled(rows)
        interval = undefined("no trial of it has a label") if not settled else Interval(
            labels.least(_upheld, [move]), labels.most(lambda each: each.label is None or _upheld(each), [move])
        )  # fmt: skip
        found[move] = {
            "frame": size,
            "drawn": len(rows),
            "upheld": sum(map(_upheld, settled)),
            "open": len(rows) - len(settled),
            "share": None if lacks else _share(labels, settled, _upheld),
            "in_corpus": interval._asdict(),
            "exact": labels.is_exact([move]),
            "beyond": labels.beyond(settled, _upheld, [move], lacks),
        }
    return found


def _unsettled(drawn: Sequence[Label]) -> str | None:
    """Why no rate can be had of some drawn trials, if it cannot."""
    still = sum(each.label is None for each in drawn)
    return (
        f"{still:,} of {len(drawn):,} drawn trials are not settled; have them labelled or ruled on first"
        if still
        else None
    )


def _upheld(label: Label) -> bool:
    return label.label == label.candidate


@dataclass(frozen=True, slots=True)
class Grades:
    """What a grader says of the drawn trials, and where in the frame its statuses occur."""

    status: Mapping[str, str]
    """Drawn trial to status."""
    occurs: Mapping[str, Collection[str]]
    """Move to the statuses that it gives to trials of the frame that made that move."""

    def of(self, label: Label) -> str | None:
        """What it says of a drawn trial."""
        return self.status.get(label.trial)

    def graded(self, labels: Iterable[Label]) -> list[Label]:
        """Those that it passed or failed."""
        return [each for each in labels if self.of(each) in (PASSED, FAILED)]

    def moves(self, status: str) -> list[str]:
        """The moves of the trials that it gives a status."""
        return [move for move, statuses in self.occurs.items() if status in statuses]


def error_rates(labels: Labels, grades: Grades, *, tail: float = TAIL) -> dict[str, dict[str, Any]]:
    """How often a grader errs, each way.

    Args:
        labels: those of a sample that was drawn from every move; from one alone a grader's errors cannot be had.
        grades: the grader's.
        tail: chance that one bound is wrong, at most.

    Returns:
        `false_penalty`: of the trials that should pass, those it failed; `false_credit`: of those that should fail,
        those it passed. Each is `{count, n, open, unclear, undefined, rate, in_corpus, beyond}`: `count` of `n`
        labelled trials, the rate by inclusion probability. `rate` and `beyond` are undefined, for the reason
        `undefined`, while a trial is open, and leave out the `unclear` ones. `in_corpus` lets each of either be either,
        and is wider than 95% asks: the errors and the rest are bounded apart, each bound at half the tail. Trials that
        the grader did not grade are in none of it.
    """
    return {
        "false_penalty": _errors(labels, grades, tail, errs=FAILED, truth=PASSED),
        "false_credit": _errors(labels, grades, tail, errs=PASSED, truth=FAILED),
    }


def _errors(labels: Labels, grades: Grades, tail: float, *, errs: str, truth: str) -> dict[str, Any]:
    graded = grades.graded(labels.all)
    known = [each for each in graded if each.label == truth]
    unknown = {each.trial for each in graded if each.label not in (PASSED, FAILED)}
    lacks = _unsettled(graded) or (None if known else f"no labelled trial should have {truth}")

    def wrong(label: Label) -> bool:
        return label.label == truth and grades.of(label) == errs

    def right(label: Label) -> bool:
        return label.label == truth and grades.of(label) == truth

    def may(claim: Claim, said: str) -> Claim:
        return lambda each: claim(each) or (each.trial in unknown and grades.of(each) == said)

    unsettled = sum(each.label is None for each in graded)
    found: dict[str, Any] = {
        "count": sum(map(wrong, known)), "n": len(known), "open": unsettled, "unclear": len(unknown) - unsettled,
        "undefined": lacks, "rate": None if lacks else _share(labels, known, wrong),
        "beyond": labels.beyond(known, wrong, labels.frame, lacks),
    }  # fmt: skip
    if not known:
        return {**found, "in_corpus": undefined(f"no labelled trial should have {truth}")._asdict()}
    erring, other, half = grades.moves(errs), grades.moves(truth), tail / 2
    few, many = labels.least(wrong, erring, half), labels.most(may(wrong, errs), erring, half)
    little, much = labels.least(right, other, half), labels.most(may(right, truth), other, half)
    low, high = Fraction(few, few + much) if few else Fraction(0), Fraction(many, many + little)
    bounds = Interval(round(float(low), DECIMALS), round(float(high), DECIMALS))
    return {**found, "in_corpus": bounds._asdict()}


def _share(labels: Labels, of: Sequence[Label], claim: Claim) -> float | None:
    """The share that meets a claim, by inclusion probability."""
    whole = sum((labels.weight(each) for each in of), Fraction(0))
    part = sum((labels.weight(each) for each in of if claim(each)), Fraction(0))
    return round(float(part / whole), DECIMALS) if whole else None


def _size(name: str, rows: Sequence[Label]) -> int:
    """How many trials the stratum of some drawn ones has."""
    found = {(each.probability, each.move) for each in rows}
    [(probability, move)] = found if len(found) == 1 else [(0.0, None)]
    size = round(len(rows) / probability) if 0 < probability <= 1 else 0
    if move is None or abs(size * probability - len(rows)) > 1e-6 * len(rows):
        raise RegradeError(
            f"The stratum {name!r} was not drawn from the trials of one move, with the same chance for each. Draw it"
            " again with: regrade sample"
        )
    return size
