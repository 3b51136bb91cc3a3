"""Guess what tells trials apart: configuration, item, run, trial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regrade.files import names as known
from regrade.files.fields import Field
from regrade.files.head import Head
from regrade.files.loaders.as_read import stem
from regrade.files.paths import FILENAME, LINE
from regrade.files.picker import Picker, is_key

FEW = 0.1
"""Share of the records that may have the key of an earlier one without being further trials."""


class Keys:
    """The columns of a trial's key."""

    def __init__(self, head: Head, picker: Picker, by_key: Mapping[str, Field]) -> None:
        """Guess nothing yet.

        Args:
            head: The first records.
            picker: Where what is found goes.
            by_key: Every field by its path, those that the loader added among them.
        """
        self.head = head
        self.picker = picker
        self.by_key = by_key
        self.columns: dict[str, Any] = picker.made.data.setdefault("columns", {})

    def guess(self, *, configuration: bool) -> None:
        """Guess all of them; without `configuration` where the parts of a wide log name it."""
        if configuration:
            self._configuration()
        picker = self.picker
        picker.take("columns.trial", picker.best(known.TRIAL, lambda f: is_key(f) and len(f.distinct) > 1))
        self._item()
        run = picker.best(known.RUN, lambda f: is_key(f) and 1 < len(f.distinct) <= len(f.values) // 2)
        picker.take("columns.run", run)
        self._tell_apart()

    def text(self, path: str, number: int) -> str:
        """What a column of the key is in a record."""
        record = self.head.records[number]
        if path == LINE:
            return str(record.line)
        if path == FILENAME:
            return stem(self.head.files[record.file])
        return str(self.by_key[path].values.get(number))

    def _set(self, column: str, path: str, why: str) -> None:
        self.columns[column] = path
        self.picker.made.why[f"columns.{column}"] = why

    def _default(self, column: str, otherwise: str) -> str:
        """What the loader takes for a column that no field is named for."""
        return self.head.loader.columns.get(column, otherwise)

    def _configuration(self) -> None:
        few = max(1, len(self.head.records) // 2)
        found = self.picker.best(
            known.CONFIGURATION,
            lambda f: is_key(f) and f.all_are(str, int) and (len(f.distinct) <= few or len(f.values) < 4),
        )
        self.picker.take("columns.configuration", found)
        if found is None and self.head.alone:
            made = self.picker.made
            made.data["each"] = [{"configuration": self.head.files[0].resolve().parent.name or "log"}]
            made.why["each.0.configuration"] = "no field names what was run: all files are one configuration"
        elif found is None:
            path = self._default("configuration", FILENAME)
            self._set("configuration", path, "no field names what was run: each file is a configuration")

    def _item(self) -> None:
        several = len(self.head.records) > 3
        found = self.picker.best(
            known.ITEM,
            lambda f: (
                is_key(f)
                and (not several or len(f.distinct) > 1)
                and (f.depth == 0 or f.names[0] not in known.ITEM_BARE or f.above in known.ITEM_ABOVE)
            ),
        )
        self.picker.take("columns.item", found)
        if found is None:
            path = self._default("item", FILENAME if self.head.alone else LINE)
            what = "each file is an item" if self.head.alone else "each line is an item of its own"
            self._set("item", path, f"no field names the item: {what}")

    def _tell_apart(self) -> None:
        """Add what tells apart the records of one key, where the item alone does not.

        A few records of an earlier key are rather copies than trials of their own.
        """
        many = FEW * len(self.head.records)
        if self._repeated() > many and "run" not in self.columns and not self.head.alone:
            self._run_if_needed()
        if self._repeated() > many and "trial" not in self.columns:
            self._trial_if_needed()
        if self._repeated() and self.head.alone:
            self._set("item", FILENAME, "no field tells the files' trials apart: each file is an item")
        if repeated := self._repeated():
            self.picker.made.notes.append(
                f"{repeated} of {len(self.head.records)} records have the key of an earlier one and would be rejects; "
                "map item, trial or run to what tells them apart"
            )

    def _run_if_needed(self) -> None:
        """Take the file for the run, where items repeat in several files and not within one."""
        self.columns["run"] = FILENAME
        if self._repeated():
            del self.columns["run"]
            return
        self._set("run", FILENAME, "items repeat from file to file: each is a run of them")
        self.picker.made.notes.append(
            "Items of one name stand in several files; if they are not the same, make a corpus of each"
        )

    def _trial_if_needed(self) -> None:
        for found in self.picker.ranked(known.TRIAL_IF_NEEDED, lambda f: is_key(f) and len(f.distinct) > 1):
            self.columns["trial"] = found.key
            if not self._repeated():
                self.picker.take("columns.trial", found)
                return
            del self.columns["trial"]
        if not self.head.alone:
            self._set("trial", LINE, "items repeat and no field counts their trials: the line does")

    def _repeated(self) -> int:
        """Records that have the key of an earlier one."""
        parts = [self.columns[name] for name in ("configuration", "item", "run", "trial") if name in self.columns]
        numbers = range(len(self.head.records))
        return len(numbers) - len({tuple(self.text(part, number) for part in parts) for number in numbers})
