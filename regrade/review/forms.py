"""The forms of a packet beside its page: JSON Lines, CSV, and tasks for Label Studio."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from regrade.errors import CorpusError
from regrade.files.csv_cells import bare_cell, guard_cell
from regrade.files.shape import shown

CSV_COLUMNS = (
    "sample",
    "reviewer",
    "id",
    "label",
    "comment",
    "labels",
    "question",
    "instruction",
    "gold",
    "transcript",
)
"""The columns of a packet.csv."""
FILLED_IN = ("label", "comment")
"""Those that are the reviewer's to fill in, and are written empty."""
HEADED = ("instruction", "gold")
"""What a spreadsheet would take for a number or a date, and show otherwise, stands behind its name."""
BOM = "\ufeff"
"""What tells a spreadsheet that a CSV is UTF-8."""

csv.field_size_limit(2**31 - 1)


def packet_jsonl(records: Iterable[Mapping[str, Any]]) -> str:
    """A record a line."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def packet_csv(records: Iterable[Mapping[str, Any]]) -> str:
    """A row a record, to be labelled in a spreadsheet, which runs none of it."""
    text = io.StringIO(newline="")
    text.write(BOM + ",".join(CSV_COLUMNS) + "\n")
    # Everything is quoted: with LF line ends some versions of csv leave a lone CR bare, which breaks the row.
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for record in records:
        flat = _flat(record)
        headed = {name: f"[{name}] {flat[name]}" for name in HEADED if flat[name]}
        cells = {**record, "labels": ", ".join(record["labels"]), **flat, **headed}
        writer.writerow(guard_cell(cells.get(name) or "") for name in CSV_COLUMNS)
    return text.getvalue()


def read_packet_csv(text: str, where: str) -> list[dict[str, str]]:
    """The rows of a packet.csv, by column; absent cells are empty.

    Each text is as it was before it was written; what a reviewer has filled in is as it stands.

    Args:
        text: the file, its line ends as they are.
        where: what to call it in errors.

    Raises:
        CorpusError: it is no CSV, or a row has more cells than there are columns.
    """
    text = text.removeprefix(BOM)
    # In some countries a spreadsheet saves with semicolons.
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), restval="", strict=True, delimiter=delimiter))
    except csv.Error as error:
        raise CorpusError(f"{where}: it is no CSV: {error}. Save it as CSV with commas.") from None
    for number, row in enumerate(rows, 2):
        # A spreadsheet may leave separators alone.
        if any(over := row.pop(None, [])):
            raise CorpusError(
                f"{where}: row {number}: it has {len(row) + len(over)} cells, and the header {len(row)}; over is"
                f" {shown(over[0])}. Put a text that holds {delimiter!r} in double quotes."
            )
    return [{name: _bare(name, cell) for name, cell in row.items()} for row in rows]


def _bare(name: str, cell: str) -> str:
    if name in FILLED_IN:
        return cell
    return bare_cell(cell).removeprefix(f"[{name}] " if name in HEADED else "")


def label_studio_tasks(records: Iterable[Mapping[str, Any]]) -> str:
    """The tasks to import into a project of Label Studio, in the order to be read."""
    kept = ("sample", "reviewer", "question")
    tasks = [
        {
            "data": {
                # A short export puts a number of its own under `id`.
                "packet_id": record["id"],
                **{name: record[name] for name in kept},
                **_flat(record),
                "transcript": [{"role": who, "text": text} for who, text in spoken(record["turns"])],
            }
        }
        for record in records
    ]
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def label_studio_config(labels: Sequence[str]) -> str:
    """The labelling configuration of that project; a label's key is its number."""
    choices = "\n".join(
        f"    <Choice value={quoteattr(name)} hotkey={quoteattr(str(at))}/>" for at, name in enumerate(labels, 1)
    )
    return f"""<View>
  <Style>[class*="phrase"] [class*="text"], [class*="richtext"] {{ white-space: pre-wrap; }}</Style>
  <Header value="$question"/>
  <Header size="5" value="Instruction"/>
  <Text name="instruction" value="$instruction" valueType="text"/>
  <Header size="5" value="Gold"/>
  <Text name="gold" value="$gold" valueType="text"/>
  <Header size="5" value="Transcript"/>
  <Paragraphs name="transcript" value="$transcript" valueType="json" layout="dialogue" nameKey="role" textKey="text"/>
  <Choices name="label" toName="transcript" choice="single-radio" required="true" showInline="true">
{choices}
  </Choices>
  <TextArea name="comment" toName="transcript" placeholder="Comment" maxSubmissions="1"/>
</View>
"""


def spoken(turns: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """A transcript as who says what: its turns, then each call of a turn and what came back."""
    said = []
    for turn in turns:
        if turn["text"] or not turn["calls"]:
            said.append((turn["role"], turn["text"]))
        for call in turn["calls"]:
            said.append((f"call {call['name']}", plain(call["arguments"])))
            if call["result"] is not None:
                said.append(("result", call["result"]))
    return said


def plain(value: Any) -> str:
    """A value as text: a text as it is, nothing as the empty text, anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _flat(record: Mapping[str, Any]) -> dict[str, str]:
    return {
        "instruction": plain(record["instruction"]),
        "gold": plain(record["gold"]),
        "transcript": "\n\n".join(f"[{who}]\n{text}" for who, text in spoken(record["turns"])),
    }
