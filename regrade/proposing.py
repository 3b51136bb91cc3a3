"""What `regrade propose` does: from the audit of a corpus to the proposal of a second version of its grader."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regrade.audit import Progress, audit, free_out, silent
from regrade.books import rulebook, store_corpus
from regrade.errors import RuleError, near
from regrade.files.corpus import Corpus
from regrade.files.corpus_toml import read_corpus
from regrade.grades.rulebook import Rulebook
from regrade.ground import declared
from regrade.outputs import PROPOSAL, replacing, write_text
from regrade.report.page import Page
from regrade.report.proposal.content import content, machine
from regrade.report.proposal.given import Given
from regrade.report.proposal.markdown import markdown
from regrade.report.proposal.page import proposal_page
from regrade.tables.store import FILE_NAME, Store
from regrade.warned import store_warnings, unseen_codes


@dataclass(frozen=True)
class Proposed:
    """What was proposed, and where it was written."""

    out: Path
    plain: dict[str, Any]
    """The machine form, with the hashes of what was written as `outputs`."""
    warnings: tuple[str, ...]


def propose(
    path: Path,
    candidate: str | None = None,
    *,
    store: Path | None = None,
    out: Path | None = None,
    rules: Path | None = None,
    allow_parity_gap: bool = False,
    progress: Progress = silent,
) -> Proposed:
    """Write the proposal of a candidate, `proposal.md` and `proposal.html`, from the audit that is there.

    An audit that is not there, or no longer of these inputs, is made first.

    Args:
        path: folder with a corpus.toml, or the file.
        candidate: what is proposed; default the first declared one that has no rejected rule.
        store: folder of the audit; default `reports/<name>`.
        out: where to write; default the folder of the audit.
        rules: a rules folder that wins over the corpus's and the bundled one.
        allow_parity_gap: go on where the frozen grader does not give the frozen grades, with the gap shown.
        progress: called as the work goes on.

    Raises:
        RuleError: there is no such candidate, it has a rejected rule, or none is fit to be proposed.
        GateFailed: checksum, lock or parity; nothing new is written.
        OutputError: the folder holds the audit of another corpus.
        RegradeError: the corpus, a rule or the output cannot be used; nothing new is written.
    """
    corpus = read_corpus(path)
    book = rulebook(corpus, rules)
    candidates = declared(corpus, book)
    name = choose(corpus, book, candidates, candidate)
    folder = free_out(corpus, store, "--store")
    done = audit(corpus, folder, rules=rules, allow_parity_gap=allow_parity_gap, progress=progress)
    with Store.open(folder / FILE_NAME, read_only=True) as opened:
        known = store_corpus(opened)
        warnings = (*store_warnings(opened), *unseen_codes(done.summary))
        page = Page(opened.con, known, done.summary, warnings)
        given = Given(page, name, candidates)
        blocks = content(given)
        texts = dict(zip(PROPOSAL, (markdown(blocks), proposal_page(page, blocks)), strict=True))
        plain = machine(given)
    out = out or folder
    with replacing(out) as new:
        for file, text in texts.items():
            write_text(new / file, text)
    plain["outputs"] = {file: hashlib.sha256(text.encode()).hexdigest() for file, text in texts.items()}
    return Proposed(out, plain, done.warnings)


def choose(corpus: Corpus, book: Rulebook, candidates: Mapping[str, Sequence[str]], asked: str | None = None) -> str:
    """The candidate to propose: the one that is asked for, else the first declared one that has no rejected rule.

    Where none is declared, the only rule that is not rejected is meant.

    Raises:
        RuleError: there is no such candidate, it has a rejected rule, or none is fit to be proposed.
    """
    against = {name: [r for r in of if book.file(r).decision == "rejected"] for name, of in candidates.items()}
    if asked is not None:
        if asked not in candidates:
            raise RuleError(f"Unknown candidate {asked!r} of {corpus.name}.{near(asked, candidates)}")
        if against[asked]:
            first = book.file(against[asked][0])
            raise RuleError(
                f"{asked} is not proposed: {first.name} is rejected, since: {first.reason} Name another candidate."
            )
        return asked
    fit = [spec.name for spec in corpus.candidates if not against[spec.name]]
    if not corpus.candidates:
        fit = [name for name in candidates if not against[name]]
        if len(fit) > 1:
            raise RuleError(
                f"{corpus.name} declares no [[candidate]]. Name what is proposed with --candidate: {', '.join(fit)}."
            )
    if not fit:
        raise RuleError(
            f"Nothing of {corpus.name} can be proposed: it has no candidate, or each has a rejected rule. Declare a"
            " [[candidate]] of rules that are not."
        )
    return fit[0]
