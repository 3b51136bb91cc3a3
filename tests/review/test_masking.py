"""Names of models and vendors do not show; other words stay."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from regrade.review.masking import Masker, Names
from tests.flips.flip_store import empty_store, insert

ROWS: list[dict[str, Any]] = [
    {"configuration": "zorblax-7b_ladle_q4", "model": "zorb/Zorblax-7B-Instruct", "weights": "zorblax-7b",
     "lineage": "Zorblax", "provider": "Quillworks", "server": "ladle-1", "listed": True},
    {"configuration": "a", "model": "17", "lineage": "Ox", "server": "x1", "listed": True},
    {"configuration": "one", "server": "Local", "provider": "plainco", "listed": True},
    {"configuration": "AcmeBot", "server": "wide.box", "listed": True},
]  # fmt: skip


@cache
def names() -> Names:
    con = empty_store()
    insert(con, "configurations", ROWS)
    return Names(con)


def masker() -> Masker:
    return Masker(names())


@pytest.mark.parametrize(
    "name",
    [
        "Claude", "claude-3-5-sonnet-20241022", "Claude 3.5 Sonnet", "GPT-4o", "gpt4", "ChatGPT", "GPT-3.5 Turbo",
        "gpt-oss-120b", "o3-mini", "Qwen2.5-7B-Instruct", "qwen2.5:0.5b", "QwQ", "DeepSeek-V3", "Llama 3.1", "Gemini",
        "gemini-2.0-flash-001", "Mixtral", "phi-3.5-mini", "Command R", "glm-4", "通义千问", "OpenAI", "Anthropic",
        "Hugging Face", "huggingface", "xAI", "DeepMind", "智谱",
        "Sonnet 4.5", "claude opus 4", "Opus 5.5", "opus-4-20250514", "Haiku 3.5", "MiniMax", "MiniMax-M2",
        "MiniMax M2.1", "minimax-m2", "minimax-text-01", "MiniMaxAI", "ERNIE 4.5", "ernie-4.5-turbo", "ERNIE Bot",
        "Nova Pro", "nova-pro-v1", "Amazon Nova", "Nova 2 Lite", "Z.ai", "zai-org", "Moonshot", "moonshot-v1-8k",
        "moonshotai", "Reka Flash", "reka-flash-3", "Bard", "Google Bard", "Copilot", "GitHub Copilot", "MiMo",
        "MiMo-7B", "mimo-v2-flash", "K2 Thinking", "k2-thinking", "StepFun", "step-3.5-flash", "step-2-16k",
        # Of the configurations.
        "zorblax-7b_ladle_q4", "Zorblax-7B-Instruct", "zorb/Zorblax-7B-Instruct", "Zorblax", "zorblax 7b", "ZORBLAX",
        "Zorblax-13B-tuned", "Quillworks", "ladle-1", "plainco", "AcmeBot", "acmebot", "wide.box", "x1",
    ],
)  # fmt: skip
def test_a_name_is_masked(name: str) -> None:
    for text in ("I am {}.", "({})", "{}", "我是{}模型", "https://{}/v1", "as_{}", "As {}, I say 7.\nANSWER: 7"):
        assert masker().mask(text.format(name)) == text.format("[masked]")


@pytest.mark.parametrize(
    "text",
    [
        "a cat, 17 oxen, Ox 5", "one local file", "One. Local.", "ladles", "quillworks2000x",
        "Google Calendar and Amazon orders", "apple pie",
        "a palm tree, a falcon, phi and psi, granite", "claudette, jean-claudes", "o3 levels, o1", "grokking",
        "magnum opus, Opus 27, Opus 5, No. 2", "Sonnet 18, a sonnet", "a haiku of 17 syllables", "Nova Scotia, a nova",
        "minimax, Minimax search, minimax-optimal", "Ernie and Bert", "zai jian", "a moonshot, moonshots",
        "the Bard, the Bard of Avon, Bard of Avon, a bard, a Bard", "pilot and copilot", "4x4 MIMO, MIMO-OFDM, mimo",
        "K2 is 8611 m, K2 thinking, K2-18b", "step 3, Step 3.5, step-2, step-by-step", "reka", "minimal command",
        "the command ran", "K-305 and K-318 together", "ANSWER: 3=7.0",
    ],
)  # fmt: skip
def test_other_words_stay(text: str) -> None:
    made = masker()
    assert made.mask(text) == text and made.count == 0


def test_a_maker_is_masked_where_it_is_said_to_have_made_something() -> None:
    said = "I was trained by Google. A Microsoft language model, Meta's AI; a mail by Google."
    assert masker().mask(said) == (
        "I was trained by [masked]. A [masked 2] language model, [masked 3]'s AI; a mail by [masked]."
    )


def test_two_names_are_still_two_and_one_is_one() -> None:
    assert (
        masker().mask("Hugging Face, Anthropic, huggingface, HUGGING-FACE")
        == "[masked], [masked 2], [masked], [masked]"
    )


def test_names_inside_of_json_are_masked_keys_too() -> None:
    made = masker()
    value = {"Qwen": [1, None, {"who": "Zorblax"}], "n": 7.5, "ok": True}
    assert made.mask(value) == {"[masked]": [1, None, {"who": "[masked 2]"}], "n": 7.5, "ok": True}
    assert made.count == 2


def test_keys_that_are_masked_alike_lose_nothing() -> None:
    value = {"asked": {"Qwen": 1, "qwen": [2], "Zorblax": 3}, "n": 1}
    assert masker().mask(value) == {"asked": '{"[masked]": 1, "[masked]": [2], "[masked 2]": 3}', "n": 1}
    assert masker().mask({"Qwen": 1, "[masked]": 2}) == '{"[masked]": 1, "[masked]": 2}'
