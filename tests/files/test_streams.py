import gzip
import random

import pytest
import zstandard

from regrade.errors import CorpusError
from regrade.files.loaders import detect, loader_named
from regrade.files.streams import open_stream

RECORDS = b'{"a": 1}\n' * 3
NOISE = random.Random(5).randbytes(200_000)


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, zstandard.compress, lambda b: gzip.compress(b[:9]) + gzip.compress(b[9:])]
)
def test_the_content_decides_and_not_the_name(tmp_path, pack):
    for name in ("log.jsonl", "log.gz", "log.zst"):
        (tmp_path / name).write_bytes(pack(RECORDS))
        with open_stream(tmp_path / name) as stream:
            assert stream.read() == RECORDS
        assert detect(tmp_path / name).name == "jsonl"


@pytest.mark.parametrize("content", [b"", b"\n", b"\x1f", b"(", b"\x00"])
def test_short_files_are_plain(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with open_stream(tmp_path / "x") as stream:
        assert stream.read() == content


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
@pytest.mark.parametrize("left", [5, 1000, -9, -1])
def test_a_file_that_is_cut_off(tmp_path, codec, left):
    packed = gzip.compress(NOISE) if codec == "gzip" else zstandard.compress(NOISE)
    (tmp_path / "log.jsonl").write_bytes(packed[:left])
    with pytest.raises(CorpusError, match=rf"log.jsonl: the {codec} data is cut off or damaged"):
        list(loader_named("jsonl").records(tmp_path / "log.jsonl", 1000))


def test_a_file_that_is_damaged(tmp_path):
    packed = bytearray(gzip.compress(NOISE))
    packed[-6] ^= 1
    (tmp_path / "log").write_bytes(packed)
    with pytest.raises(CorpusError, match="damaged"), open_stream(tmp_path / "log") as stream:
        stream.read()


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CorpusError, match="none: cannot be read: No such file"):
        open_stream(tmp_path / "none")
