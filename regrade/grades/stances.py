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
    r"(?:no|an? empty|empty|blank|missing) (?:final |valid |structured )?(?:response|output|reply|answer|content)"
    r"(?:(?: was| is)?(?: generated| produced| returned| received)(?: by .*)?)?",
    # the harness found nothing that it could hand on
    rf"{_WHO}(?:could not|couldn't|can't|cannot|was unable to|failed to) (?:produce|generate|return|parse|give"
    rf"|form) an?y? ?"
    r"(?:[\w-]+ )*?(?:valid|structured|final|pars(?:e)?able|well-formed|usable|complete) (?:[\w-]+ )*?"
    r"(?:response|output|reply|answer|object|json|result|message)\b.*",
    rf"(?:the |my )?(?:\w+ )?(?:{_LIMIT}|loop) (?:limit )?(?:was |were |is )?(?:exhausted|used up|spent"
    r"|ended without (?:an?|any) (?:\w+ )?(?:response|output|reply|answer))",
    rf"{_WHO}(?:was|were|got|been) (?:cut off|stopped|interrupted) (?:before|while)\b.*",
    r"an? (?:\w+ )*?(?:error|exception) (?:has )?occurred\b.*|(?:finish|stop)[_ ]reason\b.*|(?:request|generation"
    r"|api call) failed\b.*",
    r"internal server error|service (?:temporarily )?unavailable|rate limit (?:was )?(?:reached|exceeded)\b.*",
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


_FOUND = r"(?:listed|given|stated|mentioned|specified|provided|recorded|named|indicated|published|known)"
_DECLINES = _any_of(
    # the sources do not say, put otherwise
    rf"\bno (?:[\w-]+ ){{1,3}}(?:is|are|was|were) {_FOUND}\b(?!{_CIRCUMSTANCE})",
    r"\b(?:it|this|that|they|none of (?:it|them)) (?:does not|doesn't|do not|don't) (?:\w+ly )?(?:say|mention"
    r"|specify|state|tell|indicate)\b"
    r"(?=[^.!?\n]{0,60}(?:[.!?\n]|\Z))(?! (?:to|any more|up)\b)",
    rf"\b(?:is|are|was|were)(?: not|n't) something\b[^.!?\n]{{0,40}}\b(?:{_SOURCE}|covers?|mentions?|says?|lists?)\b",
    rf"\b(?:don't|do not) (?:think|believe"
    rf"|see that)\b[^.!?\n]{{0,40}}\b{_SOURCE}\b[^.!?\n]{{0,20}}\b(?:{_SAYS.replace(' ', '|')})s?\b",
    r"\bleaves? (?:that|this|it) (?:open|unsaid|unanswered)\b|(?:\bremains?|\bis|\bare|'s) (?:un(?:clear|known"
    r"|stated|specified))\b"
    r"(?= (?:from|in|based|given)\b|[.!]|\Z)",
    r"\b(?:there(?: is|'s| was)|contains?|say|says|hold|holds) nothing (?:about|on|there about)\b",
    # the speaker does not know, put otherwise
    r"\bi (?:found|have|see|know|can see)\b[^.!?\n]{0,60}\bbut (?:not (?:its|the|a|when|where|who|what|which|how|any"
    r"|his|her"
    r"|their)|nothing (?:about|on))\b",
    r"\b(?:outside|beyond) (?:what i|the scope|my (?:knowledge|sources|information))\b|\bi(?:'d"
    r"| would)(?: only)? be guessing\b",
    r"\bi(?:'m| am) not (?:sure|certain|aware) (?:of|about|when|where|who|what|which|whether|how)\b",
    r"\b(?:there(?: is|'s)|have) no way (?:of|for me to)\b|\bno (?:idea|clue) (?:about|when|where|who|what|which"
    r"|how)\b",
)
_ALL_OF_IT = _any_of(
    rf"(?:(?:sorry|unfortunately)\W+)?not {_FOUND}(?: (?:in|by|on|for|anywhere)\b[^.!?\n]*)?",
    r"(?:(?:sorry|unfortunately)\W+)?(?:i have )?no (?:idea|clue|answer|information|data)(?: (?:found|available"
    r"|on that))?",
    r"(?:i'm |i am )?not sure|nothing found|no results?(?: found)?|cannot (?:answer|say|tell)|can't (?:answer|say"
    r"|tell)",
)
"""Sentences that decline where one is all that is said."""


