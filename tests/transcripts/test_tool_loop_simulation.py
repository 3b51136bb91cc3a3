"""The simulated corpus is what it says, varied, and rebuilt from its script alone."""

import ast
import copy
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations

import pytest

from tests.transcripts.conftest import FOLDER, lines_of

KEYS = {"config", "episode", "rep", "messages", "final_state", "grade"}
MESSAGE_KEYS = {"role", "content", "tool_calls", "tool_call_id", "name"}


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


@pytest.mark.slow
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


# --- (f) call texts


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
