import io
import json
import tempfile
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.errors import CorpusError
from regrade.files.corpus_toml import corpus_from
from regrade.files.loaders import LOADERS, MAX_LINE, RECORDS, detect, jsonl, loader_named, open_stream
from regrade.files.manifest import match_files

FIXTURES = Path(__file__).parent / "fixtures"


def cut(loader, data, max_line=MAX_LINE):
    """The records of bytes as (line, text, reason, excerpt)."""
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(data)
        batches = list(loader_named(loader).records(Path(file.name), max_line))
    assert all(batch.schema == RECORDS and batch.num_rows for batch in batches)
    rows = [tuple(row.values()) for row in pa.Table.from_batches(batches, RECORDS).to_pylist()]
    assert all(member is None for member, *_ in rows)
    return [row[1:] for row in rows]


def good(loader, data, max_line=MAX_LINE):
    rows = cut(loader, data, max_line)
    assert all(reason is excerpt is None for _, _, reason, excerpt in rows)
    return [(line, text) for line, text, _, _ in rows]


@pytest.mark.parametrize("loader", LOADERS, ids=lambda loader: loader.name)
def test_every_loader_has_fixtures_that_it_alone_knows(loader):
    files = sorted((FIXTURES / loader.name).iterdir())
    assert files
    for file in files:
        assert detect(file) is loader
    assert loader.about.endswith(".")


def test_names():
    assert [loader_named(loader.name) for loader in LOADERS] == list(LOADERS)
    with pytest.raises(CorpusError, match="Unknown format 'tau_bench'. Did you mean 'tau-bench'"):
        loader_named("tau_bench")


# jsonl


def test_odd_lines():
    with open_stream(FIXTURES / "jsonl" / "odd_lines.jsonl") as stream:
        rows = cut("jsonl", stream.read())
    assert rows == [
        (1, '{"id": "a", "text": "first"}', None, None),
        (3, '{"id": "b", "text": "sep\u2028inside"}', None, None),
        (5, None, "not_utf8", '{"id": "c", "text": "\ufffd"}'),
        (6, None, "not_json", '{"id": "d", "text": "raw\ufffdnul"}'),
        (7, '{"id": "e", "text": "escaped\\u0000nul"}', None, None),
        (8, '{"id": "f", "text": "lone \\ud800"}', None, None),
        (9, '{"id": "g"} {"id": "h"}', None, None),
        (10, "not json at all", None, None),
        (11, '{"id": "i", "text": "no last newline"}', None, None),
    ]


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b" \t\x0b\x0c\r\n\r\n  "])
def test_nothing_but_blank_lines(data):
    assert cut("jsonl", data) == []


def test_only_one_carriage_return_belongs_to_the_line_end():
    assert good("jsonl", b"a\r\r\nb\rc\nd\r") == [(1, "a\r"), (2, "b\rc"), (3, "d\r")]


def test_a_byte_order_mark_is_dropped_at_the_start_only():
    assert good("jsonl", b"\xef\xbb\xbf{}\n\xef\xbb\xbf{}") == [(1, "{}"), (2, "\ufeff{}")]


BLOCKS = (1, 2, 3, 7, 64, jsonl.BLOCK)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_line_that_is_too_long(monkeypatch, block, end):
    monkeypatch.setattr(jsonl, "BLOCK", block)
    lines = [b"first", b"x" * 11, b"x" * 10, b"y" * 300, b"\xff" * 30, b"", b"last", b"z" * 11]
    first = [(1, "first"), (3, "x" * 10), (7, "last")]
    rows = cut("jsonl", end.join(lines), max_line=10)
    assert [row[:2] for row in rows if row[2] is None] == first
    assert [(line, reason) for line, _, reason, _ in rows if reason] == [
        (2, "too_long"),
        (4, "too_long"),
        (5, "too_long"),
        (8, "too_long"),
    ]
    assert all("xyz\ufffd".find(excerpt[0]) >= 0 and len(excerpt) <= 200 for *_, excerpt in rows if excerpt)


