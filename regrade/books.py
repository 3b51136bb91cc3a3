"""The rules of a corpus, and the corpus of a store: where they are found."""

from __future__ import annotations

from pathlib import Path

import msgspec

import regrade
from regrade.errors import RegradeError, StoreError
from regrade.files.corpus import Corpus
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
