"""kremis: the reply cache of the kremis fabrication benchmark, with the world that it was asked about as the bank.

A cache is one object. A key joins ten parts by `|`: world, number of services, provider, model, arm, hint (`True` or
`False`), context size, run (from 0), source, target. A value is `[reply, prompt tokens]`; a third element, where there
is one, is the stored verdict: `{"status": "passed" | "failed", "code": ...}`. Keys may stand in any order.

A record is one entry, in a plain shape of its own:

| key | what it is |
| --- | --- |
| `configuration` | `<provider> <model> <arm> hint=<hint> ctx=<context size>` |
| `about` | what that says: `provider`, `model`, `arm`, and `extra` with `hint` and `ctx` |
| `item`, `trial` | `<source> -> <target>`, and the run |
| `reply`, `verdict` | as stored |
| `state` | `guard`: whether the benchmark would report the run, see below; null where no bank tells |
| `extra` | `prompt_tokens`, `guard`, and what shows it: `limit` of type `context`, `log` of status `started` |

The benchmark reports a run (the replies of one configuration and run number in one file) only if it is whole. `guard`
is what it would do with this one:

- `truncated`: an arm that holds the whole registry, and some reply's prompt had fewer tokens than a fifth of the
  shortest prompt's characters, rounded down: the model has not seen all of it (`extra.limit`);
- `incomplete`: some question has no reply (`extra.log`);
- `not_guarded`: another arm, whose prompt is short;
- `no_token_counts`: no reply has a count, so that nothing shows whether the prompt was cut;
- `not_checkable`: the world does not say how long its shortest prompt is, so that the counts show nothing either;
- `ok`.

Trials of every run are loaded and graded; what of them counts is for a rule to say. An entry of another world than the
bank's is refused as `unknown_item`, since its names cannot be known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from regrade.files.corpus import FrozenAxis
from regrade.files.loaders.as_read import Object, object_of
from regrade.files.loaders.inspect_cuts import Cut, batches
from regrade.files.loaders.inspect_document import fields, values
from regrade.files.loaders.json_text import Text
from regrade.files.loaders.kremis_world import World, bank_of, item_name, read_world
from regrade.files.loaders.loader import BOM, MAX_LINE, Files, Loader, Records
from regrade.files.streams import open_stream

PARTS = 10
WHOLE_CONTEXT = "llm-context"
"""The arm whose prompt holds the whole registry."""
_FIRST = re.compile(rb'\{\s*"(?:[^"\\|]|\\.)*+(?:\|(?:[^"\\|]|\\.)*+){9}"\s*:\s*\[\s*(?:"|null)')
_HINTS = {"True": True, "False": False}


class Key(NamedTuple):
    """The parts of an entry's key."""

    world: str
    services: str
    provider: str
    model: str
    arm: str
    hint: str
    ctx: str
    run: str
    source: str
    target: str

    @property
    def configuration(self) -> str:
        """What was run."""
        return f"{self.provider} {self.model} {self.arm} hint={self.hint} ctx={self.ctx}"


class Entry(NamedTuple):
    """One entry of a cache."""

    cut: Cut
    """Where its value stands, and the value's text; the reason where that is no JSON."""
    key: Key | None
    """None where the key is of another shape."""
    value: Any
    told: str
    """The key as it is written."""

    @property
    def tokens(self) -> Any:
        """The count of prompt tokens, as stored."""
        return self.value[1] if isinstance(self.value, list) and len(self.value) > 1 else None


def looks_like(head: bytes) -> bool:
    """Whether the document is an object whose first key has ten parts and whose first value is a reply's."""
    return _FIRST.match(head.removeprefix(BOM).lstrip()) is not None


def entries(path: Path, max_line: int = MAX_LINE) -> Iterator[Entry]:
    """The entries of a cache, in its order.

    Raises:
        CorpusError: The document is no object, is cut off, or its entries cannot be told apart.
    """
    with open_stream(path) as stream:
        text = Text(stream)
        if not text.peek():
            return
        for told in fields(text):
            [cut] = values(text, max_line, alone=True)
            parts = told.split("|")
            key = Key(*parts) if len(parts) == PARTS and parts[Key._fields.index("hint")] in _HINTS else None
            value = None
            if not cut.reason:
                try:
                    value = json.loads(cut.data, object_pairs_hook=object_of)
                except (ValueError, RecursionError):
                    cut = cut._replace(reason="not_json")
            yield Entry(cut, key, value, told)
        if text.peek():
            raise text.error("expected the end of the document")