def declines(reply: str) -> bool:
    """Say whether a reply declines to answer, in more wordings than `refuses` knows, on which locked rules lean."""
    plain = re.sub(r"(?<=\w)[\u2018\u02bc`\u00b4](?=\w)", "'", visible(reply))
    if refuses(plain):
        return True
    said = in_own_voice(plain)
    if any(not _NO_REFUSAL.match(said, found.end()) for found in _DECLINES.finditer(said)):
        return True
    parts = sentences(said)
    return bool(parts) and len(parts) < 3 and bool(_ALL_OF_IT.fullmatch(parts[0].strip(SPACE + ".!*_`[]()")))


_OFFER = _any_of(
    r"\banything (?:else|more)\b|\bsomething else i can\b|\bfurther (?:help|questions|assistance)\b",
    r"\bhelp (?:you )?with\b|\bany (?:other |more )?questions\b|\b(?:does (?:that|this) help|sound good|make sense)\b",
)
_KNOWING = r"(?:which|what|whether|where|who|when|how|if it|if that|your|if i should)"
_REQUEST = _any_of(
    rf"\b(?:let me know|tell me|advise(?: me)?) (?:please )?{_KNOWING}\b",
    r"\bplease (?:confirm|specify|clarify|choose|pick|select|indicate|say|name|state|provide|give)\b",
    r"\bplease (?:reply|answer) with\b|\A(?:reply|answer|respond) with\b",
    r"\A(?:just )?(?:confirm|say so|say yes|tell me)\b[^.!?\n]* and i(?:'ll| will)\b",
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
_CHANGED = r"(?:deleted|removed|erased|wiped|sent|moved|renamed|overwritten|changed|cancelled|booked|emailed|created)"
_DONE = _any_of(rf"{_DEED}{_CHANGED}\b|\b(?:has|have) (?:now |just |already )?been {_CHANGED}\b")
_IN_HINDSIGHT = _any_of(
    r"\b(?:is|was|were|are|did) (?:that|this|it|they|those|i)\b[^?\n]*\b(?:wanted|right|correct|mean|meant|intended"
    r"|asked|ok(?:ay)?)\b"
)
"""A question after the deed, which asks for nothing before it."""


def asks(reply: str) -> bool:
    """Say whether a reply ends in a question or a request to choose that it does not settle itself."""
    if is_ask(reply):
        return True
    closing = closing_sentences(reply)
    done = any(map(_DONE.search, sentences(in_own_voice(reply))))
    for i, sentence in enumerate(closing):
        more = closing[i + 1 :]
        is_question = sentence.rstrip(" *_`\"'”’)").endswith(("?", "\uff1f")) and (
            bool(_ADDRESSED.search(sentence)) or all(map(is_courtesy_or_entry, more))
        )
        if (is_question or _REQUEST.search(sentence)) and not _OFFER.search(sentence):
            if not any(map(_SETTLED.search, more)) and not (done and _IN_HINDSIGHT.search(sentence)):
                return True
    return False


_OFFERS = _any_of(r"\b(?:would you like|do you want|want me to|shall i|should i)\b")


def only_asks(reply: str) -> bool:
    """Say whether a reply ends in a question that has to be answered first, and offers nothing more by it."""
    return asks(reply) and not _OFFERS.search(closing_sentences(reply)[-1] if closing_sentences(reply) else "")
