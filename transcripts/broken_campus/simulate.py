"""Rebuild the simulated corpus broken_campus and check it against its figures.

    python transcripts/broken_campus/simulate.py [--out DIR]

Every transcript is invented. The harness reads each raw response, the first grader grades what the harness made of it;
the figures are then counted again from texts and grades, and any that is missed is listed and ends in an error.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from broken_campus_sim import build, figures, store  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Build, check, write; 1 when a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE, help="where to write (default: beside this script)")
    parser.add_argument("--force", action="store_true", help="write even when a figure is missed")
    options = parser.parse_args(arguments)
    corpus = build.build_corpus()
    rows = figures.rows_of(corpus)
    missed = []
    for name, counted, wanted in figures.all_figures(rows):
        mark = "ok    " if counted == wanted else "MISSED"
        print(f"{mark} {name}: {counted}" + ("" if counted == wanted else f" (wanted {wanted})"))
        if counted != wanted:
            missed.append(name)
    for name, counts in figures.side_counts(rows).items():
        print(f"       {name}: {counts}")
    if missed and not options.force:
        print(f"error: {len(missed)} figures missed, nothing written: {'; '.join(missed)}", file=sys.stderr)
        return 1
    size = store.write(options.out, corpus)
    print(f"wrote {len(corpus)} files, {len(rows)} records, {size / 1e6:.2f} MB in trials/")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
