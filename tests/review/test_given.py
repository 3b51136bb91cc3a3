"""Whatever a verdict file holds, it is read into rows or refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.review.given import Given, read_given

KEYS = st.sampled_from(
    ["schema", "sample", "reviewer", "verdicts", "id", "packet_id", "label", "comment", "data", "annotations", "result",
     "value", "choices", "text", "from_name", "was_cancelled"]
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.sampled_from(["", "a", "passed", "regrade.verdicts/1"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=20
)
ROWS = st.dictionaries(KEYS, VALUES, max_size=8)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("given") / "file"


def read(file: Path) -> None:
    try:
        rows = read_given(file)
    except CorpusError as error:
        assert str(file) in str(error) and "\n" not in str(error)
    else:
        assert rows and all(isinstance(row, Given) and all(isinstance(text, str) for text in row) for row in rows)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ROWS, max_size=4) | ROWS)
def test_any_json_is_read_or_refused(file: Path, value: Any) -> None:
    for text in (json.dumps(value), "\n".join(json.dumps(row) for row in value)):
        file.write_text(text, encoding="utf-8")
        read(file)


@given(st.binary(max_size=200) | st.text("sampleid,;\t\n\r\"'{}[]:=\x00\ufeff", max_size=120).map(str.encode))
def test_any_bytes_are_read_or_refused(file: Path, held: bytes) -> None:
    file.write_bytes(held)
    read(file)


@given(st.text("sampleid,;\t\n\r\"'=\x00", max_size=60))
def test_any_table_is_read_or_refused(file: Path, rows: str) -> None:
    file.write_bytes(b"sample,id,label\n" + rows.encode())
    read(file)
