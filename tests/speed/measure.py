"""Measure the toolkit against DuckDB alone and against the script of today: `python -m tests.speed.measure [TRIALS]`.

Every step is a process of its own, timed from start to finish unless a row says otherwise; the steps take turns, and
what counts are ratios of their medians. Prints Markdown: the figures with their goals, then the seconds and the peak
memory that they come from.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
REGRADE = str(Path(sys.executable).with_name("regrade"))
SCRIPT = str(Path(__file__).with_name("script.py"))
RULES = (
    "ask_accepted_v1",
    "format_code_v1",
    "issued_tokens_v1",
    "last_equals_v1",
    "last_line_fallback_v1",
    "menu_accepted_v1",
)
STORES = ("audited", "loaded")
"""What a new rule is tried on: a store with grades, and one without, where the frozen grader is replayed as well."""
GB = 1e9


@dataclass
class Step:
    """What one step took, each time that it was run."""

    seconds: list[float] = field(default_factory=list)
    peak: float = 0
    """Most bytes of memory that any of its processes held."""

    @property
    def median(self) -> float:
        return median(self.seconds)


Steps = dict[str, Step]


@dataclass(frozen=True)
class Figure:
    """One row of the table."""

    name: str
    goal: str
    measured: str
    is_met: bool
    seconds: str


def process(*command: str | Path) -> tuple[float, float, str]:
    """Run a command; return its seconds, its peak memory in bytes and what it printed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        running = subprocess.Popen(list(map(str, command)), stdout=out, stderr=err, cwd=ROOT)
        # The wait that tells what this one child used.
        _, status, used = os.wait4(running.pid, 0)
        seconds = time.perf_counter() - start
        running.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if running.returncode:
            sys.exit(f"{' '.join(map(str, command))}: exit {running.returncode}\n{err.read().decode()}")
        return seconds, used.ru_maxrss * 1024, out.read().decode()


def python(module: str, *arguments: str | Path) -> tuple[str | Path, ...]:
    return (sys.executable, "-m", module, *arguments)


class Runner:
    """Runs steps and keeps what they took."""

    def __init__(self) -> None:
        self.steps: Steps = defaultdict(Step)

    def time(self, name: str, *command: str | Path, says_seconds: bool = False) -> None:
        """Run a command once more; its seconds are those that it prints, where it says them itself."""
        print(f"{name} ...", end=" ", file=sys.stderr, flush=True)
        seconds, peak, printed = process(*command)
        step = self.steps[name]
        step.seconds.append(float(printed) if says_seconds else seconds)
        step.peak = max(step.peak, peak)
        print(f"{step.seconds[-1]:.2f} s", file=sys.stderr)


def corpus_of(folder: Path, trials: int) -> Path:
    """The corpus of so many trials in the folder, written first where it is not there."""
    corpus = folder / f"simulated_{trials}"
    if not corpus.is_dir():
        print(f"writing {corpus} ...", file=sys.stderr)
        half = corpus.with_suffix(".new")
        shutil.rmtree(half, ignore_errors=True)
        process(*python("tests.speed.corpora", str(trials), half))
        half.rename(corpus)
    return corpus


def measure_corpus(runner: Runner, corpus: Path, scratch: Path, repeats: int) -> None:
    """Take every step over a corpus, in turn, `repeats` times."""
    loaded, copied, audited, alone, lines = (scratch / n for n in ("loaded", "run", "audited", "alone", "lines"))
    for _ in range(repeats):
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        runner.time("create table", *python("tests.speed.steps", "create_table", corpus, alone))
        runner.time("load", REGRADE, "load", corpus, "--out", loaded)
        shutil.copytree(loaded, copied)
        runner.time("six candidates", REGRADE, "run", "--store", copied)
        shutil.rmtree(copied)
        runner.time("script", sys.executable, SCRIPT, corpus, lines)
        runner.time("audit", REGRADE, "audit", corpus, "--out", audited)
        for rule in RULES:
            for store, out in zip(STORES, (audited, loaded), strict=True):
                step = python("tests.speed.steps", "try_rule", out, rule)
                runner.time(f"{rule}, {store}", *step, says_seconds=True)
        runner.time("regrade try", REGRADE, "try", "last_equals_v1", "--store", audited)
    shutil.rmtree(scratch)


def measure_bundled(runner: Runner, scratch: Path, repeats: int) -> None:
    """Audit the bundled corpus from nothing and again, and ask for help."""
    for _ in range(repeats):
        command = (REGRADE, "audit", "transcripts/tool_loop_v1", "--out", scratch)
        runner.time("bundled audit", *command)
        runner.time("bundled audit again", *command)
        runner.time("help", REGRADE, "--help")
        shutil.rmtree(scratch)


