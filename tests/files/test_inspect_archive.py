"""An `.eval` log is an archive: its compressions, its bounds, its damages, samples of several members."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from regrade.errors import CorpusError
from regrade.files.loaders import MAX_LINE, detect, inspect, inspect_archive
from tests.files.inspect_logs import archive, members, sample


def rows(tmp_path: Path, log: bytes, max_line: int = MAX_LINE) -> list[dict[str, Any]]:
    path = tmp_path / "log"
    path.write_bytes(log)
    return [row for batch in inspect.records(path, max_line) for row in batch.to_pylist()]


def items(found: list[dict[str, Any]]) -> list[Any]:
    return [row["reason"] or json.loads(row["text"])["item"] for row in found]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
def test_compressions(tmp_path: Path, method: int) -> None:
    found = rows(tmp_path, archive(members(sample("a"), sample("b", reply="x" * 3_000_000)), method))
    assert items(found) == ["a", "b"]
    assert [(row["member"], row["line"]) for row in found] == [
        ("samples/a_epoch_1.json", 1),
        ("samples/b_epoch_1.json", 1),
    ]
    assert detect(tmp_path / "log") is inspect.LOADER


def test_a_member_that_was_written_again_counts_as_it_was_written_last(tmp_path: Path) -> None:
    pairs = [*members(sample(1, reply="first")).items(), *members(sample(1, reply="last")).items()]
    with pytest.warns(UserWarning, match="Duplicate name"):
        log = archive(pairs)
    [row] = rows(tmp_path, log)
    assert json.loads(row["text"])["messages"][-1]["content"] == "last"


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
def test_a_damaged_member_is_a_reject_and_leaves_the_others(tmp_path: Path, method: int) -> None:
    marked = sample("b", reply="".join(f"{n}," for n in range(4000)))
    log = archive(members(sample("a"), marked, sample("c")), method)
    with zipfile.ZipFile(io.BytesIO(log)) as file:
        info = file.getinfo("samples/b_epoch_1.json")
    at = info.header_offset + 60 + info.compress_size // 2
    found = rows(tmp_path, log[:at] + bytes([log[at] ^ 0x55]) + log[at + 1 :])
    assert items(found) == ["a", "not_json", "c"]
    assert found[1]["member"] == "samples/b_epoch_1.json"
    # What can be read of it is shown.
    assert found[1]["excerpt"].startswith('{"id": "b"') or method == 93


def test_a_member_that_is_not_where_the_directory_says(tmp_path: Path) -> None:
    log = archive(members(sample("a"), sample("b")))
    at = log.index(b"PK\x03\x04", log.index(b"samples/a"))
    assert items(rows(tmp_path, log[:at] + b"KP" + log[at + 2 :])) == ["a", "not_json"]


@pytest.mark.parametrize(("place", "change"), [(8, 1), (10, 14)])
def test_an_encrypted_member_and_a_compression_that_is_not_known(tmp_path: Path, place: int, change: int) -> None:
    log = bytearray(archive(members(sample("a"), sample("b"))))
    at = log.rindex(b"PK\x01\x02", 0, log.rindex(b"samples/b"))
    log[at + place] = change
    assert items(rows(tmp_path, bytes(log))) == ["a", "not_json"]


def test_an_archive_that_is_cut_off_anywhere(tmp_path: Path) -> None:
    log = archive(members(sample("a")))
    for stop in range(4, len(log)):
        with pytest.raises(CorpusError, match="log: ") as caught:
            rows(tmp_path, log[:stop])
        assert "\n" not in str(caught.value)
    with pytest.raises(CorpusError, match="cut off or damaged.*Fetch the log again"):
        rows(tmp_path, log[:-30])


def test_headers(tmp_path: Path) -> None:
    log = members(sample())
    del log["header.json"], log["_journal/start.json"]
    with pytest.raises(CorpusError, match=r"no header\.json and no _journal/start\.json"):
        rows(tmp_path, archive(log))
    for header, found in (
        (b"{", "header.json cannot be read"),
        (b"[]", "no object 'eval'"),
        (b"{}", "no object 'eval'"),
    ):
        with pytest.raises(CorpusError, match=found):
            rows(tmp_path, archive({**log, "header.json": header}))


def test_an_archive_that_is_compressed_once_more(tmp_path: Path) -> None:
    import gzip

    with pytest.raises(CorpusError, match="compressed once more"):
        rows(tmp_path, gzip.compress(archive(members(sample()))))


@pytest.mark.parametrize(
    ("bound", "limit", "found"),
    [("MEMBERS", 2, "3 members, more than 2"), ("TOTAL", 100, "bytes when decompressed, more than 100")],
)
def test_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, limit: int, found: str) -> None:
    monkeypatch.setattr(inspect_archive, bound, limit)
    with pytest.raises(CorpusError, match=found):
        rows(tmp_path, archive(members(sample())))


def test_a_member_that_is_a_bomb(tmp_path: Path) -> None:
    log = archive({**members(sample()), "samples/b_epoch_1.json": b" " * (20 * 1024 * 1024)}, 93)
    with pytest.raises(CorpusError, match=r"'samples/b_epoch_1.json' that is over 10000 times larger than stored"):
        rows(tmp_path, log)


def test_members_that_lie_over_one_another(tmp_path: Path) -> None:
    log = archive(members(sample("a", reply="".join(map(str, range(999))))))
    directory = log.index(b"PK\x01\x02", log.index(b"samples/a"))
    first = log[log.index(b"PK\x01\x02", directory) : log.rindex(b"PK\x05\x06")]
    entry = first[first.index(b"PK\x01\x02", 4) : first.rindex(b"PK\x01\x02")]
    end = bytearray(log[-22:])
    count = 3 + 50
    end[8:12] = count.to_bytes(2, "little") * 2
    end[12:16] = (len(first) + 50 * len(entry)).to_bytes(4, "little")
    with pytest.raises(CorpusError, match="lie over one another"):
        rows(tmp_path, log[:-22] + entry * 50 + bytes(end))


def test_a_member_that_says_less_than_it_holds_is_not_read_on(tmp_path: Path) -> None:
    log = bytearray(archive(members(sample("a"), sample("b", reply="x" * 80_000_000))))
    at = log.rindex(b"PK\x01\x02", 0, log.rindex(b"samples/b"))
    log[at + 24 : at + 28] = (1000).to_bytes(4, "little")
    tracemalloc.start()
    found = rows(tmp_path, bytes(log))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert items(found) == ["a", "not_json"]
    assert peak < 20_000_000


def test_nothing_is_ever_written_from_an_archive(tmp_path: Path) -> None:
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    log = {**members(), "samples/../../x_epoch_1.json": json.dumps(sample("x")).encode(), "/etc/y.json": b"{}"}
    assert items(rows(inside, archive(log))) == ["x"]
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["log"]


# large samples


def test_events_of_any_size_are_stepped_over(tmp_path: Path) -> None:
    long = sample("b", events=[{"event": "model", "text": "x" * 50_000}] * 50)
    log = archive(members(sample("a"), long, sample("c", reply="x" * 50_000)))
    found = rows(tmp_path, log, 20_000)
    assert items(found) == ["a", "b", "too_long"]
    assert found[1] == rows(tmp_path, log)[1]
    broken = json.dumps(long).encode()[:-1]
    assert items(rows(tmp_path, archive(members(broken)), 20_000)) == ["not_json"]


def test_memory_is_bounded_by_what_is_read_of_a_sample(tmp_path: Path) -> None:
    log = archive(members(sample("a", events=[{"text": "x" * 1_000_000}] * 50)))
    (tmp_path / "log").write_bytes(log)
    del log
    tracemalloc.start()
    found = [row for batch in inspect.records(tmp_path / "log", 1 << 20) for row in batch.to_pylist()]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert items(found) == ["a"]
    assert peak < 30_000_000


# samples of several members


def chunked(**changes: Any) -> dict[str, bytes]:
    whole = sample("a", metadata={"level": 1}, input="attachment://1", reply="attachment://0")
    shell = {k: v for k, v in whole.items() if k not in ("messages", "events", "attachments", "metadata", "output")}
    asked, said = whole["messages"]
    folder = "samples/a_epoch_1/"
    parts: dict[str, Any] = {
        f"{folder}sample.json": {**shell, "message_refs": [[0, 1], [2, 3]]},
        f"{folder}metadata.json": {"level": 1},
        f"{folder}skeleton.json": {},
        f"{folder}messages/0.json": [asked, {"role": "assistant", "content": "not in the end"}],
        f"{folder}messages/2.json": [{**said, "score": float("nan")}],
        f"{folder}events/0.json": [{}],
        f"{folder}events/stats.json": {},
        f"{folder}calls/0.json": [{}],
        f"{folder}attachments/0.json": ["four"],
        f"{folder}attachments/1.json": ["2 and 2?"],
    }
    parts |= {f"{folder}{name}": data for name, data in changes.items()}
    return {
        name: data if isinstance(data, bytes) else json.dumps(data).encode() for name, data in parts.items() if data
    }


def test_a_sample_of_several_members(tmp_path: Path) -> None:
    log = members(sample("b"))
    [row, other] = rows(tmp_path, archive({**chunked(), **log}))
    made = json.loads(row["text"])
    assert row["member"] == "samples/a_epoch_1/sample.json"
    assert [turn["content"] for turn in made["messages"]] == ["2 + 2?", "four"]
    assert (made["prompt"], made["extra"]["metadata"]) == ("2 and 2?", {"level": 1})
    assert json.loads(other["text"])["item"] == "b"
    # One that is there whole as well counts as that.
    assert items(rows(tmp_path, archive({**chunked(), **members(sample("a"))}))) == ["a"]


@pytest.mark.parametrize(
    "changes",
    [
        {"messages/0.json": None},
        {"attachments/0.json": None},
        {"messages/2.json": b"{}"},
        {"messages/2.json": b"["},
        {"sample.json": {"message_refs": [[0, 9]]}},
        {"sample.json": {"message_refs": [[2, 1]]}},
        {"sample.json": {"message_refs": [[0, 10**30]]}},
        {"sample.json": {"message_refs": 7}},
        {"sample.json": b"[]"},
        {"attachments/0.json": b"{}"},
        {"metadata.json": b"}"},
    ],
)
def test_a_sample_of_several_members_that_is_incomplete(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert items(rows(tmp_path, archive({**chunked(**changes), **members(sample("b"))}))) == ["not_json", "b"]


def test_messages_that_are_referred_to_too_often(tmp_path: Path) -> None:
    shell = {"sample.json": {"id": 1, "message_refs": [[0, 3]] * 100_000}}
    assert items(rows(tmp_path, archive({**chunked(**shell), **members()}), 10_000)) == ["too_long"]
