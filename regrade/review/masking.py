"""Mask the names of models and vendors that a transcript speaks, so that it does not tell who was asked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from duckdb import DuckDBPyConnection

MASK = "[masked]"
"""What stands for a name; for the second name of a trial `[masked 2]`, so that two names are still two."""

MODELS = (
    "alpaca", "amazon nova", "baichuan", "chatglm", "chatgpt", "claude", "codellama", "codestral", "codex", "command-r",
    "deepseek", "devstral", "doubao", "exaone", "gemini", "gemma", "github copilot", "google bard", "gpt", "grok",
    "hunyuan", "internlm", "jamba", "kimi", "llama", "magistral", "ministral", "mistral", "mixtral", "nemotron", "olmo",
    "pixtral", "qwen", "qwq", "smollm", "stablelm", "starcoder", "tongyi", "vicuna", "wizardlm", "文心一言", "豆包",
    "通义千问",
)  # fmt: skip
"""Model families that no other thing is much called by."""
NUMBERED = ("aya", "davinci", "ernie", "falcon", "glm", "granite", "hermes", "palm", "phi", "yi", "zephyr")
"""Model families that are ordinary words too, and are meant where a version follows."""
LOW = ("haiku", "nova", "opus", "sonnet")
"""Those of which others bear a number too, and are meant where it is of one digit: Opus 5, and not Opus 27."""
EDITIONS = {
    "ernie": "bot|speed|turbo|x[1-9]", "k2": "instruct|thinking|turbo", "nova": "lite|micro|premier|pro",
    "reka": "core|edge|flash|spark",
}  # fmt: skip
"""Those that are meant where their edition follows, after a hyphen or as a name: K2 Thinking."""
WRITTEN = ("Copilot", "MiMo", "MiniMax", "Moonshot")
"""Those that are meant where they are written so."""
FORMS = (
    r"(?-i:(?<!\b[Tt]he )(?<!\b[Aa] )Bard(?! of\b))",
    r"mimo(?=-v?[0-9])", r"minimax(?=-(?:m[0-9]|text|vl))", "minimaxai", r"moonshot(?=-v[0-9])",
    r"step-?[0-9](?:\.[0-9])?[a-z]?-(?:flash|mini|[0-9]+k)", r"z\.ai",
)  # fmt: skip
"""Patterns of those that nothing simpler tells from other words: the Bard of Avon, a minimax search, step-2."""
VENDORS = (
    "ai21", "alibaba", "anthropic", "baidu", "bytedance", "cohere", "deepmind", "eleutherai", "google ai",
    "hugging face", "lm studio", "meta ai", "mistral ai", "moonshot ai", "ollama", "openai", "openrouter",
    "perplexity ai", "sglang", "stepfun", "tencent", "together ai", "vllm", "xai", "zai org", "zhipu",
    "智谱", "百度", "阿里巴巴", "字节跳动", "腾讯",
)  # fmt: skip
MAKERS = ("amazon", "apple", "google", "ibm", "meta", "microsoft", "nvidia")
"""Vendors of much else, who are meant where they are said to have made something, or where a model is called theirs."""

COLUMNS = ("configuration", "model", "weights", "lineage", "provider", "server")
"""What of a configuration is a name of it."""
VERSIONED = ("model", "weights", "lineage")
"""Those that a version may follow, as in a family's name."""
LABELS = ("configuration", "server")
"""Those that may be ordinary words (`base`, `local`), by which nobody goes."""

_BREAK = r"[\s\-_./:]*"
_NUMBER = r"v?[0-9]+(?:\.[0-9]+)*[a-z]{0,2}(?![a-z0-9])"
_VERSION = (
    rf"(?:[ :]?{_NUMBER}|[-_][a-z0-9]+(?:\.[0-9]+)*|:latest"
    r"|[ ](?:opus|sonnet|haiku|pro|lite|flash|turbo|mini|nano|ultra|instruct|chat|coder)(?![a-z0-9]))*"
)
_EDITION = r"(?:-|(?-i: (?=[A-Z])))"
_PIECES = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W\d_][^\W\dA-Z_]*")
_STEM = re.compile(r"[^\W\d_]{5,}")


