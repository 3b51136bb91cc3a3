"""The published figures, counted in plain Python from the caches and the world alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import Any

from kremis_sim import classifier, sweeps
from kremis_sim.classifier import Reading
from kremis_sim.worlds import Question, World

Figure = tuple[str, Any, Any]


@dataclass(frozen=True)
class Row:
    """A reply, and what the plain reading makes of it."""

    configuration: str
    run: int
    question: Question
    reply: str
    stored: Mapping[str, Any]
    reading: Reading
    invented: int

    @property
    def asserted(self) -> bool:
        """A chain from source to target."""
        return self.reading.verdict == "asserted"

    @property
    def hops(self) -> int:
        """Links that are asserted."""
        return len(self.reading.chain or ()) - 1 if self.asserted else 0

    @property
    def right(self) -> bool:
        """The true chain."""
        return self.asserted and self.reading.chain == self.question.truth

    @property
    def code(self) -> Any:
        """The code of the plain reading."""
        return classifier.grade(self.question, self.reading)["code"]


def rows_of(world: World, caches: Iterable[Mapping[str, Sequence[Any]]]) -> list[Row]:
    """Read every reply anew, by its key."""
    questions = {question.key: question for question in world.questions}
    links = set(world.dependencies)
    rows = []
    for cache in caches:
        for key, (reply, _, stored) in cache.items():
            _, _, provider, model, arm, hint, num_ctx, run, *pair = key.split("|")
            question = questions[pair[0], pair[1]]
            reading = classifier.read(reply, *question.key, world.known)
            steps = pairwise(reading.chain or ()) if reading.verdict == "asserted" else ()
            invented = sum(step not in links for step in steps)
            configuration = f"{provider} {model} {arm} hint={hint} ctx={num_ctx}"
            rows.append(Row(configuration, int(run), question, reply, stored, reading, invented))
    return rows


def share(part: int, whole: int) -> str:
    """A count of a count, and the rate that is published."""
    rate = (Decimal(100 * part) / Decimal(whole)).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return f"{part} of {whole} = {rate}%"


def of(rows: Iterable[Row], configuration: str, run: int = 0) -> list[Row]:
    """One run of one configuration."""
    return [row for row in rows if row.configuration == configuration and row.run == run]


def fabricated(rows: Iterable[Row]) -> str:
    """Chains asserted where there is none, of the questions without an answer."""
    asked = [row for row in rows if row.question.truth is None]
    return share(sum(row.asserted for row in asked), len(asked))


def accuracy(rows: Iterable[Row]) -> str:
    """True chains, of the questions with an answer."""
    asked = [row for row in rows if row.question.truth is not None]
    return share(sum(row.right for row in asked), len(asked))


def invented_hops(rows: Iterable[Row]) -> str:
    """Asserted links that no one declared, of all asserted links."""
    kept = list(rows)
    return share(sum(row.invented for row in kept), sum(row.hops for row in kept))


def malformed(rows: Iterable[Row]) -> int:
    """Replies that are read as a chain that is none."""
    return sum(row.reading.verdict == "malformed" for row in rows)


def by_category(rows: Iterable[Row]) -> dict[str, int]:
    """Fabrications by category."""
    return dict(Counter(row.question.category for row in rows if row.question.truth is None and row.asserted))


def band(rows: Iterable[Row], configuration: str) -> tuple[int, int, int]:
    """Repeats of the first run, those whose verdict moved, and those that kept the verdict and moved the chain."""
    kept = [row for row in rows if row.configuration == configuration]
    first = {row.question.key: row.reading for row in kept if row.run == 0}
    again = [(first[row.question.key], row.reading) for row in kept if row.run]
    verdicts = sum(one.verdict != two.verdict for one, two in again)
    return len(again), verdicts, sum(one != two for one, two in again) - verdicts


def band_text(repeats: int, moved: int) -> str:
    """A band as published: a zero is shown as its ceiling by the rule of three."""
    return share(moved, repeats) if moved else f"0 of {repeats}, at most {share(3, repeats).split(' = ')[1]}"


def size(world: World) -> tuple[int, ...]:
    """Services, dependencies, questions with and without an answer, withheld links."""
    answerable = sum(question.truth is not None for question in world.questions)
    unanswerable = len(world.questions) - answerable
    return len(world.services), len(world.dependencies), answerable, unanswerable, len(world.withheld)


def _named(name: str) -> list[str]:
    """The full-context configurations of a table, in its order."""
    everything = sweeps.BASE if name in ("base", "panel") else sweeps.HORIZON
    file = "panel" if name == "panel" else "arms"
    return [sweep.configuration for sweep in everything if sweep.file == file and sweep.arm == "llm-context"]


def base_figures(world: World, rows: list[Row]) -> list[Figure]:
    """Sizes, the full-context arm, the arms that know nothing, the panel and its bands."""
    found: list[Figure] = [("base: sizes", size(world), (9, 5, 8, 16, 0))]
    wanted = [("0 of 16 = 0.00%", "8 of 8 = 100.00%"), ("2 of 16 = 12.50%", "2 of 8 = 25.00%")]
    for name, pair in zip(_named("base"), [*wanted, wanted[0]], strict=True):
        one = of(rows, name)
        found.append((f"{name}: fabricated, accuracy", (fabricated(one), accuracy(one)), pair))
    for name in sorted({row.configuration for row in rows if " llm-bare " in row.configuration}):
        one = of(rows, name)
        counts = fabricated(one), accuracy(one)
        found.append((f"{name}: fabricated, accuracy", counts, ("0 of 16 = 0.00%", "0 of 8 = 0.00%")))
    panel = [
        ("2 of 16 = 12.50%", "8 of 8 = 100.00%", "0 of 24, at most 12.50%", 0),
        ("3 of 16 = 18.75%", "4 of 8 = 50.00%", "1 of 24 = 4.17%", 0),
        ("4 of 16 = 25.00%", "8 of 8 = 100.00%", "0 of 24, at most 12.50%", 1),
    ]
    repeats = moved = 0
    for name, figures in zip(_named("panel"), panel, strict=True):
        again, verdicts, forms = band(rows, name)
        one, repeats, moved = of(rows, name), repeats + again, moved + verdicts
        counted = (fabricated(one), accuracy(one), band_text(again, verdicts), forms)
        found.append((f"{name}: fabricated, accuracy, band, forms moved", counted, figures))
    lineages = {sweep.model.lineage for sweep in sweeps.BASE if sweep.file == "panel"}
    return [
        *found,
        ("panel: pooled band", band_text(repeats, moved), "1 of 72 = 1.39%"),
        ("lineages", len(lineages), 3),
    ]


def horizon_figures(world: World, rows: list[Row]) -> list[Figure]:
    """Sizes, the full-context arm, and the one that fabricates on most."""
    asked = Counter(question.horizon for question in world.questions)
    found: list[Figure] = [
        ("horizon: sizes", size(world), (420, 330, 30, 60, 30)),
        ("horizon: questions by length", dict(asked), dict.fromkeys((2, 4, 6, 8, 10), 18)),
    ]
    table = [
        ("0 of 60 = 0.00%", "30 of 30 = 100.00%", "0 of 180 = 0.00%"),
        ("2 of 60 = 3.33%", "6 of 30 = 20.00%", "2 of 38 = 5.26%"),
        ("1 of 60 = 1.67%", "2 of 30 = 6.67%", "1 of 5 = 20.00%"),
        ("37 of 60 = 61.67%", "30 of 30 = 100.00%", None),
    ]
    for name, figures in zip(_named("horizon"), table, strict=True):
        one = of(rows, name)
        counted = (fabricated(one), accuracy(one), invented_hops(one) if figures[2] else None)
        found.append((f"{name}: fabricated, accuracy, invented hops", counted, figures))
    most = of(rows, _named("horizon")[-1])
    counts = by_category(most)
    lengths = [counts.get(f"broken_link@{length}", 0) for length in world.horizons]
    backwards = sum(count for category, count in counts.items() if category.startswith("reverse_path"))
    silent = [row for row in most if row.question.truth is None and row.code == "MALFORMED"]
    return [
        *found,
        ("the 37: withheld links by length", lengths, [5, 5, 3, 4, 5]),
        ("the 37: withheld links, reversed", (sum(lengths), backwards), (22, 15)),
        ("malformed replies of that configuration, where there is no answer", (malformed(most), len(silent)), (17, 17)),
        ("upper bound of that configuration", share(sum(counts.values()) + len(silent), 60), "54 of 60 = 90.00%"),
    ]


def parity(rows: Iterable[Row]) -> Figure:
    """Stored verdicts that the plain reading does not give."""
    gaps = [row.question.key for row in rows if classifier.grade(row.question, row.reading) != row.stored]
    return "stored verdicts that the text does not give", gaps, []


def all_figures(world: World, rows: list[Row]) -> list[Figure]:
    """Name, count and published value of each figure of a corpus."""
    return [*{"base": base_figures, "horizon": horizon_figures}[world.name](world, rows), parity(rows)]
