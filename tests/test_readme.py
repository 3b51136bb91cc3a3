"""The README says what is so."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import duckdb
import pytest

import regrade
from regrade.audit import Audit
from regrade.cli import main
from regrade.files.corpus_toml import corpus_from
from regrade.grades import calls, text
from regrade.tables.schema import markdown
from tests.commands import run
from tests.conftest import ROOT, TOOL_LOOP, draft_rules, simulation

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


def test_its_query_gives_the_nineteen(tool_loop_store: duckdb.DuckDBPyConnection) -> None:
    [query] = re.findall(r"```sql\n(.*?)```", README, re.DOTALL)
    rows = tool_loop_store.execute(query).fetchall()
    assert len(rows) == 19 and {read for _, read in rows} == {"7.0"}


def test_its_count_of_candidates_and_the_columns_of_the_views(tool_loop_store: duckdb.DuckDBPyConnection) -> None:
    [(candidates,)] = tool_loop_store.execute("select count(*) from candidates").fetchall()
    assert candidates == 9 and "nine\ncandidates" in README
    for view in ("turns", "calls", "moves"):
        columns = [d[0] for d in tool_loop_store.execute(f"select * from {view} limit 0").description]
        assert f"| `{view}` | {', '.join(columns)}" in README


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_its_blind_review_runs_word_for_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it says that people label, the simulated reviewers do."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(TOOL_LOOP, "transcripts/tool_loop_v1", ignore=shutil.ignore_patterns("__pycache__"))
    fill_in = simulation("reviewers").fill_in
    [block] = re.findall(r"## Blind review\n\n```\n(.*?)```", README, re.DOTALL)
    copied, *commands = block.splitlines()
    subprocess.run(copied, shell=True, check=True)
    told = {}
    for command in commands:
        for packet in Path().glob("*/**/packets/*/packet.jsonl"):
            file = Path(f"verdicts-{packet.parent.name}.json")
            file.write_text(fill_in(packet.read_text(encoding="utf-8")), encoding="utf-8")
        told[command] = run(*shlex.split(command)[1:]).stdout
    assert "agree on 49 of 50" in told["regrade review agreement mine"]
    assert "45 of 50 drawn upheld" in told["regrade review estimate mine"]


def test_every_word_that_it_names_is_one() -> None:
    section = README.split("The words that stages are written in")[1].split("\n\n")[0]
    for name in re.findall(r"`(\w+)`", section):
        assert name in ("text", "calls") or hasattr(text, name) or hasattr(calls, name), name


def test_its_idea_is_tried_word_for_word(tool_loop: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    draft_rules(tmp_path / "rules")
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "tool_loop_v1").symlink_to(tool_loop.out)
    part = README.partition("## Try an idea")[2].partition("\n## ")[0]
    [rule] = re.findall(r"```python\n(.*?)```", part, re.DOTALL)
    [commands] = re.findall(r"```\n(regrade .*?)```", part, re.DOTALL)
    Path("rules/tool_loop/my_idea_v1.py").write_text(rule, "utf-8")
    mine, known = (run(*shlex.split(line)[1:]).stdout for line in commands.splitlines())
    assert "my_idea" in mine and "last_equals" in known


def test_its_reader_reads() -> None:
    word, read, gives = re.search(r'`regrade\.read\("(.*?)", "(.*?)"\)` gives `(.*?)`', README).groups()
    assert repr(regrade.read(word, read)) == gives
