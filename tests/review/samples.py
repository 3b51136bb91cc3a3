"""A small corpus with a drawn sample, and verdict files filled in for it in every form."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.commands import run
from tests.conftest import TOML, twenty, write_corpus

CANDIDATE = '[[candidate]]\nname = "v2"\nrules = ["last_equals_v1", "ask_accepted_v1"]\n'
SAMPLE = '[[sample]]\nname = "flips"\ncandidate = "v2"\nstratum = "fail_to_pass"\nsize = 6\nseed = 1\n'


def drawn_corpus(folder: Path, more: str = "") -> Path:
    """A corpus of twenty trials whose sample of six is drawn, for r1 and r2."""
    corpus = write_corpus(folder, twenty(), TOML + CANDIDATE + SAMPLE + more)
    run("sample", corpus, "--name", "flips")
    return corpus


def copied(corpus: Path, folder: Path) -> Path:
    """A copy of a corpus and of all that is under it."""
    shutil.copytree(corpus, folder)
    return folder


def home(corpus: Path, name: str = "flips") -> Path:
    return corpus / "reviews" / name


def packet(corpus: Path, reviewer: str) -> list[dict[str, Any]]:
    """The records of a packet, in its order."""
    text = (home(corpus) / "packets" / reviewer / "packet.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def key(corpus: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((home(corpus) / "sealed" / "key.json").read_text(encoding="utf-8"))
    return found


def trials(corpus: Path) -> list[str]:
    """The trials drawn, by name."""
    return sorted(key(corpus)["probabilities"])


def labels(corpus: Path, reviewer: str, of: Mapping[str, str]) -> dict[str, str]:
    """id -> label, in the packet's order, of labels by trial."""
    ids = key(corpus)["reviewers"][reviewer]
    return {record["id"]: of[ids[record["id"]]] for record in packet(corpus, reviewer) if ids[record["id"]] in of}


def all_of(corpus: Path, label: str = "passed", **but: str) -> dict[str, str]:
    """The same label for every trial, but for those named by their place in `trials`: `t0="failed"`."""
    return {trial: but.get(f"t{at}", label) for at, trial in enumerate(trials(corpus))}


def row(corpus: Path, reviewer: str, id_: str, label: str, comment: str = "") -> dict[str, str]:
    return {"sample": key(corpus)["sample"], "reviewer": reviewer, "id": id_, "label": label, "comment": comment}


def write(corpus: Path, reviewer: str, form: str, of: Mapping[str, str], comment: str = "") -> Path:
    """Fill in a packet in a form, where the reviewer got it; return the file."""
    said = labels(corpus, reviewer, of)
    folder = home(corpus) / "packets" / reviewer
    sample = key(corpus)["sample"]
    if form == "page":
        verdicts = [{"id": id_, "label": label, "comment": comment} for id_, label in said.items()]
        whole = {"schema": "regrade.verdicts/1", "sample": sample, "reviewer": reviewer, "verdicts": verdicts}
        path, text = folder / f"verdicts-{reviewer}.json", json.dumps(whole, indent=1)
    elif form == "csv":
        rows = list(csv.DictReader(io.StringIO((folder / "packet.csv").read_text(encoding="utf-8-sig"), newline="")))
        made = io.StringIO(newline="")
        writer = csv.DictWriter(made, list(rows[0]))
        writer.writeheader()
        writer.writerows({**r, "label": said[r["id"]], "comment": comment} for r in rows if r["id"] in said)
        path, text = folder / "filled.csv", made.getvalue()
    elif form == "jsonl":
        lines = [{**r, "label": said[r["id"]], "comment": comment} for r in packet(corpus, reviewer) if r["id"] in said]
        path, text = folder / "filled.jsonl", "".join(json.dumps(each) + "\n" for each in lines)
    else:
        tasks = json.loads((folder / "label_studio_tasks.json").read_text(encoding="utf-8"))
        made_of = {"label_studio": annotated, "label_studio_min": flat}[form]
        export = [
            made_of(n, task["data"], said.get(task["data"]["packet_id"]), comment) for n, task in enumerate(tasks)
        ]
        path, text = folder / f"{form}.json", json.dumps([task for task in export if task])
    path.write_text(text, encoding="utf-8", newline="")
    return path


def annotated(number: int, data: dict[str, Any], label: str | None, comment: str) -> dict[str, Any]:
    """A task of a JSON export; without a label nobody has annotated it."""
    result: list[dict[str, Any]] = [
        {"from_name": "label", "to_name": "transcript", "type": "choices", "value": {"choices": [label]}}
    ]
    if comment:
        result.append({"from_name": "comment", "type": "textarea", "value": {"text": [comment]}})
    held = [{"id": number, "completed_by": 1, "was_cancelled": False, "result": result}] if label else []
    return {"id": 100 + number, "data": data, "annotations": held}


def flat(number: int, data: dict[str, Any], label: str | None, comment: str) -> dict[str, Any] | None:
    """A task of a JSON_MIN export, with what Label Studio writes over and beside the data."""
    return {**data, "id": 100 + number, "annotator": 1, "label": label, "comment": comment} if label else None


FORMS = ("page", "csv", "jsonl", "label_studio", "label_studio_min")