def test_a_line_that_is_too_long_is_not_held(monkeypatch):
    monkeypatch.setattr(jsonl, "BLOCK", 1 << 20)

    class Endless(io.RawIOBase):
        left = 100 * jsonl.BLOCK

        def readable(self):
            return True

        def read(self, size=-1):
            size = min(size, self.left)
            self.left -= size
            return b"x" * size

    tracemalloc.start()
    rows = list(jsonl.lines(Endless(), 1000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [row["reason"] for batch in rows for row in batch.to_pylist()] == ["too_long"]
    assert peak < 5 * jsonl.BLOCK


BLANK = st.sampled_from([b"", b" ", b"\t \x0c", b"\x0b"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=3)
ENDS = st.sampled_from([b"\n", b"\r\n"])


@given(
    st.lists(st.tuples(OBJECTS, st.booleans(), ENDS, st.lists(st.tuples(BLANK, ENDS), max_size=3))),
    st.booleans(),
    st.booleans(),
    st.sampled_from(BLOCKS),
)
def test_records_are_exactly_the_objects_on_their_lines(records, mark, last_end, block):
    data, expected, line = b"\xef\xbb\xbf" if mark else b"", [], 1
    for record, ascii_only, end, blanks in records:
        for blank, blank_end in blanks:
            data += blank + blank_end
            line += 1
        text = json.dumps(record, ensure_ascii=ascii_only)
        data += text.encode() + end
        expected.append((line, text))
        line += 1
    if records and not last_end:
        data = data[: -len(records[-1][2])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "BLOCK", block)
        assert good("jsonl", data) == expected


@given(st.lists(st.binary(max_size=12)), st.sampled_from(BLOCKS))
def test_every_line_that_is_not_blank_is_one_record_whatever_it_holds(lines, block):
    data = b"\n".join(lines)
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "BLOCK", block)
        rows = cut("jsonl", data, max_line=6)
    physical = data.split(b"\n")
    assert [row[0] for row in rows] == [i for i, line in enumerate(physical, 1) if line.strip(b" \t\n\r\x0b\x0c")]
    for line, text, reason, excerpt in rows:
        content = physical[line - 1].removesuffix(b"\r") if line < len(physical) else physical[line - 1]
        assert reason == refusal(content, 6)
        assert (text is None) == (excerpt is not None) == (reason is not None)
        assert text is None or text.encode() == content


def refusal(content, max_line):
    if len(content) > max_line:
        return "too_long"
    try:
        return "not_json" if "\0" in content.decode() else None
    except UnicodeDecodeError:
        return "not_utf8"


@pytest.mark.parametrize("loader", ["jsonl", "tau-bench"])
def test_a_raw_nul_is_refused_where_all_is_well_otherwise(loader):
    data = b'{"a": "\0"}\n' if loader == "jsonl" else b'[{"a": "\0"}]'
    assert cut(loader, data) == [(1, None, "not_json", '{"a": "\ufffd"}')]


# tau-bench


def test_tau_bench_list():
    data = (FIXTURES / "tau-bench" / "list_indented.json").read_bytes()
    rows = good("tau-bench", data)
    lines = data.decode().split("\n")
    assert [line for line, _ in rows] == [i for i, line in enumerate(lines, 1) if line == "  {"]
    assert [json.loads(text) for _, text in rows] == json.loads(data)
    for line, text in rows:
        assert "\n".join(lines[line - 1 :]).lstrip().startswith(text)


def test_tau_bench_single_object():
    data = (FIXTURES / "tau-bench" / "single_object.json").read_bytes()
    assert good("tau-bench", data) == [(1, data.decode().strip())]


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"", []),
        (b" \n ", []),
        (b"[]", []),
        (b"\xef\xbb\xbf [ ]\n", []),
        (b"{}", [(1, "{}")]),
        (b'[1, "a]\\"", null,\n[2], -1e5]', [(1, "1"), (1, '"a]\\""'), (1, "null"), (2, "[2]"), (2, "-1e5")]),
        (b'[{"a": NaN}, {"a" 1}]', [(1, '{"a": NaN}'), (1, '{"a" 1}')]),
        (b'\n\n[\r\n{"a":\n1}\r\n,\r\n{}]', [(4, '{"a":\n1}'), (7, "{}")]),
    ],
)
def test_elements_are_passed_on_as_they_stand(data, texts):
    assert good("tau-bench", data) == texts


@pytest.mark.parametrize(
    ("data", "place", "found"),
    [
        (b"nothing", "line 1, column 1", "expected a list or an object, found 'nothing'"),
        (b'\n "x"', "line 2, column 2", "expected a list or an object"),
        (b"[{}\n {}]", "line 2, column 2", "expected a comma or the end of the list, found '{}]'"),
        (b"[{},\n]", "line 2, column 1", "expected a value, found ']'"),
        (b"[{},", "line 1, column 5", "expected a value, found the end of the file"),
        (b"[{}", "line 1, column 4", "the end of the file"),
        (b'[{"a": "b', "line 1, column 10", "expected the rest of a record, found the end of the file"),
        (b'[{"a": "b\\', "line 1, column 10", "expected the rest of a record"),
        (b"[]\n[]", "line 2, column 1", "expected the end of the document"),
        (b"{} {}", "line 1, column 4", "expected the end of the document"),
        (b"[}]", "line 1, column 2", "expected a value"),
    ],
)
def test_a_document_whose_records_cannot_be_told_apart(data, place, found):
    with pytest.raises(CorpusError) as caught:
        cut("tau-bench", data)
    assert place in str(caught.value) and found in str(caught.value)