def figures(steps: Steps, sizes: Sequence[int]) -> Iterator[Figure]:
    """The table, row by row."""
    load, script = steps["load"].median, steps["script"].median
    candidates, audit = steps["six candidates"].median, steps["audit"].median

    yield at_most("load, against DuckDB's `create table as`", "at most 2 times", load, steps["create table"].median, 2)
    yield at_most("six candidates, against loading", "less", candidates, load, 1)
    yield at_most("cold audit, against the script", "no slower", audit, script, 1)
    for store in STORES:
        tried = [steps[f"{rule}, {store}"].median for rule in RULES]
        for which, seconds in (("median", median(tried)), ("slowest", max(tried))):
            times = script / seconds
            yield Figure(
                f"the script, against a new rule on the {store} corpus ({which} of six)",
                "at least 20 times faster",
                f"{times:.2f} times",
                times >= 20,
                f"{script:.2f} / {seconds:.2f}",
            )
    yield within("`regrade try` of a rule, start to finish", steps["regrade try"], 1)
    for trials in sizes:
        step = steps[audit_of(trials)]
        name = f"peak memory of an audit of {trials:,} trials"
        yield Figure(name, "under 2 GB", f"{step.peak / GB:.2f} GB", step.peak < 2 * GB, f"{step.median:.2f}")
    yield within("`regrade audit transcripts/tool_loop_v1`, cold", steps["bundled audit"], 6)
    yield within("the same again, nothing changed", steps["bundled audit again"], 2)
    yield within("`regrade --help`", steps["help"], 0.3)


def at_most(name: str, goal: str, above: float, below: float, limit: int) -> Figure:
    """A ratio of two medians and its upper limit."""
    times = above / below
    return Figure(name, goal, f"{times:.2f} times", times <= limit, f"{above:.2f} / {below:.2f}")


def within(name: str, step: Step, limit: float) -> Figure:
    """A step that has a time of its own to keep."""
    return Figure(name, f"under {limit:g} s", f"{step.median:.2f} s", step.median < limit, f"{step.median:.2f}")


def audit_of(trials: int) -> str:
    return f"audit of {trials:,}"


def print_tables(steps: Steps, sizes: Sequence[int], trials: int, load: float) -> None:
    """Print what was measured as Markdown."""
    print("| figure | goal | measured | met | seconds |\n| --- | --- | ---: | --- | ---: |")
    for f in figures(steps, sizes):
        print(f"| {f.name} | {f.goal} | {f.measured} | {'yes' if f.is_met else 'no'} | {f.seconds} |")
    print("\n| step | times | seconds, median | least | most | peak memory, GB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, step in steps.items():
        spread = f"{step.median:.2f} | {min(step.seconds):.2f} | {max(step.seconds):.2f}"
        print(f"| {name} | {len(step.seconds)} | {spread} | {step.peak / GB:.2f} |")
    versions = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "polars", "orjson"))
    print(
        f"\n{trials:,} simulated trials; {os.cpu_count()} cores, Python {platform.python_version()}, {versions}; load"
        f" average at the start {load:.1f}."
    )


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.speed.measure", description=__doc__.splitlines()[0])
    parser.add_argument("trials", type=int, nargs="?", default=300_000, help="trials of the corpus; default 300000")
    parser.add_argument("--repeats", type=int, help="times that each step is run; default 3, or 5 up to 50,000 trials")
    parser.add_argument(
        "--memory",
        type=int,
        nargs="*",
        default=[1_000_000, 3_000_000],
        metavar="TRIALS",
        help="corpora whose audit is run once for its peak memory; default 1000000 3000000, none without a number",
    )
    parser.add_argument("--folder", type=Path, help="where corpora are kept, and used again; default a temporary one")
    given = parser.parse_args()
    load, _, _ = os.getloadavg()
    runner = Runner()
    with tempfile.TemporaryDirectory(prefix="regrade_speed_") as temporary:
        folder, scratch = (given.folder or Path(temporary)).resolve(), Path(temporary) / "scratch"
        measure_bundled(runner, scratch, 5)
        repeats = given.repeats or (5 if given.trials <= 50_000 else 3)
        measure_corpus(runner, corpus_of(folder, given.trials), scratch, repeats)
        for trials in given.memory:
            runner.time(audit_of(trials), REGRADE, "audit", corpus_of(folder, trials), "--out", scratch)
            shutil.rmtree(scratch)
    print_tables(runner.steps, given.memory, given.trials, load)


if __name__ == "__main__":
    main()
