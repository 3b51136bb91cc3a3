"""The simulated corpus is what it says, and cannot be told apart by shortcuts."""

import ast
import copy
import gzip
import importlib
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "transcripts" / "tool_loop_v1"
KEYS = {"config", "episode", "rep", "messages", "final_state", "grade"}
MESSAGE_KEYS = {"role", "content", "tool_calls", "tool_call_id", "name"}


def lines_of(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]


@pytest.fixture(scope="module")
def sim():
    sys.path.insert(0, str(FOLDER))
    try:
        names = ("figures", "grader", "whatif")
        return SimpleNamespace(**{name: importlib.import_module(f"tool_loop_sim.{name}") for name in names})
    finally:
        sys.path.remove(str(FOLDER))


@pytest.fixture(scope="module")
def bank():
    return {entry["item"]: entry for entry in json.loads((FOLDER / "bank.json").read_text(encoding="utf-8"))}


@pytest.fixture(scope="module")
def lineage():
    entries = json.loads((FOLDER / "configurations.json").read_text(encoding="utf-8"))
    return {entry["configuration"]: entry["lineage"] for entry in entries}


@pytest.fixture(scope="module")
def corpus():
    return {
        path.name.removesuffix(".jsonl.gz"): [json.loads(line) for line in lines_of(path)]
        for path in sorted((FOLDER / "trials").glob("*.jsonl.gz"))
    }


@pytest.fixture(scope="module")
def rows(sim, bank, corpus):
    return sim.figures.rows_of(corpus, {item: entry["gold"] for item, entry in bank.items()})


@pytest.fixture(scope="module")
def replies(sim, rows):
    return [sim.grader.last_reply(row.record["messages"]) for row in rows]


@pytest.fixture(scope="module")
def masked(replies):
    return [mask(text) for text in replies]


def mask(text: str) -> str:
    """Digits to 0; addresses, paths, identifiers and capitalised words to N."""
    text = re.sub(r"[\w.+-]+@[\w.-]+", "N", text)
    text = re.sub(r"\b\w+(?:[._/=]\w+)+\b", "N", text)
    text = re.sub(r"\b[A-Z][\w-]*", "N", text)
    text = re.sub(r"\d+(?:[.,]\d+)*", "0", text)
    return re.sub(r"(?:N[ ,:]*)+", "N ", text)


# --- what is stored


def test_files_records_and_keys(corpus, lineage):
    assert len(corpus) == 134 and set(corpus) == set(lineage)
    assert sum(map(len, corpus.values())) == 13615
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.gz")) < 12_000_000
    for name, records in corpus.items():
        keys = Counter((r["episode"], r["rep"]) for r in records)
        assert max(keys.values()) == 1 and {r["config"] for r in records} == {name}
        for record in records:
            assert record.keys() - {"run"} == KEYS and record["grade"].keys() == {"pass", "code", "read"}
            assert all(message.keys() <= MESSAGE_KEYS for message in record["messages"])
    pooled = [name for name, records in corpus.items() if any("run" in r for r in records)]
    assert len(pooled) == 1 and all("run" in r for r in corpus[pooled[0]])


def test_bank_and_notes(bank, rows):
    families = Counter(entry["family"] for entry in bank.values())
    assert list(bank) == [f"T{n:02d}" for n in range(1, 49)] and set(families.values()) == {4} and len(families) == 12
    assert [i for i, e in bank.items() if "ask" in e["gold"]] == ["T09"]
    poll = [e for e in bank.values() if "menu" in e["gold"]]
    assert len(poll) == 4 and len({e["family"] for e in poll}) == 1
    assert any("(?P<answer>" in pattern for e in poll for pattern in e["gold"]["menu"])
    assert len({e["family"] for e in bank.values() if "tokens" in e["gold"]}) == 1
    assert {row.item for row in rows} == set(bank)


