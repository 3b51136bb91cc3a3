"""Fixtures of every loader, mutated and loaded as a corpus: a result or one error, and every record accounted for."""

from __future__ import annotations

import copy
import csv
import gzip
import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.errors import RegradeError
from regrade.files.loaders import LOADERS
from regrade.starting import corpus_of
from regrade.steps import load_only

FIXTURES = Path(__file__).parent / "fixtures"
FILES = sorted(path for loader in LOADERS for path in (FIXTURES / loader.name).iterdir())

PLAIN = '[columns]\nconfiguration = "$filename"\nitem = {item}\n{words}\n[frozen.pass]\n{graded}\n'
MAPPINGS = {
    "jsonl": PLAIN.format(item='"id"', words='reply = "text"', graded='passed = "ok"'),
    "json": PLAIN.format(item='"question_id"', words='reply = "generated_text"', graded='passed = "ok"'),
    "csv": PLAIN.format(
        item='"id"\ntrial = "$line"', words='reply = "reply"', graded='value = "score"\npasses = "> 0.5"'
    ),
    "parquet": PLAIN.format(item='"doc.id"', words='turns = "messages"\nextra = "tags"', graded='passed = "passed"'),
}
"""What corpus.toml says beside `[corpus]`, where the format has no fields of its own."""

RAW = (
    *(
        "null",
        "true",
        "false",
        "0",
        "1",
        "-1",
        "0.5",
        "1e400",
        "-1e400",
        "1E2",
        "1e-400",
        "NaN",
        "Infinity",
        "nan",
        "01",
    ),
    *('""', '"x"', '"0"', '"C"', '"\\u0000"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\u0022"', '"a/b%c"', "'x'", '"\t"'),
    *("[]", "{}", "[null]", "[1, 2]", '{"text": "t"}', '{"a": 1, "a": 2}', '[{"role": "user"}]', "[1,]", "{,}"),
    *("9" * 40, "9" * 400, "9" * 5000, "[" * 150 + "]" * 150, "[" * 300 + "]" * 300, "[" * 5000 + "]" * 5000),
    *("[" * 700 + "null" + "]" * 700, '{"a":' * 400 + "1" + "}" * 400, '"' + "x" * 70_000 + '"', "\u2028", ""),
)
"""Texts that stand in a value's place."""


def mutate_value(random: Random, value: Any, raw: dict[str, str]) -> Any:
    """Change one place of a JSON value; what is to stand there as it is is put into `raw` under a mark."""
    mark = f"@{len(raw)}@"
    if isinstance(value, dict | list) and value and random.random() < 0.85:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = random.choice(keys)
        what = random.randrange(8)
        if what == 0:
            del value[key]
        elif what == 1 and isinstance(value, dict):
            value[random.choice([str(key) + "_", str(key).upper(), "", "id", "\u0000", *map(str, value)])] = value.pop(
                key
            )
        elif what == 2 and isinstance(value, list):
            value.insert(random.randrange(len(value) + 1), copy.deepcopy(value[key]))
        elif what == 3:
            raw[mark] = random.choice(RAW)
            value[key] = mark
        elif what == 4:
            value[key] = random.choice([[value[key]], {"a": value[key]}, str(value[key])])
        else:
            value[key] = mutate_value(random, value[key], raw)
        return value
    raw[mark] = random.choice(RAW)
    return mark


def mutate_json(random: Random, text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    raw: dict[str, str] = {}
    for _ in range(random.randint(1, 3)):
        value = mutate_value(random, value, raw)
    written = json.dumps(value, ensure_ascii=random.random() < 0.5, indent=random.choice([None, None, 1]))
    for mark, instead in raw.items():
        written = written.replace(json.dumps(mark), instead)
    return written


def mutate_lines(random: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    what = random.randrange(6)
    if what == 0:
        lines.insert(at, random.choice([b"", b" ", b"null", b"[]", b"{}", b"5", b"\xff", b"\0", lines[-1], *lines]))
    elif what == 1:
        lines[at] += random.choice([b"\r", b" {}", b",", b"\x0c", b"\xc2\xa0", lines[0]])
    else:
        text = lines[at].decode("utf-8", "surrogateescape")
        lines[at] = mutate_json(random, text).replace("\n", " ").encode("utf-8", "surrogateescape")
    return b"\n".join(lines)


def mutate_document(random: Random, data: bytes) -> bytes:
    return mutate_json(random, data.decode()).encode()


def mutate_table(random: Random, data: bytes) -> bytes:
    text = data.decode("utf-8-sig", "surrogateescape")
    split = max(",;\t", key=text.split("\n")[0].count)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=split))
    for _ in range(random.randint(1, 3)):
        row = random.choice(rows)
        at = random.randrange(len(row)) if row else 0
        what = random.randrange(5)
        if what == 0:
            del row[at : at + 1]
        elif what == 1:
            row.insert(at, random.choice(RAW))
        elif what == 2:
            rows.insert(0, list(row))
        elif row:
            row[at] = random.choice(RAW)
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=split, quoting=random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogateescape")


