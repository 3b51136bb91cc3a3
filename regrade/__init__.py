"""Audit and regrade saved transcripts of LLM and agent benchmarks.

The Python API: `regrade.read` applies one reader to one text, `regrade.audit.audit` does what the command does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regrade.errors import RegradeError

if TYPE_CHECKING:
    from regrade.reading import read

__all__ = ["RegradeError", "__version__", "read"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # Loaded when asked for: the engines take a while to import, and `regrade --help` needs none of them.
    if name == "read":
        from regrade.reading import read

        return read
    raise AttributeError(f"module 'regrade' has no attribute {name!r}")
