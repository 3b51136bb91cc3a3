"""What `regrade review` does: brings verdicts home, tells how far reviewers agree, and takes rulings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from regrade.audit import Progress, silent
from regrade.books import rulebook
from regrade.errors import CorpusError, OutputError, near
from regrade.files.corpus import Corpus, SampleSpec
from regrade.files.corpus_toml import read_corpus
from regrade.files.manifest import verify
from regrade.files.shape import shown
from regrade.flips.labels import Reviewed, reviewed, reviewers_of
from regrade.flips.samples import check_sample
from regrade.grades.rulebook import Rulebook
from regrade.ground import columns_of, declared, graded_store
from regrade.review.agreed import sample_agreement
from regrade.review.binding import Bound, bind
from regrade.review.draw import QUESTION, Draw, canonical, declaration, draw_sample
from regrade.review.given import read_given
from regrade.review.key import Key, find_key
from regrade.review.samples import find_samples
from regrade.review.verdicts import load_verdicts, other_draws_text, sample_folder, write_new
from regrade.sampling import require_apart
from regrade.tables.store import Store

REVIEWER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""What may name a file of verdicts."""


def import_verdicts(
    path: Path,
    files: Sequence[Path],
    *,
    key: Path | None = None,
    reviewer: str | None = None,
    partial: bool = False,
    rules: Path | None = None,
) -> dict[str, Any]:
    """Write the verdicts that reviewers gave back into `reviews/<sample>/<reviewer>.jsonl`; all of the files or none.

    Args:
        path: folder with a corpus.toml, or the file.
        files: the page's files, filled CSV or JSON Lines, or Label Studio exports.
        key: the sealed key; None looks for it near each file and under the corpus.
        reviewer: whose packet it is, where a file does not say.
        partial: a row without a label is a trial not labelled yet.
        rules: a rules folder that wins over the corpus's and the bundled one.

    Returns:
        `schema`, `unchecked` (what only a draw can tell), and `imported`: for each reviewer `file`, `sample`, `sha256`,
        `reviewer`, `labelled`, `unlabelled`, `comments_left_out` (those on trials without a label), `declared`
        (corpus.toml has the sample), `declaration` (how it is declared there), `path`.

    Raises:
        CorpusError: a file is of another draw, corpus, question or rule, or a row cannot be used; see `bind`.
        OutputError: a reviewer's file is there already, or cannot be written.
    """
    corpus = read_corpus(path)
    now, book = verify(corpus).sha256, rulebook(corpus, rules)
    found: dict[Path, tuple[Bound, Key]] = {}
    for file in files:
        rows = read_given(file)
        at, known = find_key(file, rows[0].sample, rows[0].reviewer, corpus.root, given=key)
        if (drawn := known.spec.get("corpus")) != now:
            raise CorpusError(
                f"{at}: it is of another corpus: drawn of files with the sum {str(drawn)[:12]!r}, and those of"
                f" {corpus.name} have {now[:12]!r}. Name the corpus that the sample was drawn from."
            )
        _check_declared(corpus, at, known)
        _check_rules(corpus, book, at, known)
        for bound in bind(file, rows, known, reviewer=reviewer, partial=partial):
            target = _target(corpus, known.name, bound)
            if target in found:
                raise CorpusError(
                    f"{file}: a second file of {bound.reviewer}, after {found[target][0].file}. Name one of them."
                )
            found[target] = (bound, known)
    for target, (bound, _) in found.items():
        if target.exists():
            raise OutputError(
                f"{bound.file}: {bound.reviewer} has given a file before, {target}, and it is not written over. Move"
                " that away if this one is meant."
            )
    require_apart(corpus, found)
    for target, (bound, _) in found.items():
        write_new(target, bound.verdicts)
    names = {spec.name for spec in corpus.samples}
    imported = [
        {
            "file": str(bound.file), "sample": known.name, "sha256": known.sample, "reviewer": bound.reviewer,
            "labelled": len(bound.verdicts), "unlabelled": bound.unlabelled, "comments_left_out": bound.comments,
            "declared": known.name in names, "declaration": declaration(known.name, known.spec), "path": str(target),
        }
        for target, (bound, known) in found.items()
    ]  # fmt: skip
    return {"schema": "regrade.import/1", "unchecked": ["frame"], "imported": imported}


DRAWN_BY = ("axis", "candidate", "stratum", "tier", "by", "allocation", "size", "seed", "question")


def _check_declared(corpus: Corpus, at: Path, key: Key) -> None:
    """CorpusError where corpus.toml declares another draw under the name of the key's."""
    for spec in corpus.samples:
        said = {**msgspec.to_builtins(spec), "question": spec.question or QUESTION}
        for name in DRAWN_BY:
            if spec.name == key.name and name in key.spec and canonical(key.spec[name]) != canonical(said[name]):
                raise CorpusError(
                    f"{at}: it is of another draw than [[sample]] {key.name} in corpus.toml: {name} was"
                    f" {shown(key.spec[name])}, and is {shown(said[name])}. Have the new draw labelled, or mend"
                    " corpus.toml."
                )


