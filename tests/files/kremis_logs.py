"""A small world of the fabrication benchmark's kind, and reply caches about it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

SERVICES = ["ash-gate", "birch-store", "cedar-mail", "dogwood-queue"]


def question(category: str, source: str, target: str, truth: list[str] | None = None, **more: Any) -> dict[str, Any]:
    return {"category": category, "source": source, "target": target, "truth": truth, "horizon": None, **more}


WORLD: dict[str, Any] = {
    "world": "grove",
    "services": SERVICES,
    "absent": ["elm-relay"],
    "dependencies": [["ash-gate", "birch-store"], ["birch-store", "cedar-mail"]],
    "questions": [
        question("direct", "ash-gate", "birch-store", ["ash-gate", "birch-store"]),
        question("intact@2", "ash-gate", "cedar-mail", SERVICES[:3], horizon=2),
        question("reverse_path@2", "cedar-mail", "ash-gate", horizon=2),
        question("absent_service", "ash-gate", "elm-relay"),
        question("broken_link@2", "ash-gate", "dogwood-queue", horizon=2),
    ],
    "withheld": [{"source": "ash-gate", "target": "dogwood-queue", "link": ["cedar-mail", "dogwood-queue"]}],
    "context_prompt_chars_min": {"no_hint": 1004, "hint": 1100},
}
ASKED = [(q["source"], q["target"]) for q in WORLD["questions"]]

TOML = """
[corpus]
name = "grove"
benchmark = "kremis"
format = "kremis"
files = ["*.json"]
[bank]
file = "world.json"
"""


def key(source: str, target: str, **parts: Any) -> str:
    """The key of an entry; keywords are its parts where they differ from the usual ones."""
    usual = {"world": "grove", "services": 4, "provider": "ollama", "model": "tern:3b", "arm": "llm-context"}
    usual |= {"hint": False, "ctx": 8192, "run": 0}
    assert parts.keys() <= usual.keys()
    return "|".join(map(str, [*{**usual, **parts}.values(), source, target]))


def sweep(
    reply: str = "ANSWER: UNKNOWN", tokens: Any = 300, asked: Iterable[Any] = ASKED, **parts: Any
) -> dict[str, Any]:
    """One run: the same reply to each question."""
    return {key(source, target, **parts): [reply, tokens] for source, target in asked}


def write_caches(folder: Path, world: Any = WORLD, toml: str = TOML, **caches: Mapping[str, Any] | bytes | str) -> Path:
    """Write a corpus of caches, named by keyword, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "corpus.toml").write_text(toml)
    if world is not None:
        (folder / "world.json").write_text(json.dumps(world))
    for name, cache in caches.items():
        data = json.dumps(cache) if isinstance(cache, Mapping) else cache
        (folder / f"{name}.json").write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder
