"""How often the intervals hold the truth, over made-up corpora and draws.

    python -m tests.review.coverage 2000

Every draw is from a corpus of its own, so that the beyond-corpus intervals are put to what they claim: the mean of
other lineages on these items, and the rate of these configurations on other items.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np

from regrade.flips.samples import MOVES
from regrade.flips.stats import wilson
from regrade.review.correcting import corrected
from regrade.review.estimates import Grades, Label, Labels, error_rates, upheld
from tests.review.corpora import LINEAGES, MOVE_NAMES, Planted, World, draw

GRADERS = ("frozen", "candidate")
STATUS = {True: "passed", False: "failed"}
FLIPS, BALANCED = 50, 200
SOME = (11, 4, 2, 1, 1, 1, 1, 1)
"""The same shape with fewer ones: eight lineages."""
SPREADS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""Of the faults between lineages, on logits: at 0 the assumption of corrected pass rates holds."""


def labels(world: World, drawn: Sequence[tuple[str, int, float]]) -> list[Label]:
    return [
        Label(
            str(i), stratum, p, STATUS[bool(world.frozen[i])], STATUS[bool(world.candidate[i])],
            STATUS[bool(world.truth[i])], f"c{world.configuration[i]}", None, f"l{world.lineage[i]}",
            f"i{world.item[i]}",
        )
        for stratum, i, p in drawn
    ]  # fmt: skip


def graded(rows: Sequence[Label], grader: str) -> Grades:
    """What one of the two graders says, which the moves settle."""
    k = GRADERS.index(grader)
    return Grades({row.trial: getattr(row, grader) for row in rows}, {m: [pair[k]] for m, pair in MOVES.items()})


def held(interval: dict[str, Any], truth: float) -> bool:
    return interval["low"] - 1e-9 <= truth <= interval["high"] + 1e-9


Told = tuple[str, bool, float]
"""Which interval, whether it held the truth, and its width."""


def told(name: str, interval: dict[str, Any], truth: float) -> Iterator[Told]:
    if interval["undefined"] is None:
        yield name, held(interval, truth), interval["high"] - interval["low"]


def of_flips(rng: np.random.Generator, world: World, name: str) -> Iterator[Told]:
    """A sample of failures that the candidate passes, plain and by item."""
    flips = np.flatnonzero(world.move() == 0)
    truly = int(world.truth[flips].sum())
    plain = draw(rng, {"fail_to_pass": flips}, {"fail_to_pass": FLIPS})
    rows = labels(world, plain)
    found = upheld(Labels(rows))["fail_to_pass"]
    yield from told("in corpus: upheld", found["in_corpus"], truly)
    wanted = world.others().upheld
    yield from told(f"beyond: upheld, by lineage, {name}", found["beyond"]["by_lineage"]["interval"], wanted)
    on_items = world.other_items().upheld
    yield from told(f"beyond: upheld, by item, {name}", found["beyond"]["by_item"]["interval"], on_items)
    naive = wilson(found["upheld"], len(rows))._asdict()
    yield from told(f"naive: upheld, every trial independent, {name}", naive, wanted)
    yield from told(f"naive: upheld, every trial independent, on other items, {name}", naive, on_items)
    parts = {f"fail_to_pass, group = {group}": flips[world.item[flips] % 4 == group] for group in range(4)}
    parts = {part: trials for part, trials in parts.items() if len(trials)}
    for way, sizes in (
        ("equal", dict.fromkeys(parts, 12)),
        ("proportional", {part: max(1, round(FLIPS * len(trials) / len(flips))) for part, trials in parts.items()}),
    ):
        rows = labels(world, draw(rng, parts, sizes))
        found = upheld(Labels(rows))["fail_to_pass"]
        yield from told(f"in corpus: upheld, 4 strata, {way}", found["in_corpus"], truly)