class Run:
    """What a file holds of one run."""

    def __init__(self) -> None:
        self.asked: set[tuple[str, str]] = set()
        self.counts: list[float] = []

    def add(self, entry: Entry, key: Key) -> None:
        """Take one entry."""
        self.asked.add((key.source, key.target))
        # The benchmark counts neither null nor 0.
        if isinstance(entry.tokens, (int, float)) and entry.tokens > 0:
            self.counts.append(entry.tokens)

    def guard(self, key: Key, world: World) -> str:
        """What the benchmark would do with the run."""
        chars = world.context_prompt_chars_min.get("hint" if _HINTS[key.hint] else "no_hint")
        whole_context = key.arm == WHOLE_CONTEXT
        if whole_context and chars is not None and self.counts and min(self.counts) < chars // 5:
            return "truncated"
        if any((q.source, q.target) not in self.asked for q in world.questions):
            return "incomplete"
        if not whole_context:
            return "not_guarded"
        if not self.counts:
            return "no_token_counts"
        return "not_checkable" if chars is None else "ok"


def beside(document: Any) -> Records:
    """Make what cuts caches that were asked about the world of a bank's file; a bank that is a list tells of none."""
    world = read_world(document, "the bank") if isinstance(document, dict) else None

    def records(path: Path, max_line: int) -> Iterator[pa.RecordBatch]:
        guards = _guards(path, max_line, world) if world is not None else {}
        yield from batches((_record(entry, world, guards) for entry in entries(path, max_line)), max_line)

    return records


def _guards(path: Path, max_line: int, world: World) -> dict[tuple[str, str], str]:
    """The guard of each run, by configuration and run."""
    runs: dict[tuple[str, str], tuple[Key, Run]] = {}
    for entry in entries(path, max_line):
        if entry.key is not None and _is_reply(entry.value) and _is_of(entry.key, world):
            _, run = runs.setdefault((entry.key.configuration, entry.key.run), (entry.key, Run()))
            run.add(entry, entry.key)
    return {name: run.guard(key, world) for name, (key, run) in runs.items()}


def _is_reply(value: Any) -> bool:
    return isinstance(value, list) and len(value) in (2, 3)


def _is_of(key: Key, world: World) -> bool:
    return key.world == (world.world or key.world) and key.services == str(len(world.services))


def _record(entry: Entry, world: World | None, guards: Mapping[tuple[str, str], str]) -> Cut:
    cut, key = entry.cut, entry.key
    if cut.reason:
        return _refused(entry, cut.reason, "")
    if key is None:
        return _refused(entry, "missing_key", f"a key of {PARTS} parts joined by |, the sixth True or False, in ")
    if not _is_reply(entry.value):
        return _refused(entry, "missing_key", "the reply in ")
    reply, tokens, *verdict = entry.value
    if any(isinstance(one, Object) and one.twice for one in verdict):
        return _refused(entry, "duplicate_key", "")
    if world is not None and not _is_of(key, world):
        ours = f"{world.world or key.world} of {len(world.services)} services"
        return _refused(entry, "unknown_item", f"the bank's world is {ours}: ")
    about = {"hint": _HINTS[key.hint], "ctx": _number(key.ctx)}
    guard = guards.get((key.configuration, key.run))
    stopped = {"truncated": {"limit": {"type": "context"}}, "incomplete": {"log": {"status": "started"}}}
    record = {
        "configuration": key.configuration,
        "item": item_name(key.source, key.target),
        "trial": key.run,
        "reply": reply,
        "about": {"provider": key.provider, "model": key.model, "arm": key.arm, "extra": about},
        "state": {"guard": guard},
        "extra": {"prompt_tokens": tokens, "guard": guard, **stopped.get(guard or "", {})},
    }
    if verdict:
        record["verdict"] = verdict[0]
    return Cut(None, cut.line, json.dumps(record).encode())


def _refused(entry: Entry, reason: str, fault: str) -> Cut:
    told = f"{fault}{json.dumps(entry.told)}: ".encode()
    return Cut(None, entry.cut.line, told + entry.cut.data, reason)


def _number(text: str) -> int | str:
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else text


def frozen(files: Files) -> dict[str, FrozenAxis]:
    """The axis `pass`, of which an entry need not store a verdict: one as the benchmark itself writes it has none."""
    return {
        "pass": FrozenAxis(
            value="verdict.status",
            passed_values=("passed",),
            failed_values=("failed",),
            code="verdict.code",
            optional=True,
        )
    }


LOADER = Loader(
    name="kremis",
    about="kremis: the reply cache of the fabrication benchmark, its world file as the bank; each reply is a trial.",
    looks_like=looks_like,
    records=beside(None),
    columns={
        "configuration": "configuration",
        "item": "item",
        "trial": "trial",
        "reply": "reply",
        "state": "state",
        "extra": "extra",
    },
    frozen=frozen,
    configuration={"provider": "about.provider", "model": "about.model", "arm": "about.arm", "extra": "about.extra"},
    bank_of=bank_of,
    beside=beside,
)
