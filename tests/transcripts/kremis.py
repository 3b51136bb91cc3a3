"""The bundled fabrication corpora as they are stored, and the modules that wrote them."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.conftest import ROOT

TRANSCRIPTS = ROOT / "transcripts"
PACKAGE = TRANSCRIPTS / "kremis_sim"
NAMES = ("base", "horizon")


def simulation(name: str) -> ModuleType:
    """A module of the script that wrote the corpora."""
    sys.path.insert(0, str(TRANSCRIPTS))
    try:
        return importlib.import_module(f"kremis_sim.{name}")
    finally:
        sys.path.remove(str(TRANSCRIPTS))


def folder(name: str) -> Path:
    return TRANSCRIPTS / f"kremis_{name}"


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def world_of(facts: dict[str, Any]) -> Any:
    """A stored world in the script's own shape."""
    worlds = simulation("worlds")
    questions = [{**q, "truth": tuple(q["truth"]) if q["truth"] else None} for q in facts["questions"]]
    return worlds.World(
        name=facts["world"],
        services=tuple(facts["services"]),
        absent=tuple(facts["absent"]),
        dependencies=tuple(tuple(link) for link in facts["dependencies"]),
        questions=tuple(worlds.Question(**question) for question in questions),
        withheld={(one["source"], one["target"]): tuple(one["link"]) for one in facts["withheld"]},
        categories=tuple(facts["categories"]),
        horizons=tuple(facts["horizons"]),
    )


class Stored:
    """One corpus as it lies in the repository."""

    def __init__(self, name: str) -> None:
        self.name, self.folder = name, folder(name)
        self.facts: dict[str, Any] = read_json(self.folder / "world.json")
        self.world = world_of(self.facts)
        self.caches: dict[str, dict[str, list[Any]]] = {
            path.stem: read_json(path) for path in sorted((self.folder / "caches").glob("*.json"))
        }
        self.configurations: list[dict[str, str]] = read_json(self.folder / "configurations.json")
        self.readme = " ".join((self.folder / "README.md").read_text(encoding="utf-8").split())

    def rows(self, changed: dict[str, str] | None = None) -> list[Any]:
        """Every reply as the plain reading has it, some of them changed; by key."""
        told = changed or {}
        caches = [
            {key: [told.get(key, entry[0]), *entry[1:]] for key, entry in cache.items()}
            for cache in self.caches.values()
        ]
        return list(simulation("figures").rows_of(self.world, caches))