def test_refused_elements_leave_the_others():
    rows = cut("tau-bench", b'[{"a": 1}, "\xff", "\0", "' + b"x" * 400 + b'"\n, {"b": 2}]', max_line=20)
    assert [(line, text, reason) for line, text, reason, _ in rows] == [
        (1, '{"a": 1}', None),
        (1, None, "not_utf8"),
        (1, None, "not_json"),
        (1, None, "too_long"),
        (2, '{"b": 2}', None),
    ]
    assert rows[3][3] == '"' + "x" * 199


@given(
    st.lists(VALUES),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
    st.sampled_from(["", " ", "\n", "\r\n\t"]),
    st.sampled_from((1, 2, 3, 7, 64)),
)
def test_elements_are_exact_slices_of_the_document(values, indent, ascii_only, space, block):
    texts = [json.dumps(value, indent=indent, ensure_ascii=ascii_only) for value in values]
    data = space + "[" + space + (space + "," + space).join(texts) + space + "]" + space
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("regrade.files.loaders.json_text.BLOCK", block)
        rows = good("tau-bench", data.encode())
    assert [text for _, text in rows] == texts
    at = 0
    for line, text in rows:
        at = data.index(text, at)
        assert line == data.count("\n", 0, at) + 1
        at += len(text)


# detection


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b'{"a": 1}\n{"a": 2}\n', "jsonl"),
        (b'\xef\xbb\xbf\n\n{"a": 1}', "jsonl"),
        (b'broken\n{"a": 1}\n', "jsonl"),
        (b'{"a": "' + b"x" * 70_000 + b'"}\n', "jsonl"),
        (b'{"task_id": 0, "reward": 0.0, "info": {}, "traj": [], "trial": 0}\n' * 2, "jsonl"),
        (b'[{"info": {}, "reward": 1, "task_id": 0, "traj": ["' + b"x" * 70_000, "tau-bench"),
        (b' {"task_id": 0, "reward": 0.0, "info": {}, "traj": [], "trial": 0}\n', "tau-bench"),
        (b'[{"task_id": 0, "reward": 1}]', "json"),
        (b'[{"x": {"task_id": 0, "reward": 1, "info": 2, "traj": 3}}]', "json"),
        (b'\xef\xbb\xbf[\n{"a": 1},\n{"a": 2}\n]\n', "json"),
        (b'{\n "a": 1\n}', "json"),
    ],
)
def test_detected_by_content(tmp_path, content, name):
    (tmp_path / "log.parquet").write_bytes(content)
    assert detect(tmp_path / "log.parquet").name == name


@pytest.mark.parametrize(
    "content",
    [
        b"plain text\n",
        b"[]",
        b'["a", {"b": 1}]',
        b"PK\x03\x04",
    ],
)
def test_what_no_loader_knows(tmp_path, content):
    (tmp_path / "log.jsonl").write_bytes(content)
    with pytest.raises(CorpusError, match=r"log.jsonl: no known format.*known: .*tau-bench, .*jsonl"):
        detect(tmp_path / "log.jsonl")


def test_an_empty_file_is_called_so_and_no_format_is_asked_for(tmp_path):
    (tmp_path / "log.jsonl").write_bytes(b"")
    with pytest.raises(CorpusError, match=r"log.jsonl: it is an empty file\. Name a log that has records\."):
        detect(tmp_path / "log.jsonl")


# real logs


@pytest.mark.parametrize(
    ("file", "name", "count"),
    [
        ("tau_bench/gpt-4o-airline.json", "tau-bench", 200),
        ("tau_bench/docent_tb_airline.json", "tau-bench", 1),
        ("gsm8k/example_model_solutions.jsonl", "jsonl", 1319),
    ],
)
def test_real_logs(shared, file, name, count):
    root = shared / "data"
    data = {"corpus": {"name": "real", "files": [file]}}
    if name == "jsonl":
        data |= {
            "columns": {"item": "$line"},
            "each": [
                {
                    "configuration": size,
                    "reply": f"{size}.solution",
                    "frozen": {"pass": {"passed": f"{size}.is_correct"}},
                }
                for size in ("6b_finetuning", "175b_verification")
            ],
        }
    corpus = corpus_from(data, root, "corpus.toml")
    assert corpus.format == name and corpus.axes == ("pass",)
    (path,) = match_files(corpus)
    content = (root / path).read_bytes()
    rows = good(name, content)
    assert len(rows) == count
    whole = json.loads(content) if name == "tau-bench" else [json.loads(line) for line in content.splitlines()]
    assert [json.loads(text) for _, text in rows] == (whole if isinstance(whole, list) else [whole])
