"""A log with its mapping: by its format where that has fields of its own, else by a guess."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from glob import escape
from pathlib import Path

import msgspec

from regrade.errors import CorpusError, one_line
from regrade.files.corpus import Corpus
from regrade.files.corpus_toml import corpus_from
from regrade.files.fields import dotted
from regrade.files.given import apply_given
from regrade.files.guess import PLAIN, guess
from regrade.files.head import Head, read_head
from regrade.files.manifest import match_globs
from regrade.files.nested import say_nested
from regrade.files.paths import FILENAME
from regrade.files.picker import Guess


@dataclass(frozen=True)
class Start:
    """A log with its mapping, as far as the first records show it."""

    head: Head
    guess: Guess
    corpus: Corpus

    @property
    def guessed(self) -> bool:
        """Whether the mapping is a guess, and not the format's own."""
        return self.head.loader.name in PLAIN


def start(
    logs: Sequence[Path],
    root: Path,
    name: str,
    where: str,
    given: Mapping[str, str],
    files: Sequence[str] | None = None,
) -> Start:
    """Map a log: by its format where that has fields of its own, else by a guess; what is given comes first.

    Args:
        logs: files and folders.
        root: the folder that the corpus's paths are relative to.
        name: the corpus's.
        where: what to call it in errors.
        given: what `parse_given` gives.
        files: globs; default: the files themselves, relative to `root`.

    Raises:
        CorpusError: the log cannot be read, or no record of it holds a reply or chat messages.
    """
    head = read_head(logs, given.get("corpus.format"))
    made = guess(head) if head.loader.name in PLAIN else _own(head)
    named = {"name": name, "format": head.loader.name, "files": list(files or _globs(logs, head, root))}
    made.data = {"corpus": named, **made.data}
    apply_given(made, given)
    if head.loader.name in PLAIN:
        _require_words(head, made)
    corpus = corpus_from(made.data, root, where)
    if any(part.columns.get("configuration") == FILENAME for part in corpus.parts):
        made.notes.append(
            "each configuration is named after its file, so that every file counts as another one, of no known weights"
            " and lineage. Where the log names its model, map that; else write a configurations file"
        )
    return Start(head, made, corpus)


def _own(head: Head) -> Guess:
    """What a format itself says of its fields, as comments."""
    made = Guess(data={})
    loader = head.loader
    made.own = {f"columns.{key}": path for key, path in loader.columns.items()}
    for axis, keys in loader.frozen(lambda: head.files).items():
        made.own |= {f"frozen.{axis}.{key}": v for key, v in msgspec.to_builtins(keys).items() if v is not None}
    made.own |= {f"bank.columns.{key}": path for key, path in loader.bank.items()}
    return made


def _require_words(head: Head, made: Guess) -> None:
    columns = made.data.get("columns", {})
    if columns.keys() & {"turns", "reply"} or all(p.keys() & {"turns", "reply"} for p in made.data.get("each", [{}])):
        return
    record = head.records[0].value
    keys = [key for key in dict.fromkeys(k for r in head.records for k in r.value) if key != head.loader.typed]
    told = one_line(", ".join(dotted([key])[:40] for key in keys[:10])) + (", ..." if len(keys) > 10 else "")
    hint = say_nested(record, head.files[0]) if head.loader.name in ("json", "jsonl") else ""
    raise CorpusError(
        f"{head.files[0]}: no field looks like a reply or like chat messages; found {told}. "
        f"{hint}{'Or name' if hint else 'Name'} one with --map reply=PATH or --map turns=PATH."
    )


def _globs(logs: Sequence[Path], head: Head, root: Path) -> list[str]:
    """Globs of the files, seen from `root`: for a folder one a kind of file, where that names the same files."""
    listed: list[str] = []
    for log in logs:
        here = _seen_from(root, log)
        if not log.is_dir():
            listed.append(here)
            continue
        inside = [path for path in head.files if path.is_relative_to(log)]
        endings = sorted(
            {"".join(path.suffixes[-2:]) if path.suffix in (".gz", ".zst") else path.suffix for path in inside}
        )
        globs = [f"{escape(here)}/**/*{escape(ending)}" for ending in endings]
        same = {_seen_from(root, path) for path in inside}
        listed += globs if {p.as_posix() for p in match_globs(root, globs)} == same else sorted(same)
    return listed


def _ending(path: Path) -> str:
    return "".join(path.suffixes[-2:]) if path.suffix in (".gz", ".zst") else path.suffix


def _seen_from(root: Path, path: Path) -> str:
    """A path relative to a folder, with links on the way followed, since `..` follows them too."""
    here = Path(os.path.realpath(root))
    real = Path(os.path.realpath(path.parent)) / path.name if path.name not in ("", "..") else path.resolve()
    return Path(os.path.relpath(real, here)).as_posix()


def log_name(log: Path) -> str:
    """A name for the corpus of a log: the file's or folder's, in letters, digits, `.`, `-` and `_`."""
    name = log.resolve().name
    if not log.is_dir():
        for ending in (".gz", ".zst"):
            name = name.removesuffix(ending)
        name = Path(name).stem
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._") or "log"
