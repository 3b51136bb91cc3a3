"""Draw a sample: seeded, stratified, with the probability that each trial had of being drawn, and bound by a hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

from regrade.errors import CorpusError, near
from regrade.files.corpus import SampleSpec
from regrade.files.toml_text import toml_value
from regrade.flips.samples import STRATA, Framed, read_frame
from regrade.flips.scopes import read_attributes, split_value
from regrade.flips.tiers import ALL

QUESTION = "Does this transcript do what its item asks, and is the answer that it gives one that the gold accepts?"
"""What is asked of each trial unless a sample asks otherwise. It must tell nobody what moved."""


class Stratum(NamedTuple):
    """One stratum of a draw."""

    name: str
    frame: int
    """Trials that are in it."""
    drawn: int


class Drawn(NamedTuple):
    """A trial that was drawn."""

    trial_id: str
    stratum: str
    probability: float
    """Of being drawn: what was drawn of its stratum over the stratum's frame."""


class Draw(NamedTuple):
    """What a sample came to."""

    spec: SampleSpec
    bound: dict[str, Any]
    """What `sha256` is the hash of: the corpus, what was asked for, the frame, and what was drawn."""
    sha256: str
    frame: int
    strata: tuple[Stratum, ...]
    """Every one, those without a trial too."""
    trials: tuple[Drawn, ...]
    """In the order in which they were drawn."""

    @property
    def question(self) -> str:
        """What reviewers are asked of each trial."""
        return self.spec.question or QUESTION


def declaration(name: str, bound: Mapping[str, Any]) -> str:
    """The `[[sample]]` of corpus.toml that draws the same, of what a draw is bound to."""
    usual = {"tier": ALL, "by": [], "allocation": "equal", "question": QUESTION}
    said = {key: bound[key] for key in SampleSpec.__struct_fields__ if key in bound and bound[key] != usual.get(key)}
    return "\n".join(["[[sample]]", *(f"{key} = {toml_value(value)}" for key, value in {"name": name, **said}.items())])


