"""Rebuild the simulated corpus kremis_base and check it against its figures.

    python transcripts/kremis_base/simulate.py [--out DIR]

Every reply is invented. The benchmark's own classifier reads each one and its verdict is stored; the figures
are then counted again from the texts, and any that is missed is listed and ends in an error.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from kremis_sim import command  # noqa: E402

if __name__ == "__main__":
    sys.exit(command.run("base", HERE))
