"""What goes wrong, as the user sees it: an exit code and one line, or a counted reject; nothing half-written.

Each fault and the tests that hold it, here unless a file is named:

- missing or unknown key: test_a_corpus_that_cannot_be_used; files/test_corpus_toml.py
- missing file: test_a_corpus_that_cannot_be_used; files/test_manifest.py
- checksum mismatch: test_a_gate_that_fails; test_cli.py, test_freeze_then_verify_then_audit
- empty file: test_an_empty_file_alone, test_empty_files_among_others
- truncated gzip: test_a_corpus_that_cannot_be_used; files/test_streams.py
- not JSON, not UTF-8, NUL: test_damaged_records_are_counted; tables/test_ingest.py
- BOM, CRLF: test_a_mark_and_line_ends_change_nothing; files/test_loaders.py
- a 50 MB line: test_a_line_of_50_mb_loads_and_one_beyond_the_limit_is_a_reject
- names that differ only by case: tables/test_ingest.py, test_names_that_differ_only_by_case_are_told_apart;
  test_audit.py, test_candidates_that_differ_only_by_case
- Infinity and NaN: test_numbers_that_are_none; tables/test_ingest.py
- a key twice in an object: test_damaged_records_are_counted, test_a_bank_that_cannot_be_used; tables/test_ingest.py
- nested too deep: test_damaged_records_are_counted, test_a_bank_that_cannot_be_used
- duplicate trial key, unknown item: test_damaged_records_are_counted; tables/test_ingest.py
- the same file twice: test_a_corpus_that_cannot_be_used, test_a_file_and_its_compressed_copy
- code outside the list: tables/test_ingest.py, test_a_code_outside_the_declared_list_is_a_bad_grade
- a grade that is a string, list or null: test_damaged_records_are_counted, test_numbers_that_are_none;
  tables/test_ingest.py
- content as parts, arguments as text or object: tables/test_ingest.py,
  test_content_as_parts_arguments_as_object_and_results_by_id
- a glob character in a file name: test_a_glob_character_in_a_name; files/test_manifest.py
- a rule that raises, without headings, not Python: test_a_rule_that_cannot_be_used; grades/test_rule_files.py
- an edited locked rule: test_a_gate_that_fails; test_audit.py, test_a_locked_rule_that_was_edited_stops_the_audit
- an unknown rule or candidate: test_a_corpus_that_cannot_be_used; test_audit.py,
  test_what_is_unknown_is_named_and_nothing_is_written
- an unwritable output: test_an_output_that_cannot_be_written; test_cli.py,
  test_a_folder_in_the_way_of_an_output_changes_nothing
- a full disk: test_a_full_disk
- a store of another version, a damaged one: test_a_store_that_cannot_be_used,
  test_an_audit_rebuilds_a_store_that_it_cannot_use
- a store that another process holds: test_a_store_that_another_process_holds
- killed, interrupted, told to end, two at once: test_killed.py
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

from regrade.cli import main
from tests.conftest import ROOT, draft_rules, record, twenty, write_corpus

pytestmark = pytest.mark.slow

Change = Callable[[Path], Any]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The outputs of an audit that went well."""
    folder = tmp_path_factory.mktemp("good")
    assert invoke("audit", write_corpus(folder / "c", twenty()), "--out", folder / "out").exit_code == 0
    return folder / "out"


@pytest.fixture
def corpus(tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus that can be audited, beside the outputs of an earlier audit in `out`."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(good, tmp_path / "out")
    return write_corpus(tmp_path / "c", twenty())


def invoke(*args: Any) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args])


