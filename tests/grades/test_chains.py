"""Chains: which a reply asserts, and which it only quotes, supposes or denies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.grades.chains import asserted_chain
from regrade.reading import read

THREE = ["a-x", "b-x", "c-x"]


@pytest.mark.parametrize(
    ("reply", "chain"),
    [
        ("It does, in two steps:\n\na-x \u2192 b-x -> c-x", THREE),
        ("UNKNOWN. It would take\na-x -> b-x -> c-x\nand the last of these is stated nowhere.", None),
        ("a-x -> b-x => c-x", THREE),
        ("a-x --> b-x \u27f6 c-x", THREE),
        ("a-x\u2192b-x\u2192c-x", THREE),
        ("a-x->b-x->c-x", THREE),
        ("ANSWER: a-x -> b-x -> c-x", THREE),
        ("ANSWER: a-x -> b-x -> c-x.", THREE),
        ("**ANSWER:** `a-x` -> `b-x` -> `c-x`", THREE),
        ("ANSWER: UNKNOWN", None),
        ("a-x -> b-x -> c-x\nANSWER: UNKNOWN", None),
        ("ANSWER: a-x -> b-x -> c-x\nUNKNOWN if indirect.", THREE),
        ("ANSWER: a-x -&gt; b-x -&gt; c-x", THREE),
        ("ANSWER: a-x $\\to$ b-x $\\rightarrow$ c-x", THREE),
        ("ANSWER: a-x ->\nb-x -> c-x", THREE),
        ("ANSWER: a-x\n-> b-x\n-> c-x", THREE),
        ("ANSWER:\n```\na-x -> b-x -> c-x\n```", THREE),
        ("a-x -> b-x\nb-x -> c-x", THREE),
        ("a-x -> b-x, b-x -> c-x", THREE),
        ("1. a-x -> b-x\n2. b-x -> c-x", THREE),
        ("- a-x \u2192 b-x\n- b-x \u2192 c-x\n", THREE),
        ("c-x <- b-x <- a-x", THREE),
        ("c-x \u2190 b-x \u2190 a-x", THREE),
        ("There is no a-x -> b-x -> c-x chain.", None),
        ("a-x -> b-x -> c-x, but b-x -> c-x is not declared.", None),
        ("The chain a-x -> b-x -> c-x does not exist.", None),
        ("If b-x -> c-x were there, a-x -> b-x -> c-x would hold.", None),
        ("No, a-x does not depend on c-x. a-x -> b-x is declared, but nothing leads from b-x to c-x.", None),
        ("No direct link, but transitively: a-x -> b-x -> c-x", THREE),
        ("No, not directly, but a-x -> b-x -> c-x", THREE),
        ("There is no direct dependency, but there is a transitive one: a-x -> b-x -> c-x.", THREE),
        ("It is not a direct dependency; the chain is a-x -> b-x -> c-x.", THREE),
        ("I first considered a-x -> d-x -> c-x, but d-x -> c-x is not listed. The chain is a-x -> b-x -> c-x.", THREE),
        ("a-x -> b-x -> c-x. Note that b-x -> c-x is on line 3.", THREE),
        ("a-x -> b-x -> c-x. There is no other path.", THREE),
        ("a-x -> b-x -> c-x\n\nI found each of these links, so yes.", THREE),
        ("a-x -> b-x -> c-x\n\nThe reverse does not hold.", THREE),
        ("a-x -> ... -> c-x", ["a-x", "c-x"]),
        ("ANSWER: a-x -> ...", None),
        ("a-x -> unknown -> c-x", None),
        ("a-x -> ??? -> c-x", None),
        ("a-x -> [GAP] -> c-x", None),
        ("probably a-x -> b-x -> c-x", None),
        ("ANSWER: there is no a-x -> b-x link", None),
        ("<think>a-x -> b-x -> c-x</think>ANSWER: UNKNOWN", None),
        ("<think>a-x -> b-x -> c-x", None),
        ("<think>no</think>a-x -> b-x -> c-x", THREE),
        ("ANSWER: UNKNOWN\n\nWait, I should look again.\nANSWER: a-x -> b-x -> c-x", THREE),
        ("ANSWER: a-x -> b-x -> c-x\nHmm, that last step is not listed.\nANSWER: UNKNOWN", None),
        ("UNKNOWN\n\nWait, actually: a-x -> b-x -> c-x", THREE),
        ("a-x -> b-x -> c-x\n\nANSWER: YES", THREE),
        ("ANSWER: YES", None),
        ("ANSWER: Yes: a-x -> b-x -> c-x", THREE),
        ("ANSWER: NO", None),
        ("ANSWER: NONE", None),
        ("", None),
        ("a-x", None),
        ("a-x depends on b-x", None),
        ('{"ANSWER": "a-x -> b-x -> c-x"}', THREE),
        ("ANSWER: [a-x -> b-x -> c-x]", THREE),
        ("[a-x] -> [b-x] -> [c-x]", THREE),
        ('"a-x" -> "b-x" -> "c-x"', THREE),
        ("a-x (gateway) -> b-x (auth) -> c-x", THREE),
        ("a-x \u279c b-x \u279c c-x", THREE),
        ("a-x\n\u2193\nb-x\n\u2193\nc-x", THREE),
        ("Could it be a-x -> b-x -> c-x? The registry does not state the second link, so UNKNOWN.", None),
        ("For a-x to reach c-x one would have to go a-x -> b-x -> c-x, and b-x -> c-x is missing.", None),
        ("I cannot confirm a-x -> b-x -> c-x.", None),
        ("You might expect a-x -> b-x -> c-x. That path is broken at b-x.", None),
        ("It does: a-x -> b-x -> c-x, which is the only path.", THREE),
        ("a-x -> b-x -> c-x would be the chain, but the last link is withheld.", None),
        ("The registry states c-x -> b-x -> a-x, not the reverse. UNKNOWN.", None),
        ("A -> B -> C", ["A", "B", "C"]),
        ("svc.a -> svc.b -> svc_c", ["svc.a", "svc.b", "svc_c"]),
        ("a-x -[depends on]-> b-x -[depends on]-> c-x", THREE),
        ("The dependency runs a-x \u2192 b-x \u2192 c-x, so yes.", THREE),
        ("ANSWER: a-x -> b-x -> c-x (all links declared)", THREE),
        ("Path: a-x \u2192 b-x \u2192 c-x\nAnswer: yes, via b-x", THREE),
        ("I do not see a problem: a-x -> b-x -> c-x", THREE),
        ("Yes. a-x -> b-x is on line 4 and b-x -> c-x is on line 9.", THREE),
        ("a-x \u2014> b-x \u2013> c-x", THREE),
        ("a-x - > b-x", None),
        ("UNKNOWN\n\n(I considered a-x -> b-x -> c-x.)", None),
        ("The links are:\n\na-x -> b-x\n\nb-x -> c-x\n\nTherefore a-x depends on c-x.", THREE),
        ("Template: <source> -> <hop> -> <target>\nANSWER: a-x -> b-x -> c-x", THREE),
        ("a-x->b-x->c-x\n\nUNKNOWN", None),
    ],
)
def test_what_is_asserted(reply, chain):
    assert read("chain", reply) == chain


NODES = st.lists(st.from_regex(r"[a-z]{2,5}-[a-z]{2,5}", fullmatch=True), min_size=2, max_size=7, unique=True)
ARROWS = st.sampled_from([" -> ", "->", " \u2192 ", " => ", " --> ", " \u27f6 ", "\n-> ", " ->\n", " -&gt; "])
LEADS = st.sampled_from(["", "Yes, by way of:\n\n", "ANSWER: ", "**ANSWER:** ", "The chain is ", "Done.\nAnswer: "])


@given(NODES, st.data(), LEADS, st.sampled_from(["", ".", "\n"]))
def test_a_chain_of_any_arrows_is_read_back(nodes, data, lead, end):
    drawn = "".join(data.draw(ARROWS) + node for node in nodes[1:])
    assert asserted_chain(f"{lead}{nodes[0]}{drawn}{end}") == nodes


DENIALS = st.sampled_from(
    [
        "There is no {} in the registry.",
        "UNKNOWN. It would take {}.",
        "{} would do, but the last link is not stated.",
        "One might think of {}.\n\nANSWER: UNKNOWN",
        "I cannot confirm {}.",
        "<think>{}</think>UNKNOWN",
        "If only it were so: {}",
    ]
)


@given(NODES, DENIALS)
def test_a_chain_that_is_denied_is_none(nodes, around):
    assert asserted_chain(around.format(" -> ".join(nodes))) is None


def test_a_dot_or_an_at_stands_within_a_node():
    assert read("chain", "Path:a.b -> c@d/e -> f_g") == ["a.b", "c@d/e", "f_g"]


@given(st.text(alphabet="ab-x>\u2192<=. \n,UNKOW?no`*[]()", max_size=80))
def test_any_text_is_read(text):
    chain = asserted_chain(text)
    assert chain is None or len(chain) > 1
