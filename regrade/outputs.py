"""The files of an audit: written beside their place, and put in place together at the end."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb

from regrade.errors import OutputError, one_line
from regrade.pages import FOLDER, MADE_BY, REPORT
from regrade.stopping import stoppable, unstoppable
from regrade.tables.store import FILE_NAME

try:
    import fcntl
except ImportError:  # Where there is none, two audits into one folder are not kept apart.
    fcntl = None  # type: ignore[assignment]


def write_text(path: Path, text: str, instead: str = "another folder with --out") -> None:
    """Write a text, its folder too where there is none; OutputError where it cannot be, which says what to name."""
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise _cannot_write(path, error, instead) from None


def json_text(value: Any, width: int = 150) -> str:
    """A value as JSON: what fits in a line of `width` characters stands in one, the rest is a line a member."""
    return _folded(json.loads(json.dumps(value, allow_nan=False)), "", width) + "\n"


_one_line = json.JSONEncoder(ensure_ascii=False).encode


def _folded(value: Any, indent: str, width: int) -> str:
    text = _one_line(value)
    if not isinstance(value, dict | list) or len(indent) + len(text) <= width:
        return text
    deeper = indent + " "
    if isinstance(value, dict):
        members = [f"{_one_line(k)}: {_folded(v, deeper, width)}" for k, v in value.items()]
    else:
        members = [_folded(each, deeper, width) for each in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{deeper}" + f",\n{deeper}".join(members) + f"\n{indent}{closing}"


OUTPUTS = (FILE_NAME, "flips.csv", REPORT, "summary.json")
"""In the order in which they are put in place: the summary, which has the hashes of the others, last.

The folder of trials, where a report has one, goes before the report.
"""

PROPOSAL = ("proposal.md", "proposal.html")
"""What is written from an audit when it is asked for, and is untrue once the store is another."""

BESIDE = ".new-"
"""How the folder is called in which outputs are written."""

HEAD = 200
"""Bytes at the beginning of a page that say who made it."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """A folder to write into; at the end each output in it replaces the one in `out`. On an error nothing changes.

    Raises:
        OutputError: `out` cannot be written, the disk is full, or another process is writing into `out`.
        Stopped: the process was told to end.
    """
    made = [p for p in (out, *out.parents) if not p.exists()]
    done = False
    try:
        with _alone_in(out), _new_folder(out) as new, _full_disk_told(out):
            with stoppable(lambda: _remove((new, *made))):
                yield new
            with unstoppable():
                _put_in_place(new, out)
                _remove((new,))
        done = True
    finally:
        if not done:
            _remove(made)


def clear(out: Path) -> None:
    """Remove what killed processes left in `out`, unless a process is writing there."""
    if any(out.glob(f"{BESIDE}*")):
        with suppress(OutputError), _alone_in(out):
            pass


def _remove(folders: Iterable[Path]) -> None:
    """Remove folders of ours: what outputs are written in with all in it, others where they are empty."""
    for folder in folders:
        if folder.name.startswith(BESIDE):
            shutil.rmtree(folder, ignore_errors=True)
        elif folder.exists() and not any(folder.iterdir()):
            folder.rmdir()


def _put_in_place(new: Path, out: Path) -> None:
    for name in (*OUTPUTS, *PROPOSAL):
        if (out / name).is_dir():
            raise OutputError(
                f"Cannot write {out / name}: a folder is in the way. Move it, or name another with --out."
            )
    if (new / FOLDER).exists() and (found := _not_ours(out / FOLDER)) is not None:
        raise OutputError(
            f"Cannot write {out / FOLDER}: what is there was not made by an audit ({found}). "
            "Move it, or name another folder with --out."
        )
    if (new / f"{FILE_NAME}.wal").exists():
        # The store could not be finished when it was closed, which raises nothing there.
        with duckdb.connect(str(new / FILE_NAME)) as con:
            con.execute("checkpoint")
    anew = (new / FILE_NAME).exists()
    if anew:
        # A log of an earlier store, left by a killed process, would be taken for the new one's.
        (out / f"{FILE_NAME}.wal").unlink(missing_ok=True)
    for name in (*OUTPUTS, *PROPOSAL):
        if name == REPORT and (anew or (new / name).exists()):
            _put_trials(new, out)
        if (new / name).exists():
            os.replace(new / name, out / name)
        elif anew:
            # A new store makes what was written from the old one untrue.
            (out / name).unlink(missing_ok=True)


def _put_trials(new: Path, out: Path) -> None:
    """Put the folder of trials in place as a whole; one that belongs to an earlier report goes, and with it `new`."""
    if (out / FOLDER).exists() and _not_ours(out / FOLDER) is None:
        os.replace(out / FOLDER, new / f"{FOLDER}.old")
    if (new / FOLDER).exists():
        os.replace(new / FOLDER, out / FOLDER)


def _not_ours(folder: Path) -> str | None:
    """The name of something that no audit of ours has written where a folder of trials would stand."""
    if not folder.is_dir() or folder.is_symlink():
        return folder.name if folder.exists() or folder.is_symlink() else None
    for path in sorted(folder.iterdir()):
        if not path.is_file() or path.is_symlink():
            return path.name
        with path.open("rb") as file:
            if MADE_BY.encode() not in file.read(HEAD):
                return path.name
    return None


@contextmanager
def _alone_in(out: Path) -> Iterator[None]:
    """Make the folder and hold it, so that no other process writes into it; the system lets go where this one dies."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        folder = os.open(out, os.O_RDONLY) if fcntl is not None else None
    except OSError as error:
        raise _cannot_write(out, error) from None
    if folder is None:
        yield
        return
    try:
        if _hold(folder, out):
            # What a killed process left.
            _remove(out.glob(f"{BESIDE}*"))
        yield
    finally:
        os.close(folder)


def _hold(folder: int, out: Path) -> bool:
    """Whether the folder is held now; there are file systems that cannot."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutputError(
            f"Another process is writing into {out}. Wait until it ends, or name another folder with --out."
        ) from None
    except OSError:
        return False
    return True


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    try:
        new = Path(tempfile.mkdtemp(prefix=BESIDE, dir=out))
    except OSError as error:
        raise _cannot_write(out, error) from None
    try:
        yield new
    finally:
        _remove((new,))


@contextmanager
def _full_disk_told(out: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, duckdb.Error) as error:
        if not _is_full(error):
            raise
        raise _cannot_write(out, error) from None


def _cannot_write(path: Path, error: Exception, instead: str = "another folder with --out") -> OutputError:
    room = "Make room, or name" if _is_full(error) else "Name"
    return OutputError(f"Cannot write into {path}: {one_line(str(error))}. {room} {instead}.")


def _is_full(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in FULL
    # An error of the store's file comes as one of several kinds.
    return any(said in str(error) for said in ("Could not write", "No space left", "Could not truncate"))
