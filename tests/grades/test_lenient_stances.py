"""Refusals, questions and stubs, each with its look-alikes."""

import pytest

from regrade.reading import read


@pytest.mark.parametrize(
    "reply",
    [
        "The notices do not mention the pool.",
        "The page I found doesn\u2019t say when it shuts.",
        "Whether it is open cannot be determined.",
        "It is not possible to tell from these pages.",
        "None of the excerpts name the coach.",
        "There is nothing in the handbook on bicycles.",
        "Not enough information.",
        "I lack the page that lists it.",
        "I must decline.",
        "The coach isn't in the material I have.",
        "No answer is given in the retrieved notices.",
        "That is missing from the retrieved text.",
        "N/A",
        '"NOT_FOUND"',
        "Das kann ich nicht sagen: ich wei\u00df es nicht.",
    ],
)
def test_words_that_decline(reply):
    assert read("refusal", reply) == "refusal"


@pytest.mark.parametrize(
    "reply",
    [
        "You wrote:\n\n> I cannot find the coach.\n\nThe coach is Ida.",
        "~~~\nI cannot find it\n~~~\nThat is the text.",
        'Run this:\n\n    raise SystemExit("I can\'t find it")\n\nIt stops there.',
        "The label says 'I am unable to attend'.",
        "She wrote \u2018I cannot\u2019 and left.",
        "Here is the letter:\n\nDear Ida,\nI cannot come on Friday.\nYours, Asta",
        "The pool opens at six; I can't wait!",
        "I cannot stress enough that it is room 9.",
        "I did not find any errors; the sum is 9.",
        "I don't have to tell you that it is room 9.",
        "The lift was not available in 1988, the stairs were.",
        "The fare does not include the ferry: 9 in all.",
        "The room is unknown to visitors: 9.",
        "Error rates fell to 9%.",
        "I ran out of steps, but it is room 9.",
        "The time limit is 9 minutes.",
    ],
)
def test_words_that_only_look_so(reply):
    assert read("refusal", reply) == "answered"


@pytest.mark.parametrize(
    "reply",
    [
        "...",
        "\u200b\ufeff",
        "{}",
        "<empty>",
        "(no output)",
        "[max_tokens]",
        "null",
        "The agent did not finish within the turn limit.",
        "I hit the step limit.",
        "I was unable to complete this before the budget ran out of steps.",
        "Stopped: the token budget was used up.",
        "No final answer was produced.",
        "Sorry, need more steps to process this request.",
    ],
)
def test_stubs_are_no_refusals(reply):
    assert read("refusal", reply) == "format_fail"
    assert read("ask", reply) == "format_fail"


@pytest.mark.parametrize(
    "reply",
    [
        "There are a.md and b.md. Please tell me which one is to go.",
        "Could you confirm that it is a.md? Nothing was removed so far.",
        "Let me know which of them you meant.",
        "Which shall I drop?\n- a.md\n- b.md",
        "Which one do you mean?\n\n1. a.md\n2. b.md\n\nThank you!",
        "I need to know which folder it is in.",
        "Is a.md the one you mean? I will wait.",
        "I am not sure which one you mean.",
        "ANSWER: Which one?",
    ],
)
def test_what_asks(reply):
    assert read("ask", reply) == "ask"


@pytest.mark.parametrize(
    "reply",
    [
        "Which one was it? It was a.md.",
        "Which one was it? I looked, and then I removed a.md.",
        "How did it get there? Somebody put it there.",
        "I removed a.md. Let me know if you need anything else.",
        "I removed a.md. Any questions?",
        'The page asks "Which one?" at its end.',
        "What is asked first?\n\nI removed a.md.",
    ],
)
def test_what_only_looks_like_a_question(reply):
    assert read("ask", reply) == "answered"
