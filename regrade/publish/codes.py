"""The codes that a grade may have, found without a trial that has one: what a claim of none of them may name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from regrade.files.corpus import Corpus
from regrade.flips.scopes import Attributes
from regrade.grades.plan import Column

Codes = Mapping[tuple[str, str], frozenset[str]]
"""By axis and candidate."""

_CODE = re.compile(r"[A-Z][A-Z0-9_]+")


def possible_codes(corpus: Corpus, columns: Sequence[Column], known: Attributes) -> Codes:
    """The codes of each axis and candidate: those declared, and what looks like one in the stages that give a code.

    Args:
        corpus: it declares codes of the frozen grades.
        columns: what it is graded by.
        known: of its golds the keys count that such a stage names.
    """
    declared: dict[str, set[str]] = {}
    for part in corpus.parts:
        for axis, frozen in part.frozen.items():
            declared.setdefault(axis, set()).update(frozen.codes or ())
    found = {}
    for column in columns:
        stages = [each.code for each in column.grader.families.values() if each.code is not None]
        stages += [rule.function for rule in column.candidate.rules if rule.stage == "code"]
        texts, names = _held(stages)
        golds = [of.get(f"gold.{name}") for of in known.items.values() for name in names]
        said = {text for text in (*texts, *golds) if isinstance(text, str) and _CODE.fullmatch(text)}
        found[column.axis, column.name] = frozenset(said | declared.get(column.axis, set()))
    return found


def _held(stages: Sequence[Any]) -> tuple[set[str], set[str]]:
    """The texts and the names in stages, in functions of their folders that they call, in constants that they name."""
    todo, folders = [*stages], set(map(_folder, stages))
    texts: set[str] = set()
    names: set[str] = set()
    seen = set()
    while todo:
        thing = todo.pop()
        if isinstance(thing, str):
            texts.add(thing)
        elif isinstance(thing, Mapping):
            todo += [*thing, *thing.values()]
        elif isinstance(thing, list | tuple | set | frozenset):
            todo += thing
        elif isinstance(thing, FunctionType) and thing not in seen and _folder(thing) in folders:
            seen.add(thing)
            todo += [thing.__defaults__, thing.__kwdefaults__]
            todo += [cell.cell_contents for cell in thing.__closure__ or ()]
            for code in _codes(thing.__code__):
                todo.append(code.co_consts)
                names.update(code.co_names)
                todo += [thing.__globals__[name] for name in code.co_names if name in thing.__globals__]
    return texts, names


def _folder(function: Any) -> str:
    return str(function.__module__).rpartition(".")[0]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of every function within it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)
