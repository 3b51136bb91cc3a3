"""`corpus.toml`: what a corpus is made of and where the fields stand in its records."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
Seed = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class FrozenAxis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the frozen grade of one axis stands in a record (`[frozen.<axis>]`)."""

    passed: str | None = None
    """Path of a boolean or 0/1."""
    value: str | None = None
    """Path of a value, read by `passes` or by `passed_values` and `failed_values`."""
    passes: str | None = None
    """A comparison with a number, such as `>= 0.5`."""
    passed_values: tuple[str | int | float | bool, ...] | None = None
    failed_values: tuple[str | int | float | bool, ...] | None = None
    code: str | None = None
    """Path of the code."""
    answer: str | None = None
    """Path of what the grader says it read."""
    codes: tuple[str, ...] | None = None
    """Closed list of codes; any other is a reject."""
    optional: bool = False
    """A record need not have it: one without value and code stores no grade, where it else stores `ungraded`."""


class Part(msgspec.Struct, frozen=True):
    """One trial of a record: a record has one part, or one a `[[each]]`."""

    columns: dict[str, str]
    """Our column to the path in the record, or `$filename`, or `$line`."""
    literals: dict[str, str]
    """Our column to a text that is the same for every record (`configuration` in `[[each]]`)."""
    frozen: dict[str, FrozenAxis]


class Bank(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[bank]`: the items."""

    file: str | None = None
    columns: dict[str, str] = {}
    """Where the trials themselves carry the item's family, prompt and gold."""
    retired: bool = False
    notes: str | None = None


class Tier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[tier]]`: the configurations at or above a frozen pass rate on the primary axis."""

    name: str
    min_pass_rate: Share
    """passed / (passed + failed) of the frozen grades, limit included."""
    min_trials: Count = 1
    """Graded trials that a configuration must have."""
    cutoffs: tuple[Share, ...] = ()
    """Further limits tried in place of `min_pass_rate`."""


class CandidateSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[candidate]]`: a named list of rules."""

    name: str
    rules: tuple[str, ...]


class Partition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[partition]]`: unique trials by the sets that they are in."""

    name: str
    sets: tuple[str, ...]
    """Each a candidate (its fail_to_pass) or a signal."""
    of: str = "failed"
    """Frozen status of the trials that are partitioned."""


class SampleSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[sample]]`: a seeded blind draw."""

    name: str
    candidate: str
    stratum: str
    """What moved: `fail_to_pass`, `pass_to_fail`, `both_passed`, `both_failed`, or `balanced`, all four of them."""
    size: Count
    seed: Seed
    tier: str = "all"
    verdicts: tuple[str, ...] = ()
    """Globs of the files of verdicts; those of `reviews/<name>/` where there are none. No glob takes the rulings."""
    rulings: str | None = None
    """File of the rulings; `reviews/<name>/rulings.jsonl` where it is None. The first ruling makes it."""
    axis: str = ""
    """Where the trials are graded; the primary axis where it is empty."""
    by: tuple[str, ...] = ()
    """What the trials are stratified by as well: `code` (the frozen one), `tier` (the narrowest), `family`, `item`, a
    key of the gold (`gold.horizon`), a column of the configurations or a key of their extra (`extra.hint`)."""
    allocation: str = "equal"
    """`equal`: as many of each stratum; `proportional`: as many as its share of the frame. At least one of each."""
    question: str = ""
    """What reviewers are asked of each trial; a plain question where it is empty."""


Scalar = str | int | float | bool


class Metric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[metric]]`: a rate by configuration, of trials or of what a grader measures in them."""

    name: str
    axis: str = ""
    """Where the trials are graded; the primary axis where it is empty."""
    counts: tuple[str, ...] = ()
    """Statuses and codes: the trials that have one of them are counted."""
    ratio: tuple[str, ...] = ()
    """Two measures instead: the sum of the first over the sum of the second."""
    where: dict[str, Scalar | tuple[Scalar, ...]] = {}
    """Only items whose gold has these values; of a list any."""
    family: str | tuple[str, ...] = ()
    """Only items of this family, or of one of these."""
    by: tuple[str | tuple[str, ...], ...] = ()
    """What the trials are split by as well, each entry a split of its own: a column of the configurations or a key of
    their extra (`extra.hint`), `family`, `item`, a key of the gold (`gold.horizon`), `run`, `trial`, or a list of such
    names."""
    needs: str | None = None
    """Another axis on which a trial must have passed to be counted."""
    best: str | None = None
    """`highest` or `lowest`: which end leads. Without it nothing is said of leaders and gaps."""


class Band(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[band]]`: how far repeated trials of an item agree with the first of them."""

    name: str
    axis: str = ""
    """As in a metric."""
    where: dict[str, Scalar | tuple[Scalar, ...]] = {}
    family: str | tuple[str, ...] = ()
    verdicts: dict[str, tuple[str, ...]] = {}
    """A verdict and the codes and statuses that come to it, a code before a status; any other grade is its status."""


class Panel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[panel]]`: configurations of distinct lineages in one arm, whose trials may be pooled."""

    name: str
    configurations: tuple[str, ...]


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[note]]` of the bank's notes file."""

    item: str
    kind: str
    """retire, canary, ambiguous, convention or conflicting_cue."""
    text: str


class Corpus(msgspec.Struct, frozen=True):
    """A corpus as declared, checked and with its defaults filled in."""

    root: Path
    """The folder that its paths are relative to."""
    name: str
    benchmark: str | None
    format: str
    files: tuple[str, ...]
    """Globs, relative to `root`."""
    rules: Path | None
    axis: str
    """The primary axis."""
    axes: tuple[str, ...]
    """Every axis with a `[frozen.*]`, the primary first."""
    simulated: bool
    parts: tuple[Part, ...]
    bank: Bank
    configurations: str | None
    """File of configurations, relative to `root`."""
    tiers: tuple[Tier, ...]
    candidates: tuple[CandidateSpec, ...]
    partitions: tuple[Partition, ...]
    samples: tuple[SampleSpec, ...]
    notes: tuple[Note, ...]
    configuration_columns: dict[str, str] = {}
    """Where the trials themselves tell of their configuration: a column of that table to its path in the record."""
    metrics: tuple[Metric, ...] = ()
    bands: tuple[Band, ...] = ()
    panels: tuple[Panel, ...] = ()
    guessed: tuple[str, ...] = ()
    """What was guessed of a log alone, a sentence each; nothing where a corpus.toml says it."""

    @property
    def places(self) -> frozenset[str]:
        """The globs from the root of the file system: a log keeps its place when a corpus.toml is written for it."""
        return frozenset(os.path.normpath(self.root.resolve() / pattern) for pattern in self.files)

    def declared(self, known: Iterable[str]) -> list[str]:
        """Of the candidates known on an axis those of corpus.toml, as they stand there; where it names none, all."""
        names = list(known)
        return [spec.name for spec in self.candidates if spec.name in names] or names

    def declared_first(self, known: Iterable[str]) -> list[str]:
        """The candidates known on an axis: those of corpus.toml before the others, which keep their order."""
        names = list(known)
        return list(dict.fromkeys([*self.declared(names), *names]))
