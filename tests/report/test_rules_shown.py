"""How the page names rules and candidates, and what it says of them."""

from __future__ import annotations

import json
import re

from regrade.audit import Audit
from regrade.report.shown import anchor
from tests.conftest import ROOT
from tests.report.pages import Page, told


def test_names_of_rules_and_candidates_lead_to_their_places(small: Audit) -> None:
    text = (small.out / "report.html").read_text("utf-8")
    small_page = Page(text)
    for name, candidate in small.summary["axes"]["pass"]["candidates"].items():
        assert small_page.targets[name] == f"#{anchor('c', 'pass', name)}"
        assert all(small_page.targets[rule] == f"#{anchor('rule', rule)}" for rule in candidate["rules"])
    trial = text[text.index('<article class="trial"') :]
    assert f' by <a href="#{anchor("rule", "last_equals_v1")}">last_equals_v1</a>; gold' in trial


def test_the_answer_says_what_a_rule_does_and_why_it_was_rejected(tool_loop: Audit, small: Audit) -> None:
    section = told(
        (tool_loop.out / "report.html").read_text("utf-8").split('<section id="answer"')[1].split("</section")[0]
    )
    for name in tool_loop.summary["axes"]["pass"]["candidates"]["v2"]["rules"]:
        assert f"{name}: {tool_loop.summary['rules'][name]['doc'].splitlines()[0]}" in section
    rejected = tool_loop.summary["rules"]["last_line_fallback_v1"]
    first, rest = rejected["reason"].split(". ", 1)
    assert f"{rejected['doc'].splitlines()[0]} Why it was rejected: {first}." in section
    assert rest not in section
    assert "Why it was rejected" not in told((small.out / "report.html").read_text("utf-8")).split("Integrity")[0]


def test_rule_texts_show_code_as_code(tool_loop: Audit) -> None:
    rules = (tool_loop.out / "report.html").read_text("utf-8").split('<section id="rules"')[1].split("</section")[0]
    texts = re.sub(r"<details>.*?</details>", "", rules, flags=re.DOTALL)
    assert "<code>ANSWER:</code>" in texts and "`" not in texts


def test_a_rule_stands_with_its_cases(small: Audit) -> None:
    known = small.summary["rules"]["last_equals_v1"]
    source = (ROOT / "rules" / "tool_loop" / "last_equals_v1.py").read_text("utf-8")
    said = [json.loads(case) for case in (*known["must_flip"], *known["must_hold"])]
    assert known["must_flip"] and known["must_hold"] and len(said) == source.count('"gold": {')
    section = told((small.out / "report.html").read_text("utf-8").split('<section id="rules"')[1].split("</section")[0])
    assert f"Cases: {len(known['must_flip'])} must flip, {len(known['must_hold'])} must hold" in section
    assert all(" ".join(case.split()) in " ".join(section.split()) for case in known["must_flip"])