class Names:
    """The names to mask: those of the configurations of a store, and those that models and vendors go by."""

    def __init__(self, con: DuckDBPyConnection) -> None:
        """Read the names of the configurations."""
        plain, versioned, stems = {*VENDORS}, {*MODELS}, set()
        rows = con.execute(f"select {', '.join(COLUMNS)} from configurations order by configuration").fetchall()
        for row in rows:
            for column, value in zip(COLUMNS, row, strict=True):
                parts = (part for part in _parts(value) if column not in LABELS or not _WORD.fullmatch(part))
                (versioned if column in VERSIONED else plain).update(parts)
                if column in VERSIONED and value and (stem := _STEM.match(value.rsplit("/")[-1])):
                    stems.add(stem[0].lower())
        makers = "|".join(MAKERS)
        ways = [
            f"(?:{_any(versioned)}){_VERSION}",
            f"(?:{_any(NUMBERED)})[- ]?{_NUMBER}{_VERSION}",
            rf"(?:{_any(LOW)})[- ]?v?[1-9](?:\.[0-9]+)?(?![0-9]|,? no\b){_VERSION}",
            *(rf"{name}{_EDITION}(?:{of}){_VERSION}" for name, of in EDITIONS.items()),
            rf"(?-i:{_any(WRITTEN)})(?:[- ](?-i:[MV])[0-9](?:\.[0-9]+)?(?![a-z0-9]))?{_VERSION}",
            f"(?:{'|'.join(FORMS)}){_VERSION}",
            r"o[1-9](?:-(?:mini|pro|preview))",
            _any(plain),
            rf"(?<=\bby )(?:{makers})",
            rf"(?:{makers})(?=(?:'s|’s)? (?:large )?(?:language )?(?:model|ai|llm|assistant)\b)",
        ]
        # A stem may be an ordinary word, so it is a name where it is written as one.
        ways += [f"(?-i:{_any([s.capitalize() for s in stems] + [s.upper() for s in stems])}){_VERSION}"] * bool(stems)
        # ASCII alone makes a word longer: in scripts without spaces a name stands among other letters.
        self.pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(ways)})(?![A-Za-z0-9])", re.IGNORECASE)


class Masker:
    """Masks the texts of one trial."""

    def __init__(self, names: Names) -> None:
        """Take the names."""
        self._pattern = names.pattern
        self._met: dict[str, str] = {}
        self.count = 0
        """How many were masked."""

    def mask(self, value: Any) -> Any:
        """A text, or a JSON value with every text in it, without the names.

        An object of which two keys would be the same becomes its JSON text, so that nothing of it is lost.
        """
        if isinstance(value, str):
            return self._pattern.sub(self._mask, value)
        if isinstance(value, dict):
            masked = {self.mask(key): self.mask(each) for key, each in value.items()}
            return masked if len(masked) == len(value) else self.mask(json.dumps(value, ensure_ascii=False))
        return [self.mask(each) for each in value] if isinstance(value, list) else value

    def _mask(self, found: re.Match[str]) -> str:
        self.count += 1
        name = "".join(_PIECES.findall(found[0])).casefold()
        return self._met.setdefault(name, f"[masked {len(self._met) + 1}]" if self._met else MASK)


def _parts(value: str | None) -> Iterable[str]:
    """A name and, of a path, each part; what could be any word is left out: a letter or two, or digits alone."""
    if value is not None:
        for part in {value, *value.split("/")}:
            letters = "".join(_PIECES.findall(part))
            if not letters.isdigit() and (len(letters) > 2 or (len(letters) == 2 and not letters.isalpha())):
                yield part


def _any(names: Iterable[str]) -> str:
    """A pattern for any of some names, the longest first, however their pieces are joined."""
    longest = sorted(names, key=lambda name: (-len(name), name))
    return "|".join(_BREAK.join(re.escape(piece) for piece in _PIECES.findall(name)) for name in longest)
