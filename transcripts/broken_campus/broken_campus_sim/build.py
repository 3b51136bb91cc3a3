"""All records of the corpus, graded from their text."""

from __future__ import annotations

from typing import Any

from broken_campus_sim.cases import BY_NAME
from broken_campus_sim.compose import play
from broken_campus_sim.configurations import CONFIGURATIONS
from broken_campus_sim.plan import plans

Record = dict[str, Any]


def build_corpus() -> dict[str, list[Record]]:
    """The records of each configuration; a grade is what the first grader says about the finished text."""
    everybody = {who.name: who for who in CONFIGURATIONS}
    corpus: dict[str, list[Record]] = {name: [] for name in everybody}
    for (name, item, seed), plan in plans().items():
        messages, kept, grades = play(BY_NAME[item], everybody[name], seed, plan)
        record = {"config": name, "case": item, "seed": seed, "messages": messages, "harness": kept, "grade": grades}
        corpus[name].append(record)
    return corpus
