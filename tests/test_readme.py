"""The README says what is so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from regrade.cli import main
from regrade.files.corpus_toml import corpus_from
from regrade.tables.schema import markdown
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_two_commands_are_the_first_two_shell_blocks() -> None:
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    assert blocks[:2] == [
        "pip install -e . && regrade audit transcripts/tool_loop_v1\n",
        "pip install -e '.[test]' && pytest\n",
    ]
    assert "pip install -q -e '.[test]' && pytest\n" in (ROOT / ".ci" / "run").read_text()


def test_every_command_is_listed() -> None:
    listed = set(re.findall(r"^\| `regrade (\w+)", README, re.MULTILINE))
    assert listed == set(main.commands)


def test_the_table_of_the_store_is_the_schemas() -> None:
    assert README.split("<!-- schema -->\n")[1].split("\n<!-- /schema -->")[0] == markdown()


@pytest.mark.parametrize("block", re.findall(r"```toml\n(.*?)```", README, re.DOTALL))
def test_its_examples_of_corpus_toml_can_be_read(block: str, tmp_path: Path) -> None:
    data = tomllib.loads(block)
    for name in data["corpus"]["files"]:
        (tmp_path / name).write_text('{"question": "q"}\n', encoding="utf-8")
    corpus = corpus_from(data, tmp_path, "README.md")
    assert corpus.parts and corpus.axes == ("pass",)
