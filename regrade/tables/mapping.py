"""From a record's JSON to a row of `trials`, as a corpus's `[columns]`, `[frozen.*]` and `[[each]]` say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from regrade.errors import CorpusError
from regrade.files.corpus import Corpus, Part
from regrade.files.paths import FILENAME, LINE, parse_path
from regrade.tables.about import CONFIGURATION_FIELDS, ITEM_FIELDS
from regrade.tables.decoding import (
    ABSENT,
    NotJson,
    as_logged,
    decode,
    encode,
    finds_twice,
    follow,
    scalar_text,
)
from regrade.tables.frozen import AxisReader, StoredGrade
from regrade.tables.schema import KEPT
from regrade.tables.turns import StoredCall, StoredTurn, Unreadable, content_text, last_reply, turns_of

KEYS = ("configuration", "item", "trial")


class Refused(Exception):
    """A record, or a part of it, that cannot be loaded: the reason, and what was found."""

    def __init__(self, reason: str, found: str = "", item: str | None = None) -> None:
        self.reason = reason
        self.found = found
        self.item = item

    def excerpt(self, text: str) -> str:
        """What was found, then the beginning of the record."""
        fault = f"{self.found} in " if self.found else ""
        return (("" if self.item is None else f"item {self.item} in ") + (fault + text)[:KEPT])[:KEPT]


class Place(NamedTuple):
    """Where a record stands."""

    file_id: int
    stem: str
    line: int
    member: str | None = None


class Row(NamedTuple):
    """One trial as read."""

    trial: tuple[Any, ...]
    """The columns of `trials`, in order, `turns` as tuples."""
    graded: list[StoredGrade]
    about_item: tuple[Any, ...]
    """Values of ITEM_FIELDS in the record, where `[bank.columns]` maps any."""
    about_configuration: tuple[Any, ...]
    """Values of CONFIGURATION_FIELDS in the record, where `[configurations.columns]` maps any."""


Transcript = tuple[str, int | None, list[StoredTurn] | None, list[StoredCall]]
"""Reply, its turn, the turns (None where the log has a reply alone), the calls."""
Values = Mapping[str, Any]
"""What each mapped path leads to in a record; ABSENT where there is nothing."""


class Reader:
    """Reads the records of one corpus."""

    def __init__(self, corpus: Corpus, known_items: Collection[str] | None) -> None:
        """Take the corpus.

        Args:
            corpus: what it declares.
            known_items: items of the bank's file; a record of any other is refused. None: any item.
        """
        paths = [p for part in corpus.parts for p in (*part.columns.values(), *_frozen_paths(part))]
        paths = [*paths, *corpus.bank.columns.values(), *corpus.configuration_columns.values()]
        paths = [p for p in paths if p not in (LINE, FILENAME)]
        self.paths = {path: _parsed(path) for path in dict.fromkeys(paths)}
        self.parts = [PartReader(part, corpus, known_items) for part in corpus.parts]
        may_lack = {p for part in corpus.parts for p in _frozen_paths(part, optional=True)}
        self._unseen = set(self.paths) - may_lack
        self._any = False
        self._twice = finds_twice(self.paths.values())

    def values(self, text: str) -> Values:
        """The mapped values of a record. Refused where it is no object, or a mapped key stands twice in it."""
        try:
            record = decode(text)
            twice = isinstance(record, dict) and self._twice(text, record)
        except NotJson:
            raise Refused("not_json") from None
        if not isinstance(record, dict):
            raise Refused("not_object")
        values = {
            path: record.get(keys[0], ABSENT) if len(keys) == 1 else follow(record, keys)
            for path, keys in self.paths.items()
        }
        self._any = True
        if self._unseen:
            self._unseen = {path for path in self._unseen if values[path] is ABSENT}
        if twice:
            raise Refused("duplicate_key")
        return values

    def absent(self) -> list[str]:
        """Mapped paths that no object had."""
        return [path for path in self.paths if self._any and path in self._unseen]


class PartReader:
    """Reads one part of a record: one trial."""

    def __init__(self, part: Part, corpus: Corpus, known_items: Collection[str] | None) -> None:
        self.part = part
        self.known_items = known_items
        self.axes = [AxisReader(axis, spec) for axis, spec in part.frozen.items()]
        self._configuration, self._item, self._trial = (self._key(name) for name in KEYS)
        self._run = self._key("run") if "run" in part.columns or "run" in part.literals else None
        self._transcript = part.columns.get("turns") or part.columns["reply"]
        self._about_item = _fields(ITEM_FIELDS, corpus.bank.columns)
        self._about_configuration = _fields(CONFIGURATION_FIELDS, corpus.configuration_columns)

    def read(self, text: str, values: Values, place: Place) -> Row:
        """The trial. Refused where it cannot be loaded."""
        configuration = self._configuration(text, values, place)
        if configuration is None:
            raise self._missing("configuration")
        item = self._item(text, values, place)
        if item is None:
            raise self._missing("item")
        trial = self._trial(text, values, place)
        if trial is None:
            raise self._missing("trial")
        run = None if self._run is None else self._read_run(self._run, text, values, place)
        transcript = self._read_transcript(values)
        graded = []
        for axis in self.axes:
            if not axis.stores(values):
                continue
            grade = axis.read(values)
            if grade is None:
                raise Refused("bad_grade", axis.fault(values))
            graded.append(grade)
        if self.known_items is not None and item not in self.known_items:
            raise Refused("unknown_item", item=item)
        keys = (configuration, item, trial) if run is None else (configuration, item, run, trial)
        trial_id = "/".join(keys)
        if "%" in trial_id or trial_id.count("/") >= len(keys):
            trial_id = "/".join(map(_encoded, keys))
        found = (configuration, item, run, trial, place.file_id, place.line)
        state, extra = self._json(values, "state"), self._json(values, "extra")
        about = (
            tuple(ABSENT if p is None else values[p] for p in paths)
            for paths in (self._about_item, self._about_configuration)
        )
        return Row((trial_id, *found, *transcript, state, extra), graded, *about)

    def _read_transcript(self, values: Values) -> Transcript:
        value = values[self._transcript]
        name = "turns" if "turns" in self.part.columns else "reply"
        if value is ABSENT or (value is None and name == "turns"):
            raise self._missing(name)
        try:
            if name == "reply":
                return content_text(value), 0, None, []
            turns, calls = turns_of(value)
        except Unreadable:
            raise Refused("bad_turns", encode(value)) from None
        return *last_reply(turns), turns, calls

    def _json(self, values: Values, name: str) -> str | None:
        path = self.part.columns.get(name)
        return None if path is None or values[path] is ABSENT else encode(values[path])

    def _missing(self, name: str) -> Refused:
        return Refused("missing_key", f"{name} = {self.part.columns.get(name)} is absent")

    def _key(self, name: str) -> Callable[[str, Values, Place], str | None]:
        """What reads one part of a trial's key."""
        literal = self.part.literals.get(name, "0" if name == "trial" and name not in self.part.columns else None)
        if literal is not None:
            return lambda text, values, place: literal
        path = self.part.columns.get(name, "")
        if path == LINE:
            return lambda text, values, place: str(place.line)
        if path == FILENAME:
            return lambda text, values, place: place.stem
        keys = parse_path(path)

        def read(text: str, values: Values, place: Place) -> str | None:
            value = values[path]
            if isinstance(value, str):
                return value
            try:
                return as_logged(text, keys) if _loses_digits(value, text) else scalar_text(value)
            except NotJson:
                raise Refused("not_json") from None

        return read

    def _read_run(
        self, key: Callable[[str, Values, Place], str | None], text: str, values: Values, place: Place
    ) -> str | None:
        value = values.get(self.part.columns.get("run", ""))
        if isinstance(value, (dict, list)):
            raise Refused("missing_key", f"run is no text or number: {encode(value)}")
        return key(text, values, place)


def _fields(names: Sequence[str], columns: Mapping[str, str]) -> list[str | None]:
    """The path of each field, where any is mapped."""
    return [columns.get(name) for name in names] if columns else []


def _loses_digits(value: Any, text: str) -> bool:
    """Whether decoding has changed how a number is written: fractions and powers, and the zero with a sign."""
    return isinstance(value, float) or (value == 0 and isinstance(value, int) and "-0" in text)


def _parsed(path: str) -> tuple[str, ...]:
    try:
        return parse_path(path)
    except CorpusError as error:
        raise CorpusError(f"corpus.toml [columns]: {error}") from None


def _encoded(part: str) -> str:
    return part.replace("%", "%25").replace("/", "%2F")


def _frozen_paths(part: Part, optional: bool = False) -> list[str]:
    """Where the grades of a record stand; of those that it need not have, where `optional`."""
    specs = [spec for spec in part.frozen.values() if spec.optional or not optional]
    return [p for spec in specs for p in (spec.passed, spec.value, spec.code, spec.answer) if p]
