"""The few kinds of error, each a single line that says what, where, what was found and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RegradeError(Exception):
    """Something a user can mend. Becomes one line on standard error and an exit code."""

    exit_code = 2


class CorpusError(RegradeError):
    """A corpus.toml, bank, configurations file or transcript file cannot be used."""


class RuleError(RegradeError):
    """A rule file, grader file or candidate cannot be used, or raised."""


class StoreError(RegradeError):
    """The store cannot be opened, is of another version, or is held by another process."""


class StoreHeld(StoreError):
    """Another process has the store open."""


class OutputError(RegradeError):
    """An output cannot be written."""


class GateFailed(RegradeError):
    """A gate failed: checksum, lock, parity, or what --fail-on names."""

    exit_code = 1


def near(name: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` where a known name is close, then the list of known names."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"{hint} Known: {', '.join(names) if names else 'none'}."


def one_line(text: str) -> str:
    """Fold white space and control characters, so that an error stays on its line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
