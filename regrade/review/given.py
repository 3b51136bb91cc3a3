"""Verdict files as reviewers give them back: the page's file, the filled CSV or JSON Lines, a Label Studio export.

Each form is read into the same rows. What they say is checked against the key, in `binding`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from regrade.errors import CorpusError, near
from regrade.files.documents import parse_json, read_text
from regrade.files.shape import shown
from regrade.review.forms import read_packet_csv

PAGE_SCHEMA = "regrade.verdicts/1"
COLUMNS = ("sample", "id", "label")
"""What a table of labels must have; it may have `reviewer` and `comment` too."""
FORMS = "the page's file, the filled packet.csv or packet.jsonl, or a Label Studio export"


class Given(NamedTuple):
    """One row of a verdict file, as it stands there."""

    place: str
    """File and line, row or task, for errors."""
    sample: str
    reviewer: str
    """Empty where the file does not say."""
    id: str
    label: str
    """Empty where none was given."""
    comment: str


def read_given(path: Path) -> list[Given]:
    """Read a verdict file of any of the forms, told apart by what it holds.

    Raises:
        CorpusError: It cannot be read, is of none of the forms, or a row lacks what a verdict needs; the error names
            the row.
    """
    text = given_text(path)
    start = text.lstrip()[:1]
    if not start:
        raise CorpusError(f"{path}: it is empty. Expected {FORMS}.")
    if start == "[":
        rows = list(_label_studio(parse_json(text, str(path)), path))
    elif start != "{":
        rows = list(_table(text, path))
    elif _is_page(text):
        rows = list(_page(parse_json(text, str(path)), path))
    else:
        rows = list(_lines(text, path))
    if not rows:
        raise CorpusError(f"{path}: it has no verdict. Label a trial, and save it again.")
    return rows


def given_text(path: Path) -> str:
    """The text of a file that was given back. CorpusError where it is none, or the page and not what it saved."""
    try:
        text = read_text(path)
    except CorpusError as error:
        if path.is_file() and path.read_bytes().startswith(SHEETS):
            raise CorpusError(f"{path}: it is a spreadsheet's own file. Save it as CSV (UTF-8).") from None
        if isinstance(error.__cause__, UnicodeDecodeError):
            raise CorpusError(
                f"{path}: not UTF-8 at byte {error.__cause__.start}. Save it once more: as CSV UTF-8 in Excel, as Text"
                " CSV with the character set UTF-8 in Calc."
            ) from None
        raise
    if text.lstrip().startswith("<"):
        raise CorpusError(
            f"{path}: it is a page, not what was labelled in it. Open it in a browser, and give back what its button"
            " Save the file makes."
        )
    return text


SHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How the files of spreadsheets begin: .xlsx and .ods, .xls."""


def _is_page(text: str) -> bool:
    try:
        first, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return False
    return "verdicts" in first


def _page(value: Mapping[str, Any], path: Path) -> Iterator[Given]:
    if value.get("schema") != PAGE_SCHEMA:
        raise CorpusError(f"{path}: schema is {shown(value.get('schema'))}, expected {PAGE_SCHEMA!r}. Save it again.")
    if not isinstance(value["verdicts"], list):
        raise CorpusError(f"{path}: verdicts is {shown(value['verdicts'])}, expected a list. Save it again.")
    head = {"sample": value.get("sample"), "reviewer": value.get("reviewer")}
    for number, each in enumerate(value["verdicts"], 1):
        place = f"{path}: verdict {number}"
        yield _given({**_object(each, place), **head}, place)


def _lines(text: str, path: Path) -> Iterator[Given]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            place = f"{path}: line {number}"
            yield _given(_object(parse_json(line, place), place), place)


def _table(text: str, path: Path) -> Iterator[Given]:
    for number, row in enumerate(read_packet_csv(text, str(path)), 2):
        if number == 2 and (lost := [name for name in COLUMNS if name not in row]):
            raise CorpusError(f"{path}: no column {lost[0]!r}.{near(lost[0], row)} Expected {FORMS}.")
        # A spreadsheet may leave rows of separators alone.
        if any(row.values()):
            yield _given(row, f"{path}: row {number}")


def _label_studio(value: list[Any], path: Path) -> Iterator[Given]:
    """The tasks of an export, as JSON or as JSON_MIN; a task that nobody annotated is a row without a label."""
    for number, each in enumerate(value, 1):
        place = f"{path}: task {number}"
        task = _object(each, place)
        if "annotations" not in task and "data" not in task:
            yield _given(task, place)
            continue
        data = _object(task.get("data"), f"{place}: data")
        held = task.get("annotations") or []
        if not isinstance(held, list):
            raise CorpusError(f"{place}: annotations is {shown(held)}, expected a list. Export it again as JSON.")
        made = [
            each for each in (_object(each, f"{place}: annotations") for each in held) if not each.get("was_cancelled")
        ]
        if len(made) > 1:
            raise CorpusError(
                f"{path}: {len(made)} annotations on task {shown(task.get('id', number))}. Keep one of them in Label"
                " Studio, and export again."
            )
        yield _given({**data, "label": None, "comment": None, **_answers(made[0] if made else {}, place)}, place)


def _answers(annotation: Mapping[str, Any], place: str) -> dict[str, Any]:
    """What an annotation says under the names of the controls, `label` and `comment`."""
    results, found = annotation.get("result") or [], dict[str, Any]()
    if not isinstance(results, list):
        raise CorpusError(f"{place}: result is {shown(results)}, expected a list. Export it again as JSON.")
    for result in (_object(each, f"{place}: result") for each in results):
        said = result.get("value")
        texts = [text for key in ("choices", "text") for text in _texts(said, key)]
        name = result.get("from_name")
        if name == "label" and len(texts) > 1:
            raise CorpusError(f"{place}: it has {len(texts)} labels, {', '.join(texts)}. Choose one.")
        if isinstance(name, str):
            found[name] = "\n".join(texts)
    return found


def _texts(value: Any, key: str) -> list[str]:
    held = value.get(key, []) if isinstance(value, dict) else []
    return [str(each) for each in (held if isinstance(held, list) else [held])]


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise CorpusError(f"{place}: found {shown(value)}, expected an object. Expected {FORMS}.")
    return value


def _given(row: Mapping[str, Any], place: str) -> Given:
    """The row, its texts stripped but for the comment; in an export of Label Studio the id is `packet_id`."""
    row = {**row, "id": row.get("packet_id") or row.get("id")}
    for name in ("sample", "id"):
        if not row.get(name):
            raise CorpusError(f"{place}: no {name}. Give back the rows of the packet as they are.")
    for name in ("sample", "reviewer", "id", "label", "comment"):
        if not isinstance(row.get(name), str | None):
            raise CorpusError(f"{place}: {name} is {shown(row[name])}, expected a text.")
    sample, reviewer, trial, label, comment = (
        row.get(name) or "" for name in ("sample", "reviewer", "id", "label", "comment")
    )
    return Given(place, sample.strip(), reviewer.strip(), trial.strip(), label.strip(), comment)
