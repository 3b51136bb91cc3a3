"""The folders of a repository of audits, each with a few words on what belongs in it."""

from __future__ import annotations

from pathlib import Path

from regrade.errors import OutputError, one_line

READMES = {
    "rules": """# Rules

One folder a benchmark, named as `benchmark` in corpus.toml names it:

- `rules/<benchmark>/frozen_v1.py` is the benchmark's own grader, ported as it is. Without one the frozen grades are
  carried: taken as they were logged.
- `rules/<benchmark>/<what_it_does>_v1.py` is one rule: it changes one stage of the grader and brings cases that must
  flip and cases that must hold.

`regrade rule` lists the rules that are found, those that come with regrade among them; `regrade rule NAME` prints one
to copy from.
""",
    "transcripts": """# Transcripts

One folder a corpus, with a `corpus.toml` that says where the fields of its logs stand. `regrade init LOG` writes one
for a log where it lies; nothing is copied. `regrade freeze transcripts/<name>` records the SHA-256 of every file, and
from then on an edited one stops an audit.
""",
    "reports": """# Reports

One folder a corpus, written by `regrade audit transcripts/<name>`: `report.html`, `summary.json`, `flips.csv` and the
store `audit.duckdb`, which is a cache and belongs in no repository.
""",
}
"""Folder to the text of its README."""


def make_folders(root: Path) -> list[Path]:
    """Make the folders with a README.md each; what exists is left as it is.

    Returns:
        The folders and files that were made, in order.

    Raises:
        OutputError: One cannot be made.
    """
    made = []
    try:
        for name, text in READMES.items():
            folder = root / name
            if not folder.is_dir():
                folder.mkdir(parents=True)
                made.append(folder)
            if not (folder / "README.md").exists():
                (folder / "README.md").write_text(text, encoding="utf-8", newline="\n")
                made.append(folder / "README.md")
    except OSError as error:
        raise OutputError(f"Cannot make {root / name}: {one_line(str(error))}. Go to another folder.") from None
    return made