def contents(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def the_line(stderr: str) -> str:
    """The one line of an error; warnings may come before it."""
    assert "Traceback" not in stderr
    [line] = [line for line in stderr.splitlines() if not line.startswith("Warning: ")]
    assert line.startswith("regrade: ") and "Unexpected" not in line, line
    return line


def refused(*args: Any, code: int = 2) -> str:
    """The line of a command that fails and leaves what is in `out`, and the listing beside it, as they were."""
    before, beside = contents(Path("out")), sorted(os.listdir())
    result = invoke(*args)
    assert result.exit_code == code, (result.stderr, result.exception)
    assert isinstance(result.exception, SystemExit), "no traceback"
    assert result.stdout == "", "nothing on standard output"
    assert contents(Path("out")) == before and sorted(os.listdir()) == beside
    return the_line(result.stderr)


def summary_of(*args: Any) -> dict[str, Any]:
    """The counts of a command that goes well; the files of the store add up."""
    result = invoke(*args, "--json")
    assert result.exit_code == 0, (result.stderr, result.exception)
    found = json.loads(result.stdout)
    counts: dict[str, Any] = found.get("corpus", found)
    assert counts["records"] == counts["loaded"] + counts["rejected"]
    return counts


def stored(query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect("out/audit.duckdb", read_only=True) as con:
        return con.execute(query).fetchall()


def edit(old: str, new: str, name: str = "corpus.toml") -> Change:
    def change(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))

    return change


def add(name: str, content: Callable[[bytes], bytes]) -> Change:
    """Add a file, made of the bytes of trials.jsonl, and take every file that begins with `t`."""

    def change(folder: Path) -> None:
        (folder / name).write_bytes(content((folder / "trials.jsonl").read_bytes()))
        edit('["trials.jsonl"]', '["t*"]')(folder)

    return change


def gone(name: str) -> Change:
    return lambda folder: (folder / name).unlink()


def sealed(folder: Path) -> None:
    (folder / "trials.jsonl").unlink()
    (folder / "trials.jsonl").mkdir()


UNUSABLE = [
    (edit("item =", "itme ="), "c/corpus.toml: [columns]: unknown key 'itme'. Did you mean 'item'?"),
    (edit("[bank]", "[bnak]"), "c/corpus.toml: unknown key 'bnak'. Did you mean 'bank'?"),
    (edit('item = "episode"', ""), "c/corpus.toml: [columns]: no item is named. Give its path"),
    (edit('name = "twenty"', ""), "c/corpus.toml: [corpus]: the key 'name' is missing"),
    (edit("[bank]", "[bank"), "c/corpus.toml: not TOML: "),
    (gone("corpus.toml"), "c: no corpus.toml in the folder. Write one for the logs in it: regrade init c"),
    (gone("trials.jsonl"), "c: files = 'trials.jsonl' matches no file. Globs are relative to"),
    (sealed, "c: files = 'trials.jsonl' matches no file"),
    (gone("bank.json"), "c/bank.json: cannot be read: No such file"),
    (
        add("trials2.jsonl.gz", lambda data: gzip.compress(data)[:-30]),
        "c/trials2.jsonl.gz: the gzip data is cut off or damaged (Truncated compressed stream). Fetch or compress",
    ),
    (
        add("twice.jsonl", lambda data: data),
        "c: trials.jsonl and twice.jsonl have the same content. Take one out of files.",
    ),
    (edit("[bank]", '[[candidate]]\nname = "x"\nrules = ["last_equal_v1"]\n[bank]'), "Unknown rule 'last_equal_v1'"),
    (edit("[bank]", '[[partition]]\nname = "p"\nsets = ["last_equal"]\n[bank]'), "Did you mean 'last_equals'?"),
    (edit('"config"', '"confg"', "trials.jsonl"), "No trial could be loaded from twenty: found 20 x missing_key"),
]


@pytest.mark.parametrize(("change", "line"), UNUSABLE)
def test_a_corpus_that_cannot_be_used(corpus: Path, change: Change, line: str) -> None:
    change(corpus)
    assert line in refused("audit", "c", "--out", "out")


@pytest.mark.parametrize(
    ("bank", "line"),
    [
        (b"", "line 1, column 1: not JSON"),
        (b'[{"item": "T01", "item": "T02"}]', "the key 'item' stands twice in one object"),
        (b'[{"item": "\xff"}]', "not UTF-8 at byte 11. Save it as UTF-8."),
        (b'[{"item": "T01", "gold": NaN}]', "NaN is no JSON. Write null or a number."),
        (b'[{"item": "T01", "gold": "\\ud800"}]', r"it holds half of a character, '\ud800'. Mend it."),
        (b'[{"item": "T01", "gold": %s1%s}]' % (b"[" * 300, b"]" * 300), "over 200 lists and objects stand inside"),
        (b'[{"item": "T01", "gold": %s1%s}]' % (b"[" * 9000, b"]" * 9000), "over 200 lists and objects stand inside"),
        (b'[{"item": "T01", "gold": %s}]' % (b"1" * 9000), "Exceeds the limit"),
    ],
)
def test_a_bank_that_cannot_be_used(corpus: Path, bank: bytes, line: str) -> None:
    (corpus / "bank.json").write_bytes(bank)
    assert f"c/bank.json: {line}" in refused("audit", "c", "--out", "out")


@pytest.mark.parametrize("content", [b"", b"\n \r\n"])
def test_an_empty_file_alone(corpus: Path, content: bytes) -> None:
    (corpus / "trials.jsonl").write_bytes(content)
    assert "No trial could be loaded from twenty: found no records." in refused("audit", "c", "--out", "out")


def test_empty_files_among_others(corpus: Path) -> None:
    for name in ("t2.jsonl", "t3.jsonl"):
        add(name, lambda data: b"")(corpus) if name == "t2.jsonl" else (corpus / name).write_bytes(b"")
    (corpus / "t4.jsonl.gz").write_bytes(gzip.compress(b""))
    assert summary_of("audit", "c", "--out", "out")["files"] == 4
    assert stored("select path, records from files order by path") == [
        ("t2.jsonl", 0), ("t3.jsonl", 0), ("t4.jsonl.gz", 0), ("trials.jsonl", 20),
    ]  # fmt: skip


def test_damaged_records_are_counted(corpus: Path) -> None:
    sound = record("z", "T01", 0, "read_sensor", "z: 7\nANSWER: 7.0", True)
    text = json.dumps(sound)
    damaged = {
        "not_json": b"not json",
        "not_utf8": text.encode().replace(b"z: 7", b"z: \xff"),
        "not_object": b"[1, 2]",
        "missing_key": b"{}",
        "duplicate_key": text.replace('"rep": 0', '"rep": 0, "rep": 1').encode(),
        "unknown_item": json.dumps({**sound, "episode": "T99"}).encode(),
        "duplicate_trial": json.dumps({**sound, "config": "a"}).encode(),
        "bad_grade": json.dumps({**sound, "grade": {"pass": "yes"}}).encode(),
        "bad_turns": json.dumps({**sound, "messages": [{"role": "user", "content": [1]}]}).encode(),
    }
    beside = [
        ("not_json", text.encode().replace(b"z: 7", b"z: \0")),
        ("not_json", text.replace("z: 7", "z: \\ud800").encode()),
        ("not_json", (text[:-1] + ', "u": {"k": "\\ud800", "k": 1}}').encode()),
        ("not_json", (text[:-1] + ', "u": ' + "[" * 500 + "null" + "]" * 500 + "}").encode()),
        ("not_json", (text[:-1] + ', "u": ' + "[" * 9000 + "]" * 9000 + "}").encode()),
        ("not_json", (text + text).encode()),
        ("bad_grade", json.dumps({**sound, "grade": {"pass": [True]}}).encode()),
    ]
    lines = [*damaged.items(), *beside]
    with (corpus / "trials.jsonl").open("ab") as file:
        file.writelines(line + b"\n" for _, line in lines)
    counts = summary_of("audit", "c", "--out", "out")
    assert (counts["records"], counts["loaded"], counts["rejected"]) == (20 + len(lines), 20, len(lines))
    assert stored("select line, reason from rejects order by line") == [
        (number, reason) for number, (reason, _) in enumerate(lines, 21)
    ]


def test_a_mark_and_line_ends_change_nothing(corpus: Path) -> None:
    before = stored("select * exclude (file_id) from trials order by trial_id")
    data = (corpus / "trials.jsonl").read_bytes()
    (corpus / "trials.jsonl").write_bytes(b"\xef\xbb\xbf" + data.rstrip(b"\n").replace(b"\n", b"\r\n"))
    assert summary_of("load", "c", "--out", "out")["loaded"] == 20
    assert stored("select * exclude (file_id) from trials order by trial_id") == before


def test_numbers_that_are_none(corpus: Path) -> None:
    line = '{"config": "e", "episode": "T01", "rep": %d, "messages": [], "grade": {"pass": %s}, "x": Infinity}\n'
    with (corpus / "trials.jsonl").open("a") as file:
        file.writelines(line % each for each in enumerate(("NaN", "null", "Infinity")))
    assert summary_of("load", "c", "--out", "out")["rejected"] == 1
    assert stored("select line, reason, left(excerpt, 21) from rejects") == [(23, "bad_grade", "grade.pass = Infinity")]
    assert stored("select status from frozen_grades where trial_id like 'e/%'") == [("ungraded",), ("ungraded",)]


def test_a_file_and_its_compressed_copy(corpus: Path) -> None:
    """They differ as stored, so that the copy's trials are what shows: each a reject that names the first."""
    add("twice.jsonl.gz", gzip.compress)(corpus)
    counts = summary_of("load", "c", "--out", "out")
    assert (counts["trials"], counts["rejected"]) == (20, 20)
    assert stored("select distinct reason from rejects") == [("duplicate_trial",)]
    assert stored("select excerpt from rejects where line = 1") == [("a/T01/0 is loaded from trials.jsonl, line 1",)]


def test_a_glob_character_in_a_name(corpus: Path) -> None:
    (corpus / "trials.jsonl").rename(corpus / "t[1]?*.jsonl")
    (corpus / "t1xx.jsonl").write_bytes(b"another file that the name would match as a glob")
    edit("trials.jsonl", "t[1]?*.jsonl")(corpus)
    assert summary_of("load", "c", "--out", "out")["loaded"] == 20
    assert stored("select path from files") == [("t[1]?*.jsonl",)]


@pytest.mark.slow
def test_a_line_of_50_mb_loads_and_one_beyond_the_limit_is_a_reject(corpus: Path) -> None:
    long = record("long", "T01", 0, "read_sensor", "x" * 50_000_000 + "\nANSWER: 7.0", True)
    longer = record("long", "T01", 1, "read_sensor", "x" * (64 * 1024 * 1024) + "\nANSWER: 7.0", True)
    with (corpus / "trials.jsonl").open("a") as file:
        file.writelines(json.dumps(each) + "\n" for each in (long, longer, {**long, "rep": 2}))
    assert summary_of("audit", "c", "--out", "out")["loaded"] == 22
    assert stored("select line, reason, length(excerpt) from rejects") == [(22, "too_long", 200)]
    assert stored("select line, length(reply) from trials where configuration = 'long' order by line") == [
        (21, 50_000_012), (23, 50_000_012),
    ]  # fmt: skip


HEADINGS = '"""What it does.\n\nWhat it changes: a\nWhy: b\nEvidence: c\nWhat it cannot show: d\n"""\n'
RULE = """from regrade.grades import per_row, text
AXIS, DECISION = "pass", "proposed"
WHERE = {}
%s
MUST_FLIP = []
MUST_HOLD = []
"""
READ = "def read(trial, base):\n    %s"
ROW = '@per_row("reply")\ndef read(trial, base):\n    %s'


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (HEADINGS + RULE % (READ % "raise ValueError('one\\ntwo')"), "read, axis pass, line 12 raised ValueError: one"),
        (HEADINGS + RULE % (ROW % "return 1 / 0"), "ZeroDivisionError: division by zero"),
        (HEADINGS + RULE % (READ % "raise SystemExit(3)"), "line 12 raised SystemExit: 3"),
        (HEADINGS + RULE % (READ % "return read(trial, base)"), "line 12 raised RecursionError"),
        (HEADINGS + RULE % (READ % "return 5"), "returned int, expected a Polars expression"),
        (HEADINGS + "1 / 0\n" + RULE % (READ % "return 1"), "tool_loop/odd_v1.py raised ZeroDivisionError when loaded"),
        (HEADINGS + "def (\n", "tool_loop/odd_v1.py: invalid syntax"),
        ('"""Odd."""\n' + RULE % (READ % "return base(trial)"), 'lacks the headings "What it changes:", "Why:"'),
        ("", 'lacks the headings "What it changes:", "Why:"'),
        ("a\0b", "tool_loop/odd_v1.py: source code string cannot contain null bytes"),
    ],
)
def test_a_rule_that_cannot_be_used(corpus: Path, source: str, line: str) -> None:
    (draft_rules(Path("rules")) / "tool_loop" / "odd_v1.py").write_text(source)
    assert line in refused("audit", "c", "--out", "out", "--rules", "rules")


