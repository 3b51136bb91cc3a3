"""The world of the kremis fabrication benchmark: services, one-way dependencies, and the questions asked about them.

A world file is one object:

| key | what it is |
| --- | --- |
| `world` | its name, as the keys of a reply cache have it |
| `services` | the names in the registry |
| `absent` | names that are asked about and are not in the registry |
| `dependencies` | pairs `[dependent, dependency]`, one-way |
| `questions` | objects of `category`, `source`, `target`, `truth` (the one true chain) and `horizon` (its links) |
| `withheld` | objects of `source`, `target` and `link`: the one without which the question has no answer |
| `context_prompt_chars_min` | characters of the shortest prompt with the registry, by `no_hint` and `hint` |

`truth` is null where there is no answer, `horizon` where the world has none; `world`, `absent`, `withheld` and
`context_prompt_chars_min` may be left out.

Each question is an item, named `source -> target`. Its family is `answerable`, else its category without what follows
an `@`. Its gold has `answerable`, `truth`, `category`, `horizon`, `source`, `target` and `withheld` (a link, or null).
Services, absent names and dependencies are the bank's `world`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from regrade.errors import CorpusError
from regrade.files.shape import convert

ANSWERABLE = "answerable"
ARROW = " -> "


class Question(msgspec.Struct, frozen=True):
    """One question; with a `truth` it is answerable."""

    category: str
    source: str
    target: str
    truth: list[str] | None
    horizon: int | None = None


class Withheld(msgspec.Struct, frozen=True):
    """The link that a question lacks."""

    source: str
    target: str
    link: tuple[str, str]


class World(msgspec.Struct, frozen=True):
    """A world file; keys beyond these are notes to its reader."""

    services: list[str]
    dependencies: list[tuple[str, str]]
    questions: list[Question]
    world: str | None = None
    absent: list[str] = []
    withheld: list[Withheld] = []
    context_prompt_chars_min: dict[str, int] = {}


def read_world(document: Mapping[str, Any], where: str) -> World:
    """Check a world file.

    Raises:
        CorpusError: A key is missing, or a value is of another type.
    """
    known = {key: value for key, value in document.items() if key in World.__struct_fields__}
    try:
        return convert(known, World, where)
    except CorpusError as error:
        raise CorpusError(f"{error} It is read as the world of a kremis corpus.") from None


def bank_of(document: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The `world` and the `items` of a world file.

    Raises:
        CorpusError: It is no world file.
    """
    world = read_world(document, where)
    withheld = {(one.source, one.target): list(one.link) for one in world.withheld}
    items = [
        {
            "item": item_name(q.source, q.target),
            "family": ANSWERABLE if q.truth is not None else q.category.partition("@")[0],
            "prompt": f"Does {q.source} depend on {q.target}, directly or through others?",
            "gold": {
                "answerable": q.truth is not None,
                "truth": q.truth,
                "category": q.category,
                "horizon": q.horizon,
                "source": q.source,
                "target": q.target,
                "withheld": withheld.pop((q.source, q.target), None),
            },
        }
        for q in world.questions
    ]
    if withheld:
        source, target = next(iter(withheld))
        raise CorpusError(
            f"{where}: withheld has a link of {item_name(source, target)!r}, which is no question. Mend its names."
        )
    dependencies = [list(pair) for pair in world.dependencies]
    return {
        "items": items,
        "world": {"services": world.services, "absent": world.absent, "dependencies": dependencies},
    }


def item_name(source: str, target: str) -> str:
    """The name of the item that asks for a dependency."""
    return f"{source}{ARROW}{target}"
