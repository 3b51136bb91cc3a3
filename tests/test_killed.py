"""An audit that is killed, interrupted or told to end: the last good output stays, and the next audit completes."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from regrade.audit import audit
from regrade.errors import OutputError
from regrade.outputs import BESIDE, OUTPUTS, replacing
from regrade.pages import FOLDER
from regrade.steps import load_only
from regrade.tables.store import Store
from tests.conftest import ROOT, record, twenty, write_corpus

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def interruptible():
    """What is started from a background job ignores interrupts, and so would all that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


KILLS = 40
BETWEEN = 1
"""Of those, how many may fall between the first and the last of the renames, which take less than a thousandth of it;
`test_killed_between_two_outputs_...` holds what is then in the folder."""


def spawn(code: str, *args: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, args)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


AUDIT = "import sys; from regrade.cli import main; main(['audit', sys.argv[1], '--out', sys.argv[2]])"

AT_A_STEP = """
import contextlib, os, sys
import regrade.report.progress as progress

@contextlib.contextmanager
def bar():
    yield lambda step, *rest: os.kill(os.getpid(), int(sys.argv[4])) if step == sys.argv[3] else None

progress.progress_bar = bar
""" + AUDIT  # fmt: skip
"""An audit that gets a signal as it loads or grades."""

BETWEEN_FILES = """
import os, signal, sys
put, left = os.replace, int(sys.argv[3])

def replace(old, new):
    global left
    put(old, new)
    left -= 1
    if left == 0:
        os.kill(os.getpid(), int(sys.argv[4]))

os.replace = replace
""" + AUDIT  # fmt: skip
"""An audit that gets a signal when so many of its outputs are in place."""


def files(folder: Path) -> dict[str, bytes]:
    """What is in a folder, but for the folder that a killed process may leave."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in sorted(found.items()) if not name.startswith(BESIDE)}


def texts(folder: Path) -> dict[str, bytes]:
    """The outputs that have the same bytes whenever they are made of the same."""
    return {name: data for name, data in files(folder).items() if name != "audit.duckdb"}


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.is_dir() and path.name != FOLDER]


def trial_pages(found: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in found.items() if name.startswith(f"{FOLDER}/")}


def check_whole(out: Path) -> None:
    """The outputs are of one audit, and the store agrees with its summary."""
    summary = json.loads((out / "summary.json").read_text())
    assert files(out).keys() == {*OUTPUTS, *summary["outputs"]}
    for name, digest in summary["outputs"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    with Store.open(out / "audit.duckdb", read_only=True) as store:
        (counts,) = store.con.execute("select sum(records), sum(loaded), sum(rejected) from files").fetchall()
        (trials,) = store.con.execute("select count(*) from trials").fetchone()
        (grades,) = store.con.execute("select count(*) from grades where candidate = 'frozen'").fetchone()
    corpus = summary["corpus"]
    assert counts == (corpus["records"], corpus["loaded"], corpus["rejected"])
    assert trials == grades == corpus["trials"]


def is_whole(out: Path) -> bool:
    try:
        check_whole(out)
    except AssertionError:
        return False
    return True


class Corpora:
    """A corpus as it was audited, and as it is now, each with the outputs that it gives."""

    def __init__(self, folder: Path, copies: int, passes: bool = True) -> None:
        rows = [{**row, "rep": f"{row['rep']}.{copy}"} for copy in range(copies) for row in twenty()]
        self.out = folder / "out"
        self.then = write_corpus(folder / "then", rows)
        more = ("e\nANSWER: 7.0", True) if passes else ("e\nANSWER: 3=7.0", False, "STALE_DATA")
        self.now = write_corpus(folder / "now", [*rows, record("e", "T01", 0, "read_sensor", *more)])
        self.last = folder / "last"
        audit(self.then, self.last)
        self.anew = texts(audit(self.now, folder / "anew").out)
        self.restore()

    def restore(self) -> None:
        """Lay out what the audit of the corpus as it was had written."""
        shutil.rmtree(self.out, ignore_errors=True)
        shutil.copytree(self.last, self.out)

    def check_last(self) -> None:
        """The outputs are those of the corpus as it was."""
        assert files(self.out) == files(self.last)

    def check_next(self) -> None:
        """The next audit completes, gives what it gives ever, and leaves nothing else."""
        audit(self.now, self.out)
        assert texts(self.out) == self.anew and not left_in(self.out)
        check_whole(self.out)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Corpora:
    return Corpora(tmp_path_factory.mktemp("small"), 1)


@pytest.mark.parametrize("step", ["grade", "load"])
def test_a_killed_audit_leaves_the_last_output_and_the_next_completes(small: Corpora, step: str) -> None:
    small.restore()
    with spawn(AT_A_STEP, small.now, small.out, step, int(signal.SIGKILL)) as process:
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    small.check_last()
    assert left_in(small.out), "it was killed in the middle"
    small.check_next()


@pytest.mark.parametrize(
    ("number", "code", "line"),
    [
        (signal.SIGTERM, 143, "regrade: Stopped before the end; nothing was written."),
        (signal.SIGINT, 130, "regrade: Stopped."),
    ],
)
@pytest.mark.parametrize("step", ["grade", "load"])
def test_who_stops_an_audit_finds_one_line_and_nothing_left(
    small: Corpora, number: int, code: int, line: str, step: str
) -> None:
    small.restore()
    for out in (small.out, small.out.parent / "deep" / "other"):
        with spawn(AT_A_STEP, small.now, out, step, int(number)) as process:
            stdout, stderr = process.communicate()
        assert process.returncode == code, stderr
        assert (stdout, stderr.strip()) == ("", line)
    small.check_last()
    assert not left_in(small.out) and not (small.out.parent / "deep").exists()


def test_an_interrupt_stays_one_whatever_the_engine_makes_of_it() -> None:
    with spawn(
        """
