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
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise CorpusError(f"{path}: not TOML: {error}.") from error


def read_json(path: Path) -> Any:
    """Read a JSON file, as `parse_json` does. CorpusError where it cannot be read."""
    return parse_json(read_text(path), str(path))


def parse_json(text: str, where: str) -> Any:
    """Read a JSON text; stricter than Python, since a database reads its parts again.

    Args:
        text: The text.
        where: What to call it in errors.

    Raises:
        CorpusError: It is no JSON, has a key twice in one object, has NaN or Infinity or a lone
            surrogate, or is nested too deep.
    """

    def refuse(constant: str) -> NoReturn:
        raise CorpusError(f"{where}: {constant} is no JSON. Write null or a number.")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise CorpusError(f"{where}: the key {twice!r} stands twice in one object, {shown(found)}. Keep one.")
        return found

    try:
        value = json.loads(text, parse_constant=refuse, object_pairs_hook=once)
        if is_deep(value):
            raise RecursionError
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise CorpusError(f"{where}: line {error.lineno}, column {error.colno}: not JSON: {error.msg}.") from error
    except UnicodeEncodeError as error:
        raise CorpusError(f"{where}: it holds half of a character, {error.object[error.start]!a}. Mend it.") from error
    except ValueError as error:
        raise CorpusError(f"{where}: {error}. Mend it.") from error
    except RecursionError as error:
        raise CorpusError(f"{where}: over {DEPTH} lists and objects stand inside one another. Flatten it.") from error
    return value


def read_text(path: Path) -> str:
    """Read a text file. CorpusError where it cannot be read, or is not UTF-8."""
    try:
        # Some editors put a byte order mark first.
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: not UTF-8 at byte {error.start}. Save it as UTF-8.") from error
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror or error}.") from error
