"""The rules of a corpus, and the corpus of a store: where they are found."""

from __future__ import annotations

from pathlib import Path

import msgspec

import regrade
from regrade.errors import CorpusError, RegradeError, StoreError
from regrade.files.corpus import Corpus
from regrade.files.documents import read_toml
from regrade.grades.rulebook import Rulebook
from regrade.tables.store import Store


def bundled_rules() -> Path:
    """The rules that come with the package: in the wheel, or beside the package in a checkout."""
    package = Path(regrade.__file__).parent
    inside = package / "bundled_rules"
    return inside if inside.is_dir() else package.parent / "rules"


def rules_here() -> Path | None:
    """`rules/` of the working folder, where nothing else says which rules are meant."""
    here = Path("rules")
    return here if here.is_dir() else None


def rule_roots(rules: Path | None = None, corpus: Corpus | None = None) -> list[Path]:
    """Where rules are looked for: `rules`, the corpus's own folder, and last those that come with the package."""
    if rules is not None and not rules.is_dir():
        raise RegradeError(f"No rules folder at {rules}. Name one with --rules.")
    own = corpus.rules if corpus is not None else None
    if own is not None and not own.is_dir():
        if rules is None:
            raise RegradeError(
                f"No rules folder at {own}, which [corpus] rules names. Mend the path; it counts from corpus.toml."
            )
        own = None
    return [*(r for r in (rules, own) if r is not None), bundled_rules()]


def rulebook(corpus: Corpus, rules: Path | None = None) -> Rulebook:
    """The rules of a corpus's benchmark."""
    return Rulebook(rule_roots(rules, corpus), corpus.benchmark)


def require_graded(store: Store) -> None:
    """StoreError where a store is loaded and not graded."""
    if "warnings" not in store.facts():
        raise StoreError(
            f"The store {store.path} is loaded and not graded. Run: regrade run --store {store.path.parent}"
        )


def store_corpus(store: Store) -> Corpus:
    """The corpus that a store was loaded from, as it was declared."""
    text = store.facts().get("corpus")
    if text is None:
        raise StoreError(f"The store {store.path} is not loaded. Run: regrade load CORPUS")
    return msgspec.json.decode(text, type=Corpus, dec_hook=lambda kind, value: kind(value))


def find_corpus(name: str, file: Path) -> Path:
    """The folder of the corpus of a name: here, in `transcripts/`, or so near a file or one of the folders above it.

    Raises:
        CorpusError: there is none, or more than one.
    """
    folder = file.resolve().parent
    for near_by in (Path.cwd(), folder, *[*folder.parents][:ABOVE]):
        tomls = [near_by / "corpus.toml", *near_by.glob("*/corpus.toml"), *near_by.glob("transcripts/*/corpus.toml")]
        found = sorted({toml.resolve().parent for toml in tomls if _is_of(toml, name)})
        if len(found) > 1:
            raise CorpusError(
                f"Found {len(found)} corpora of the name {name!r}: {', '.join(map(str, found))}. Name the one that is"
                " meant."
            )
        if found:
            return found[0]
    raise CorpusError(f"Found no corpus of the name {name!r} here or near {file}. Name its folder.")


ABOVE = 3
"""How many folders above a file its corpus is looked for in."""


def _is_of(toml: Path, name: str) -> bool:
    try:
        table = read_toml(toml).get("corpus") if toml.is_file() else None
    except CorpusError:
        return False
    return isinstance(table, dict) and table.get("name") == name
