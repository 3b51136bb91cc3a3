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
from regrade.tables.store import Store


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


class OtherDraw(NamedTuple):
    """A file that is of another draw than that of its sample now."""

    file: str
    """Relative to corpus.toml."""
    sha256: str
    """Of the draw that it is of."""


class Spoken(NamedTuple):
    """What was said of a sample, and the files that do not count since they are of another draw."""

    verdicts: list[Verdict]
    rulings: list[Ruling]
    others: list[OtherDraw]


R = TypeVar("R", Verdict, Ruling)
OTHERS = "other_draws"
"""Fact of a store: by sample, the files that are of another draw."""
REMEDY = (
    "Corpus, rules, tier, question or what is drawn has changed since. Restore that; or move the files away, draw again"
    " with: regrade sample, and have the new draw labelled."
)
"""What to do about verdicts of another draw."""


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
        sample: the hash of the draw as it is now; empty where nothing is drawn.
        trials: those drawn.

    Raises:
        CorpusError: a file cannot be read or is of two draws; a line is of a trial that was not drawn, there twice, or
            of an unknown label; rulings stand where no verdict does.
    """
    drawn = set(trials)
    found = Spoken([], [], [])
    seen: dict[tuple[str, ...], str] = {}
    for path in verdict_files(corpus, spec):
        for place, each in _of_draw(corpus, path, Verdict, sample, drawn, found.others):
            _once(seen, (each.reviewer, each.trial), place, f"{each.reviewer} labels {each.trial}")
            found.verdicts.append(each)
    path = rulings_file(corpus, spec)
    if path.is_file():
        ruled: dict[tuple[str, ...], str] = {}
        for place, ruling in _of_draw(corpus, path, Ruling, sample, drawn, found.others):
            _once(ruled, (ruling.trial,), place, f"{ruling.trial} is ruled on")
            found.rulings.append(ruling)
    if found.rulings and not found.verdicts:
        if not found.others:
            raise CorpusError(f"{path}: it rules on trials that no verdict file labels. Add the files to verdicts.")
        found.rulings.clear()
    return found


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


def _of_draw(
    corpus: Corpus, path: Path, kind: type[R], sample: str, drawn: set[str], others: list[OtherDraw]
) -> list[tuple[str, R]]:
    """The records of a file with their places, all of this draw; none where it is of another one, told to `others`."""
    rows = list(read_records(path, kind))
    for place, each in rows:
        if each.sample != (first := rows[0][1].sample):
            raise CorpusError(
                f"{place}: it is of another draw than the lines above: its sample is {each.sample[:12]!r}, and theirs"
                f" is {first[:12]!r}. Restore the file."
            )
    if rows and rows[0][1].sample != sample:
        others.append(OtherDraw(path.relative_to(corpus.root).as_posix(), rows[0][1].sample))
        return []
    for place, each in rows:
        if each.trial not in drawn:
            raise CorpusError(f"{place}: the trial {each.trial!r} was not drawn. Restore the file.")
    return rows


def _record(value: Any, kind: type[R], place: str) -> R:
    known_keys(value if isinstance(value, dict) else (), kind.__struct_fields__, place)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise CorpusError(f"{place}: {str(error).replace('`', '')}. Restore the file.") from None


def load_verdicts(store: Store, corpus: Corpus) -> None:
    """Fill the tables `verdicts` and `rulings` from the files that the drawn samples of a corpus name.

    What is of another draw is left out, and remembered: see `other_draws`.

    Args:
        store: a store whose samples are drawn.
        corpus: the corpus.

    Raises:
        CorpusError: as `read_spoken`.
    """
    store.con.execute("delete from verdicts")
    store.con.execute("delete from rulings")
    others = {}
    for spec in corpus.samples:
        rows = store.con.execute("select trial_id, sha256 from samples where sample = ?", [spec.name]).fetchall()
        said = read_spoken(corpus, spec, rows[0][1] if rows else "", [trial for trial, _ in rows])
        store.insert("verdicts", [(spec.name, v.trial, v.reviewer, v.label, v.comment) for v in said.verdicts])
        store.insert("rulings", [(spec.name, r.trial, r.label, r.reason, r.by) for r in said.rulings])
        others[spec.name] = said.others
    store.remember({OTHERS: json.dumps(others)})


def other_draws(con: DuckDBPyConnection) -> dict[str, list[OtherDraw]]:
    """The files of each sample that its verdicts and rulings were not taken from, since they are of another draw."""
    rows = con.execute("select value from meta where key = ?", [OTHERS]).fetchall()
    found = json.loads(rows[0][0]) if rows else {}
    return {name: [OtherDraw(*each) for each in files] for name, files in found.items()}


def other_draws_text(con: DuckDBPyConnection) -> str | None:
    """Say which files do not count, with both hashes, and what to do; None where there is none."""
    now = dict(con.execute("select sample, any_value(sha256) from samples group by sample").fetchall())
    told = [
        f"[[sample]] {name}: {', '.join(each.file for each in files)} ({' and '.join(sorted(drawn))}; now"
        f" {now.get(name) or 'nothing is drawn'})"
        for name, files in other_draws(con).items()
        if (drawn := {each.sha256 for each in files})
    ]
    return f"Verdicts of another draw, of which none is counted: {'; '.join(told)}. {REMEDY}" if told else None


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
