"""A bar on work that takes over two seconds, on standard error and only where that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TaskID

PATIENCE = 2.0
"""Seconds before a bar is shown."""


@contextmanager
def progress_bar() -> Iterator[Callable[[str, str, int, int], None]]:
    """A function to call with (step, what, done, in all)."""
    if not sys.stderr.isatty():
        yield lambda step, what, done, total: None
        return
    bar = Progress(console=Console(stderr=True), transient=True)
    began = time.monotonic()
    tasks: dict[str, TaskID] = {}

    def show(step: str, what: str, done: int, total: int) -> None:
        if time.monotonic() - began < PATIENCE:
            return
        if step not in tasks:
            bar.start()
            tasks[step] = bar.add_task(step, total=total)
        bar.update(tasks[step], completed=done, total=total)

    try:
        yield show
    finally:
        bar.stop()