def test_calls_and_results_belong_together(corpus):
    unanswered = shuffled = 0
    for records in corpus.values():
        for record in records:
            made = [c["id"] for m in record["messages"] for c in m.get("tool_calls", [])]
            got = [m["tool_call_id"] for m in record["messages"] if m["role"] == "tool"]
            assert len(set(made)) == len(made) and len(set(got)) == len(got) and set(got) <= set(made)
            unanswered += len(got) < len(made)
            shuffled += got != [i for i in made if i in got]
    assert unanswered and shuffled


def test_every_figure(sim, rows, lineage):
    missed = [(n, c, w) for n, c, w in sim.figures.all_figures(rows, lineage) if c != w]
    assert not missed


def test_frozen_grades_come_from_the_text(sim, bank, rows):
    for row in rows:
        assert sim.grader.grade(bank[row.item]["gold"], row.record["messages"]) == row.record["grade"]


# --- (a) variety


def test_masked_replies_are_varied(masked):
    counts = Counter(masked)
    assert len(counts) >= 3000
    assert counts.most_common(1)[0][1] <= len(masked) / 100


def test_bare_answer_lines_are_rare(replies):
    bare = Counter(re.sub(r"\d", "0", text.strip()) for text in replies if re.fullmatch(r"ANSWER:[^\n]*", text.strip()))
    assert max(bare.values()) <= len(replies) / 100


def test_no_two_configurations_reply_alike(sim, corpus):
    texts = {
        name: {(r["episode"], r["rep"]): sim.grader.last_reply(r["messages"]) for r in records}
        for name, records in corpus.items()
    }
    for one, two in combinations(texts.values(), 2):
        shared = one.keys() & two.keys()
        assert not shared or sum(one[key] == two[key] for key in shared) <= 0.9 * len(shared)


# --- (b) no behaviour has a form of its own


def test_behaviours_have_many_forms(rows, masked):
    forms = defaultdict(list)
    for row, text in zip(rows, masked, strict=True):
        status, _, flips, line, call = row.seen.behaviour()
        forms[row.family, status, flips, line, call].append(text)
    few = {cell: len(set(texts)) for cell, texts in forms.items() if len(texts) >= 10 and len(set(texts)) < 10}
    assert len(forms) > 60 and not few


def test_passes_and_failures_share_forms_in_every_family(rows, masked):
    seen = defaultdict(lambda: {True: set(), False: set()})
    for row, text in zip(rows, masked, strict=True):
        seen[row.family][row.seen.passed].add(text)
    assert len(seen) == 12
    assert all(both[True] & both[False] for both in seen.values())


# --- (c) the script stands alone