def sums_of_others(folder: Path) -> None:
    (folder / "SHA256SUMS").write_text("".join(f"{'0' * 64}  {name}\n" for name in ("bank.json", "trials.jsonl")))


def edited_rule(folder: Path) -> None:
    assert invoke("freeze", folder, "--rules", draft_rules(Path("rules"))).exit_code == 0
    path = Path("rules/tool_loop/last_equals_v1.py")
    path.write_text(path.read_text().replace("number_after_last_equals", "first_number"))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (sums_of_others, "bank.json: frozen with sha256 0000"),
        (edited_rule, "last_equals_v1 is locked"),
        (edit('"code": "STALE_DATA"', '"code": "OTHER"', "trials.jsonl"), "4 of 20 trials"),
    ],
)
def test_a_gate_that_fails(corpus: Path, change: Change, line: str) -> None:
    change(corpus)
    rules = ["--rules", "rules"] if Path("rules").exists() else []
    assert line in refused("audit", "c", "--out", "out", *rules, code=1)


def not_a_folder() -> str:
    Path("file").write_text("in the way")
    return "file"


def below_a_file() -> str:
    return f"{not_a_folder()}/below"


def read_only() -> str:
    Path("closed").mkdir(mode=0o500)
    return "closed"


# Nothing is closed to the superuser.
CLOSED = [read_only] if os.geteuid() else []


