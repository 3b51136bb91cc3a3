"""The chain of links that a reply asserts, `a -> b -> c`, as a person reads it: whatever arrows it is drawn with.

A chain that is quoted in order to deny it, supposed, or hedged is not asserted.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from regrade.grades.lenient import marked_answer, own_reply
from regrade.grades.text import SPACE

__all__ = ["asserted_chain"]

_RIGHT = (
    "(?:[-\u2010-\u2015\u2212~]{1,3}[>\u203a\u232a]|={1,2}>"
    "|[\u2192\u27f6\u21d2\u27f9\u2794\u279c\u279d\u279e\u27a1\u27a4\u2b95"
    "\u21a6\u21e8\u2193\u25ba\u25b6]\ufe0f?|-{1,2}\\[[^\\]\\n]{0,40}\\]-{1,2}>|\\\\(?:long)?(?:right"
    "|Right)arrow(?![a-z])|\\\\to(?![a-z]))"
)
_LEFT = (
    "(?:<[-\u2010-\u2015\u2212~]{1,3}(?!>)|<={1,2}(?!>)|[\u2190\u27f5\u21d0\u27f8\u2b05]\ufe0f?"
    "|\\\\(?:left|Left)arrow(?![a-z]))"
)
_NAME = (
    r"(?:[\"'\u201c\u2018\[(<{\u00ab]{0,2}"
    r"(?:(?<=[\"'\u201c\u2018\[<{\u00ab])\w[\w ./:@-]{0,80}?\w(?=[\"'\u201d\u2019\]>}\u00bb])"
    r"|\w+(?:[-./@]{1,3}\w+){0,9}|\?{1,3})[\"'\u201d\u2019\])>}\u00bb]{0,2}"
    r"|\[?(?:\.{3}|\u2026)\]?)"
)
_REMARK = r"(?:\s*\([^()\n]{0,80}\))?"


def _run(arrow: str) -> str:
    return rf"(?:{arrow}\s*)?{_NAME}(?:{_REMARK}\s*{arrow}\s*{_NAME})+"


_CHAIN = re.compile(rf"(?<![\w-])(?:(?P<right>{_run(_RIGHT)})|(?P<left>{_run(_LEFT)}))")
_ARROW = re.compile(rf"{_REMARK}\s*(?:{_RIGHT}|{_LEFT})\s*")
_WRAPPING = "\"'\u201c\u201d\u2018\u2019[](){}<>\u00ab\u00bb"
_NO_NODE = re.compile(r"unknown(?:[\W_].*)?|\?+|gaps?|missing|none|null|nothing|n/a|not[ _-]found", re.IGNORECASE)
_LEFT_OUT = re.compile(r"\.{3}|\u2026")
_MARKUP = re.compile(r"[*`$]|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)")


@dataclass
class _Chain:
    nodes: list[str]
    start: int
    stop: int
    asserted: bool = True

    def holds(self, other: _Chain) -> bool:
        """Whether the other is a run of this one."""
        size = len(other.nodes)
        return any(self.nodes[i : i + size] == other.nodes for i in range(len(self.nodes) - size + 1))


def asserted_chain(reply: str) -> list[str] | None:
    """Take the nodes of the chain that a reply asserts, from its source to its target.

    The last that it asserts, unless that is a part of an earlier one; links that are told one by one are joined. After
    `ANSWER:` only what stands there counts, unless it says no more than yes. A node that is left out (`...`) is none,
    and a chain through an unknown node asserts nothing.

    Returns:
        At least two nodes as they are written; None where the reply asserts no chain.
    """
    own = own_reply.python(reply)
    if own is None:
        return None
    answer = marked_answer.python(own.text)
    text = own.text
    if answer is not None and not _YES.fullmatch(answer.text):
        # A chain may go on in the lines below.
        rest = text[answer.start :]
        end = re.search(r"\n(?![ \t]*(?:\d+[.)]\s*)?(?:[-=~]+>|[^\w\s\"'(\[`*]))", rest)
        ends_in_arrow = re.match(rf"[^\n]*(?:{_RIGHT}|{_LEFT})[ \t\r*`]*\n", rest)
        opens_a_fence = not re.search(r"\w", answer.text)
        text = rest if ends_in_arrow or opens_a_fence else rest[: end.start()] if end else rest
    plain = _MARKUP.sub("", html.unescape(text))
    chains = _joined([_read(found) for found in _CHAIN.finditer(plain)], plain)
    _judge(chains, plain)
    kept = [chain for chain in chains if chain.asserted and len(chain.nodes) > 1]
    whole = [c for i, c in enumerate(kept) if not any(len(e.nodes) > len(c.nodes) and e.holds(c) for e in kept[:i])]
    return whole[-1].nodes if whole else None


_YES = re.compile(r"\W*(?:yes|true|it does|correct|confirmed)\b[^\n]{0,60}?(?<![->])\W*", re.IGNORECASE)


def _read(found: re.Match[str]) -> _Chain:
    parts = [part.strip(_WRAPPING + SPACE) for part in _ARROW.split(found[0])]
    nodes = [part for part in parts if part and not _LEFT_OUT.fullmatch(part)]
    through_nothing = any(_NO_NODE.fullmatch(node) for node in nodes)
    return _Chain(nodes[:: -1 if found["left"] else 1], found.start(), found.end(), not through_nothing)


_GLUE = re.compile(r"[\s,;.&|*+\-\u2022\d()]*|[^.;!?\n]{0,40}")


def _is_glue(between: str) -> bool:
    return bool(_GLUE.fullmatch(between)) and not (_SUPPOSED.search(between) or _DENIED.search(between))


def _joined(chains: list[_Chain], text: str) -> list[_Chain]:
    joined: list[_Chain] = []
    for chain in chains:
        last = joined[-1] if joined else None
        if last and last.nodes[-1:] == chain.nodes[:1] and _is_glue(text[last.stop : chain.start]):
            last.nodes, last.stop = last.nodes + chain.nodes[1:], chain.stop
            last.asserted &= chain.asserted
        else:
            joined.append(chain)
    return joined


_BUT = re.compile(
    r"\b(?:but|however|though|although|yet|wait|actually|correction|instead|transitive(?:ly)?|indirect(?:ly)?|rather"
    r"|on second thought)\b",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"\bUNKNOWN\b(?![-_])|(?:\A|\n)\W*(?:unknown|no)\b(?!\s+(?:direct|doubt|problem|\w+ needed))"
    r"|(?i:\b(?:can(?:not|'t| not)|could(?: not|n't)|unable to) (?:be )?(?:confirm|verif|establish|determin|tell|say"
    r"|deriv"
    r"|find|conclud)\w*|\bno (?:such )?(?:chain|path|route|dependency|connection)\b"
    r"|\b(?:does|do)(?: not|n't) depend\b(?!\s+(?:on \S+ )?directly))",
    re.IGNORECASE,
)
"""What says of the whole reply that there is no chain or that none is known."""
_AFTERWARDS = re.compile(
    r"\bUNKNOWN\b(?![-_])|(?i:\b(?:can(?:not|'t| not)|could(?: not|n't)|unable to) (?:be )?(?:confirm|verif"
    r"|establish)\w*"
    r"|\bnot (?:certain|sure)\b|\bthe answer is (?:no|unknown)\b|\bso,? no\b|\bdisregard|\bscratch that\b)"
)
_CLAUSE = re.compile(r"[.!?;](?=\s|\Z)|\n[ \t\r]*\n")
_SUPPOSED = re.compile(
    r"\b(?:if|unless|would|could|might|may|should|suppose|suppos\w+|assum\w+|hypothetical\w*|imagin\w+|candidate"
    r"|possibl[ey]|perhaps|probably|maybe|likely|seems?|appears?|tempt\w+|guess\w*|plausibl[ey]|expect\w*"
    r"|not|no|never|without|neither|nor|isn't|aren't|wasn't|don't|doesn't|didn't|can't|cannot|couldn't|won't|false"
    r"|wrong|incorrect|invented|missing|lacks?|template|format|example|e\.g|instead of|rather than)\b"
    r"|(?:n't)\b",
    re.IGNORECASE,
)
_ONLY_DIRECT = re.compile(
    r"\b(?:not|no|n't|isn't|doesn't|never)\b[^.;:\n]{0,40}?\b(?:direct(?:ly)?|only|just|merely|problem|issue|doubt"
    r"|gap)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:is|are|was|were|does|do|did|has|have|can|could)(?:n't| not|not)\b|\b(?:missing|absent|undeclared|unlisted"
    r"|withheld|nowhere|unsupported|unverified|invented|broken|false|wrong|incorrect|fails?|breaks?)\b"
    r"|\bno (?:such|longer)\b|\bnot (?:in|listed|stated|declared|there|present|given|registered|found|recorded)\b"
    r"|\bwould\b|\bnever (?:stated|declared|listed)\b|\?",
    re.IGNORECASE,
)
_OF_IT = re.compile(
    r"\s*\W*(?:(?:but|however|yet|though|and|except|only)\b,?\s*)*(?:that|this|it|which|one|(?:the|its"
    r"|a) (?:\w+ ){0,3}?"
    r"(?:link|step|hop|edge|chain|path|part|one|latter)|(?:the )?(?:first|second|third|last|middle|final)|none|neither"
    r"|those|these|there is a gap|hmm|sorry)\b",
    re.IGNORECASE,
)
"""How a sentence begins that speaks of the chain before it."""
_OF_ANOTHER = re.compile(
    r"\b(?:no|not|n't|isn't|is not)\b[^.;\n]{0,30}\b(?:other|reverse|shorter|longer|direct)\b", re.IGNORECASE
)


def _judge(chains: list[_Chain], text: str) -> None:
    """Mark the chains that are not asserted."""
    blanked = text
    for chain in chains:
        blanked = blanked[: chain.start] + " " * (chain.stop - chain.start) + blanked[chain.stop :]
    for i, chain in enumerate(chains):
        begin = chains[i - 1].stop if i else 0
        end = chains[i + 1].start if i + 1 < len(chains) else len(text)
        before = _last_clause(blanked[begin : chain.start], whole=not i)
        after = blanked[chain.stop : end]
        verdict = list(_VERDICT.finditer(blanked, 0, chain.start))
        dismissed = verdict and not _BUT.search(blanked, verdict[-1].end(), chain.start)
        supposed = _SUPPOSED.search(_ONLY_DIRECT.sub(" ", before))
        if dismissed or supposed or _is_denied(after) or _AFTERWARDS.search(blanked, chain.stop):
            chain.asserted = False
    for denied in [chain for chain in chains if not chain.asserted and len(chain.nodes) == 2]:
        for chain in chains:
            chain.asserted &= not chain.holds(denied)


def _last_clause(before: str, *, whole: bool) -> str:
    """What leads up to a chain within its sentence, after the last word that turns it."""
    cuts = [m.end() for pattern in (_CLAUSE, _BUT) for m in pattern.finditer(before.rstrip(SPACE))]
    return before[max(cuts, default=0) :]


def _is_denied(after: str) -> bool:
    """Whether what follows a chain, in its sentence or in one that speaks of it, denies it."""
    first, *more = _CLAUSE.split(after)
    told = [first] + [sentence for sentence in more[:2] if _OF_IT.match(sentence)]
    if after.lstrip(SPACE).startswith("?"):
        return True
    return any(_DENIED.search(s) and not _OF_ANOTHER.search(s) for s in told)
