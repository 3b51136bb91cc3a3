"""What `regrade sample` does: draws a sample of a corpus and writes the packets and the sealed key."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regrade.audit import Progress, silent
from regrade.books import rulebook
from regrade.errors import CorpusError, OutputError, near, one_line
from regrade.files.corpus import Corpus, SampleSpec
from regrade.files.corpus_toml import read_corpus, sample_spec
from regrade.files.manifest import match_globs, verify
from regrade.files.shape import convert
from regrade.flips.labels import LABELS
from regrade.flips.samples import check_sample
from regrade.ground import columns_of, declared, graded_store
from regrade.review.draw import Draw, declaration, digest, draw_sample
from regrade.review.forms import label_studio_config, label_studio_tasks, packet_csv, packet_jsonl
from regrade.review.key import REVIEW, read_key
from regrade.review.packets import Packets, make_packets
from regrade.review.page import review_page

SCHEMA = "regrade.sample/1"
NEEDED = ("candidate", "stratum", "size", "seed")
KEY = Path("sealed", "key.json")


@dataclass(frozen=True)
class Sampled:
    """What was drawn, and where it is."""

    draw: Draw
    packets: Packets
    out: Path
    declared: bool
    """Whether corpus.toml has the sample."""
    key_sha256: str

    def plain(self) -> dict[str, Any]:
        """The machine form: what was drawn of which frame, by stratum, and where packets and key are."""
        spec = self.draw.spec
        return {
            "schema": SCHEMA,
            "sample": spec.name,
            "declared": self.declared,
            "declaration": declaration(spec.name, self.draw.bound),
            "sha256": self.draw.sha256,
            "axis": spec.axis,
            "candidate": spec.candidate,
            "tier": spec.tier,
            "seed": spec.seed,
            "size": spec.size,
            "frame": self.draw.frame,
            "drawn": len(self.draw.trials),
            "masked": self.packets.key["masked"],
            "left_out": self.packets.key["left_out"],
            "strata": [stratum._asdict() for stratum in self.draw.strata],
            "reviewers": list(self.packets.records),
            "packets": str(self.out / "packets"),
            "key": str(self.out / KEY),
            "key_sha256": self.key_sha256,
        }


@dataclass(frozen=True)
class Asked:
    """Which sample is meant: a declared one by its name alone, or what to draw."""

    name: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """Keys of `[[sample]]` beside the name."""


def sample(
    path: Path,
    asked: Asked,
    *,
    reviewers: int = 2,
    out: Path | None = None,
    rules: Path | None = None,
    allow_parity_gap: bool = False,
    progress: Progress = silent,
) -> Sampled:
    """Draw a sample, and write a packet for each reviewer and the sealed key. Again, it writes the same.

    Args:
        path: folder with a corpus.toml, or the file.
        asked: what to draw.
        reviewers: how many, named r1, r2, ...
        out: where to write; default `reviews/<name>` in the folder of the corpus.
        rules: a rules folder that wins over the corpus's and the bundled one.
        allow_parity_gap: go on where the frozen grader does not give the frozen grades.
        progress: called as the work goes on.

    Raises:
        GateFailed: checksum, lock or parity.
        OutputError: it cannot be written, or something else stands there.
        RegradeError: the corpus, a rule or the sample cannot be used, or there is nothing to draw.
    """
    corpus = read_corpus(path)
    spec = _spec(corpus, asked)
    manifest, book = verify(corpus), rulebook(corpus, rules)
    candidates = declared(corpus, book)
    if spec.candidate not in candidates:
        raise CorpusError(
            f"[[sample]] {spec.name}: unknown candidate {spec.candidate!r}.{near(spec.candidate, candidates)} Another"
            " one is declared in corpus.toml as [[candidate]], with its name and its rules, which may be generic:"
            f" {', '.join(book.generic_names())}."
        )
    columns = columns_of(corpus, book, {spec.candidate})
    with graded_store(corpus, manifest, book, columns, progress, allow_parity_gap=allow_parity_gap) as store:
        draw = draw_sample(store.con, check_sample(store.con, corpus, spec))
        if not draw.trials:
            raise CorpusError(
                f"[[sample]] {spec.name}: nothing to draw, no trial of the tier {spec.tier} is {spec.stratum} under"
                f" {spec.candidate} on the axis {spec.axis}. Name another stratum or tier."
            )
        packets = make_packets(store.con, draw, [f"r{number}" for number in range(1, reviewers + 1)])
    out = out or corpus.root / "reviews" / spec.name
    key = json.dumps(packets.key, ensure_ascii=False, indent=1) + "\n"
    files = {KEY: key, **packet_files(packets, digest(key))}
    require_apart(corpus, [out / path for path in files])
    write_files(out, files)
    return Sampled(draw, packets, out, spec in corpus.samples, digest(key))


def _spec(corpus: Corpus, asked: Asked) -> SampleSpec:
    known = {each.name: each for each in corpus.samples}
    if asked.options and asked.name in known:
        raise CorpusError(
            f"[[sample]] {asked.name} is declared in corpus.toml, so --{next(iter(asked.options))} cannot be given with"
            " its name. Leave it out, or choose another name."
        )
    if asked.options:
        lacking = [f"--{key}" for key in NEEDED if key not in asked.options]
        if lacking:
            raise CorpusError(f"A sample of {corpus.name} needs {', '.join(lacking)} as well.")
        name = asked.name or f"{asked.options['candidate']}_{asked.options['stratum']}"
        label = f"[[sample]] {name}"
        if name in known:
            raise CorpusError(f"{label} is declared in corpus.toml. Choose another name with --name.")
        given = convert({"name": name, **asked.options}, SampleSpec, label)
        return sample_spec(given, corpus.axis, [tier.name for tier in corpus.tiers], label)
    name = asked.name or (next(iter(known)) if len(known) == 1 else "")
    if name in known:
        return known[name]
    found = f"unknown sample {name!r}" if name else "name a declared sample"
    needed = ", ".join(f"--{key}" for key in NEEDED)
    raise CorpusError(f"{corpus.name}: {found}.{near(name, known)} Or say what to draw: {needed}.")


def packet_files(packets: Packets, key_sha256: str) -> dict[Path, str]:
    """The files of the packets, by path."""
    files: dict[Path, str] = {}
    for reviewer, records in packets.records.items():
        folder = Path("packets", reviewer)
        files |= {
            folder / "packet.jsonl": packet_jsonl(records),
            folder / "packet.csv": packet_csv(records),
            folder / "label_studio_tasks.json": label_studio_tasks(records),
            folder / "label_studio_config.xml": label_studio_config(LABELS),
            folder / "review.html": review_page(records, key_sha256),
            folder / "key.sha256": f"{key_sha256}\n",
        }
    return files


def require_apart(corpus: Corpus, paths: Iterable[Path]) -> None:
    """OutputError where the globs of the corpus would take a file of these for transcripts."""
    root = corpus.root.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        # The paths from the root of the file system, so that a pattern may climb as far as it does there.
        top = Path(scratch).resolve()
        home = _under(top, root)
        home.mkdir(parents=True)
        for alike in (_under(top, path.resolve()) for path in paths):
            alike.parent.mkdir(parents=True, exist_ok=True)
            alike.touch()
        for pattern in corpus.files:
            with suppress(CorpusError):
                for taken in match_globs(home, [pattern]):
                    if (home / taken).resolve().is_relative_to(top):
                        raise OutputError(
                            f"{root / taken}: files = {pattern!r} of corpus.toml would take it for a transcript. Mend"
                            " it, or name another folder."
                        )


def _under(top: Path, path: Path) -> Path:
    return top / path.relative_to(path.anchor)


def write_files(out: Path, files: Mapping[Path, str]) -> None:
    """Write a key and its packets, as far as they are not there yet; OutputError where other ones are."""
    try:
        _require_these(out, files[KEY])
        there = {path for path in files if (out / path).exists()}
        for path in sorted(there):
            if (out / path).read_bytes() != files[path].encode():
                raise OutputError(
                    f"{out / path}: a packet that a reviewer has filled in, or what another version wrote, is there."
                    " Move it, or name another folder."
                )
        for path in (path for path in files if path not in there):
            beside = (out / path).with_name(f".{path.name}.new")
            beside.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(files[path].encode())
            os.replace(beside, out / path)
    except OSError as error:
        raise OutputError(f"Cannot write into {out}: {one_line(str(error))}. Name another folder.") from None


def _require_these(out: Path, key: str) -> None:
    """OutputError where the key of another draw, or of other reviewers, is there."""
    path = out / KEY
    if not path.exists() or path.read_bytes() == key.encode():
        return
    try:
        held, made = read_key(path), json.loads(key)
    except CorpusError:
        raise OutputError(f"{path}: something else than a key is there. Move it, or name another folder.") from None
    if held.sample != made["sample"]:
        raise OutputError(
            f"{path}: the key of another draw, of {held.name} with the sample {held.sample[:12]!r}, is there. Move it"
            " with its packets, or name another folder."
        )
    if [*held.reviewers] != [*made["reviewers"]] or held.purpose != made.get("purpose", REVIEW):
        raise OutputError(
            f"{path}: the same draw, for {', '.join(held.reviewers)}, is there. Name another folder for"
            f" {', '.join(made['reviewers'])}."
        )
