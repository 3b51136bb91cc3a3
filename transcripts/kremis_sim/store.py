"""Writing a corpus so that the same seed gives the same bytes, in the benchmark's own layout."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kremis_sim.prompts import shortest_context
from kremis_sim.sweeps import SWEEPS
from kremis_sim.worlds import World


def world_facts(world: World) -> dict[str, Any]:
    """Everything that a world states."""
    answerable = sum(question.truth is not None for question in world.questions)
    return {
        "world": world.name,
        "counts": {
            "services": len(world.services),
            "dependencies": len(world.dependencies),
            "absent": len(world.absent),
            "questions": len(world.questions),
            "answerable": answerable,
            "unanswerable": len(world.questions) - answerable,
            "withheld": len(world.withheld),
        },
        "services": list(world.services),
        "dependencies": [list(link) for link in world.dependencies],
        "absent": list(world.absent),
        "categories": list(world.categories),
        "horizons": list(world.horizons),
        "questions": [
            {
                "category": question.category,
                "source": question.source,
                "target": question.target,
                "truth": list(question.truth) if question.truth else None,
                "horizon": question.horizon,
            }
            for question in world.questions
        ],
        "withheld": [
            {"source": source, "target": target, "link": list(link)}
            for (source, target), link in world.withheld.items()
        ],
        "context_prompt_chars_min": shortest_context(world),
    }


def listing(entries: Sequence[Any], indent: str = "") -> str:
    """A JSON list with one entry a line."""
    lines = ",\n".join(f"{indent}  {json.dumps(entry)}" for entry in entries)
    return f"[\n{lines}\n{indent}]" if entries else "[]"


def mapping(values: Mapping[str, Any]) -> str:
    """A JSON object with one key a line, and lists of more than a few entries with one entry a line."""
    lines = []
    for key, value in values.items():
        text = listing(value, "  ") if isinstance(value, list) and len(value) > 5 else json.dumps(value)
        lines.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def cache_text(cache: Mapping[str, Sequence[Any]]) -> str:
    """A reply cache with one reply a line."""
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in cache.items()) + "\n}\n"


def configurations(name: str) -> list[dict[str, str]]:
    """What is known of each configuration beside its key."""
    entries = []
    for sweep in SWEEPS[name]:
        entry = {"configuration": sweep.configuration, "weights": sweep.model.weights, "lineage": sweep.model.lineage}
        entries.append({**entry, "quant": sweep.model.quant} if sweep.model.quant else entry)
    return entries


def write(folder: Path, world: World, caches: Mapping[str, Mapping[str, Sequence[Any]]]) -> int:
    """Write everything; returns the bytes of the caches."""
    (folder / "caches").mkdir(parents=True, exist_ok=True)
    for stale in (folder / "caches").glob("*.json"):
        if stale.stem not in caches:
            stale.unlink()
    for file, cache in caches.items():
        (folder / "caches" / f"{file}.json").write_bytes(cache_text(cache).encode())
    (folder / "world.json").write_bytes(mapping(world_facts(world)).encode())
    (folder / "configurations.json").write_bytes(f"{listing(configurations(world.name))}\n".encode())
    return sum(path.stat().st_size for path in (folder / "caches").glob("*.json"))
