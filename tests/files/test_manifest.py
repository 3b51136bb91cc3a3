import hashlib
import os
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regrade.errors import CorpusError, GateFailed, OutputError
from regrade.files.corpus_toml import read_corpus
from regrade.files.manifest import FileDigest, digest_files, freeze, match_files, verify

FILES = {"trials/a.jsonl": "a\n", "trials/b.jsonl": "b\n", "bank.json": "[]", "c.json": "[ ]", "notes.toml": ""}
REST = '\n[bank]\nfile = "bank.json"\nnotes = "notes.toml"\n[configurations]\nfile = "c.json"\n'


def globs(minimal, *patterns):
    return minimal.replace('"trials/*.jsonl"', ", ".join(f"'{p}'" for p in patterns))


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def matched(root):
    return [path.as_posix() for path in match_files(read_corpus(root))]


def test_matches_are_sorted_and_unique(make, minimal):
    toml = globs(minimal, "z/**/*.jsonl", "a*.jsonl", "./a1.jsonl", "../corpus/a2.jsonl")
    files = {
        "a2.jsonl": "1",
        "a1.jsonl": "2",
        "a-.jsonl": "3",
        "z/y/x.jsonl": "4",
        "z/.hidden.jsonl": "5",
        "b.jsonl": "6",
    }
    root = make(toml, files)
    (root / "adir.jsonl").mkdir()
    assert matched(root) == ["../corpus/a2.jsonl", "a-.jsonl", "a1.jsonl", "a2.jsonl", "z/y/x.jsonl"]


def test_paths_may_leave_the_folder(make, minimal, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.jsonl").write_text("x")
    root = make(globs(minimal, "../other/*.jsonl"), {})
    assert matched(root) == ["../other/x.jsonl"]
    assert freeze(read_corpus(root)).read_text() == f"{sha('x')}  ../other/x.jsonl\n"
    assert verify(read_corpus(root)).present


@pytest.mark.parametrize("name", ["run[1].jsonl", "a?.jsonl", "b*.jsonl", "[!x].jsonl"])
def test_names_with_glob_characters(make, minimal, name):
    files = {name: "x", "run1.jsonl": "y", "az.jsonl": "z", "bb.jsonl": "w"}
    assert matched(make(globs(minimal, name), files)) == [name]
    assert name in matched(make(globs(minimal, "*.jsonl"), files))


def test_the_folder_may_have_glob_characters(make, minimal, tmp_path):
    root = make(minimal, FILES).rename(tmp_path / "[1] *")
    assert matched(root) == ["trials/a.jsonl", "trials/b.jsonl"]


def test_a_glob_without_a_match(make, minimal):
    root = make(globs(minimal, "trials/*.jsonl", "more/*.jsonl"), FILES)
    with pytest.raises(CorpusError, match=r"files = 'more/\*.jsonl' matches no file"):
        match_files(read_corpus(root))


def test_bank_and_its_companions_are_no_transcripts(make, minimal):
    root = make(globs(minimal, "*") + REST, {**FILES, "t.json": "t"})
    freeze(read_corpus(root))
    assert matched(root) == ["t.json"]


def test_digests(make, minimal):
    root = make(minimal, FILES)
    assert digest_files(read_corpus(root)) == [
        FileDigest("trials/a.jsonl", sha("a\n"), 2),
        FileDigest("trials/b.jsonl", sha("b\n"), 2),
    ]
    (root / "trials" / "0.jsonl").write_text("b\n")
    with pytest.raises(CorpusError, match=r"trials/0.jsonl and trials/b.jsonl have the same content"):
        digest_files(read_corpus(root))
    with pytest.raises(CorpusError, match="same content"):
        freeze(read_corpus(root))
    with pytest.raises(CorpusError, match="same content"):
        verify(read_corpus(root))


def test_freeze_writes_what_sha256sum_reads(make, minimal):
    files = {**FILES, "trials/back\\slash.jsonl": "c", "trials/new\nline.jsonl": "d", "trials/é.jsonl": "e"}
    root = make(minimal + REST, files)
    sums = freeze(read_corpus(root))
    assert sums == root / "SHA256SUMS"
    lines = sums.read_text().splitlines()
    assert len(lines) == 8
    assert lines[0] == f"{sha('[]')}  bank.json"
    assert f"\\{sha('c')}  trials/back\\\\slash.jsonl" in lines
    assert verify(read_corpus(root)).present
    assert not list(root.glob("*.new"))
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=root, check=True)


