"""What a reply does: whether it answers, refuses, asks, or is only what a harness writes when there is none."""

from __future__ import annotations

import re

from regrade.grades.text import SPACE, is_ask
from regrade.grades.utterances import closing_sentences, in_own_voice, is_courtesy_or_entry, sentences, visible


def _any_of(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


_LIMIT = r"(?:steps?|turns?|tokens?|iterations?|time|tool calls?|budget|context)"
_WHO = r"(?:\w+,? )?(?:(?:i|we|it|the (?:agent|model|run|assistant|system))(?:'ve| have| has)? )?"
_STUB = _any_of(
    r"(?:the )?(?:max(?:imum)?|step|iteration|turn|token|time|context)\b[\w ]*"
    r"(?:limit|steps|iterations|turns|reached|exceeded)\b(?! is\b).*",
    rf"{_WHO}(?:(?:ran|run) )?out of (?:the |my |all )*{_LIMIT}\b(?!-).*",
    rf"{_WHO}(?:hit|reached|exceeded|exhausted|used(?: up)?) (?:the |my |all )*(?:\w+ )?(?:number of )?{_LIMIT}\b.*",
    r".*\b(?:not|n't|unable to|not able to) (?:finish|complete|answer)\b"
    rf".*\b(?:within|before|in|budget|out of)\b.*\b{_LIMIT}\b.*",
    rf".*\bstopped(?::| due to)\b.*|stopped:.*\b{_LIMIT}\b.*",
    r"(?:the )?(?:request |connection |\w+ )?timed out\b.*",
    r"error\W*(?:$|code\b.*|\d{3}\b.*)|error: .*|.*\bneed more steps to\b.*",
    r"no (?:final |valid )?(?:response|output|reply|answer|content)(?: was| is)?"
    r"(?: generated| produced| returned| received)?",
    r"null|none|nil|nan|undefined|empty|blank|truncated|max[_ ]tokens|length",
)
"""Sentences that say only that the model was stopped or gave nothing."""


def is_stub(reply: str) -> bool:
    """Say whether a reply is empty, a placeholder, or a harness's note that the model was stopped."""
    said = visible(reply).replace("\u2019", "'")
    if not re.search(r"\w", said):
        return True
    first, *more = sentences(said)
    # What goes on with an answer is none.
    goes_on = re.search(r"\b(?:but|however|still)\b", said, re.IGNORECASE) or any(re.search(r"\d", s) for s in more)
    return len(more) < 2 and not goes_on and bool(_STUB.fullmatch(first.strip(" .!:()[]{}<>\"'`*-_")))


_SOURCES = (
    r"texts?|passages?|documents?|pages?|notes?|notices?|index|handbook|knowledge base|sources?|files?",
    r"materials?|context|records?|excerpts?|snippets?|articles?|search(?: results?)?|results?",
    r"database|documentation|transcripts?|retrieved \w+",
)
_SOURCE = f"(?:{'|'.join(_SOURCES)})"
_SAYS = (
    "mention contain say include state specify list give provide show cover indicate address tell answer reveal have"
)
_KNOWN = (
    r"(?:available|on file|listed|stated|specified|mentioned|provided|retrieved|given|found|covered|included|recorded"
    rf"|disclosed|(?:in|among|part of) (?:the|my|any|this|these) (?:\w+ )?{_SOURCE}|something i can)"
)
_TOLD = r"(?:determined?|established?|answer(?:ed)?|verif(?:y|ied)|confirm(?:ed)?|inferr?(?:ed)?|tell|say|know)"
# Then it is a time, a place or a state that is denied, and not that something is known.
_CIRCUMSTANCE = r" (?:as|in \d+|until|before|after \d|on \w+days?|when|if|by default|for sale)\b"
_IT_IS_NOT = r"\b(?:is|are|was|were)(?: not|n't)"
_REFUSAL = _any_of(
    # the speaker cannot, will not or does not know
    r"\b(?:i|we)(?: am|'m| are|'re)?(?: still)? (?:can't|cannot|can not|couldn't|could not|won't|will not|unable)\b",
    r"\b(?:i|we)(?: am|'m| are|'re)? (?:(?:not|was not|wasn't) able\b|(?:do not|don't|did not|didn't) (?:have|know|see"
    r"|find)\b|have no\b|found no\b|was unable\b|lack\b|(?:must |have to )?(?:decline|refuse)\b)"
    r"|\bi(?:'d| would) rather not\b",
    # the sources do not say
    rf"\b{_SOURCE}\b[^.!?\n]{{0,60}} (?:does|do|did)(?: not|n't) (?:\w+ly )?(?:{_SAYS.replace(' ', '|')})\b",
    rf"\b{_SOURCE}\b[^.!?\n]{{0,40}} silent\b|\b(?:says?|said) nothing (?:about|on)\b",
    rf"\b{_SOURCE}\b[^.!?\n]{{0,20}} (?:gives?|gave|contains?|mentions?|has|have|returned) (?:no|nothing)\b",
    rf"\b(?:missing|absent) from (?:the|my|any) (?:\w+ )?{_SOURCE}\b|\bnothing i (?:retrieved|found|was given)\b",
    rf"\bnone of (?:the|my|these) (?:\w+ )?{_SOURCE}\b|\bnothing (?:in|among) (?:the|my) (?:\w+ )?{_SOURCE}\b",
    r"\bno (?:information|record|mention|details?|answer|entry|reference)s? (?:about|of|on|for|is|was|in)\b",
    # it cannot be told
    rf"{_IT_IS_NOT} {_KNOWN}\b(?!{_CIRCUMSTANCE})|{_IT_IS_NOT} possible to {_TOLD}\b|\bimpossible to {_TOLD}\b",
    rf"\b(?:cannot|can't|could not|couldn't) be (?:{_TOLD}|found|known)\b|\bno way to {_TOLD}\b",
    r"\b(?:insufficient|not enough) (?:information|context|data|evidence)\b",
    # other languages
    r"\bich (?:kann|weiß|konnte)\b[^.!?\n]* nicht\b|\bich weiß nicht\b|\bkeine (?:informationen|angaben?)\b",
    r"\bje ne (?:peux|sais|trouve|dispose)\b|\bno (?:puedo|sé|tengo|encuentro|encontré)\b|\bnon (?:posso|so|trovo)\b",
)
_SENTINEL = re.compile(r"\b(?:NOT_FOUND|UNKNOWN|NO_ANSWER|UNANSWERABLE)\b|\bnot_found\b")
_WHOLE = _any_of(r"n/?a", "unknown", "not found", "not available", "unanswerable", "no answer", "i do not know")

_FAULT = r"(?:problem|issue|error|mistake|fault|bug|objection|complaint|doubt|reason|trouble)s?"
_NO_REFUSAL = _any_of(
    r" (?:wait|believe|stress|emphasi[sz]e|overstate|recommend|help but|thank|imagine|complain|resist|agree more)\b",
    rf"(?: \w+)?(?: any| a| an| no)?(?: \w+)? {_FAULT}\b",
    r"(?: \w+)? (?:a|any) (?:\w+er|better|more \w+|less \w+) \w+",
    r" to (?:tell|remind|explain)\b| why\b",
)
"""What may follow those words in an answer (`I can't wait`, `I found no errors`)."""


def refuses(reply: str) -> bool:
    """Say whether a reply declines to answer or says that what it was given does not tell."""
    if _WHOLE.fullmatch(reply.strip(SPACE + ".!\"'`*_[]()<>").replace("\u2019", "'")):
        return True
    said = in_own_voice(reply)
    if _SENTINEL.search(said) or _SENTINEL.fullmatch(reply.strip(SPACE + ".\"'`*“”")):
        return True
    return any(not _NO_REFUSAL.match(said, found.end()) for found in _REFUSAL.finditer(said))


_OFFER = _any_of(
    r"\banything (?:else|more)\b|\bsomething else i can\b|\bfurther (?:help|questions|assistance)\b",
    r"\bhelp (?:you )?with\b|\bany (?:other |more )?questions\b|\b(?:does (?:that|this) help|sound good|make sense)\b",
)
_KNOWING = r"(?:which|what|whether|where|who|when|how|if it|if that|your|if i should)"
_REQUEST = _any_of(
    rf"\b(?:let me know|tell me|advise(?: me)?) (?:please )?{_KNOWING}\b",
    r"\bplease (?:confirm|specify|clarify|choose|pick|select|indicate|say|name|state|provide|give)\b",
    r"\bplease (?:reply|answer) with\b",
    r"\b(?:could|can|would|will) you (?:please )?(?:confirm|clarify|specify|tell|give|say)\b",
    r"\b(?:need|like|have) (?:you )?to (?:know|confirm|clarify|specify|choose|pick|tell me|be told)\b",
    rf"\bi(?:'m| am)? (?:not sure|unsure|don't know|do not know) {_KNOWING}\b[^.!?\n]*\byou\b",
)
_DEED = r"\bi(?:'ve| have|'ll| will)? (?:just |already |then |now |simply )*"
_SETTLED = _any_of(
    r"\A(?:because|since|yes|no|it(?:'s| is| was)|that(?:'s| is| was)|they|the answer)\b",
    _DEED + r"(?:took|chose|went|sent|made|put|picked|did|assume\w*)\b",
    _DEED + r"(?!listed|checked|searched|looked|need|asked|stopped|paused)\w+ed\b",
)
"""How a sentence begins that answers the question before it, or says that it was acted on."""
_ADDRESSED = _any_of(r"\b(?:you|your|which|shall|should|(?:do|may|can) i)\b")
"""What makes of a question that more follows one for the reader to answer."""


def asks(reply: str) -> bool:
    """Say whether a reply ends in a question or a request to choose that it does not settle itself."""
    if is_ask(reply):
        return True
    closing = closing_sentences(reply)
    for i, sentence in enumerate(closing):
        more = closing[i + 1 :]
        is_question = sentence.rstrip(" *_`\"'”’)").endswith(("?", "\uff1f")) and (
            bool(_ADDRESSED.search(sentence)) or all(map(is_courtesy_or_entry, more))
        )
        if (is_question or _REQUEST.search(sentence)) and not _OFFER.search(sentence):
            if not any(map(_SETTLED.search, more)):
                return True
    return False