COLUMNS: tuple[Any, ...] = (
    *(
        None,
        True,
        1,
        -(2**63),
        0.5,
        float("nan"),
        float("inf"),
        "x",
        "\0",
        b"\xff",
        [],
        [None],
        [1],
        ["x"],
        {"a": None},
    ),
    *(
        {"id": 1},
        {"id": "x"},
        [{"role": "user", "content": "x"}],
        [{"role": None}],
        [{"role": "assistant"}],
        [[{"a": []}]],
    ),
)


def mutate_columns(random: Random, data: bytes) -> bytes:
    table = pq.read_table(io.BytesIO(data))
    for _ in range(random.randint(1, 3)):
        at = random.randrange(table.num_columns)
        name = table.column_names[at]
        what = random.randrange(4)
        if what == 0 and table.num_columns > 1:
            table = table.remove_column(at)
        elif what == 1:
            table = table.rename_columns([n + "_" if n == name else n for n in table.column_names])
        else:
            table = table.set_column(at, name, pa.array([random.choice(COLUMNS)] * table.num_rows))
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def mutate_archive(random: Random, data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        members = {info.filename: old.read(info) for info in old.infolist()}
        name = random.choice(sorted(members))
        what = random.randrange(8)
        if what == 0:
            del members[name]
        elif what == 1:
            members[random.choice(["x.json", f"samples/{name}", "../x", "", "samples/\u00e9_epoch_1.json"])] = members[
                name
            ]
        elif what == 2:
            members[name] = mutate_bytes(random, members[name])
        else:
            members[name] = mutate_json(random, members[name].decode()).encode("utf-8", "surrogatepass")
        for each, content in members.items():
            new.writestr(
                zipfile.ZipInfo(each), content, compress_type=random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
            )
    return out.getvalue()


def mutate_bytes(random: Random, data: bytes) -> bytes:
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(data) + 1)
        stop = min(len(data), at + random.choice([1, 1, 4, 40, len(data)]))
        put = random.choice(
            [b"", bytes([random.randrange(256)]), b"\0", b'"', b"{", b"]", b"\r\n", b"\xff\xfe", data[at:stop] * 2]
        )
        data = data[:at] + put + data[stop:]
    return data


MUTATE: dict[str, Callable[[Random, bytes], bytes]] = {
    ".jsonl": mutate_lines,
    ".json": mutate_document,
    ".csv": mutate_table,
    ".tsv": mutate_table,
    ".parquet": mutate_columns,
    ".eval": mutate_archive,
}


def mutated(random: Random, path: Path) -> bytes:
    data = path.read_bytes()
    if random.random() < 0.7:
        data = MUTATE[path.suffix](random, data)
    else:
        data = mutate_bytes(random, data)
    if random.random() < 0.1:
        data = gzip.compress(data)
        if random.random() < 0.5:
            data = mutate_bytes(random, data)
    return data


def check(name: str, loader: str, data: bytes) -> None:
    """Load the bytes as a file of the name, beside nothing else."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / name).write_bytes(data)
        head = f'[corpus]\nname = "odd"\nformat = "{loader}"\nfiles = ["{name}"]\n'
        (folder / "corpus.toml").write_text(head + MAPPINGS.get(loader, ""))
        try:
            counts = load_only(folder, folder / "out")
        except RegradeError as error:
            assert str(error).isprintable() and not (folder / "out").exists()
            return
        with duckdb.connect(str(folder / "out" / "audit.duckdb"), read_only=True) as con:
            rows = con.execute("select records, loaded, rejected from files").fetchall()
            rejects = con.execute("select count(*) from rejects").fetchone()
            trials = con.execute("select count(*), count(distinct trial_id) from trials").fetchone()
        assert rows == [(counts["records"], counts["loaded"], counts["rejected"])]
        assert counts["records"] == counts["loaded"] + counts["rejected"]
        assert rejects == (counts["rejected"],) and trials == (counts["trials"], counts["trials"])
        assert 0 < counts["trials"] <= counts["loaded"]
        if loader == "jsonl" and not data.startswith(b"\x1f\x8b"):
            told = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
            assert counts["records"] == sum(not line.isspace() for line in told if line)


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name[:30]}"


FUZZ = {"suppress_health_check": list(HealthCheck)}


@pytest.mark.slow
@settings(max_examples=200, **FUZZ)
@given(st.sampled_from(FILES), st.randoms(use_true_random=False))
def test_a_mutated_file_is_a_result_or_one_error(path: Path, random: Random) -> None:
    check(path.name, path.parent.name, mutated(random, path))


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", FILES, ids=name_of)
@settings(max_examples=100, **FUZZ)
@given(random=st.randoms(use_true_random=False))
def test_many_mutated_files(path: Path, random: Random) -> None:
    check(path.name, path.parent.name, mutated(random, path))


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=name_of)
@settings(max_examples=100, **FUZZ)
@given(random=st.randoms(use_true_random=False))
def test_a_mutated_log_alone_is_mapped_or_one_error(path: Path, random: Random) -> None:
    data = mutated(random, path)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / path.name).write_bytes(data)
        try:
            corpus_of(Path(folder) / path.name, (), None, ())
        except RegradeError as error:
            assert str(error).isprintable()
