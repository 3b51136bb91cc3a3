"""The benchmark's harness: what it makes of the raw first response. Standard library only, the same for everyone."""

from __future__ import annotations

import json
import re
from typing import Any

STATUSES = ("answered", "not_found", "needs_clarification")
NO_STEPS = "The step limit was reached before there was a reply."
NO_OBJECT = "No valid structured reply could be made. Please ask again."


def meets_contract(found: Any) -> bool:
    """An object with a text, a known status and a list of texts."""
    return (
        isinstance(found, dict)
        and isinstance(found.get("answer"), str)
        and bool(found["answer"].strip())
        and found.get("status") in STATUSES
        and isinstance(found.get("sources"), list)
        and all(isinstance(source, str) for source in found["sources"])
    )


def parse(text: str) -> Any:
    """JSON, or None."""
    try:
        return json.loads(text)
    except ValueError:
        return None


_STRING = r'"(?:[^"\\\n]|\\.)*"'
_SINGLE = re.compile(r"(?<=[\[{,:\s])'((?:[^'\\\n]|\\.|(?<=\w)'(?=\w))*)'(?=\s*[,:\]}])")
_BARE_VALUE = re.compile(r'("(?:answer|status)"\s*:\s*)(?!["\s\[{])([^",\n{}]+)[^"\n{}]*?(?=,?\s*(?:"|\}|$))')


def repair(text: str) -> Any:
    """The object in a text: cut out, and mended one step after another until it parses; None where it does not."""
    start = text.find("{")
    if start < 0:
        return None
    stop = text.rfind("}") + 1
    body = text[start : stop if stop > start else len(text)].strip()
    for step in (
        lambda body: re.sub(rf"({_STRING})|\s*//[^\n]*", lambda found: found[1] or "", body),
        lambda body: _SINGLE.sub(lambda found: json.dumps(found[1].replace("\\'", "'"), ensure_ascii=False), body),
        lambda body: re.sub(r"([{,]\s*)(answer|status|sources)(\s*:)", r'\1"\2"\3', body),
        lambda body: re.sub(rf"({_STRING}|\])(\s*\n\s*)(?=\"\w+\"\s*:)", r"\1,\2", body),
        lambda body: re.sub(r",(\s*[\]}])", r"\1", body),
        lambda body: body + "]" * (body.count("[") - body.count("]")) + "}" * (body.count("{") - body.count("}")),
        lambda body: _BARE_VALUE.sub(lambda found: found[1] + json.dumps(found[2].strip(), ensure_ascii=False), body),
    ):
        if meets_contract(found := parse(body)):
            return found
        body = step(body)
    return parse(body)


def finish(raw: str) -> dict[str, Any]:
    """What the log keeps beside the messages.

    `parsed`: the raw response met the contract as it came. `backfilled`: the fields that the harness filled in.
    """
    kept: dict[str, Any] = {"raw_chars": len(raw), "parsed": meets_contract(found := parse(raw)), "backfilled": []}
    found = found if kept["parsed"] else repair(raw)
    if meets_contract(found):
        kept["final"] = {name: found[name] for name in ("answer", "status", "sources")}
    elif raw.strip() and "{" not in raw:
        kept["backfilled"] = ["status", "sources"]
        kept["final"] = {"answer": raw.strip(), "status": None, "sources": []}
    else:
        kept["backfilled"] = ["answer", "status", "sources"]
        stub = NO_OBJECT if raw.strip() else NO_STEPS
        kept["final"] = {"answer": stub, "status": "needs_clarification", "sources": []}
    return kept
