"""Signs: what a page or a terminal would obey or hide in a text, shown as what it is."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e01ef]"
)
_CONTROLS = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
).split()
_LAYOUT = str.maketrans({"\n": "\u240a", "\t": "\u2409"})


def visible(text: str) -> str:
    """Show what a page or a terminal would obey or hide: `␛` for a control character, `⟨U+202E⟩` for a bidi override.

    Newlines and tabs stay, and so do the joiners that letters and emoji are made with.
    """
    # Most texts are names and words of ours.
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(lambda found: _symbol(ord(found[0])), text)


def _symbol(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"\u27e8U+{code:04X}\u27e9"


def tagged(text: str) -> Markup:
    """Show in a page what `visible` shows, each such character in letters that every font has: a small `[CR]`."""
    if not _HIDDEN.search(text):
        return escape(text)
    parts, end = [], 0
    for found in _HIDDEN.finditer(text):
        code = ord(found[0])
        sign = _CONTROLS[code] if code < 0x20 else "DEL" if code == 0x7F else f"U+{code:04X}"
        parts += [escape(text[end : found.start()]), Markup('<small class="sign">[{}]</small>').format(sign)]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def name(text: object) -> str:
    """Show a name on one line: as `visible`, with newlines and tabs as symbols too."""
    return visible(str(text)).translate(_LAYOUT)