def canonical(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def draw_sample(con: DuckDBPyConnection, spec: SampleSpec) -> Draw:
    """Draw a sample; again gives the same.

    The trials of a stratum are put in the order of a hash of seed and name, and the first ones are drawn. Where the
    frame has fewer trials than are asked for, all are.

    Args:
        con: a graded store whose tiers are found.
        spec: the sample, its axis filled in and its names known.

    Raises:
        CorpusError: it is stratified by what nothing has, or there are more strata than trials to draw.
    """
    found = read_frame(con, spec)
    name = _namer(con, spec)
    framed: dict[str, dict[str, list[str]]] = {move: {} for move in STRATA[spec.stratum]}
    for trial in found:
        framed[trial.move].setdefault(name(trial), []).append(trial.trial_id)
    sizes = _sizes(spec, {m: {n: len(ids) for n, ids in strata.items()} for m, strata in framed.items()})
    strata, trials = [], []
    for move, of in framed.items():
        for stratum, ids in sorted(of.items()) or [(move, [])]:
            size = sizes.get(stratum, 0)
            strata.append(Stratum(stratum, len(ids), size))
            trials += [Drawn(trial, stratum, size / len(ids)) for trial in in_order(spec.seed, ids)[:size]]
    bound = _bound(con, spec, {s: sorted(ids) for of in framed.values() for s, ids in of.items()}, trials)
    by_hash = {trial: at for at, trial in enumerate(in_order(spec.seed, [t.trial_id for t in trials]))}
    trials.sort(key=lambda trial: by_hash[trial.trial_id])
    return Draw(spec, bound, digest(canonical(bound)), len(found), tuple(strata), tuple(trials))


def in_order(seed: int, ids: Iterable[str]) -> list[str]:
    """Trials in the order of the SHA-256 of seed, NUL and name."""
    return sorted(ids, key=lambda trial: digest(f"{seed}\0{trial}"))


def allocate(size: int, frames: Mapping[str, int], allocation: str) -> dict[str, int]:
    """Say how many to draw of each stratum, at least one of each, so that no trial of the frame is left without chance.

    Args:
        size: how many in all; no more than there are.
        frames: stratum -> its trials, one or more.
        allocation: `equal`, where what a small stratum lacks is divided among the others, or `proportional`. What does
            not divide goes to the largest remainders, in the order of the names.

    Raises:
        ValueError: there are fewer to draw than strata.
    """
    if size < len(frames):
        raise ValueError
    names = sorted(frames)
    if allocation == "equal":
        return _equally(size, {name: frames[name] for name in names})
    total = sum(frames.values())
    given = {name: max(1, size * frames[name] // total) for name in names}

    def lacks(name: str) -> int:
        return size * frames[name] - total * given[name]

    while (spare := size - sum(given.values())) < 0:
        given[min((n for n in names if given[n] > 1), key=lacks)] -= 1
    for name in sorted(names, key=lacks, reverse=True)[:spare]:
        given[name] += 1
    return given


def _equally(size: int, frames: Mapping[str, int]) -> dict[str, int]:
    given: dict[str, int] = {}
    left = sorted(frames, key=lambda name: frames[name])
    while left and frames[left[0]] <= (size - sum(given.values())) // len(left):
        given[left[0]] = frames[left[0]]
        left.pop(0)
    share, over = divmod(size - sum(given.values()), len(left)) if left else (0, 0)
    return given | {name: share + (at < over) for at, name in enumerate(sorted(left))}


def _sizes(spec: SampleSpec, frames: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """How many to draw of each stratum: first divided over the moves, then over the strata of each.

    A move that would get fewer than it has strata gets as many, and the others divide what is left.
    """
    moves = {move: sum(of.values()) for move, of in frames.items() if of}
    least = {move: len(frames[move]) for move in moves}
    size = min(spec.size, sum(moves.values()))
    if size < (strata := sum(least.values())):
        raise CorpusError(
            f"[[sample]] {spec.name}: {spec.size} trials are too few for {strata} strata, of each of which at least one"
            " is drawn. Raise size, or name fewer in by."
        )
    of_moves = allocate(size, moves, spec.allocation)
    while short := {move: least[move] for move, number in of_moves.items() if number < least[move]}:
        kept = {move: number for move, number in of_moves.items() if number == least[move]} | short
        rest = {move: frame for move, frame in moves.items() if move not in kept}
        of_moves = kept | allocate(size - sum(kept.values()), rest, spec.allocation)
    return {
        stratum: number
        for move, total in of_moves.items()
        for stratum, number in allocate(total, frames[move], spec.allocation).items()
    }


def _namer(con: DuckDBPyConnection, spec: SampleSpec) -> Callable[[Framed], str]:
    """Make the function that names the stratum of a trial."""
    if not spec.by:
        return lambda trial: trial.move
    known, tiers = read_attributes(con), _narrowest(con)
    if not set(spec.by) <= (names := {"code", "tier", *known.names}):
        unknown = next(name for name in spec.by if name not in names)
        raise CorpusError(f"[[sample]] {spec.name}: by: nothing has {unknown!r}.{near(unknown, names)}")

    def value(name: str, trial: Framed) -> Any:
        if name == "code":
            return trial.code
        if name == "tier":
            return tiers[trial.configuration]
        return split_value(name, trial.configuration, trial.item, known)

    return lambda trial: ", ".join([trial.move, *(f"{name} = {canonical(value(name, trial))}" for name in spec.by)])


def read_stratum(stratum: str) -> tuple[str, dict[str, Any]]:
    """The move of a stratum, and what it is by, from the name that a draw gave it."""
    move, _, rest = stratum.partition(", ")
    by = {}
    while rest:
        name, _, rest = rest.partition(" = ")
        by[name], end = json.JSONDecoder().raw_decode(rest)
        rest = rest[end:].removeprefix(", ")
    return move, by


def _narrowest(con: DuckDBPyConnection) -> dict[str, str]:
    """The tier of each configuration that has the fewest configurations; `all` where it is in no other."""
    rows = con.execute(
        "select configuration, tier from tiers join (select tier, count(*) as n from tiers group by tier) using (tier)"
        " order by n desc, tier <> $all, tier",
        {"all": ALL},
    ).fetchall()
    return dict(rows)


def _bound(
    con: DuckDBPyConnection, spec: SampleSpec, frame: Mapping[str, Sequence[str]], trials: Iterable[Drawn]
) -> dict[str, Any]:
    [(corpus,)] = con.execute("select value from meta where key = 'sha256'").fetchall()
    [(fingerprint,)] = con.execute(
        "select fingerprint from candidates where axis = ? and candidate = ?", [spec.axis, spec.candidate]
    ).fetchall()
    return {
        "corpus": corpus,
        "axis": spec.axis,
        "candidate": spec.candidate,
        "fingerprint": fingerprint,
        "stratum": spec.stratum,
        "tier": spec.tier,
        "by": list(spec.by),
        "allocation": spec.allocation,
        "size": spec.size,
        "seed": spec.seed,
        "question": spec.question or QUESTION,
        "frame": digest(canonical(frame)),
        "drawn": {trial.trial_id: trial.probability for trial in trials},
    }
