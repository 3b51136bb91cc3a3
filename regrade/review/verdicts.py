"""Verdicts and rulings as a corpus keeps them: a JSON object a line, bound to the draw by the sample's hash.

What is there is never written over. An audit reads them into its tables.
"""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from duckdb import DuckDBPyConnection

from regrade.errors import CorpusError, OutputError, one_line
from regrade.files.corpus import Corpus, SampleSpec
from regrade.files.documents import parse_json, read_text
from regrade.files.manifest import match_globs
from regrade.files.shape import known_keys, one_of
from regrade.flips.labels import LABELS
from regrade.review.key import FOLDER


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one reviewer said of one trial."""

    sample: str
    """The sample's hash."""
    trial: str
    reviewer: str
    label: str
    """One of LABELS."""
    comment: str = ""


class Ruling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The label of a trial on which the reviewers did not settle."""

    sample: str
    trial: str
    label: str
    reason: str
    by: str


class Spoken(NamedTuple):
    """What was said of a sample."""

    verdicts: list[Verdict]
    rulings: list[Ruling]


R = TypeVar("R", Verdict, Ruling)


def sample_folder(corpus: Corpus, name: str) -> Path:
    """Where the verdicts of a sample are kept."""
    return corpus.root / FOLDER / name


def verdict_files(corpus: Corpus, spec: SampleSpec) -> list[Path]:
    """The verdict files of a sample: those that it names, else those in its folder.

    Raises:
        CorpusError: it names one that is not there.
    """
    globs = spec.verdicts or (f"{FOLDER}/{spec.name}/*.jsonl",)
    if not spec.verdicts and not any(sample_folder(corpus, spec.name).glob("*.jsonl")):
        return []
    besides = [posixpath.normpath(path) for path in (spec.rulings, _rulings(spec)) if path]
    where = f"{corpus.root}: [[sample]] {spec.name}: verdicts"
    return [corpus.root / path for path in match_globs(corpus.root, globs, besides, where)]


def rulings_file(corpus: Corpus, spec: SampleSpec) -> Path:
    """The file of the rulings of a sample, whether it is there or not."""
    return corpus.root / _rulings(spec)


def _rulings(spec: SampleSpec) -> str:
    return spec.rulings or f"{FOLDER}/{spec.name}/rulings.jsonl"


def review_files(corpus: Corpus) -> list[Path]:
    """Every file of verdicts and rulings that the samples of a corpus rest on."""
    files = []
    for spec in corpus.samples:
        rulings = rulings_file(corpus, spec)
        files += [*verdict_files(corpus, spec), *([rulings] if rulings.is_file() else [])]
    return files


def read_spoken(corpus: Corpus, spec: SampleSpec, sample: str, trials: Iterable[str]) -> Spoken:
    """Read what was said of a sample.

    Args:
        corpus: whose sample it is.
        spec: the sample.
        sample: the hash of the draw as it is now.
        trials: those drawn.

    Raises:
        CorpusError: a file cannot be read; a line is of another draw, of a trial that was not drawn, there twice, or of
            an unknown label; rulings stand where no verdict does.
    """
    drawn = set(trials)
    verdicts: list[Verdict] = []
    seen: dict[tuple[str, ...], str] = {}
    for path in verdict_files(corpus, spec):
        for place, each in _read(path, Verdict, sample, drawn):
            _once(seen, (each.reviewer, each.trial), place, f"{each.reviewer} labels {each.trial}")
            verdicts.append(each)
    path = rulings_file(corpus, spec)
    rulings: list[Ruling] = []
    if path.is_file():
        ruled: dict[tuple[str, ...], str] = {}
        for place, ruling in _read(path, Ruling, sample, drawn):
            _once(ruled, (ruling.trial,), place, f"{ruling.trial} is ruled on")
            rulings.append(ruling)
        if rulings and not verdicts:
            raise CorpusError(f"{path}: it rules on trials that no verdict file labels. Add the files to verdicts.")
    return Spoken(verdicts, rulings)


def _once(seen: dict[tuple[str, ...], str], key: tuple[str, ...], place: str, what: str) -> None:
    if (first := seen.setdefault(key, place)) != place:
        raise CorpusError(f"{place}: {what} twice, first in {first}. Keep one of them.")


def read_records(path: Path, kind: type[R]) -> Iterable[tuple[str, R]]:
    """The records of a file, each with its place.

    Raises:
        CorpusError: a line is none, has an unknown label, or is a ruling that does not say its reason and who ruled.
    """
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            place = f"{path}: line {number}"
            each = _record(parse_json(line, place), kind, place)
            one_of(each.label, LABELS, f"{place}: label")
            if isinstance(each, Ruling):
                check_said(each, place)
            yield place, each


def check_said(ruling: Ruling, place: str) -> None:
    """CorpusError where a ruling does not say its reason and who ruled."""
    for name, text in (("reason", ruling.reason), ("by", ruling.by)):
        if not text.strip():
            raise CorpusError(f"{place}: no {name}. A ruling says its reason and who ruled.")


def _read(path: Path, kind: type[R], sample: str, drawn: set[str]) -> Iterable[tuple[str, R]]:
    for place, each in read_records(path, kind):
        if each.sample != sample:
            raise CorpusError(
                f"{place}: it is of another draw: its sample is {each.sample[:12]!r}, and the one drawn now is"
                f" {sample[:12]!r}. Corpus, candidate, frame or what was asked for has changed since. Move the file"
                " away, and have the new draw labelled."
            )
        if each.trial not in drawn:
            raise CorpusError(f"{place}: the trial {each.trial!r} was not drawn. Restore the file.")
        yield place, each


def _record(value: Any, kind: type[R], place: str) -> R:
    known_keys(value if isinstance(value, dict) else (), kind.__struct_fields__, place)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise CorpusError(f"{place}: {str(error).replace('`', '')}. Restore the file.") from None


def load_verdicts(con: DuckDBPyConnection, corpus: Corpus) -> None:
    """Fill the tables `verdicts` and `rulings` from the files that the drawn samples of a corpus name.

    Args:
        con: a store whose samples are drawn.
        corpus: the corpus.

    Raises:
        CorpusError: as `read_spoken`; a sample that is not drawn here has verdicts.
    """
    con.execute("delete from verdicts")
    con.execute("delete from rulings")
    for spec in corpus.samples:
        rows = con.execute("select trial_id, sha256 from samples where sample = ?", [spec.name]).fetchall()
        said = read_spoken(corpus, spec, rows[0][1] if rows else "", [trial for trial, _ in rows])
        verdicts = [(spec.name, v.trial, v.reviewer, v.label, v.comment) for v in said.verdicts]
        rulings = [(spec.name, r.trial, r.label, r.reason, r.by) for r in said.rulings]
        for table, width, values in (("verdicts", 5, verdicts), ("rulings", 5, rulings)):
            if values:
                con.executemany(f"insert into {table} values ({', '.join('?' * width)})", values)


def write_new(path: Path, records: Sequence[msgspec.Struct]) -> None:
    """Write records into a file of their own. OutputError where it is there already, or cannot be written."""
    beside = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(lines_of(records), encoding="utf-8", newline="\n")
        # Unlike a move, this fails where something is there.
        os.link(beside, path)
        beside.unlink()
    except FileExistsError:
        beside.unlink(missing_ok=True)
        raise OutputError(f"{path} is there already, and is not written over. Move it away first.") from None
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {one_line(str(error))}.") from None


def append(path: Path, records: Sequence[msgspec.Struct]) -> None:
    """Write records after those that a file has. OutputError where it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            file.seek(0)
            # An editor may have left the last line without its end.
            open_end = (held := file.read()) and not held.endswith(b"\n")
            file.write((b"\n" if open_end else b"") + lines_of(records).encode())
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {one_line(str(error))}.") from None


def lines_of(records: Iterable[msgspec.Struct]) -> str:
    """A JSON object a line, its keys in the order of the fields."""
    return "".join(json.dumps(msgspec.to_builtins(each), ensure_ascii=False) + "\n" for each in records)