def of_all(rng: np.random.Generator, world: World, name: str) -> Iterator[Told]:
    """A balanced sample: both graders' errors."""
    moves = world.move()
    strata = {move: np.flatnonzero(moves == k) for k, move in enumerate(MOVE_NAMES)}
    strata = {move: trials for move, trials in strata.items() if len(trials)}
    rows = labels(world, draw(rng, strata, dict.fromkeys(strata, BALANCED // len(strata))))
    drawn = Labels(rows)
    others, on_items = world.others(), world.other_items()
    for grader in GRADERS:
        grades = getattr(world, grader)
        rates = error_rates(drawn, graded(rows, grader))
        for kind, truth in (("false_penalty", True), ("false_credit", False)):
            of = world.truth == truth
            yield from told(f"in corpus: {kind} of {grader}", rates[kind]["in_corpus"], np.mean(grades[of] != truth))
            if grader == "frozen":
                beyond = rates[kind]["beyond"]["by_lineage"]["interval"]
                yield from told(f"beyond: {kind}, by lineage, {name}", beyond, getattr(others, kind))
                beyond = rates[kind]["beyond"]["by_item"]["interval"]
                yield from told(f"beyond: {kind}, by item, {name}", beyond, getattr(on_items, kind))
                naive = wilson(rates[kind]["rate"] * rates[kind]["n"], rates[kind]["n"])._asdict()
                what = f"naive: {kind}, every trial independent"
                yield from told(f"{what}, {name}", naive, getattr(others, kind))
                yield from told(f"{what}, on other items, {name}", naive, getattr(on_items, kind))


def of_pass_rates(rng: np.random.Generator, world: World, name: str) -> Iterator[Told]:
    """Corrected pass rates, each against the share of the configuration's own trials that should pass."""
    kind = f"assumption broken and not refuted, {name}" if world.planted.of_lineage else "in corpus"
    moves = world.move()
    strata = {move: np.flatnonzero(moves == k) for k, move in enumerate(MOVE_NAMES) if (moves == k).any()}
    rows = labels(world, draw(rng, strata, dict.fromkeys(strata, 2 * BALANCED // len(strata))))
    drawn = Labels(rows)
    configurations = range(int(world.configuration.max()) + 1)
    of = {c: world.configuration == c for c in configurations}
    passes = {f"c{c}": (int(world.frozen[of[c]].sum()), int(of[c].sum())) for c in configurations}
    lineages = {f"c{c}": f"l{world.lineage[of[c]][0]}" for c in configurations}
    found = corrected(drawn, graded(rows, "frozen"), passes, lineages)
    if found["check"]["undefined"] is None:
        yield f"assumption refuted, {name}", found["check"]["refuted"], 0.0
    for c in configurations:
        if f"c{c}" in found["configurations"]:
            interval = found["configurations"][f"c{c}"]["interval"]
            yield from told(f"{kind}: corrected pass rate", interval, np.mean(world.truth[of[c]]))


PIECES = 20
"""That the draws are divided into, each with a generator of its own, so that any number of processes gives the same."""


def simulate(draws: int, seed: int = 1) -> dict[str, dict[str, Any]]:
    """Name of the interval to `{n, held, width}`: how many were made, the share that hold, their mean width."""
    n, holds, width = Counter[str](), Counter[str](), Counter[str]()
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for told in pool.map(piece, [(seed, k, draws) for k in range(PIECES)]):
            for total, part in zip((n, holds, width), told, strict=True):
                total.update(part)
    return {name: {"n": n[name], "held": holds[name] / n[name], "width": width[name] / n[name]} for name in sorted(n)}


def piece(asked: tuple[int, int, int]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """One piece of the draws: by name how many intervals, how many that hold, and the sum of their widths."""
    seed, k, draws = asked
    rng = np.random.default_rng([seed, k])
    n, holds, width = Counter[str](), Counter[str](), Counter[str]()
    for _ in range(k, draws, PIECES):
        for name, holding, wide in one(rng):
            n[name] += 1
            holds[name] += bool(holding)
            width[name] += wide
    return n, holds, width


def one(rng: np.random.Generator) -> Iterator[Told]:
    """All intervals of one draw."""
    for lineages in (LINEAGES, SOME):
        name = f"{len(lineages)} lineages"
        world = World(rng, Planted(), lineages)
        yield from of_flips(rng, world, name)
        yield from of_all(rng, world, name)
    for spread in SPREADS:
        world = World(rng, Planted(of_lineage=spread), SOME)
        yield from of_pass_rates(rng, world, f"faults by lineage with a spread of {spread}")


if __name__ == "__main__":
    for name, figures in simulate(int(sys.argv[1])).items():
        print(json.dumps({"interval": name, **figures}))
