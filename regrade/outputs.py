"""The files of an audit: written beside their place, and put in place together at the end."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from regrade.errors import OutputError, one_line
from regrade.tables.store import FILE_NAME


def write_text(path: Path, text: str) -> None:
    """Write a text; OutputError where it cannot be."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {one_line(str(error))}. Name another folder with --out.") from None


OUTPUTS = (FILE_NAME, "flips.csv", "report.html", "summary.json")
"""In the order in which they are put in place: the summary, which has the hashes of the others, last."""


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """A folder to write into; at the end each output in it replaces the one in `out`. On an error nothing changes."""
    made = [p for p in (out, *out.parents) if not p.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=out))
    except OSError as error:
        raise OutputError(f"Cannot write into {out}: {one_line(str(error))}. Name another folder with --out.") from None
    done = False
    try:
        yield new
        for name in OUTPUTS:
            if (out / name).is_dir():
                raise OutputError(
                    f"Cannot write {out / name}: a folder is in the way. Move it, or name another with --out."
                )
        anew = (new / FILE_NAME).exists()
        if anew:
            # A log of an earlier store, left by a killed process, would be taken for the new one's.
            (out / f"{FILE_NAME}.wal").unlink(missing_ok=True)
        for name in OUTPUTS:
            if (new / name).exists():
                os.replace(new / name, out / name)
            elif anew:
                # A new store makes what was written from the old one untrue.
                (out / name).unlink(missing_ok=True)
        done = True
    finally:
        shutil.rmtree(new, ignore_errors=True)
        if not done:
            for folder in made:
                if folder.exists() and not any(folder.iterdir()):
                    folder.rmdir()