@pytest.mark.parametrize("place", [not_a_folder, below_a_file, lambda: "/proc/regrade_out", *CLOSED])
@pytest.mark.parametrize("command", ["audit", "load"])
def test_an_output_that_cannot_be_written(corpus: Path, command: str, place: Callable[[], str]) -> None:
    out = place()
    line = refused(command, "c", "--out", out)
    assert f"Cannot write into {out}: " in line and "Name another folder with --out." in line


def more(corpus: Path) -> None:
    with (corpus / "trials.jsonl").open("a") as file:
        file.write(json.dumps(record("e", "T01", 0, "read_sensor", "e: 7\nANSWER: 7.0", True)) + "\n")


def spawn(*args: Any, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, in which no file may be longer than so many bytes."""

    def small_files() -> None:
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "regrade.cli", *map(str, args)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, env=env, preexec_fn=small_files)


@pytest.mark.parametrize(
    "limit", [300_000, *(pytest.param(n, marks=pytest.mark.slow) for n in (1_000, 20_000, 100_000, 2_000_000))]
)
@pytest.mark.parametrize("out", ["out", pytest.param("deep/other", marks=pytest.mark.slow)])
def test_a_full_disk(corpus: Path, out: str, limit: int) -> None:
    """The store fails when it is made, when rows are written, and when it is closed; the engine is silent then."""
    more(corpus)
    before = contents(Path("out"))
    done = spawn("audit", "c", "--out", out, limit=limit)
    assert done.returncode == 2 and done.stdout == ""
    assert "Cannot write" in the_line(done.stderr) and "File too large" in done.stderr
    assert contents(Path("out")) == before and not Path("deep").exists()


def other_version(path: Path) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute("update meta set value = '0' where key = 'version'")


def no_store(path: Path) -> None:
    path.write_bytes(b"this is no store" * 1000)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def another_store(path: Path) -> None:
    path.unlink()
    with duckdb.connect(str(path)) as con:
        con.execute("create table t (a integer)")


BROKEN = [
    (other_version, "The store out/audit.duckdb is of version 0, expected "),
    (no_store, "Cannot open the store out/audit.duckdb: "),
    (cut_off, "Cannot open the store out/audit.duckdb: "),
    (another_store, "The store out/audit.duckdb is of version None, expected "),
]


@pytest.mark.parametrize(("change", "line"), BROKEN)
def test_a_store_that_cannot_be_used(corpus: Path, change: Change, line: str) -> None:
    change(Path("out/audit.duckdb"))
    for command in (["flips"], ["explain", "a/T01/0"], ["run"], ["report"]):
        found = refused(*command, "--store", "out")
        assert line in found and "run: regrade load CORPUS" in found


@pytest.mark.parametrize("change", [change for change, _ in BROKEN[:2]])
def test_an_audit_rebuilds_a_store_that_it_cannot_use(corpus: Path, good: Path, change: Change) -> None:
    change(Path("out/audit.duckdb"))
    assert summary_of("audit", "c", "--out", "out")["trials"] == 20
    for name in ("summary.json", "report.html", "flips.csv"):
        assert (Path("out") / name).read_bytes() == (good / name).read_bytes()


def test_a_store_that_another_process_holds(corpus: Path) -> None:
    hold = "import duckdb, sys; con = duckdb.connect('out/audit.duckdb'); print('held', flush=True); sys.stdin.read()"
    more(corpus)
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        for command in (["flips", "--store", "out"], ["run", "--store", "out"], ["audit", "c", "--out", "out"]):
            line = refused(*command)
            assert "Another process has the store out/audit.duckdb open: " in line and "Wait for it, or name" in line
        holder.communicate()
    assert summary_of("audit", "c", "--out", "out")["trials"] == 21
