"""What both scripts do: build a corpus, count its figures, and write it when none is missed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kremis_sim import build, figures, forms, store


def run(name: str, here: Path, arguments: list[str] | None = None) -> int:
    """Build, check, write; 1 when a figure is missed."""
    parser = argparse.ArgumentParser(description=f"Rebuild the simulated corpus {here.name} and check its figures.")
    parser.add_argument("--out", type=Path, default=here, help="where to write (default: beside this script)")
    parser.add_argument("--force", action="store_true", help="write even when a figure is missed")
    options = parser.parse_args(arguments)
    world, caches = build.WORLDS[name](), build.build(name)
    rows = figures.rows_of(world, caches.values())
    missed = []
    for figure, counted, wanted in figures.all_figures(world, rows):
        mark = "ok    " if counted == wanted else "MISSED"
        print(f"{mark} {figure}: {counted}" + ("" if counted == wanted else f" (wanted {wanted})"))
        if counted != wanted:
            missed.append(figure)
    found = forms.shapes(rows, world.known)
    print(f"       shapes: {len({shape for shapes in found.values() for shape in shapes})}")
    for outcome, shapes in found.items():
        print(f"       {outcome}: {len(shapes)} replies of first runs, {len(set(shapes))} shapes")
    if missed and not options.force:
        print(f"error: {len(missed)} figures missed, nothing written: {'; '.join(missed)}", file=sys.stderr)
        return 1
    size = store.write(options.out, world, caches)
    print(f"wrote {len(caches)} caches, {len(rows)} replies, {size / 1e3:.0f} kB")
    return 1 if missed else 0
