"""Have two simulated reviewers label the sample of tool_loop_v1, and a third rule where they differ.

    python transcripts/tool_loop_v1/review.py

Draws the sample, fills in the packets from their text (`tool_loop_sim/reviewers.py`), and brings the labels home with
the commands that anybody would use: regrade sample, review import, review rule. What is in reviews/ is made anew; the
same corpus, rules and regrade give the same bytes. Nobody has read anything: every label is simulated.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tool_loop_sim.reviewers import fill_in  # noqa: E402

SAMPLE, RULES = "fallback_flips", "simulated_ruling"
"""The sample's name, and who rules."""


def regrade(*arguments: object) -> None:
    """Run a command; an error ends the script."""
    subprocess.run([sys.executable, "-m", "regrade.cli", *map(str, arguments)], check=True)


def filled(folder: Path) -> Path:
    """The verdict file of a packet, beside it."""
    path = folder / f"verdicts-{folder.name}.json"
    path.write_text(fill_in((folder / "packet.jsonl").read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    return path


def main() -> None:
    """Draw, label, import, rule."""
    home = HERE / "reviews" / SAMPLE
    for path in home.glob("*.jsonl"):
        path.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        drawn, again = Path(scratch, "drawn"), Path(scratch, "again")
        regrade("sample", HERE, "--name", SAMPLE, "--out", drawn)
        files = [filled(folder) for folder in sorted((drawn / "packets").iterdir())]
        regrade("review", "import", HERE, *files)
        regrade("review", "rule", HERE, "--sample", SAMPLE, "--packet", again, "--by", RULES)
        regrade("review", "rule", HERE, filled(again / "packets" / RULES), "--sample", SAMPLE)
    regrade("review", "agreement", HERE, "--sample", SAMPLE)


if __name__ == "__main__":
    main()
