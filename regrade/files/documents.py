"""Read the small hand-written files, TOML and JSON, with errors that name the place."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, NoReturn

from regrade.errors import CorpusError
from regrade.files.depth import DEPTH, is_deep
from regrade.files.shape import shown


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        CorpusError: It cannot be read, or is no TOML; the error names line and column.
    """
    try:
        return tomllib.loads(_read(path))
    except tomllib.TOMLDecodeError as error:
        raise CorpusError(f"{path}: not TOML: {error}.") from error


def read_json(path: Path) -> Any:
    """Read a JSON file; stricter than Python, since a database reads its parts again.

    Raises:
        CorpusError: It cannot be read, is no JSON, has a key twice in one object, has NaN or Infinity or a lone
            surrogate, or is nested too deep.
    """

    def refuse(constant: str) -> NoReturn:
        raise CorpusError(f"{path}: {constant} is no JSON. Write null or a number.")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise CorpusError(f"{path}: the key {twice!r} stands twice in one object, {shown(found)}. Keep one.")
        return found

    try:
        value = json.loads(_read(path), parse_constant=refuse, object_pairs_hook=once)
        if is_deep(value):
            raise RecursionError
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise CorpusError(f"{path}: line {error.lineno}, column {error.colno}: not JSON: {error.msg}.") from error
    except UnicodeEncodeError as error:
        raise CorpusError(f"{path}: it holds half of a character, {error.object[error.start]!a}. Mend it.") from error
    except ValueError as error:
        raise CorpusError(f"{path}: {error}. Mend it.") from error
    except RecursionError as error:
        raise CorpusError(f"{path}: over {DEPTH} lists and objects stand inside one another. Flatten it.") from error
    return value


def _read(path: Path) -> str:
    try:
        # Some editors put a byte order mark first.
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: not UTF-8 at byte {error.start}. Save it as UTF-8.") from error
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror or error}.") from error
