"""The guides: every block is run in an empty folder, in order, and prints what it says."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from regrade.cli import main
from tests.conftest import ROOT

FURTHER = ", further"
"""After a file's name: what is added to its end."""


@pytest.mark.parametrize("guide", ["rules/README.md", "docs/own-log.md"])
def test_every_block_does_what_it_says(guide: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / guide).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for language, body in blocks:
        first, _, rest = body.partition("\n")
        if language == "console":
            for command, expected in commands(body):
                printed = execute(command)
                assert doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS), (command, printed)
        elif language == "diff":
            mend(Path(first.removeprefix("--- ")), rest.splitlines())
        else:
            path = Path(first.removeprefix("# ").removesuffix(FURTHER))
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a" if first.endswith(FURTHER) else "w", encoding="utf-8") as file:
                file.write(body)
    assert {language for language, _ in blocks} >= {"python", "toml", "console"}


def commands(body: str) -> Iterator[tuple[str, str]]:
    """Each command of a block with what it is to print."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def execute(command: str) -> str:
    """What a command prints on both outputs, spaces at the end of a line apart; its exit code where it is asked for."""
    command, _, echo = command.partition("; echo ")
    program, *arguments = shlex.split(command)
    if program == "regrade":
        result = CliRunner().invoke(main, arguments)
        printed, code = result.output, result.exit_code
    else:
        assert program == "python"
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
        printed, code = done.stdout + done.stderr, done.returncode
    if echo:
        printed += shlex.split(echo)[0].replace("$?", str(code)) + "\n"
    else:
        assert code == 0, (command, printed)
    return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())


def mend(path: Path, lines: list[str]) -> None:
    """Put what a diff adds in place of what it takes away; that stands in the file once."""
    before, after = ("".join(f"{line[1:]}\n" for line in lines if line[0] in kept) for kept in (" -", " +"))
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, before
    path.write_text(text.replace(before, after), encoding="utf-8")
