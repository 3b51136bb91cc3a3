"""The folder of trials beside a report: put in place as a whole, checked, replaced, and never the user's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from regrade.audit import Audit, audit
from regrade.errors import OutputError
from regrade.report import moved
from tests.conftest import twenty, write_corpus
from tests.report.corpora import audited
from tests.report.pages import Page

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve trials are many, and a page holds five."""
    monkeypatch.setattr(moved, "FEW", 3)
    monkeypatch.setattr(moved, "SHEET", 5)


def pages(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((out / "trials").iterdir())}


def again(done: Audit) -> Audit:
    return audit(done.out.parent / "corpus", done.out)


def test_every_trial_stands_once_and_an_item_is_not_cut_where_it_fits(tmp_path: Path) -> None:
    done = audited(tmp_path)
    read = {name: Page(text.decode()) for name, text in pages(done.out).items()}
    assert [len([i for i in page.ids if i.startswith("t-")]) for page in read.values()] == [4, 5, 3]
    assert all(len(page.ids) == len(set(page.ids)) and not page.scripts for page in read.values())
    report = Page((done.out / "report.html").read_text("utf-8"))
    assert not [i for i in report.ids if i.startswith("t-")]
    placed = {f"trials/{name}#{i}" for name, page in read.items() for i in page.ids if i.startswith("t-")}
    assert {link for link in report.links if link.startswith("trials/")} == placed and len(placed) == 12
    for page in read.values():
        back = {link.removeprefix("../report.html#") for link in page.links if link.startswith("../")}
        assert back <= set(report.ids) and "find" in back
        assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
        assert {link for link in page.links if not link.startswith(("#", "../"))} <= set(read)
    assert [name for name in done.summary["outputs"] if name.startswith("trials/")] == [f"trials/{n}" for n in read]


def test_the_same_corpus_gives_the_same_pages_and_a_second_audit_leaves_them(tmp_path: Path) -> None:
    done = audited(tmp_path / "a")
    assert pages(done.out) == pages(audited(tmp_path / "b").out)
    before = os.stat(done.out / "trials" / "001.html").st_mtime_ns
    again(done)
    assert os.stat(done.out / "trials" / "001.html").st_mtime_ns == before


@pytest.mark.parametrize("harm", ["changed", "gone", "added"])
def test_a_page_that_is_not_as_it_was_written_is_written_anew(tmp_path: Path, harm: str) -> None:
    done = audited(tmp_path)
    good, page = pages(done.out), done.out / "trials" / "002.html"
    if harm == "changed":
        page.write_bytes(page.read_bytes().replace(b"passed", b"failed"))
    elif harm == "gone":
        page.unlink()
    else:
        (done.out / "trials" / "009.html").write_bytes(page.read_bytes())
    again(done)
    assert pages(done.out) == good


def test_pages_of_an_earlier_report_do_not_stay(tmp_path: Path) -> None:
    done = audited(tmp_path)
    write_corpus(done.out.parent / "corpus", twenty()[:10], (tmp_path / "corpus" / "corpus.toml").read_text("utf-8"))
    assert list(pages(again(done).out)) == ["001.html", "002.html"]
    write_corpus(done.out.parent / "corpus", twenty()[:2], (tmp_path / "corpus" / "corpus.toml").read_text("utf-8"))
    fewer = again(done)
    assert not (fewer.out / "trials").exists()
    assert not [name for name in fewer.summary["outputs"] if name.startswith("trials")]
    assert [p.name for p in fewer.out.iterdir() if p.is_dir()] == []


@pytest.mark.parametrize("own", ["a folder", "a file", "a page among ours"])
def test_what_is_the_users_own_is_an_error_and_stays(tmp_path: Path, own: str) -> None:
    out = tmp_path / "out"
    if own == "a page among ours":
        audited(tmp_path)
        write_corpus(tmp_path / "corpus", twenty()[:10], (tmp_path / "corpus" / "corpus.toml").read_text("utf-8"))
    out.mkdir(exist_ok=True)
    mine = out / "trials" if own == "a file" else out / "trials" / "notes.html"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("<p>mine", "utf-8")
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    with pytest.raises(OutputError, match=rf"Cannot write .*trials: .*not made by an audit \({mine.name}\). Move it"):
        audited(tmp_path) if own != "a page among ours" else audit(tmp_path / "corpus", out)
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before


def test_a_folder_of_the_users_own_is_not_in_the_way_of_a_report_that_needs_none(tmp_path: Path) -> None:
    mine = tmp_path / "out" / "trials" / "notes.html"
    mine.parent.mkdir(parents=True)
    mine.write_text("<p>mine", "utf-8")
    corpus = write_corpus(tmp_path / "corpus", twenty()[:2])
    first = audit(corpus, tmp_path / "out")
    before = os.stat(first.out / "report.html").st_mtime_ns
    assert not audit(corpus, first.out).graded["pass"], "the second has nothing to do"
    assert os.stat(first.out / "report.html").st_mtime_ns == before and mine.read_text("utf-8") == "<p>mine"
