"""Inspect: the logs of inspect_ai, `.eval` archives and `.json` documents, old and new.

A record is one Inspect sample, which here is a trial, in a plain shape of its own:

| key | what it is |
| --- | --- |
| `configuration`, `task` | `eval.model` and `eval.task` of the log |
| `item`, `trial` | `id` (number or text) and `epoch` |
| `task_item` | `<task>/<id>`, for a corpus of several tasks whose ids are the same |
| `run` | `eval.eval_id`, in older logs `eval.run_id`, for a corpus of several logs of one model and task |
| `prompt`, `gold` | `input` as text, with its choices; `target`, a text or a list of them |
| `messages` | chat messages as OpenAI writes them: role, content, tool_calls, tool_call_id, name |
| `grades` | what each scorer said: see `regrade.files.loaders.inspect_grades` |
| `extra` | limit, error and what else is known of the trial: see `regrade.files.loaders.inspect_trials` |

By default every scorer is an axis, and so is every key or index of a scorer whose values are objects or lists. An axis
passes at 1 or above by the numbers that Inspect itself computes with, so `C` passes and `I`, `P` (PARTIAL) and `N`
(NOANSWER) fail; `[frozen.*]` in corpus.toml may say otherwise, such as `value = "grades.match.number"` with
`passes = ">= 0.5"`.

Of an archive, the header and the samples are read, and `events`, the largest part of a log, are stepped over. What is
not read is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from regrade.files.corpus import FrozenAxis
from regrade.files.loaders import inspect_document
from regrade.files.loaders.inspect_archive import Archive
from regrade.files.loaders.inspect_cuts import Cut, batches
from regrade.files.loaders.inspect_grades import Axes
from regrade.files.loaders.inspect_trials import LogFacts, record, scores_of
from regrade.files.loaders.json_text import first_keys
from regrade.files.loaders.loader import BOM, MAX_LINE, Loader
from regrade.files.streams import open_stream

ZIP = b"PK\x03\x04"
ZIPS = (ZIP, b"PK\x05\x06")
"""How an archive begins: with a member, or with the end of an empty one."""

MEMBER = re.compile(rb"(?:header|summaries|reductions)\.json|_journal/|samples/")
"""A member of a log, by the beginning of its name, which stands 30 bytes into an archive that begins with it."""

EVAL = re.compile(rb'"eval"[ \t\r\n]*:[ \t\r\n]*\{')


def looks_like(head: bytes) -> bool:
    """Whether this is an archive that begins with a member of a log, or one object with the keys of a log."""
    if head.startswith(ZIP):
        return MEMBER.match(head, 30) is not None
    head = head.removeprefix(BOM).lstrip()
    # Further objects at the beginning of a line are JSON Lines.
    if not head.startswith(b"{") or b"\n{" in head:
        return False
    keys = first_keys(head)
    if {b"status", b"eval"} <= keys:
        return EVAL.search(head) is not None
    return keys <= {b"version", b"status", b"samples"} and all(
        key in head for key in (b'"samples"', b'"epoch"', b'"target"', b'"input"')
    )


def records(path: Path, max_line: int) -> Iterator[pa.RecordBatch]:
    """Give a record for each sample of a log, in the order of the log.

    Memory is bounded by a batch and a sample. In an archive `max_line` counts what is read of a sample, so `events` of
    any size are no fault; in a document it counts all of it.

    Raises:
        CorpusError: The file is no log, is cut off, or its archive is beyond the bounds.
    """
    yield from batches(_trials(path, max_line), max_line)


def _trials(path: Path, max_line: int) -> Iterator[Cut]:
    with _opened(path) as log:
        if log is not None:
            facts = LogFacts.of(log.header())
            for cut in log.samples(max_line):
                yield record(cut, facts)


def frozen(files: Callable[[], Sequence[Path]]) -> Mapping[str, FrozenAxis]:
    """The axes of some logs, in the order in which their samples name them.

    Raises:
        CorpusError: A file is no log, or two scorers have names that are one name in a database.
    """
    axes = Axes()
    for path in files():
        with _opened(path) as log:
            if log is None:
                continue
            facts = LogFacts.of(log.header())
            for cut in log.samples(MAX_LINE):
                axes.add(scores_of(cut, facts))
    return axes.frozen()


@contextmanager
def _opened(path: Path) -> Iterator[Archive | inspect_document.Document | None]:
    """The log in a file; None for an empty file."""
    with open_stream(path) as stream:
        head = stream.read(4)
    if not head:
        yield None
    elif head not in ZIPS:
        yield inspect_document.Document(path)
    else:
        with Archive(path) as archive:
            yield archive


LOADER = Loader(
    name="inspect",
    about="Inspect: a log of inspect_ai, .eval or .json; each sample is a trial, each scorer an axis.",
    looks_like=looks_like,
    records=records,
    columns={
        "configuration": "configuration",
        "item": "item",
        "trial": "trial",
        "turns": "messages",
        "extra": "extra",
    },
    frozen=frozen,
    bank={"family": "task", "prompt": "prompt", "gold": "gold"},
)
