from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Make = Callable[[str, Mapping[str, str | bytes]], Path]

MINIMAL = """
[corpus]
name = "small"
format = "jsonl"
files = ["trials/*.jsonl"]
[columns]
configuration = "$filename"
item = "id"
reply = "text"
"""


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a corpus folder: the text of corpus.toml, and its other files by path."""

    def write(toml: str, files: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / "corpus"
        for name, content in {"corpus.toml": toml, **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return write


@pytest.fixture
def minimal() -> str:
    return MINIMAL
