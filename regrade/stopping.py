"""What the process does when it is told to end: clean up first, and never stop half way through putting files in place.

Handlers are the main thread's alone, and any that a program around this package has set stay.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn


@contextmanager
def stoppable(clean: Callable[[], None]) -> Iterator[None]:
    """Clean up before the process ends where the system tells it to; an interrupt raises KeyboardInterrupt, always.

    Args:
        clean: Called in place of all that would be unwound: to raise out of the engines' own code may abort them.
    """
    if not _in_main_thread():
        yield
        return
    interrupted: list[int] = []

    def end(number: int, frame: FrameType | None) -> NoReturn:
        clean()
        os.write(2, b"regrade: Stopped before the end; nothing was written.\n")
        os._exit(128 + number)

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        interrupted.append(number)
        raise KeyboardInterrupt

    ours = {(signal.SIGTERM, signal.SIG_DFL): end, (signal.SIGINT, signal.default_int_handler): interrupt}
    before = {number: signal.getsignal(number) for number, _ in ours}
    for (number, usual), handler in ours.items():
        if before[number] == usual:
            signal.signal(number, handler)
    try:
        yield
    except BaseException:
        # The engines turn what a handler raises into an error of their own.
        if interrupted:
            raise KeyboardInterrupt from None
        raise
    finally:
        _set(before)


@contextmanager
def unstoppable() -> Iterator[None]:
    """Put off an interrupt, or being told to end, until all of this is done."""
    if not _in_main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    _set({number: lambda number, frame: came.append(number) for number in before})
    try:
        yield
    finally:
        _set(before)
        for told in came:
            signal.raise_signal(told)


def _set(handlers: dict[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
