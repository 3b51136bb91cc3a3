"""Run commands as a user does, in this process."""

from __future__ import annotations

from typing import Any

from click.testing import CliRunner, Result

from regrade.cli import main


def run(*args: Any, code: int | None = 0) -> Result:
    """Run a command; it ends with the exit code, where one is expected, and never with a traceback."""
    result = CliRunner().invoke(main, [str(a) for a in args])
    assert code in (None, result.exit_code), (result.stdout, result.stderr, result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), "no traceback"
    return result