def test_script_imports_only_the_standard_library():
    modules = [FOLDER / "simulate.py", *(FOLDER / "tool_loop_sim").glob("*.py")]
    roots = set()
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                roots |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                roots.add(node.module.split(".")[0])
    assert roots - {"tool_loop_sim"} <= sys.stdlib_module_names
    tree = ast.parse((FOLDER / "tool_loop_sim" / "grader.py").read_text(encoding="utf-8"))
    assert "grade" in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_rebuilt_corpus_is_the_same(tmp_path):
    env = {**os.environ, "PYTHONHASHSEED": "4242", "TZ": "Pacific/Chatham", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(FOLDER / "simulate.py"), "--out", str(tmp_path)]
    subprocess.run(command, check=True, env=env, cwd=tmp_path, capture_output=True)
    built = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.gz"))
    assert built == sorted(path.relative_to(FOLDER) for path in FOLDER.rglob("*.gz"))
    for path in built:
        assert lines_of(tmp_path / path) == lines_of(FOLDER / path), path
    for name in ("bank.json", "configurations.json", "notes.toml"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()
    head = (tmp_path / built[0]).read_bytes()[:10]
    assert head[3] == 0 and head[4:8] == bytes(4)


# --- (f) look-alikes


def test_trials_that_only_look_like_a_flip(sim, bank, rows, replies):
    seen = Counter()
    for row, text in zip(rows, replies, strict=True):
        kind, lines = bank[row.item]["gold"]["kind"], sim.grader.lines_of(text)
        answer, starts = sim.grader.answer_line(text), sum(line.startswith("ANSWER:") for line in lines)
        seen["equals in a text answer"] += kind == "text" and "=" in (answer or "")
        seen["prefix in mid-line only"] += starts == 0 and "ANSWER:" in text
        seen["two answer lines, passed"] += starts == 2 and row.seen.passed
        seen["two answer lines, failed"] += starts == 2 and row.failed
        seen["empty answer line"] += answer == ""
        seen["CRLF"] += "\r\n" in text
        if not row.seen.call_like:
            seen["call in prose"] += bool(re.search(r"\w `\w+\([^`\n]*\)`", text))
            seen["call in a fence"] += bool(re.search(r'```json\r?\n\{"name": ', text))
            turns = [m for m in row.record["messages"] if m.get("tool_calls")]
            contents = [sim.grader.content_text(m["content"]) for m in turns]
            seen["call text beside a parsed call"] += any(
                sim.whatif.call_like([{"role": "assistant", "content": content}]) for content in contents
            )
        calls = [c["function"]["arguments"] for m in row.record["messages"] for c in m.get("tool_calls", [])]
        seen["arguments as an object"] += any(isinstance(given, dict) for given in calls)
        seen["arguments that are not JSON"] += any(isinstance(given, str) and given[-1:] != "}" for given in calls)
        seen["content in parts"] += any(isinstance(m["content"], list) for m in row.record["messages"])
        seen["null content"] += any(m["content"] is None for m in row.record["messages"])
    assert min(seen.values()) > 0, seen


def test_call_texts_come_in_many_dialects(sim, rows):
    marks = {
        "tag": r"^<tool_call>",
        "function": r"^<function=\w+>",
        "brackets": r"^\[TOOL_CALLS\]",
        "python tag": r"^<\|python_tag\|>\{",
        "pythonic": r"^\[\w+\(.*\)\]\r?$",
        "object": r'^\{"name": .*"(?:arguments|parameters)": .*\}\r?$',
        "begin": r"^<\|tool_call_begin\|>",
        "invoke": r'^<invoke name="',
    }
    found = Counter()
    for row in rows:
        if row.seen.call_like:
            text = "\n".join(
                sim.grader.content_text(m["content"])
                for m in row.record["messages"]
                if m["role"] == "assistant" and not m.get("tool_calls")
            )
            found.update(name for name, mark in marks.items() if re.search(mark, text, re.MULTILINE))
    assert found.keys() == marks.keys()


# --- a changed text changes the count


@pytest.mark.parametrize(("kind", "flips_too"), [("number", 1), ("text", 0)])
def test_one_dropped_prefix_moves_the_count_by_one(sim, bank, corpus, rows, kind, flips_too):
    strong = {row.config for row in sim.figures.tier(rows, "0.9")}
    row = next(
        row
        for row in rows
        if row.config in strong and row.seen.passed and row.seen.line
        and bank[row.item]["gold"]["kind"] == kind and isinstance(row.record["messages"][-1]["content"], str)
        and sim.whatif.last_line(row.record["messages"][-1]["content"]).startswith("ANSWER: ")
    )  # fmt: skip
    records = copy.deepcopy(corpus[row.config])
    changed = next(r for r in records if (r["episode"], r["rep"]) == (row.item, row.rep))
    text = changed["messages"][-1]["content"]
    changed["messages"][-1]["content"] = text.replace("ANSWER: ", "Answer: ")
    golds = {item: entry["gold"] for item, entry in bank.items()}
    before = [r for r in rows if r.config == row.config]
    after = sim.figures.rows_of({row.config: records}, golds)
    rule = "last_line_fallback"
    assert sim.figures.count(after) == sim.figures.count(before) + 1
    assert sim.figures.moves(after, rule)[0] == sim.figures.moves(before, rule)[0] + flips_too
    assert sim.figures.parity(after)[0][1] > 0
