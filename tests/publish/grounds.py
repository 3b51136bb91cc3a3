"""A corpus, graded once, for many questions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from regrade.audit import silent
from regrade.books import rulebook
from regrade.files.corpus_toml import read_corpus
from regrade.files.manifest import verify
from regrade.ground import Ground, columns_of, graded_corpus


@contextmanager
def grounded(path: Path, candidates: Collection[str] = (), rules: Path | None = None) -> Iterator[Ground]:
    """The ground on which a certificate of a corpus is made."""
    corpus = read_corpus(path)
    book = rulebook(corpus, rules)
    columns = columns_of(corpus, book, set(candidates))
    with graded_corpus(corpus, verify(corpus), book, columns, silent) as ground:
        yield ground
