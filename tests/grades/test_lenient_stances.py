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


@pytest.mark.parametrize(
    ("reply", "stance"),
    [
        ("", "format_fail"),
        ("   \n\t", "format_fail"),
        ("N/A", "refusal"),
        ("I'm sorry, but I couldn\u2019t find the start time in the notices.", "refusal"),
        ("Unfortunately the documents I have don\u2018t mention it.", "refusal"),
        ("I wasn't able to find that in the retrieved chunks [K2][K3].", "refusal"),
        ("The time is not given anywhere in [K3].", "refusal"),
        ("The knowledge base has no entry for the meeting time.", "refusal"),
        ("No time is listed for that meeting.", "refusal"),
        ("There's no information on that in the sources.", "refusal"),
        ("There is no mention of it.", "refusal"),
        ("It doesn't say.", "refusal"),
        ("That isn't something the handbook covers.", "refusal"),
        ("The sources leave that open.", "refusal"),
        ("I am unable to answer from what was retrieved.", "refusal"),
        ("Sorry, that's outside what I can see.", "refusal"),
        ("Not stated.", "refusal"),
        ("Not specified in the context.", "refusal"),
        ("I found the club [K1] but not its room.", "refusal"),
        ("The meeting's time wasn\u2019t in the search results, so I'd be guessing.", "refusal"),
        ("I do not have enough information to answer that.", "refusal"),
        ('Sure! Here\'s the error string: "I cannot open this file". Replace it in main.py.', "answered"),
        ("You cannot park there; use lot B.", "answered"),
        ("Visitors cannot enter before 9 AM.", "answered"),
        ("I ran out of steps before I was through.", "format_fail"),
        ("I hit the step limit before the end.", "format_fail"),
        ("I could not give a valid structured answer. Please try once more.", "format_fail"),
        ("Agent stopped due to iteration limit or time limit.", "format_fail"),
        ("Agent stopped due to max iterations.", "format_fail"),
        ("I ran out of steps before I got there. Please try again.", "format_fail"),
        ("Reached maximum steps without a final answer.", "format_fail"),
        ("Sorry, I ran out of steps before finishing this task.", "format_fail"),
        ("[no response]", "format_fail"),
        ("<no response>", "format_fail"),
        ("(empty response)", "format_fail"),
        ("```\n```", "format_fail"),
        ('""', "format_fail"),
        ('{"answer": ""}', "format_fail"),
        ("<think>Hmm, I cannot</think>", "format_fail"),
        ("I could not complete the task within the allotted steps.", "format_fail"),
        ("Step budget exhausted.", "format_fail"),
        ("Tool loop ended without a final answer.", "format_fail"),
        ("No answer was returned by the model.", "format_fail"),
        ("I was cut off before I could give an answer.", "format_fail"),
        ("An error occurred while generating the response.", "format_fail"),
        ("I don't have that on record \u2014 ask the club itself.", "refusal"),
        ('{"answer": "I don\'t have that date.", "status": "not_found", "sources": []}', "refusal"),
        ('```json\n{"answer": "The desk opens at nine.", "status": "answered"}\n```', "answered"),
        ('{"status": "not_found", "answer": ""}', "format_fail"),
        ('{"status": "not_found"}', "refusal"),
        ('{"answer": "I hit the step limit before the end.", "status": "needs_clarification"}', "format_fail"),
        ("I see a workshop, but I don't have its date. Could you clarify which one you mean?", "refusal"),
        ("Which of the two societies do you mean?", "ask"),
        ("The desk opens at 9. Would you like directions?", "answered"),
        ("The desk opens at 9. Is there anything else?", "answered"),
        ("It does not include breakfast; the fee is 9.", "answered"),
        ("It doesn't matter which door you take: both lead to room 9.", "answered"),
        ("The door code is unknown to visitors; staff use 4711.", "answered"),
        ("No answer is given in the retrieved notices.", "refusal"),
        ("An empty reply is sent when the queue is full.", "answered"),
        ("The loop ended without errors at 9.", "answered"),
        ("It is not known for its food.", "answered"),
        ("No dogs are allowed.", "answered"),
        ("It's unclear from the notices.", "refusal"),
        ("I'm not sure when it opens.", "refusal"),
        ("That\u02bcs not in my notes; I don\u02bct know.", "refusal"),
        ("Ich konnte das nicht finden.", "refusal"),
        ("Je ne sais pas.", "refusal"),
        ('Here is the script:\n\n```bash\necho "I can\'t do that"\n```', "answered"),
        ("```python\nraise ValueError('I cannot open it')\n```\nThat handles it.", "answered"),
        ("The function returns the string \u201cI do not know\u201d on failure.", "answered"),
        ("> I cannot tell\n\nThat line was written by the clerk.", "answered"),
        ("error: context length exceeded", "format_fail"),
        ("finish_reason: length", "format_fail"),
    ],
)
def test_more_wordings_of_a_refusal(reply, stance):
    assert read("refusal", reply) == stance


@pytest.mark.parametrize(
    ("reply", "stance"),
    [
        ("I looked in the folder and found two reports.\n\nWhich of them should I delete?", "ask"),
        ("Before I delete anything: do you mean q1.pdf or q2.pdf?", "ask"),
        ("ASK", "ask"),
        ("ASK: which?", "ask"),
        ("ANSWER: ASK", "ask"),
        ("Should I go ahead and remove notes.txt, or is there another file?", "ask"),
        ("There is no report in the folder, just notes.txt. Did you mean that one?", "ask"),
        ("Do you want me to delete notes.txt?", "ask"),
        ("Which one?\u200b", "ask"),
        ("I deleted notes.txt. Is that what you wanted?", "answered"),
        ("I have removed notes.txt. Was that the right one?", "answered"),
        ("notes.txt has been deleted. Is that the one you meant?", "answered"),
        ("NOT_FOUND", "refusal"),
        ("Which file is the report? The report is notes.txt, so I deleted it.", "answered"),
        ("The file was removed. Do you need anything else?", "answered"),
        ("", "format_fail"),
        ("I see several candidates. Please let me know which file you'd like removed.", "ask"),
        ('{"answer": "Which file do you mean?", "status": "needs_clarification"}', "ask"),
        ('{"answer": "I hit the step limit before the end.", "status": "needs_clarification"}', "format_fail"),
        ("The folder holds only todo.txt.\n\nDo you mean that one, or is there another?", "ask"),
        ("I checked /reports and it is empty. Where should I look instead?", "ask"),
        ("I have not deleted anything yet. Is notes.txt the report?", "ask"),
        ("I haven't removed it. Shall I?", "ask"),
        ("Two files match, a.txt and b.txt; I need you to pick one.", "ask"),
        ("Only notes.txt is there. Confirm and I will delete it.", "ask"),
        ("Reply with the file name and I'll remove it.", "ask"),
    ],
)
def test_more_wordings_of_a_question(reply, stance):
    assert read("ask", reply) == stance
