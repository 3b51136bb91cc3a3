"""tau-bench: the list of trials that its runner saves, or one of them."""

from __future__ import annotations

from regrade.files.corpus import FrozenAxis
from regrade.files.loaders.json_text import elements, first_keys
from regrade.files.loaders.loader import BOM, Loader, of_stream

KEYS = {b"task_id", b"reward", b"info", b"traj"}
"""`trial` comes after the transcript, too late to be seen."""


def looks_like(head: bytes) -> bool:
    """Whether the document is a list or one object, and its first object has the keys of a trial."""
    head = head.removeprefix(BOM).lstrip()
    if not head.startswith((b"[", b"{")) or not first_keys(head) >= KEYS:
        return False
    # Further objects at the beginning of a line are JSON Lines.
    return head.startswith(b"[") or b"\n{" not in head


LOADER = Loader(
    name="tau-bench",
    about="tau-bench: a JSON list of trials with task_id, reward, info, traj and trial, or one such object.",
    looks_like=looks_like,
    records=of_stream(elements),
    columns={"configuration": "$filename", "item": "task_id", "trial": "trial", "turns": "traj"},
    # The reward beside it is 0.0 also for a trial that ran out of steps and was never graded.
    frozen=lambda files: {"pass": FrozenAxis(value="info.reward_info.reward", passes=">= 1.0")},
    bank={"prompt": "info.task.instruction", "gold": "info.task"},
)
