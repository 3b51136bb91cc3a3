"""Guess where the fields of a log stand, by what they are called and by what they hold; each guess has its reason."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from regrade.files import names as known
from regrade.files.fields import Field, fields_of
from regrade.files.guess_grades import Axis, beside, guess_axes, read_grade
from regrade.files.guess_keys import Keys
from regrade.files.head import Head
from regrade.files.loaders.as_read import KEY as AS_READ
from regrade.files.picker import MOST, Guess, Picker, asked, is_chat_field, is_object, is_turns, told
from regrade.files.wide import Wide, find_wide

PLAIN = ("jsonl", "json", "csv", "parquet", "chat")
"""Formats of objects whose fields anyone may have named."""
HALF = 0.5
"""Share of the records that must have a reply, or a field of the item."""
LONG = 40
"""Characters on average of a text that may be a reply though its name does not say so."""
TABLES = ("columns", "frozen", "each", "bank")
COLUMNS = ("configuration", "item", "run", "trial", "turns", "reply", "state", "extra")
MISSING = (
    ("trial", "what counts the trials of one item; without it each is trial 0"),
    ("state", "the final state of the environment, for rules that look at it"),
)
MISSING_OF_GRADES = (
    ("code", "why a trial failed"),
    ("answer", "what the grader read in the reply"),
)
MISSING_OF_ITEMS = (
    ("family", "kind of item; counts are split by it"),
    ("prompt", "what was asked; shown beside each flip"),
    ("gold", "what the benchmark accepts; most rules need it"),
)


def guess(head: Head) -> Guess:
    """Guess the mapping of a log of plain objects from its first records.

    Neither `turns` nor `reply` is there where nothing looks like either; every other column that a trial needs is.
    """
    records = [record.value for record in head.records]
    loader = head.loader
    # What a loader adds to the records is no field of the log.
    added = {AS_READ, loader.typed} if loader.columns else {loader.typed}
    everything = fields_of(records)
    logged = {path: f for path, f in everything.items() if path[0] not in added}
    wide = find_wide(logged)
    fields = [f for path, f in logged.items() if wide is None or not wide.holds(path)]
    # The siblings in a single record are rather its items than its configurations: they are no trials of it.
    made = _Guesser(head, fields, wide if len(records) > 1 else None, {f.key: f for f in everything.values()})
    if loader.typed is not None:
        made.graded = list(fields_of([record.get(loader.typed) or {} for record in records]).values())
    return made.guess()


class _Guesser:
    def __init__(self, head: Head, fields: list[Field], wide: Wide | None, by_key: Mapping[str, Field]) -> None:
        self.picker = Picker(fields)
        self.made = self.picker.made
        self.keys = Keys(head, self.picker, by_key)
        self.few = max(1, len(head.records) // 2)
        self.wide = wide
        self.graded = fields
        """Where grades are looked for."""
        self.axes: list[Axis] = []

    def guess(self) -> Guess:
        picker = self.picker
        turns = None
        if self.wide is None:
            turns, reply = self._said(picker.fields)
            picker.take("columns.turns", turns)
            picker.take("columns.reply", reply)
            self.axes, self.made.notes[:] = guess_axes([f for f in self.graded if f not in picker.taken])
            picker.taken += [axis.field for axis in self.axes]
        else:
            self._parts(self.wide)
        self.keys.guess(configuration=self.wide is None)
        for column, listed in (("state", known.STATE), ("extra", known.EXTRA)):
            picker.take(f"columns.{column}", picker.best(listed, is_object))
        self._bank(turns)
        self._frozen()
        self._say_missing()
        data = self.made.data
        data["columns"] = {column: data["columns"][column] for column in COLUMNS if column in data["columns"]}
        self.made.data = {table: data[table] for table in TABLES if table in data}
        return self.made

    def _said(self, fields: Sequence[Field]) -> tuple[Field | None, Field | None]:
        """The chat messages or, where none has an assistant's, the reply."""
        turns = self.picker.best(known.TURNS, is_turns, fields)
        if turns is not None:
            return turns, None
        others = self._untold(fields)
        replies = self.picker.ranked(
            known.REPLY,
            lambda f: _is_reply(f) and (f.names[0] not in known.REPLY_OR_ANY_TEXT or others in ([], [f])),
            fields,
        )
        golds = self.picker.ranked(known.GOLD, lambda f: True, fields)
        if len(replies) > 1 and golds and replies[0] is golds[0]:
            # A log that has a further reply means the gold by `answer`.
            replies = replies[1:]
        if replies:
            return None, replies[0]
        turns = next((f for f in fields if is_turns(f, last=True)), None)
        return turns, others[0] if turns is None and len(others) == 1 else None

    def _untold(self, fields: Sequence[Field]) -> list[Field]:
        """The long texts at the top of the records that no name claims for something else than the reply."""
        claimed = {*known.PROMPT, *known.GOLD, *known.FAMILY, *known.ITEM, *known.CONFIGURATION, *known.NO_REPLY_IN}
        return [
            f
            for f in fields
            if _is_reply(f)
            and len(f.path) == 1
            and f.length >= LONG
            and len(f.distinct) > 2
            and not {*f.names} & claimed
        ]

    def _parts(self, wide: Wide) -> None:
        """One `[[each]]` for each of the siblings, guessed from the first: all have the same keys."""
        each = self.made.data.setdefault("each", [])
        first = list(fields_of(wide.objects(0)).values())
        turns, reply = self._said(first)
        axes, notes = guess_axes([f for f in first if f is not reply and f is not turns])
        self.made.notes += notes
        for number, sibling in enumerate(wide.siblings):
            part: dict[str, Any] = {"configuration": sibling}
            for column, found in (("turns", turns), ("reply", reply)):
                if found is not None:
                    part[column] = wide.key(number, found)
                    self.made.why[f"each.{number}.{column}"] = told(found)
            for axis in axes:
                near = beside(axis, first, [f for f in (turns, reply) if f is not None])
                keys = {**axis.keys, **{key: f.key for key, f in near.items()}}
                paths = {"passed", "value", "code", "answer"}
                moved = {key: wide.moved(number, value) if key in paths else value for key, value in keys.items()}
                part.setdefault("frozen", {})[axis.name] = moved
                for key in axis.keys:
                    self.made.why[f"each.{number}.frozen.{axis.name}.{key}"] = "" if number else axis.why[key]
            each.append(part)
        names = ", ".join(wide.siblings[:4])
        self.made.why["each"] = f"{len(wide.siblings)} objects of one shape in each record ({names}): a trial each"

    def _frozen(self) -> None:
        """The axes, once it is known which fields are the item's: what is left beside a grade may be its answer."""
        for axis in self.axes:
            keys = self.made.data.setdefault("frozen", {}).setdefault(axis.name, dict(axis.keys))
            self.made.why |= {f"frozen.{axis.name}.{key}": why for key, why in axis.why.items()}
            for key, found in beside(axis, self.picker.fields, self.picker.taken).items():
                keys[key] = found.key
                self.made.why[f"frozen.{axis.name}.{key}"] = told(found)

    def _bank(self, turns: Field | None) -> None:
        picker = self.picker
        gold = picker.best(known.GOLD, lambda f: not _is_empty(f) and self._is_steady(f, "gold"))
        picker.take("bank.columns.gold", gold)
        prompt = picker.best(known.PROMPT, lambda f: f.all_are(str, share=MOST) and self._is_steady(f, "prompt"))
        if prompt is None:
            chats = [*picker.ranked(known.PROMPT, is_chat_field), *([turns] if turns else [])]
            prompt = next((p for p in map(asked, chats) if p is not None and self._is_steady(p, "prompt")), None)
        picker.take("bank.columns.prompt", prompt)
        family = picker.best(
            known.FAMILY,
            lambda f: f.depth < 2 and f.all_are(str) and len(f.distinct) <= self.few and self._is_steady(f, "family"),
        )
        picker.take("bank.columns.family", family)

    def _is_steady(self, found: Field, name: str) -> bool:
        """Whether a field is in most records, and the same wherever the item is."""
        if found.filled < HALF:
            return False
        item = self.keys.columns["item"]
        seen: dict[str, str] = {}
        for number, value in found.values.items():
            of, text = self.keys.text(item, number), json.dumps(value)
            if seen.setdefault(of, text) != text:
                self.made.notes.append(f"{found.key} is not the same in all records of item {of[:60]!r}: no {name}")
                return False
        return True

    def _say_missing(self) -> None:
        data, missing = self.made.data, self.made.missing
        for column, advice in MISSING:
            if column not in data["columns"]:
                missing[f"columns.{column}"] = advice
        for axis, keys in data.get("frozen", {}).items():
            for key, advice in MISSING_OF_GRADES:
                if key not in keys:
                    missing[f"frozen.{axis}.{key}"] = advice
        if not data.get("frozen") and not any(part.get("frozen") for part in data.get("each", [])):
            missing["frozen.pass.passed"] = "path of a boolean or 0/1; or value with passes, or with passed_values"
        for column, advice in MISSING_OF_ITEMS:
            if column not in data.get("bank", {}).get("columns", {}):
                missing[f"bank.columns.{column}"] = advice


def _is_reply(found: Field) -> bool:
    said = sum(isinstance(value, str) or _is_lone_text(value) for value in found.values.values())
    if found.filled < HALF or said < MOST * len(found.values) or found.above in known.NO_REPLY_IN:
        return False
    if found.names[0] in known.GRADE and (reading := read_grade(found)) is not None:
        return reading.kind != "words"
    return found.names[0] != "code" or found.length >= 40


def _is_empty(found: Field) -> bool:
    return all(value in ("", [], {}) for value in found.values.values())


def _is_lone_text(value: Any) -> bool:
    """Whether a value is a list of one text, which is read as that text."""
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], str)
