"""The engine of the pages: compiled templates are kept, and never outlive what they were compiled from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import regrade
from tests.conftest import twenty, write_corpus

PACKAGE = Path(regrade.__file__).parent


def audited(package: Path, corpus: Path, out: Path, **env: str) -> str:
    """The report of an audit by a copy of the package."""
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPATH": str(package.parent), **env}
    command = [sys.executable, "-m", "regrade.cli", "audit", str(corpus), "--out", str(out)]
    subprocess.run(command, cwd=package.parent, env=env, check=True, capture_output=True)
    return (out / "report.html").read_text("utf-8")


def kept(package: Path) -> list[Path]:
    return sorted((package / "__pycache__").glob("template-*"))


@pytest.mark.slow
def test_a_template_is_compiled_once_and_anew_where_it_changed_or_was_damaged(tmp_path: Path) -> None:
    corpus, package = write_corpus(tmp_path / "corpus", twenty()), tmp_path / "copy" / "regrade"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "bundled_rules").symlink_to(PACKAGE.parent / "rules")
    first = audited(package, corpus, tmp_path / "bare", PYTHONDONTWRITEBYTECODE="1")
    assert not kept(package)
    assert audited(package, corpus, tmp_path / "one") == first
    before = {path: path.stat().st_mtime_ns for path in kept(package)}
    assert before
    assert audited(package, corpus, tmp_path / "two") == first
    assert {path: path.stat().st_mtime_ns for path in kept(package)} == before
    template = package / "report" / "templates" / "page.html"
    template.write_text(template.read_text("utf-8").replace("<main", "<!-- anew --><main", 1), "utf-8")
    assert "<!-- anew -->" in audited(package, corpus, tmp_path / "three")
    for number, path in enumerate(kept(package)):
        path.write_bytes(path.read_bytes()[: (-40, 30, 2, 0)[number % 4]])
    assert "<!-- anew -->" in audited(package, corpus, tmp_path / "four"), "damaged ones are made again"
