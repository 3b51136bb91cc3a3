"""lm-evaluation-harness: `samples_<task>_<time>.jsonl`, a row a document and filter.

A record is the row as logged with one more key, `as_read`:

- `configuration`: the time in the file's name, which the files of one evaluation share; without one, the file's stem.
- `item`: `<task>:<doc_id>`, the task as in the file's name; `doc_id` alone where the name is of another form.
- `reply`: the first response to the first request. For log-likelihoods, where nothing was written, the option that
  is the likeliest; where there is only one option, that one if it is what greedy decoding gives, else the empty text.
- `question`: the text of the document; unlike the prompt it is the same for every template that a model is prompted in.
- `grades.<filter>.<metric>`: the row's metrics as logged, the filter `none` where the row has no filter.
- `answers.<filter>`: what the filter found; absent where it says `[invalid]`, that is nothing.

Rows of one document under several filters so grade different axes and are one trial. Nothing but the file itself is
read: the model's name stands in a file beside it, which the corpus does not freeze.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from regrade.errors import CorpusError
from regrade.files.corpus import FrozenAxis
from regrade.files.loaders import jsonl
from regrade.files.loaders.as_read import KEY, Object, Reading, added, object_of, rewrite, stem
from regrade.files.loaders.grade_kinds import Kinds
from regrade.files.loaders.json_text import first_keys
from regrade.files.loaders.loader import BOM, MAX_LINE, Files, Loader
from regrade.files.shape import shown
from regrade.files.streams import open_stream

KEYS = {b"doc_id", b"doc", b"target", b"arguments"}
"""The responses come after the prompt, often too late to be seen."""

FRAME = (
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
)
"""Keys of a row that are no metric."""

QUESTIONS = ("question", "query", "problem", "prompt", "input", "goal", "ctx", "sentence", "text")
"""Where a document has its text, the first that is there."""

NO_FILTER = "none"
INVALID = "[invalid]"
"""What a filter that found nothing puts in the answer's place."""

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9.:-]+)")
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def looks_like(head: bytes) -> bool:
    """Whether the first object has the keys of a row and no list stands around it."""
    head = head.removeprefix(BOM).lstrip()
    return not head.startswith(b"[") and first_keys(head) >= KEYS


def records(path: Path, max_line: int) -> Iterator[pa.RecordBatch]:
    """Give the rows, each with what was read out of it."""
    named = _NAME.fullmatch(stem(path))
    configuration = named["time"] if named else stem(path)
    task = f"{named['task']}:" if named else ""

    def read(line: int, text: str) -> Reading:
        row = _row(text)
        if row is None:
            # What is no object, the reader of records says in the same way for every format.
            return text, None
        if row.twice:
            return None, "duplicate_key"
        found: dict[str, Any] = {"configuration": configuration}
        if isinstance(row.get("doc_id"), (int, str)):
            found["item"] = f"{task}{row['doc_id']}"
        return added(text, found | _read(row)), None

    with open_stream(path) as stream:
        for rows in jsonl.lines(stream, max_line):
            yield rewrite(rows, read)


def _row(text: str) -> Object | None:
    try:
        row = json.loads(text, object_pairs_hook=object_of)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, Object) else None


def _read(row: Object) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if (question := _question(row.get("doc"))) is not None:
        found["question"] = question
    option = _option(row.get("resps"), _requests(row.get("arguments")))
    if option is not None:
        answer: str | None = option
        found["reply"] = option
    else:
        if "resps" in row:
            found["reply"] = _first(row["resps"])
        answer = _text(_first(row.get("filtered_resps")))
    name = _filter(row)
    if answer is not None and answer != INVALID:
        found["answers"] = {name: answer}
    found["grades"] = {name: {metric: row[metric] for metric in _metrics(row) if metric in row}}
    return found


def _question(doc: Any) -> str | None:
    if not isinstance(doc, dict):
        return doc if isinstance(doc, str) else None
    texts = {key.lower(): value for key, value in doc.items() if isinstance(value, str)}
    return next((texts[key] for key in QUESTIONS if key in texts), None)


def _filter(row: Mapping[str, Any]) -> str:
    name = row.get("filter")
    return name if isinstance(name, str) and name.isprintable() and name else NO_FILTER


def _metrics(row: Mapping[str, Any]) -> list[str]:
    """The metrics that a row names; of an older row, which names none, every key that is no other."""
    listed = row.get("metrics")
    names = listed if isinstance(listed, list) else [key for key in row if key not in FRAME]
    return [name for name in dict.fromkeys(map(str, names)) if name and name.isprintable()]