def _check_rules(corpus: Corpus, book: Rulebook, at: Path, key: Key) -> None:
    """CorpusError where the key's candidate is graded by other rules now."""
    if "fingerprint" not in key.spec:
        return
    axis, name, old = (key.spec.get(what) for what in ("axis", "candidate", "fingerprint"))
    columns = columns_of(corpus, book, {str(name)})
    now = next((each.fingerprint for each in columns if (each.axis, each.name) == (axis, name)), None)
    if now != old:
        raise CorpusError(
            f"{at}: it is of another draw: the rules of {shown(name)} on {shown(axis)} had the fingerprint"
            f" {str(old)[:12]!r}, and have {shown(now and now[:12])}. Have the new draw labelled, restore the rules, or"
            " name their folder with --rules."
        )


def _target(corpus: Corpus, sample: str, bound: Bound) -> Path:
    if not bound.verdicts:
        raise CorpusError(f"{bound.file}: no trial is labelled in it.")
    check_name(bound.reviewer, str(bound.file))
    return sample_folder(corpus, sample) / f"{bound.reviewer}.jsonl"


def check_name(reviewer: str, place: str) -> None:
    """CorpusError where a reviewer's name cannot name a file beside the rulings."""
    if REVIEWER.fullmatch(reviewer) is None or reviewer == "rulings":
        raise CorpusError(
            f"{place}: the name {shown(reviewer)} cannot name a file. Use letters, digits, _, - and ., and not the name"
            " rulings."
        )


@dataclass(frozen=True)
class Ground:
    """A sample, drawn again from its corpus, with what was said of it in the store."""

    corpus: Corpus
    spec: SampleSpec
    """Its axis filled in."""
    draw: Draw
    store: Store

    @property
    def trials(self) -> list[Reviewed]:
        """The trials drawn, by trial, and what their labels come to."""
        return reviewed(self.store.con, self.spec.name)

    @property
    def reviewers(self) -> list[str]:
        """Who labelled a trial."""
        return reviewers_of(self.store.con, self.spec.name)

    def require_reviewers(self) -> list[str]:
        """Who labelled a trial; CorpusError where nobody has."""
        if not (found := self.reviewers):
            raise CorpusError(
                f"[[sample]] {self.spec.name}: nobody has labelled a trial. Bring verdict files home with: regrade"
                " review import CORPUS FILE"
            )
        return found


@contextmanager
def review_ground(
    path: Path,
    name: str | None,
    *,
    rules: Path | None = None,
    allow_parity_gap: bool = False,
    every: bool = False,
    progress: Progress = silent,
) -> Iterator[Ground]:
    """A declared sample on a scratch store: graded, drawn again, and its verdicts and rulings loaded.

    Args:
        path: folder with a corpus.toml, or the file.
        name: the sample; None is the only one.
        rules: a rules folder that wins over the corpus's and the bundled one.
        allow_parity_gap: go on where the frozen grader does not give the frozen grades.
        every: grade by every candidate, not by the sample's alone.
        progress: called as the work goes on.

    Raises:
        GateFailed: checksum, lock or parity.
        RegradeError: the corpus, a rule or the sample cannot be used, or what was said is of another draw.
    """
    corpus = read_corpus(path)
    spec = _declared(corpus, name)
    corpus = msgspec.structs.replace(corpus, samples=(spec,))
    manifest, book = verify(corpus), rulebook(corpus, rules)
    candidates = set(declared(corpus, book)) if every else {spec.candidate}
    columns = columns_of(corpus, book, candidates)
    with graded_store(corpus, manifest, book, columns, progress, allow_parity_gap=allow_parity_gap) as store:
        find_samples(store, corpus, masked=False)
        load_verdicts(store, corpus)
        if told := other_draws_text(store.con):
            raise CorpusError(f"{corpus.root}: {told}")
        checked = check_sample(store.con, corpus, spec)
        yield Ground(corpus, checked, draw_sample(store.con, checked), store)


def _declared(corpus: Corpus, name: str | None) -> SampleSpec:
    known = {spec.name: spec for spec in corpus.samples}
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name in known:
        return known[name]
    found = f"unknown sample {name!r}" if name else f"{len(known)} samples are declared"
    raise CorpusError(
        f"{corpus.name}: {found} in corpus.toml.{near(name or '', known)} Name one with --sample, or declare it as"
        " [[sample]]."
    )


def agreement(path: Path, name: str | None = None, **how: Any) -> dict[str, Any]:
    """How far the reviewers of a sample agree, what their labels come to, and each disagreement.

    Args:
        path: folder with a corpus.toml, or the file.
        name: the sample; None is the only one.
        how: `rules`, `allow_parity_gap` and `progress` of `review_ground`.

    Returns:
        `schema`, `sample`, `sha256`, `simulated`, `drawn`, `frame`, and what `sample_agreement` gives.

    Raises:
        CorpusError: nobody has labelled a trial; and as `review_ground`.
    """
    with review_ground(path, name, **how) as ground:
        ground.require_reviewers()
        return {
            "schema": "regrade.agreement/1",
            "sample": ground.spec.name,
            "sha256": ground.draw.sha256,
            "simulated": ground.corpus.simulated,
            "drawn": len(ground.draw.trials),
            "frame": ground.draw.frame,
            **sample_agreement(ground.store.con, ground.spec),
        }
