"""Packets: what each reviewer gets of a draw, blind, in an order of their own; and the sealed key."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

from regrade.errors import CorpusError
from regrade.files.depth import is_deep
from regrade.flips.labels import LABELS
from regrade.review.draw import Draw, canonical, digest
from regrade.review.golds import Golds
from regrade.review.masking import Masker, Names

KEY_SCHEMA = "regrade.key/1"
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
"""Roles that are no name of anybody."""
ID = 16
"""Hex digits of an id."""
DEEP = 50
"""Arguments that are nested deeper are shown as text, which can be masked, written and read again anywhere."""

TRIALS = """
select trial_id, prompt, gold, turns, calls, reply from trials left join items using (item)
where trial_id in (select unnest($ids::varchar[]))
"""

Record = dict[str, Any]
"""A trial as a reviewer gets it: `sample`, `reviewer`, `id`, `instruction`, `gold`, `turns`, `question`, `labels`."""


class Body(NamedTuple):
    """What a reviewer may know of a trial."""

    trial_id: str
    content: dict[str, Any]
    """`instruction`, `gold`, `turns`."""
    masked: bool
    """Its transcript spoke a name."""
    left_out: tuple[str, ...]
    """Where its gold had a code."""


class Packets(NamedTuple):
    """What a draw becomes."""

    records: dict[str, list[Record]]
    """reviewer -> records in the order to be read."""
    key: dict[str, Any]


def read_bodies(con: DuckDBPyConnection, ids: Sequence[str]) -> list[Body]:
    """Read trials as reviewers may know them, in the order of `ids`: without names, and without what grades tell."""
    names, golds = Names(con), Golds(con)
    rows = {trial: row for trial, *row in con.execute(TRIALS, {"ids": list(ids)}).fetchall()}
    return [_body(names, golds, trial, *rows[trial]) for trial in ids]


def make_packets(con: DuckDBPyConnection, draw: Draw, reviewers: Sequence[str]) -> Packets:
    """Make a draw's packet for each reviewer, and the key that tells which trial each id is of.

    Order and ids come from a hash of the seed, the reviewer and what is shown, and so tell nothing else.

    Raises:
        CorpusError: the question names the candidate, or a model or vendor.
    """
    _check_question(draw, Masker(Names(con)))
    bodies = read_bodies(con, [trial.trial_id for trial in draw.trials])
    records: dict[str, list[Record]] = {}
    ids: dict[str, dict[str, str]] = {}
    for reviewer in reviewers:
        known = dict(sorted(_named(bodies, draw.spec.seed, reviewer)))
        ids[reviewer] = {name: body.trial_id for name, body in known.items()}
        records[reviewer] = [
            {
                "sample": draw.sha256, "reviewer": reviewer, "id": name, **body.content,
                "question": draw.question, "labels": list(LABELS),
            }
            for name, body in known.items()
        ]  # fmt: skip
    trials = sorted(draw.trials)
    key = {
        "schema": KEY_SCHEMA,
        "sample": draw.sha256,
        "name": draw.spec.name,
        "spec": {name: value for name, value in draw.bound.items() if name != "drawn"},
        "frame": draw.frame,
        "masked": sum(body.masked for body in bodies),
        "left_out": dict(sorted(Counter(place for body in bodies for place in {*body.left_out}).items())),
        "reviewers": ids,
        "probabilities": {trial.trial_id: trial.probability for trial in trials},
        "strata": {trial.trial_id: trial.stratum for trial in trials},
    }
    return Packets(records, key)


def _check_question(draw: Draw, masker: Masker) -> None:
    # The usual question is the same for every sample, so it tells nothing, whatever somebody's lineage is called.
    asked = draw.spec.question
    if draw.spec.candidate.casefold() in asked.casefold() or masker.mask(asked) != asked:
        raise CorpusError(
            f"[[sample]] {draw.spec.name}: the question {asked!r} names what reviewers must not know. Ask without the"
            " name of the candidate, of a model or of a vendor."
        )


def _named(bodies: Iterable[Body], seed: int, reviewer: str) -> Iterable[tuple[str, Body]]:
    """Each trial with its id. Trials that show the same are told apart by how often it has occurred."""
    taken: set[str] = set()
    for body in bodies:
        shown = canonical(body.content)
        for occurrence in count():
            name = digest(canonical([seed, reviewer, occurrence, shown]))[:ID]
            # A spreadsheet takes 1234567890123e45 for a number, and digits alone.
            if name not in taken and not name[0].isdigit():
                break
        taken.add(name)
        yield name, body


def _body(
    names: Names,
    golds: Golds,
    trial: str,
    prompt: str | None,
    gold: str | None,
    turns: list[dict[str, str]] | None,
    calls: list[dict[str, Any]],
    reply: str,
) -> Body:
    masker = Masker(names)
    accepted, left_out = golds.accepted(gold)
    item = {"instruction": masker.mask(prompt), "gold": masker.mask(accepted)}
    before = masker.count
    said = [{"role": "assistant", "text": reply}] if turns is None else turns
    content = {**item, "turns": [_unnamed(turn, masker) for turn in _shown(said, calls)]}
    return Body(trial, content, masker.count > before, left_out)


def _shown(turns: Sequence[Mapping[str, str]], calls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The turns, each with its calls; what came back of a call stands there, and not as a turn again."""
    made: dict[int, list[dict[str, Any]]] = {}
    answers = set()
    for call in calls:
        shown = {"name": call["name"], "arguments": _arguments(call["arguments"]), "result": call["result"]}
        made.setdefault(call["turn"], []).append(shown)
        answered = call["answered"]
        if answered is not None and turns[answered]["text"] == call["result"]:
            answers.add(answered)
    return [
        {"role": turn["role"], "text": turn["text"], "calls": made.get(at, [])}
        for at, turn in enumerate(turns)
        if at not in answers
    ]


def _unnamed(turn: Mapping[str, Any], masker: Masker) -> dict[str, Any]:
    role = turn["role"] if turn["role"] in ROLES else masker.mask(turn["role"])
    text = masker.mask(turn["text"])
    return {"role": role, "text": text, "calls": [{k: masker.mask(v) for k, v in c.items()} for c in turn["calls"]]}


def _arguments(text: str) -> Any:
    """Arguments as the JSON object that they are, or as the text where writing it again would lose anything."""
    try:
        value = json.loads(
            text,
            object_pairs_hook=_once,
            parse_int=partial(_same_number, int),
            parse_float=partial(_same_number, float),
            parse_constant=_refuse,
        )
        # Half of a character, escaped, is a text in Python and in no file.
        canonical(value).encode()
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) and not is_deep(value, DEEP) else text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError
    return found


def _same_number(kind: type[int] | type[float], text: str) -> float:
    if repr(value := kind(text)) != text:
        raise ValueError
    return value


def _refuse(text: str) -> Any:
    raise ValueError(text)