def _requests(arguments: Any) -> list[tuple[Any, Any]]:
    """The (context, continuation or options of generation) of each request, whichever way they are written."""
    listed = list(arguments.values()) if isinstance(arguments, dict) else arguments
    requests = []
    for each in listed if isinstance(listed, list) else ():
        parts = list(each.values()) if isinstance(each, dict) else each if isinstance(each, list) else [each]
        context, option, *_ = [*parts, None, None]
        requests.append((context, option))
    return requests


def _option(responses: Any, requests: Sequence[tuple[Any, Any]]) -> str | None:
    """The likeliest option; None where the responses are no log-likelihoods of options."""
    if not isinstance(responses, list) or not responses or len(responses) != len(requests):
        return None
    likely: list[float] = []
    greedy = None
    for response, (context, option) in zip(responses, requests, strict=True):
        found = response[0] if isinstance(response, list) and response else None
        if not (isinstance(found, list) and len(found) == 2 and isinstance(option, str) and isinstance(context, str)):
            return None
        try:
            likely.append(float(found[0]))
        except (TypeError, ValueError):
            return None
        greedy = str(found[1]) == "True"
    if len(requests) == 1:
        return str(requests[0][1]) if greedy else ""
    # Some metrics ask for each option once more without its context, to compare with.
    asked = [i for i, (context, _) in enumerate(requests) if context] or list(range(len(requests)))
    best = max(asked, key=lambda i: -math.inf if math.isnan(likely[i]) else likely[i])
    context, option = requests[best]
    # Where the options stand in the contexts, one continuation follows them all.
    return f"{context}{option}" if len({requests[i][0] for i in asked}) > 1 else str(option)


def _first(value: Any) -> Any:
    while isinstance(value, list):
        value = value[0] if value else None
    return value


def _text(value: Any) -> str | None:
    value = _first(value)
    return value if value is None or isinstance(value, str) else json.dumps(value)


def frozen(files: Files) -> dict[str, FrozenAxis]:
    """The axes of all rows: each metric under each filter whose values are grades.

    Labels, lists, and metrics with numbers beyond 0 and 1 (an error, a percentage, `Infinity`) are no axis; they
    stay in the record for a `[frozen.*]` of one's own. Of a single metric the axes bear the filters' names, or its own
    where there is no filter; of several, `<metric>`, or `<metric>_<filter>` where a metric has more than one filter.

    Raises:
        CorpusError: Two axes would bear one name.
    """
    kinds: dict[tuple[str, str], Kinds] = {}
    for path in files():
        with open_stream(path) as stream:
            for rows in jsonl.lines(stream, MAX_LINE):
                for text in rows.column("text").to_pylist():
                    row = _row(text or "") or Object()
                    for metric in _metrics(row):
                        if metric in row:
                            kinds.setdefault((metric, _filter(row)), Kinds()).see(row[metric])
    found = {}
    for (metric, name), seen in kinds.items():
        axis = seen.axis(_path(KEY, "grades", name, metric), _path(KEY, "answers", name))
        if axis is not None:
            found[metric, name] = axis
    named: dict[str, FrozenAxis] = {}
    for (metric, name), axis in found.items():
        axis_name = _axis_name(metric, name, list(found))
        if axis_name in named:
            raise CorpusError(
                f"Two filters or metrics would both be the axis {axis_name!r}, one of them the metric {shown(metric)} "
                f"under the filter {shown(name)}. Name the axes in [frozen.*]."
            )
        named[axis_name] = axis
    return named


def _axis_name(metric: str, name: str, found: Sequence[tuple[str, str]]) -> str:
    if len({m for m, _ in found}) == 1:
        text = metric if name == NO_FILTER else name
    else:
        several = sum(m == metric for m, _ in found) > 1
        text = f"{metric}_{name}" if several and name != NO_FILTER else metric
    text = re.sub(r"[^A-Za-z0-9_]", "_", text)
    return f"_{text}" if text[0].isdigit() else text


def _path(*keys: str) -> str:
    return ".".join(key if _PLAIN.fullmatch(key) else json.dumps(key) for key in keys)


LOADER = Loader(
    name="lm-eval",
    about="lm-evaluation-harness: samples files, JSON Lines of a row a document and filter; filters are axes.",
    looks_like=looks_like,
    records=records,
    columns={"configuration": f"{KEY}.configuration", "item": f"{KEY}.item", "reply": f"{KEY}.reply"},
    frozen=frozen,
    bank={"prompt": f"{KEY}.question", "gold": "target"},
)
