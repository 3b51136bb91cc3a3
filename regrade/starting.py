"""From a log to a corpus: what `regrade init LOG` writes, and what `regrade audit FILE` makes in memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from regrade.books import rules_here
from regrade.errors import CorpusError, OutputError, one_line
from regrade.files.corpus import CandidateSpec, Corpus
from regrade.files.corpus_toml import read_corpus
from regrade.files.given import WHY, parse_given
from regrade.files.logs import Start, log_name, start
from regrade.files.toml_text import corpus_toml
from regrade.first_trials import read_first
from regrade.grades.rule_file import VERSION


def init_log(logs: Sequence[Path], out: Path | None = None, options: Iterable[str] = ()) -> dict[str, Any]:
    """Write a corpus.toml for a log where it lies, and read the first records by it.

    Args:
        logs: files and folders, of one format.
        out: the corpus's folder; default `transcripts/<name>`, by the first log's name.
        options: `COLUMN=PATH`, each in place of a guess.

    Returns:
        What was found, guessed, missed and read.

    Raises:
        CorpusError: there is a corpus.toml already, the log cannot be read, or nothing in it looks like a reply.
        OutputError: the corpus.toml cannot be written.
    """
    given = parse_given(options)
    name = given.get("corpus.name") or log_name(logs[0])
    out = out if out is not None else Path("transcripts") / name
    file = out / "corpus.toml"
    if file.exists():
        raise CorpusError(f"{file} exists. Edit it, delete it, or name another folder with --out.")
    with _folder(out):
        made = start(logs, out, name, str(file), given)
        trials, rejected = read_first(made)
        _write(file, corpus_toml(made.guess.data, made.guess, _above(made)))
    head = made.head
    return {
        "corpus": str(file),
        "format": head.loader.name,
        "about": head.loader.about,
        "guessed": made.guessed,
        "files": len(head.files),
        "left_out": [str(path) for path in head.others],
        "mapping": {key: value for key, value in made.guess.data.items() if key != "corpus"},
        "own": made.guess.own,
        "why": {key: why for key, why in made.guess.why.items() if why},
        "missing": made.guess.missing,
        "notes": made.guess.notes,
        "read": {
            "records": head.seen * len(made.corpus.parts),
            "whole": head.whole,
            "rejected": {reason: count for reason, (count, _) in rejected.items()},
            "examples": {reason: example for reason, (_, example) in rejected.items()},
        },
        "trials": trials,
        "next": str(out),
    }


@contextmanager
def _folder(out: Path) -> Iterator[None]:
    """Make a folder, since paths can be seen from one that exists alone; on an error what was made is gone."""
    made = [path for path in (out, *out.parents) if not path.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot make {out}: {one_line(str(error))}. Name another folder with --out.") from None
    done = False
    try:
        yield
        done = True
    finally:
        if not done:
            for path in made:
                path.rmdir()


def _write(file: Path, text: str) -> None:
    beside = file.with_name(".corpus.toml.new")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, file)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise OutputError(f"Cannot write {file}: {one_line(str(error))}. Name another folder with --out.") from None


def _above(made: Start) -> list[str]:
    head = made.head
    number = "all" if head.whole else "the first"
    how = (
        f"The mapping is guessed from {number} {len(head.records):,} records: read it and mend it."
        " A path is keys joined by dots."
        if made.guessed
        else f"{head.loader.name} knows its own fields: what it takes is written as comments; a line of yours wins."
    )
    return ["Made by regrade init. Paths count from this file; nothing is copied.", how]


def corpus_of(
    path: Path, options: Sequence[str] = (), benchmark: str | None = None, rules: Sequence[str] = ()
) -> tuple[Corpus, list[str]]:
    """The corpus that a path stands for, and what was guessed to make it.

    Args:
        path: a folder with a corpus.toml, that file, or a log.
        options: `COLUMN=PATH`, for a log alone.
        benchmark: for a log alone, its folder under rules/, which is looked for in the working folder too.
        rules: rules that are candidates by themselves besides those of the corpus.

    Raises:
        CorpusError: the path is none of these, the log cannot be mapped, or an option does not go with a corpus.toml.
    """
    is_log = path.is_file() and path.suffix != ".toml"
    if not is_log:
        if path.is_dir() and not (path / "corpus.toml").is_file():
            raise CorpusError(
                f"{path}: no corpus.toml in the folder. Write one for the logs in it: regrade init {path}"
            )
        for option, key in (("--map", options), ("--benchmark", benchmark)):
            if key:
                file = path / "corpus.toml" if path.is_dir() else path
                raise CorpusError(f"{option} goes with a log alone. Write it in {file}.")
        corpus, told = read_corpus(path), []
    else:
        given = parse_given(options)
        if benchmark is not None:
            given = {**given, "corpus.benchmark": benchmark}
        name = given.get("corpus.name") or log_name(path)
        made = start([path], path.parent, name, str(path), given, [path.name])
        told = _guesses(made)
        corpus = msgspec.structs.replace(made.corpus, guessed=tuple(told), rules=made.corpus.rules or rules_here())
    return with_rules(corpus, rules), told


def with_rules(corpus: Corpus, rules: Iterable[str]) -> Corpus:
    """A corpus with each of the rules as a candidate by itself, named as the rule without its version."""
    names = list(dict.fromkeys(rules))
    short = Counter(VERSION.sub("", name) for name in names)
    made = list(corpus.candidates)
    for name in names:
        alone = VERSION.sub("", name)
        candidate = CandidateSpec(alone if short[alone] == 1 else name, (name,))
        if candidate not in made:
            made.append(candidate)
    return msgspec.structs.replace(corpus, candidates=tuple(made))


def _guesses(made: Start) -> list[str]:
    """A line for each column that was guessed, and one for each that an audit would miss."""
    if not made.guessed:
        return []
    data = made.guess.data
    flat = {f"columns.{key}": value for key, value in data.get("columns", {}).items()}
    for axis, keys in data.get("frozen", {}).items():
        flat |= {f"frozen.{axis}.{key}": value for key, value in keys.items()}
    parts = data.get("each", [])
    for part in parts[:1]:
        flat |= {f"each.0.{key}": value for key, value in part.items() if key != "frozen"}
        for axis, keys in part.get("frozen", {}).items():
            flat |= {f"each.0.frozen.{axis}.{key}": value for key, value in keys.items()}
    flat |= {f"bank.{key}": value for key, value in data.get("bank", {}).get("columns", {}).items()}
    why = {key.replace("bank.columns.", "bank."): reason for key, reason in made.guess.why.items()}
    told = []
    for key, value in flat.items():
        reason = why.get(key, "")
        if reason != WHY:
            told.append(f"Guessed: {key.removeprefix('columns.')} = {value}{f' ({reason})' if reason else ''}.")
    if len(parts) > 1:
        told.append(f"Guessed: each alike for {', '.join(part['configuration'] for part in parts[1:])}.")
    wanted = {"frozen.pass.passed": "no field looks like a grade", "bank.columns.gold": "no field looks like the gold"}
    told += [
        f"Not found: {key.replace('.columns', '')}: {say}." for key, say in wanted.items() if key in made.guess.missing
    ]
    return told + [f"{note}." for note in made.guess.notes]