import signal
from regrade.stopping import stoppable

with stoppable(lambda: None):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise RuntimeError("Query interrupted")
"""
    ) as process:
        _, stderr = process.communicate()
    assert stderr.splitlines()[-1] == "KeyboardInterrupt"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("put", [1, 2, 3, 4])
def test_outputs_are_put_in_place_before_an_audit_stops(small: Corpora, put: int, number: int) -> None:
    small.restore()
    with spawn(BETWEEN_FILES, small.now, small.out, put, int(number)) as process:
        process.communicate()
    assert process.returncode in (-number, 128 + number)
    assert texts(small.out) == small.anew
    check_whole(small.out)


@pytest.mark.parametrize("put", [1, 2, 3, 4])
def test_killed_between_two_outputs_each_is_whole_and_the_next_audit_mends_it(small: Corpora, put: int) -> None:
    small.restore()
    with spawn(BETWEEN_FILES, small.now, small.out, put, int(signal.SIGKILL)) as process:
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    found = files(small.out)
    new, old = OUTPUTS[1:put], OUTPUTS[put:]
    assert {n: found[n] for n in new} == {n: small.anew[n] for n in new}
    assert {n: found[n] for n in old} == {n: (small.last / n).read_bytes() for n in old}
    with Store.open(small.out / "audit.duckdb", read_only=True) as store:
        assert store.con.execute("select count(*) from trials").fetchone() == (21,)
    small.check_next()


@pytest.mark.timeout(600)
def test_killed_between_two_renames_the_pages_of_trials_are_one_set(tmp_path: Path) -> None:
    corpora = Corpora(tmp_path, 15, passes=False)
    then, now = (trial_pages(texts(corpora.last)), trial_pages(corpora.anew))
    assert then and now and then != now
    kept = {1: then, 2: then, 3: {}, 4: now, 5: now, 6: now}
    for put, expected in kept.items():
        corpora.restore()
        with spawn(BETWEEN_FILES, corpora.now, corpora.out, put, int(signal.SIGKILL)) as process:
            process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert trial_pages(files(corpora.out)) == expected, put
        corpora.check_next()


@pytest.mark.timeout(600)
def test_killed_at_any_moment_the_outputs_are_the_last_or_the_next(tmp_path: Path) -> None:
    corpora = Corpora(tmp_path, 50)
    started = time.monotonic()
    with spawn(AUDIT, corpora.now, corpora.out) as process:
        process.communicate()
    lasts = time.monotonic() - started
    assert process.returncode == 0
    moments = random.Random(20260101)
    killed = between = 0
    for _ in range(KILLS):
        corpora.restore()
        with spawn(AUDIT, corpora.now, corpora.out) as process:
            time.sleep(moments.uniform(0, lasts))
            process.kill()
            process.communicate()
        killed += process.returncode == -signal.SIGKILL
        if is_whole(corpora.out):
            assert texts(corpora.out) in (corpora.anew, texts(corpora.last))
        else:
            between += 1
        corpora.check_next()
    assert killed > KILLS / 4 and between <= BETWEEN


@pytest.mark.timeout(300)
def test_killed_again_and_again_over_what_it_left(tmp_path: Path) -> None:
    """Nobody mends in between: what is in the folder is always one audit's, of the corpus as it was or as it is."""
    corpora = Corpora(tmp_path, 20)
    moments = random.Random(7)
    between = 0
    for n in range(20):
        with spawn(AUDIT, (corpora.then, corpora.now)[n % 2], corpora.out) as process:
            time.sleep(moments.uniform(0.5, 2.5))
            process.kill()
            process.communicate()
        between += not is_whole(corpora.out)
    assert between <= BETWEEN
    corpora.check_next()


def test_what_killed_processes_left_is_cleaned_up_and_nothing_else(small: Corpora) -> None:
    small.restore()
    (small.out / ".new-left").mkdir()
    (small.out / ".new-left" / "audit.duckdb").write_bytes(b"half")
    (small.out / "audit.duckdb.wal").write_bytes(b"left over")
    (small.out / "notes").mkdir()
    (small.out / "notes" / "mine.txt").write_text("kept")
    load_only(small.now, small.out)
    assert sorted(path.name for path in small.out.iterdir()) == ["audit.duckdb", "notes"]
    assert (small.out / "notes" / "mine.txt").read_text() == "kept"
    shutil.rmtree(small.out / "notes")
    small.check_next()


def test_a_second_audit_into_one_folder_says_so_and_the_first_completes(small: Corpora) -> None:
    small.restore()
    with replacing(small.out) as new:
        (new / "summary.json").write_text("the first")
        with pytest.raises(OutputError, match="Another process is writing into .*out. Wait until it ends, or name"):
            audit(small.now, small.out)
        small.check_last()
    assert (small.out / "summary.json").read_text() == "the first"
    small.check_next()


def test_audits_at_once_into_one_folder_leave_the_output_of_one(small: Corpora) -> None:
    small.restore()
    processes = [spawn(AUDIT, corpus, small.out) for corpus in (small.now, small.then) * 2]
    for process in processes:
        _, stderr = process.communicate()
        last = stderr.splitlines()[-1] if process.returncode else ""
        assert process.returncode == 0 or "Another process is writing into" in last, stderr
    check_whole(small.out)
    small.check_next()
