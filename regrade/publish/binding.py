"""What a certificate is bound to: the files of a corpus, its world, and the rules that its columns rest on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from regrade import __version__
from regrade.code import source, versions
from regrade.files.corpus import Corpus
from regrade.files.manifest import FileDigest, sum_of
from regrade.grades.identity import fingerprint, reach
from regrade.grades.plan import Column, used_files
from regrade.grades.rule_file import ABSENCES
from regrade.grades.rulebook import Rulebook
from regrade.publish.certificate import CHECK, SCHEMA, Bound, Certificate, File

CORPUS_TOML = "corpus.toml"


def bind(
    corpus: Corpus, path: Path, digests: Sequence[FileDigest], book: Rulebook, columns: Sequence[Column]
) -> Certificate:
    """Make a certificate of nothing yet, bound to all that it will rest on.

    A grader's `absences` has a fingerprint of its own, since it moves no grade.

    Args:
        corpus: as it is declared.
        path: the folder or file that it was read from.
        digests: its files.
        book: its rules.
        columns: what it is graded by.
    """
    toml = path / CORPUS_TOML if path.is_dir() else path
    files = [File(CORPUS_TOML, hashlib.sha256(toml.read_bytes()).hexdigest())]
    files += [File(digest.path, digest.sha256) for digest in digests]
    world = next((each for each in files if each.path == corpus.bank.file), None)
    marks = {}
    for file in map(book.file, used_files(columns)):
        marks[file.name] = file.fingerprint
        if ABSENCES in file.of_bank:
            marks[f"{file.name}.{ABSENCES}"] = fingerprint(reach(file.path, file.name, [ABSENCES], {}))
    for column in columns:
        if column.grader.carried and not column.candidate.rules:
            marks[CARRIED] = column.fingerprint
    besides = tuple(each for each in files if each is not world)
    bound = Bound(corpus.name, corpus.benchmark, corpus.simulated, sum_of(digests), besides)
    software = {"regrade": __version__, **versions()}
    return Certificate(SCHEMA, bound, world, dict(sorted(marks.items())), software, source(), (), (), CHECK)


CARRIED = "carried"
"""Stands for the grader whose grade is the logged one."""
