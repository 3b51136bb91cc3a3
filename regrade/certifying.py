"""What `regrade certify` does: grades a corpus in a scratch store, and writes or checks a certificate of it.

A check takes from the certificate nothing but its questions. What they come to is computed from the inputs again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from regrade.audit import Progress, free_out, silent
from regrade.books import find_corpus, rulebook
from regrade.errors import CorpusError, GateFailed, OutputError, RegradeError, RuleError, near, one_line
from regrade.files.corpus_toml import read_corpus
from regrade.files.manifest import digests_now, verify
from regrade.flips.tiers import ALL
from regrade.grades.plan import FROZEN, used_files
from regrade.grades.rulebook import Rulebook
from regrade.ground import Ground, columns_of, declared, graded_corpus
from regrade.publish.binding import CARRIED, bind
from regrade.publish.certificate import SOFTWARE, Bound, Certificate, differing, moved, read_certificate
from regrade.publish.claims import Claim, NothingGraded, Question, rejects

CHECKED = "regrade.check/1"
FILE_NAME = "certificate.json"


@dataclass(frozen=True)
class Asked:
    """What to certify: what `counts` come to in a scope, and which absences."""

    counts: Sequence[str] = ()
    """Statuses and codes. Where there are none, each declared metric that counts trials is claimed, for each
    configuration, and axis, items and `needs` are those of the metric."""
    axis: str | None = None
    """None is the primary axis."""
    candidate: str = FROZEN
    where: Mapping[str, Any] = field(default_factory=dict)
    """This, `family` and `needs` as in a metric."""
    family: Sequence[str] = ()
    needs: str | None = None
    tier: str = ALL
    configurations: Sequence[str] = ()
    """Only these of the tier; every one where there is none."""
    absences: Sequence[str] | None = None
    """Items; None is every one of which a grader tells an absence."""


class Made(NamedTuple):
    """A certificate, and what a reader must know beside it."""

    certificate: Certificate
    warnings: list[str]


def certify(path: Path, asked: Asked, *, rules: Path | None = None, progress: Progress = silent) -> Made:
    """Make a certificate of a corpus.

    Args:
        path: folder with a corpus.toml, or the file.
        asked: what to certify.
        rules: a rules folder that wins over the corpus's and the bundled one.
        progress: called as the work goes on.

    Raises:
        GateFailed: checksum, lock or parity.
        RegradeError: the corpus, a rule or a question cannot be used, or there is nothing to certify.
    """
    corpus = read_corpus(path)
    manifest = verify(corpus)
    book = rulebook(corpus, rules)
    columns = columns_of(corpus, book, {asked.candidate})
    known = {FROZEN, *declared(corpus, book)}
    if asked.candidate not in known:
        raise RuleError(f"Unknown candidate {asked.candidate!r} of {corpus.name}.{near(asked.candidate, known)}")
    bare = bind(corpus, path, manifest.files, book, columns)
    with graded_corpus(corpus, manifest, book, columns, progress) as ground:
        claims, warnings = _claims(ground, asked)
        items = list(ground.absent) if asked.absences is None and bare.world else asked.absences or ()
        absences = [ground.absence(item, bare.world) for item in items]
        whole = ground.fill(bare, claims, absences)
    if not claims and not absences:
        raise RegradeError(
            f"There is nothing to certify of {corpus.name}: it declares no [[metric]] that counts trials, and no grader"
            " tells what its world lacks. Name what to count with --counts CODE."
        )
    drafts = [name for name in used_files(columns) if not book.file(name).locked]
    warnings += [NO_SUMS] if not manifest.present else []
    warnings += [f"Draft, and bound by the fingerprint alone: {', '.join(drafts)}."] if drafts else []
    return Made(whole, [*warnings, *_unseen(whole.corpus)])


NO_SUMS = "No SHA256SUMS: the certificate is bound to the files as they are now. Write one with: regrade freeze CORPUS"


def _unseen(corpus: Bound) -> Iterator[str]:
    """What a claim of none cannot speak of."""
    if corpus.rejected:
        yield rejects(corpus.rejected, corpus.records)
    if corpus.stopped:
        yield f"Trials that a limit or an error ended: {corpus.stopped}. What they would have come to is not known."


def _claims(ground: Ground, asked: Asked) -> tuple[list[Claim], list[str]]:
    if asked.counts:
        return [_as_asked(ground, asked)], []
    return _of_metrics(ground, asked) if asked.absences is None else ([], [])


def _as_asked(ground: Ground, asked: Asked) -> Claim:
    where = {key: tuple(value) if isinstance(value, list) else value for key, value in asked.where.items()}
    question = Question(
        asked.axis or ground.corpus.axis, asked.candidate, tuple(asked.counts), where, tuple(asked.family), asked.needs,
        asked.tier, tuple(asked.configurations),
    )  # fmt: skip
    return ground.claim(question)


def _of_metrics(ground: Ground, asked: Asked) -> tuple[list[Claim], list[str]]:
    """The declared metrics that count trials, for each configuration that has a graded trial of theirs.

    Returns:
        Their claims, and a warning where some are of an axis that has no grades here.
    """
    query = "select configuration from tiers where tier = ? order by configuration"
    names = asked.configurations or [name for (name,) in ground.store.con.execute(query, [asked.tier]).fetchall()]
    claims, left_out = [], []
    for metric in (each for each in ground.corpus.metrics if each.counts):
        if not {metric.axis, metric.needs or metric.axis} <= ground.graded.keys():
            left_out.append(metric.name)
            continue
        family = (metric.family,) if isinstance(metric.family, str) else metric.family
        for name in names:
            question = Question(
                metric.axis, asked.candidate, metric.counts, metric.where, family, metric.needs, asked.tier, (name,)
            )
            with suppress(NothingGraded):
                claims.append(ground.claim(question))
    told = f"Not claimed, since their axis has no grades under {asked.candidate}: {', '.join(left_out)}."
    return claims, [told] if left_out else []


def check(
    file: Path, path: Path | None = None, *, rules: Path | None = None, progress: Progress = silent
) -> dict[str, Any]:
    """Check a certificate against the inputs.

    Args:
        file: the certificate.
        path: the corpus; None looks for the one of its name, see `find_corpus`.
        rules: as in `certify`.
        progress: called as the work goes on.

    Returns:
        `schema`; `verdict`: `valid`, `stale` where a hash or version has moved, or `false` where under the same ones
        the inputs say otherwise; `moved`: what `moved` gives; `differs`: what `differing` gives; `statements`: those
        that hold. Where a hash of an input has moved the last two are empty, since nothing was computed.

    Raises:
        GateFailed: parity, or a file against SHA256SUMS.
        RegradeError: the certificate, the corpus or a rule cannot be used.
    """
    text = read_certificate(file)
    said = text.certificate
    path = path or find_corpus(said.corpus.name, file)
    corpus = read_corpus(path)
    book = rulebook(corpus, rules)
    # What is told of a file besides its grades is called by its name, a dot and the function.
    gone = [name for name in said.rules if name != CARRIED and not _is_there(book, name.partition(".")[0])]
    if gone:
        lost = [{"kind": "rule", "name": name, "said": said.rules[name], "found": None} for name in gone]
        return _verdict("stale", lost, [], [])
    columns = columns_of(corpus, book, {claim.question.candidate for claim in said.claims})
    bare = bind(corpus, path, digests_now(corpus), book, columns)
    changed = moved(said, bare)
    if any(record["kind"] not in SOFTWARE for record in changed):
        return _verdict("stale", changed, [], [])
    found: dict[str, list[Any]] = {"claims": [], "absences": []}
    differs, holding = [], []
    with graded_corpus(corpus, verify(corpus), book, columns, progress) as ground:
        for kind, number, each in said.numbered():
            try:
                again = (
                    ground.claim(each.question) if isinstance(each, Claim) else ground.absence(each.item, bare.world)
                )
            except CorpusError as error:
                # Nothing can be said here, so what was said is compared no further.
                again = each
                differs.append({"where": f"{kind}[{number}]", "said": each.statement, "found": str(error)})
            else:
                holding += [each.statement] * (again == each)
            found[kind].append(again)
        differs += differing(text, ground.fill(bare, **found))
    return _verdict("stale" if changed else "false" if differs else "valid", changed, differs, holding)


def _verdict(verdict: str, changed: list[Any], differs: list[Any], statements: list[str]) -> dict[str, Any]:
    return {
        "schema": CHECKED,
        "verdict": verdict,
        "moved": changed,
        "differs": differs,
        "statements": statements,
    }


def _is_there(book: Rulebook, name: str) -> bool:
    try:
        return bool(book.file(name))
    except RuleError:
        return False


def certify_to(
    path: Path, out: Path | None, asked: Asked, *, rules: Path | None = None, progress: Progress = silent
) -> tuple[Made, Path]:
    """Make a certificate and write it in place of what is there; the arguments are those of `certify`.

    Returns:
        What was made, and where it is: `out`, or `reports/<name>/certificate.json`.

    Raises:
        OutputError: it cannot be written, or the folder holds the audit of another corpus of its name.
        RegradeError: as `certify`; nothing is written.
    """
    out = out or free_out(read_corpus(path)) / FILE_NAME
    made = certify(path, asked, rules=rules, progress=progress)
    beside = out.with_name(f".{out.name}.new")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(made.certificate.text(), encoding="utf-8", newline="\n")
        os.replace(beside, out)
    except OSError as error:
        raise OutputError(f"Cannot write {out}: {one_line(str(error))}. Name another file with --out.") from None
    return made, out


def require_valid(found: Mapping[str, Any], file: Path) -> None:
    """GateFailed where a check did not find a certificate valid."""
    if found["verdict"] == "stale":
        first = found["moved"][0]
        raise GateFailed(
            f"{file} is stale: {len(found['moved'])} of the hashes and versions that it is bound to have moved, first"
            f" that of {first['kind']} {first['name']}."
        )
    if found["verdict"] == "false":
        first = found["differs"][0]
        raise GateFailed(
            f"{file} is false: under the same hashes {first['where']} is {first['found']!r}, not {first['said']!r}."
        )
