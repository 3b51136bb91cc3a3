"""What the process does when it is told to end: clean up first, and never stop half way through putting files in place.

Handlers are the main thread's alone, and any that a program around this package has set stay.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from regrade.errors import Stopped


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise Stopped where the process is told to end, so that what runs is unwound; an interrupt raises as ever."""
    if not _in_main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise Stopped("Stopped before the end; nothing was written.")

    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def unstoppable() -> Iterator[None]:
    """Put off an interrupt, or being told to end, until all of this is done."""
    if not _in_main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for told in came:
            signal.raise_signal(told)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
