"""All records of the corpus, graded from their text."""

from __future__ import annotations

from typing import Any

from tool_loop_sim import grader
from tool_loop_sim.bank import BY_NAME
from tool_loop_sim.compose import play
from tool_loop_sim.configurations import POOLED, POOLED_RUNS, Configuration, build
from tool_loop_sim.dice import Dice
from tool_loop_sim.plan_rest import all_keys, plan_low, plan_middle
from tool_loop_sim.plan_strong import plan_strong

Record = dict[str, Any]


def record(who: Configuration, item: str, rep: int, plan: str) -> Record:
    """One record; the grade is what the frozen grader says about the messages."""
    messages, state = play(BY_NAME[item], who, rep, plan)
    made: Record = {"config": who.name, "episode": item, "rep": rep}
    if who.name == POOLED:
        made["run"] = POOLED_RUNS[Dice("run", item, rep).below(len(POOLED_RUNS))]
    grade = grader.grade(BY_NAME[item].gold(), messages)
    return {**made, "messages": messages, "final_state": state, "grade": grade}


def build_corpus() -> tuple[list[Configuration], dict[str, list[Record]]]:
    """Configurations, and the records of each in item order."""
    everybody = build()
    groups = {group: [who for who in everybody if who.group == group] for group in ("strong", "usable", "edge", "low")}
    plans, low_trials = plan_low(groups["low"])
    plans.update(plan_strong(groups["strong"]))
    plans.update(plan_middle(groups["usable"], groups["edge"][0]))
    corpus: dict[str, list[Record]] = {}
    for who in everybody:
        keys = low_trials.get(who.name) or all_keys(who.name)
        corpus[who.name] = [record(who, item, rep, plans.get((name, item, rep), "pass")) for name, item, rep in keys]
    return everybody, corpus
