"""Tool calls left in the text: each form is read, and talk about calls is not."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.grades.dialects import DIALECTS, call_like, tool_calls
from regrade.grades.words import to_values

PORT = [{"name": "tide", "arguments": {"port": "Ribe"}}]
TWO = [*PORT, {"name": "clock_now", "arguments": {}}]

READ = {
    "hermes": ('<tool_call>\n{"name": "tide", "arguments": {"port": "Ribe"}}\n</tool_call>', PORT),
    "hermes, two": (
        '<tool_call>{"name": "tide", "arguments": {"port": "Ribe"}}</tool_call>\n'
        '<tool_call>{"arguments": {}, "name": "clock_now"}</tool_call>',
        TWO,
    ),
    "hermes, closing tag missing": ('<tool_call>{"name": "tide", "arguments": {"port": "Ribe"}}', PORT),
    "hermes, encoded twice": (r'<tool_call>{"name": "tide", "arguments": "{\"port\": \"Ribe\"}"}</tool_call>', PORT),
    "hermes, arguments no JSON": (
        '<tool_call>{"name": "tide", "arguments": "Ribe"}</tool_call>',
        [{"name": "tide", "arguments": "Ribe"}],
    ),
    "function tags": (
        "<tool_call>\n<function=tide>\n<parameter=port>\nRibe\n</parameter>\n</function>\n</tool_call>\n"
        "<tool_call>\n<function=clock_now>\n</function>\n</tool_call>",
        TWO,
    ),
    "function tags, no outer tag": ("<function=tide>\n<parameter=port>Ribe</parameter>\n</function>", PORT),
    "function tags, JSON inside": ('<function=tide>{"port": "Ribe"}</function>', PORT),
    "function tags, a value of several lines with a fence": (
        "<function=write>\n<parameter=text>\na\n```\nb\n```\n</parameter>\n</function>",
        [{"name": "write", "arguments": {"text": "a\n```\nb\n```"}}],
    ),
    "mistral, array": (
        '[TOOL_CALLS] [{"arguments": {"port": "Ribe"}, "name": "tide"}, {"name": "clock_now", "arguments": {}}] ok',
        TWO,
    ),
    "mistral, bare names": ('[TOOL_CALLS]tide{"port": "Ribe"}[TOOL_CALLS]clock_now{}', TWO),
    "llama": ('{"name": "tide", "parameters": {"port": "Ribe"}}; {"name": "clock_now", "parameters": {}}', TWO),
    "llama, python tag": ('<|python_tag|>{"name": "tide", "parameters": {"port": "Ribe"}}', PORT),
    "llama, over lines": ('{\n  "name": "tide",\n  "arguments": {\n    "port": "Ribe"\n  }\n}', PORT),
    "pythonic": ("[tide(port='Ribe'), clock_now()]", TWO),
    "pythonic, tags": ("<|python_start|>[tide(port='Ribe'), clock_now()]", TWO),
    "pythonic, literals": (
        "[a.b(x=None, y=[1, -2], z={'k': True}, s='it\\'s, \"so\")]')]",
        [{"name": "a.b", "arguments": {"x": None, "y": [1, -2], "z": {"k": True}, "s": "it's, \"so\")]"}}],
    ),
    "pythonic, end of turn": ("[tide(port='Ribe'), clock_now()]<end_of_turn>", TWO),
    "pythonic, literals of JSON": ("[f(a=true, b=[null])]", [{"name": "f", "arguments": {"a": True, "b": [None]}}]),
    "pythonic, bad siblings": ("[bad(x=1e999), tide(port='Ribe'), bad(Ribe), bad(1), clock_now(), bad(**x)]", TWO),
    "function_call tags": ('<function_call>[tide(port="Ribe"), clock_now()]</function_call>', TWO),
    "deepseek v3": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>tide\n```json\n"
        '{"port": "Ribe"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>clock_now\n```json\n'
        "{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        TWO,
    ),
    "deepseek v3.1": (
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tide<｜tool▁sep｜>{"port": "Ribe"}<｜tool▁call▁end｜>'
        "<｜tool▁call▁begin｜>clock_now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        TWO,
    ),
    "deepseek v3.2": (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="tide">\n'
        '<｜DSML｜parameter name="port" string="true">Ribe</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="days" string="false">[2]</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
        "</｜DSML｜function_calls>",
        [{"name": "tide", "arguments": {"port": "Ribe", "days": [2]}}],
    ),
    "kimi": (
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.tide:0 <|tool_call_argument_begin|>{"port": "Ribe"}'
        "<|tool_call_end|><|tool_call_begin|>clock_now:1<|tool_call_argument_begin|>{}<|tool_call_end|>"
        "<|tool_calls_section_end|>",
        TWO,
    ),
    "glm": (
        "<tool_call>tide\n<arg_key>port</arg_key>\n<arg_value>Ribe</arg_value>\n</tool_call>\n"
        "<tool_call>clock_now</tool_call>",
        TWO,
    ),
    "minimax": (
        '<minimax:tool_call>\n<invoke name="tide">\n<parameter name="port">Ribe</parameter>\n</invoke>\n'
        '<invoke name="clock_now">\n</invoke>\n</minimax:tool_call>',
        TWO,
    ),
    "invoke": ('<function_calls><invoke name="tide"><parameter name="port">Ribe</parameter></invoke>', PORT),
    "hermes, not quite JSON": ("<tool_call>\n{'name': 'tide', 'arguments': {'port': 'Ribe',},}\n</tool_call>", PORT),
    "hermes, other keys": ('<|tool_call|>[{"function": "tide", "args": {"port": "Ribe"}}]</tool_call>', PORT),
    "hermes, tags inside": (
        '<tool_call>\n<name>tide</name>\n<arguments>{"port": "Ribe"}</arguments>\n</tool_call>',
        PORT,
    ),
    "tool_code tags": ('<tool_code>\nprint(tide(port="Ribe"))\nclock_now()\n</tool_code>', TWO),
    "tool_code fence": ('```tool_code\ntide(port="Ribe")\n```', PORT),
    "tool_call fence": ('```tool_call\n{"name": "tide", "arguments": {"port": "Ribe"}}\n```', PORT),
    "harmony tags": (
        '<|channel|>commentary to=functions.tide <|constrain|>json<|message|>{"port": "Ribe"}<|call|>',
        PORT,
    ),
    "llama, array": ('[{"name": "tide", "parameters": {"port": "Ribe"}}, {"tool": "clock_now", "args": {}}]', TWO),
    "llama, under a key": ('{"tool_calls": [{"function": {"name": "tide", "arguments": {"port": "Ribe"}}}]}', PORT),
    "llama, functools": ('functools[{"name": "tide", "arguments": {"port": "Ribe"}}]', PORT),
    "llama, action lines": ('Action: tide\nAction Input: {"port": "Ribe"}', PORT),
}  # fmt: skip

MARKED = [
    name for name in READ if (not name.startswith(("pythonic", "llama")) or "tag" in name) and "fence" not in name
]


@pytest.mark.parametrize("form", READ)
def test_a_form_is_read(form):
    text, calls = READ[form]
    assert tool_calls(text) == calls
    assert call_like(text).start == 0


@pytest.mark.parametrize("form", READ)
def test_prose_may_stand_round_a_call(form):
    text, calls = READ[form]
    whole = f"Let me look that up first.\n\n{text}\n\nThat {{should}} do, [see (1)] <b>."
    assert tool_calls(whole) == calls
    assert call_like(whole).start == whole.index(text)


@pytest.mark.parametrize("form", MARKED)
def test_a_marker_may_follow_prose_on_its_line(form):
    text, calls = READ[form]
    assert tool_calls(f"Let me look: {text}") == calls
    assert call_like(f"Let me look: {text}") is not None


@pytest.mark.parametrize("form", READ)
@pytest.mark.parametrize(
    "frame",
    ["So:\n```\n{}\n```\nNothing was done.", "~~~~ json\n{}\n~~~~", "```xml\n{}", "<think>\n{}\n</think>\nDone."],
)
def test_what_is_fenced_or_thought_is_no_call(form, frame):
    inner = READ[form][0]
    # A fence inside needs a longer one outside.
    text = (frame.replace("```", "````") if "```" in inner else frame).replace("{}", inner)
    assert tool_calls(text) == []
    assert call_like(text) is None


@pytest.mark.parametrize(
    "text",
    [
        'I would call read_file(path="a") next.',
        'I would call `[read_file(path="a")]` or `<tool_call>{"name": "f", "arguments": {}}</tool_call>` next.',
        '`<function=f>` opens a call.',
        'So the call is [read_file(path="a")], as you know.',
        '[read_file(path="a")] is what I would call.',
        "[clock_now()](docs.md) tells you more.",
        "[see note (1)] and [2] above",
        'The record is {"name": "f", "arguments": {}} here.',
        '{"name": "Asta Nielsen", "arguments": {"rows": 4}}',
        '{"name": "f"}',
        '{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}',
        '{"name": "Asta", "arguments": {"rows": 4}} is what a record looks like.',
        'A record looks like this:\n\n{"name": "Asta", "arguments": {"rows": 4}}',
        '> <tool_call>{"name": "f", "arguments": {}}</tool_call>',
        "Action: none is needed.",
        '{"arguments": {}}',
        '{"name": "f", "arguments": {"a": ',
        "[f(a=",
        "A <b>bold</b> claim <3, a list [1, 2] and 2 < 3.",
        "The <tool_call> tag opens a call.",
        "",
    ],
)  # fmt: skip
def test_talk_and_data_are_no_calls(text):
    assert tool_calls(text) == []
    assert call_like(text) is None


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "tide", "argum',
        "<function=tide>\n<parameter=port>\nRi",
        '[TOOL_CALLS] [{"name": "tide"',
        "<｜tool▁calls▁begin｜>",
        "<|tool_calls_section_begin|><|tool_call_begin|>0<|tool_call_argument_begin|>{}",
        '<invoke name="tide">',
        '<|python_tag|>search.call(query="Ribe")',
        "<tool_call>tide\n<arg_key>port</arg_key>",
    ],
)
def test_a_broken_call_looks_like_one_and_is_not_read(text):
    assert tool_calls(text) == []
    found = call_like(f"Well.\n{text}")
    assert found.start == 6
    assert f"Well.\n{text}"[found.start : found.stop] == found.text


def test_no_text_has_no_calls():
    assert tool_calls(None) == []
    assert call_like(None) is None


def test_each_dialect_has_a_name_of_its_own():
    assert len({dialect.name for dialect in DIALECTS}) == len(DIALECTS)


@given(st.lists(st.sampled_from([text for text, _ in READ.values()]) | st.text(max_size=5), max_size=3))
def test_any_text_is_read_without_an_error(parts):
    text = "\n".join(parts)[: sum(map(len, parts)) - 3]
    found = call_like(text)
    assert found is None or text[found.start : found.stop] == found.text
    assert found or not tool_calls(text)
    assert to_values(pl.DataFrame({"t": [text]}).select(call_like(pl.col("t")).expr).to_series()) == [found]


@pytest.mark.parametrize(
    "text",
    ["[f(" * 3000, "[f(a=" + "[" * 5000 + "]" * 5000 + ")]", '{"a":' * 5000, "<tool_call>" * 500],
)
def test_hostile_depth_is_no_call(text):
    assert tool_calls(text) == []
