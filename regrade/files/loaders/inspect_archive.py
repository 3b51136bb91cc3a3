"""An Inspect log that is a zip archive, one member or a few a sample, read in bounds and never extracted."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, cast

from regrade.errors import CorpusError, one_line
from regrade.files.loaders.inspect_chunks import arranged, assembled
from regrade.files.loaders.inspect_cuts import Cut
from regrade.files.loaders.inspect_document import checked_header, selected
from regrade.files.loaders.inspect_member import Damaged, Member, TooLong
from regrade.files.loaders.inspect_trials import FIELDS
from regrade.files.loaders.loader import EXCERPT, MAX_LINE

MEMBERS = 1_000_000
TOTAL = 1 << 40
"""Bytes that all members may have, decompressed."""
RATIO = 10_000
"""How many times larger than stored a member may be: deflate gives no tenth of that, a bomb of zstd far more."""
SMALL = 16 * 1024 * 1024
"""Bytes of a member whose ratio is not asked for."""

HEADERS = ("header.json", "_journal/start.json")
"""The first is written when the log is finished, the second when it is begun."""


class Archive:
    """A log in a zip archive; a context manager."""

    def __init__(self, path: Path) -> None:
        """Read the directory of an archive.

        Raises:
            CorpusError: It is cut off or damaged, or beyond the bounds.
        """
        self._path = path
        self._file = _open(path)
        try:
            self._members = _directory(self._file, path)
        except CorpusError:
            self._file.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def header(self) -> dict[str, Any]:
        """What the log says of itself.

        Raises:
            CorpusError: No header can be read.
        """
        name = next((name for name in HEADERS if name in self._members), None)
        if name is None:
            raise CorpusError(f"{self._path}: no Inspect log, since the archive has no {' and no '.join(HEADERS)}.")
        try:
            header = json.loads(self._whole(name, MAX_LINE))
        except (Damaged, ValueError, RecursionError) as error:
            raise CorpusError(
                f"{self._path}: its member {name} cannot be read ({one_line(str(error))}). Fetch the log again, or take"
                " it out of files."
            ) from error
        return checked_header(header, str(self._path))

    def samples(self, max_line: int) -> Iterator[Cut]:
        """The samples, in the order of the archive; a damaged one is cut with a reason and does the others no harm."""
        for name, parts in arranged(self._members).items():
            try:
                if parts:
                    cut = assembled(name, parts, self._whole, max_line)
                elif self._members[name].file_size > max_line:
                    cut = selected(cast(BinaryIO, self._member(name)), FIELDS, max_line)
                else:
                    cut = Cut(name, 1, self._whole(name, max_line))
            except (Damaged, CorpusError) as error:
                reason = "too_long" if isinstance(error, TooLong) else "not_json"
                cut = Cut(name, 1, self._beginning(name), reason)
            yield cut._replace(member=name)

    def _member(self, name: str) -> Member:
        return Member(self._file, self._members[name])

    def _whole(self, name: str, limit: int) -> bytes:
        if self._members[name].file_size > limit:
            raise TooLong(f"it has more than {limit} bytes")
        return self._member(name).whole()

    def _beginning(self, name: str) -> bytes:
        try:
            return Member(self._file, self._members[name], 4 * EXCERPT).read(4 * EXCERPT) or b""
        except Damaged:
            return b""


def _open(path: Path) -> BinaryIO:
    try:
        file = path.open("rb")
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if file.read(2) != b"PK":
        file.close()
        raise CorpusError(f"{path}: an archive that is compressed once more. Decompress it to the .eval file.")
    return file


def _directory(file: BinaryIO, path: Path) -> dict[str, zipfile.ZipInfo]:
    """The members of an archive by name; one that was written again counts as it was written last."""
    try:
        members = zipfile.ZipFile(file).infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, EOFError, struct.error) as error:
        raise CorpusError(
            f"{path}: the archive is cut off or damaged ({one_line(str(error))}). Fetch the log again, or take it out "
            "of files."
        ) from error
    stored = sum(info.compress_size for info in members)
    size = sum(info.file_size for info in members)
    swollen = [info for info in members if info.file_size > max(SMALL, RATIO * info.compress_size)]
    if len(members) > MEMBERS:
        found = f"{len(members)} members, more than {MEMBERS}"
    elif size > TOTAL:
        found = f"{size} bytes when decompressed, more than {TOTAL}"
    elif stored > path.stat().st_size:
        found = "members that lie over one another"
    elif swollen:
        found = f"a member {swollen[0].filename[:80]!r} that is over {RATIO} times larger than stored"
    else:
        return {info.filename: info for info in members}
    raise CorpusError(f"{path}: the archive has {found}, which no log has. Take it out of files.")
