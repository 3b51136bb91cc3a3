"""Surface forms: how many shapes the replies of each outcome have, and which outcomes share them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from kremis_sim.figures import Row

ENOUGH = 10
RUN = re.compile(r"N(?P<between>[^\w\n]{1,12}|\n\W{1,5})N(?:(?P=between)N)+")
CUT = re.compile(r"(?<=> )[a-z]+-?[a-z]*$")
ITEM = re.compile(r"(?m)^(?P<mark>[-*] |0\. )(?P<line>N[^\n]*)(?:\n(?P=mark)(?P=line))+$")
LOOKED = re.compile(r"(?:Line 0: N\. ?)+")
LINKS = re.compile(r"N needs N(?:, N needs N)+")


def mask(reply: str, names: Iterable[str]) -> str:
    """A reply's shape: names are N in any spelling, numbers are 0, and what is repeated stands there once."""
    spelled = "|".join(sorted((name.replace("-", "[-_ ]") for name in names), key=len, reverse=True))
    text = re.sub(rf"(?i)(?:{spelled})", "N", CUT.sub("N", reply).replace("\r\n", "\n"))
    text = RUN.sub(r"N\g<between>N", re.sub(r"\d+", "0", text))
    text = ITEM.sub(r"\g<mark>\g<line>", text)
    return LINKS.sub("N needs N", LOOKED.sub("Line 0: N. ", text))


def outcome(row: Row) -> str:
    """What a reply amounts to, and whether there was an answer."""
    asked = "answerable" if row.question.truth else "unanswerable"
    return f"{row.code or 'RIGHT'} on {asked}"


def shapes(rows: Iterable[Row], names: Iterable[str]) -> dict[str, list[str]]:
    """The shapes of each outcome's replies, first runs only, since a later run says the same again."""
    kept, found = list(names), defaultdict[str, list[str]](list)
    for row in rows:
        if row.run == 0:
            found[outcome(row)].append(mask(row.reply, kept))
    return dict(sorted(found.items()))


def shared(found: dict[str, list[str]], one: str, two: str) -> int:
    """Replies of one outcome whose shape is also that of some reply of the other."""
    return sum(shape in set(found.get(two, ())) for shape in found.get(one, ()))