def test_the_sum_of_the_corpus_does_not_need_the_file(make, minimal):
    root = make(minimal + REST, FILES)
    before = verify(read_corpus(root))
    sums = freeze(read_corpus(root))
    after = verify(read_corpus(root))
    assert (before.present, after.present) == (False, True)
    assert before.sha256 == after.sha256
    assert before.files == after.files
    assert [file.path for file in after.files] == sorted(FILES)
    lines = sorted(sums.read_bytes().splitlines(keepends=True))
    assert after.sha256 == hashlib.sha256(b"".join(lines)).hexdigest()


def test_further_listed_files_are_checked_too(make, minimal):
    root = make(minimal, {**FILES, "README": "r"})
    sums = freeze(read_corpus(root))
    sums.write_text(sums.read_text() + f"{sha('r')} *README\n")
    assert [file.path for file in verify(read_corpus(root)).files] == ["README", "trials/a.jsonl", "trials/b.jsonl"]
    (root / "README").write_text("s")
    with pytest.raises(GateFailed, match="README"):
        verify(read_corpus(root))


def test_a_changed_file_fails_with_both_sums(make, minimal):
    root = make(minimal + REST, FILES)
    corpus = read_corpus(root)
    before = freeze(corpus).read_bytes()
    (root / "trials" / "a.jsonl").write_text("A\n")
    (root / "trials" / "b.jsonl").unlink()
    for check in (verify, freeze):
        with pytest.raises(GateFailed) as caught:
            check(corpus)
        assert str(caught.value) == (
            f"trials/a.jsonl: frozen with sha256 {sha(chr(97) + chr(10))}, found sha256 {sha(chr(65) + chr(10))}. "
            "Restore it or add a new file; frozen files are never edited (1 more such)."
        )
    assert (root / "SHA256SUMS").read_bytes() == before


def test_a_file_that_is_gone_fails_even_if_a_glob_has_no_other(make, minimal):
    root = make(minimal, {"trials/a.jsonl": "a"})
    freeze(read_corpus(root))
    (root / "trials" / "a.jsonl").unlink()
    with pytest.raises(GateFailed, match="trials/a.jsonl: .* found no file"):
        verify(read_corpus(root))


def test_a_new_file_must_be_added(make, minimal):
    root = make(minimal, FILES)
    corpus = read_corpus(root)
    old = freeze(corpus).read_text()
    (root / "trials" / "c.jsonl").write_text("c")
    with pytest.raises(
        GateFailed, match=rf"trials/c.jsonl: not in SHA256SUMS, found sha256 {sha('c')}.*regrade freeze"
    ):
        verify(corpus)
    assert freeze(corpus).read_text() == old + f"{sha('c')}  trials/c.jsonl\n"
    assert verify(corpus).present


@pytest.mark.parametrize(
    "line", ["x", f"{'0' * 64} a", f"{'0' * 63}  a", f"{'A' * 64}  a", f"{'0' * 64}  trials/a.jsonl"]
)
def test_a_line_that_cannot_be_read(make, minimal, line):
    root = make(minimal, FILES)
    sums = freeze(read_corpus(root))
    sums.write_text(sums.read_text() + line + "\n")
    with pytest.raises(CorpusError, match="SHA256SUMS: line 3"):
        verify(read_corpus(root))


def test_missing_bank(make, minimal):
    root = make(minimal + REST.replace('notes = "notes.toml"', ""), {"trials/a.jsonl": "a", "c.json": "[]"})
    with pytest.raises(CorpusError, match="bank.json: cannot be read"):
        freeze(read_corpus(root))


@pytest.mark.skipif(os.name != "posix", reason="a folder takes the place of the temporary file")
def test_sums_that_cannot_be_written(make, minimal):
    root = make(minimal, FILES)
    (root / ".SHA256SUMS.new").mkdir()
    with pytest.raises(OutputError, match="SHA256SUMS: cannot be written"):
        freeze(read_corpus(root))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.binary(min_size=1, max_size=30), min_size=1, max_size=4, unique=True),
    st.data(),
)
def test_any_change_of_one_byte_fails_and_names_the_file(make, minimal, contents, data):
    root = make(minimal, {"trials/keep.jsonl": b"\0" * 40})
    shutil.rmtree(root)
    root = make(minimal, {f"trials/{i}.jsonl": content for i, content in enumerate(contents)})
    corpus = read_corpus(root)
    freeze(corpus)
    assert len(verify(corpus).files) == len(contents)
    index = data.draw(st.integers(0, len(contents) - 1))
    changed = bytearray(contents[index])
    at = data.draw(st.integers(0, len(changed) - 1))
    changed[at] ^= data.draw(st.integers(1, 255))
    (root / "trials" / f"{index}.jsonl").write_bytes(changed)
    with pytest.raises(GateFailed, match=rf"^trials/{index}.jsonl: "):
        verify(corpus)
