"""Read corpus.toml: check every key, fill in a loader's defaults."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from regrade.errors import CorpusError, near
from regrade.files.bank import read_bank, read_notes
from regrade.files.corpus import Bank, CandidateSpec, Corpus, Partition, SampleSpec, Tier
from regrade.files.documents import read_toml
from regrade.files.loaders import Loader, detect, loader_named
from regrade.files.manifest import match_globs
from regrade.files.parts import check_path, named, parts_of
from regrade.files.rates import read_bands, read_metrics, read_panels
from regrade.files.shape import convert, identifiers, known_keys, named_tables, one_of, table

TABLES = (
    "corpus",
    "columns",
    "frozen",
    "each",
    "bank",
    "configurations",
    "tier",
    "candidate",
    "partition",
    "sample",
    "metric",
    "band",
    "panel",
)
STRATA = ("fail_to_pass", "pass_to_fail", "both_passed", "both_failed", "balanced")
ALLOCATIONS = ("equal", "proportional")
STATUSES = ("passed", "failed", "ungraded")


class Head(msgspec.Struct, frozen=True):
    """`[corpus]`."""

    name: str
    files: tuple[str, ...]
    benchmark: str | None = None
    format: str | None = None
    rules: str | None = None
    axis: str | None = None
    simulated: bool = False


class BankColumns(msgspec.Struct, frozen=True):
    """`[bank.columns]`."""

    family: str | None = None
    prompt: str | None = None
    gold: str | None = None


class ConfigurationColumns(msgspec.Struct, frozen=True):
    """`[configurations.columns]`."""

    model: str | None = None
    weights: str | None = None
    lineage: str | None = None
    provider: str | None = None
    server: str | None = None
    quant: str | None = None
    reasoning: str | None = None
    arm: str | None = None
    extra: str | None = None


class Configurations(msgspec.Struct, frozen=True):
    """`[configurations]`."""

    file: str | None = None
    columns: dict[str, str] = {}


def read_corpus(path: Path) -> Corpus:
    """Read and check a corpus.

    Args:
        path: A folder with a corpus.toml, or the TOML file itself.

    Raises:
        CorpusError: The file cannot be read, or what it says cannot be used.
    """
    file = path / "corpus.toml" if path.is_dir() else path
    if not file.is_file():
        raise CorpusError(f"{file}: no such file. Name a folder with a corpus.toml, or the file.")
    if file.suffix != ".toml":
        raise CorpusError(f"{file}: it is no corpus.toml. For a log write one first: regrade init {file}")
    return corpus_from(read_toml(file), file.parent, str(file))


def corpus_from(data: dict[str, Any], root: Path, where: str) -> Corpus:
    """Make a corpus of what a corpus.toml says.

    Args:
        data: Its tables.
        root: The folder that its paths are relative to.
        where: What to call it in errors.

    Raises:
        CorpusError: A key is unknown, missing, of a wrong type, or contradicts another; a glob matches no file where
            the format is to be detected; the bank or the notes cannot be read where there are notes.
    """
    known_keys(data, TABLES, where)
    head = convert(table(data, "corpus", where), Head, f"{where}: [corpus]")
    _check_head(head, f"{where}: [corpus]")
    configurations = _configurations(data, where)
    bank = _bank(data, where)
    _check_relative((*head.files, bank.file, bank.notes, configurations.file), where)
    besides = [path for path in (bank.file, bank.notes, configurations.file) if path]
    loader = _loader(head, root, besides, where)
    if bank.file is None:
        bank = msgspec.structs.replace(bank, columns={**loader.bank, **bank.columns})
    parts = parts_of(data, loader, lambda: [root / path for path in match_globs(root, head.files, besides)], where)
    axes = list(dict.fromkeys(axis for part in parts for axis in part.frozen))
    axis = head.axis or (axes[0] if axes else "pass")
    if axes:
        one_of(axis, axes, f"{where}: [corpus]: axis")
    identifiers([axis], f"{where}: [corpus]: axis")
    tiers = named_tables(data, "tier", Tier, where, reserved=("all", "frozen"))
    corpus = Corpus(
        root=root,
        name=head.name,
        benchmark=head.benchmark,
        format=loader.name,
        files=head.files,
        rules=None if head.rules is None else Path(os.path.normpath(root / head.rules)),
        axis=axis,
        axes=tuple(sorted(axes, key=lambda name: name != axis)),
        simulated=head.simulated,
        parts=parts,
        bank=bank,
        configurations=configurations.file,
        tiers=tiers,
        candidates=_candidates(data, where),
        partitions=_partitions(data, where),
        samples=_samples(data, axis, [tier.name for tier in tiers], where),
        notes=(),
        configuration_columns={**loader.configuration, **configurations.columns},
        metrics=read_metrics(data, axis, where),
        bands=read_bands(data, axis, where),
        panels=read_panels(data, where),
    )
    if bank.notes is None:
        return corpus
    items = read_bank(corpus)
    notes = read_notes(root / bank.notes, None if items is None else [item.item for item in items])
    return msgspec.structs.replace(corpus, notes=notes)


def _check_head(head: Head, where: str) -> None:
    for key, name in (("name", head.name), ("benchmark", head.benchmark)):
        if name is not None and (not name.isprintable() or name.strip(" .") == "" or "/" in name or "\\" in name):
            raise CorpusError(f"{where}: {key} = {name!r} cannot name a folder. Use letters, digits, - and _.")
    if not head.files:
        raise CorpusError(f"{where}: files is empty. List at least one glob.")


def _check_relative(paths: Iterable[str | None], where: str) -> None:
    for path in paths:
        if path is not None and (not path or posixpath.isabs(path)):
            raise CorpusError(f"{where}: found the path {path!r}. Paths are relative to the folder of corpus.toml.")


def _loader(head: Head, root: Path, besides: list[str], where: str) -> Loader:
    if head.format is None:
        paths = [root / path for path in match_globs(root, head.files, besides)]
        # An empty file says nothing of its format.
        return detect(next((path for path in paths if path.stat().st_size), paths[0]))
    try:
        return loader_named(head.format)
    except CorpusError as error:
        raise CorpusError(f"{where}: [corpus]: {error}") from error


def _bank(data: Mapping[str, Any], where: str) -> Bank:
    bank = convert(_with_columns(data, "bank", BankColumns, where), Bank, f"{where}: [bank]")
    if bank.file is not None and bank.columns:
        raise CorpusError(f"{where}: [bank] has a file and [bank.columns]. Keep the one that holds the items.")
    return bank


def _configurations(data: Mapping[str, Any], where: str) -> Configurations:
    given = _with_columns(data, "configurations", ConfigurationColumns, where)
    return convert(given, Configurations, f"{where}: [configurations]")


def _with_columns(data: Mapping[str, Any], key: str, kind: type[msgspec.Struct], where: str) -> dict[str, Any]:
    """The table `[key]`, its table `columns` checked: each a path in the record."""
    given = table(data, key, where)
    columns = named(convert(table(given, "columns", f"{where}: {key}"), kind, f"{where}: [{key}.columns]"))
    for column, path in columns.items():
        check_path(path, f"{where}: [{key}.columns]: {column}")
    return {**given, "columns": columns}


def _candidates(data: Mapping[str, Any], where: str) -> tuple[CandidateSpec, ...]:
    found = named_tables(data, "candidate", CandidateSpec, where)
    for each in found:
        _check_list(each.rules, f"{where}: [[candidate]] {each.name}: rules")
    return found


def _partitions(data: Mapping[str, Any], where: str) -> tuple[Partition, ...]:
    found = named_tables(data, "partition", Partition, where)
    for each in found:
        _check_list(each.sets, f"{where}: [[partition]] {each.name}: sets")
        one_of(each.of, STATUSES, f"{where}: [[partition]] {each.name}: of")
    return found


def _samples(data: Mapping[str, Any], axis: str, tiers: list[str], where: str) -> tuple[SampleSpec, ...]:
    found = named_tables(data, "sample", SampleSpec, where)
    return tuple(sample_spec(each, axis, tiers, f"{where}: [[sample]] {each.name}") for each in found)


def sample_spec(given: SampleSpec, axis: str, tiers: Iterable[str], label: str) -> SampleSpec:
    """A sample, checked and with its axis filled in.

    Args:
        given: As it was declared.
        axis: The primary axis.
        tiers: The declared tiers.
        label: What to call the sample in errors.

    Raises:
        CorpusError: A value of it is unknown.
    """
    identifiers([given.name], label)
    identifiers([given.candidate], f"{label}: candidate")
    one_of(given.stratum, STRATA, f"{label}: stratum")
    one_of(given.allocation, ALLOCATIONS, f"{label}: allocation")
    if given.tier not in (known := ["all", *tiers]):
        raise CorpusError(f"{label}: unknown tier {given.tier!r}.{near(given.tier, known)}")
    if len(set(given.by)) < len(given.by):
        raise CorpusError(f"{label}: by: a name stands twice in {list(given.by)}. Name each once.")
    return msgspec.structs.replace(given, axis=given.axis or axis)


def _check_list(names: tuple[str, ...], where: str) -> None:
    if not names:
        raise CorpusError(f"{where}: found an empty list. Name at least one.")
    identifiers(names, where)
