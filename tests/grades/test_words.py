"""What every word keeps: one meaning for values and for expressions."""

import datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.errors import RuleError
from regrade.grades import calls, dialects, text
from regrade.grades.words import (
    CALLS,
    SPAN,
    TEXTS,
    TURNS,
    SpanExpr,
    Word,
    by_distinct,
    first_of,
    span_expr,
    to_series,
    to_values,
    word,
)
from regrade.records import Call, Span, Turn

WORDS = {
    name: value
    for module in (text, calls, dialects)
    for name, value in vars(module).items()
    if isinstance(value, Word) and not name.startswith("_")
}
WITH_ENGINE = sorted(name for name, value in WORDS.items() if value.native)

PIECES = [
    *("\r", "\r\n", "\n", "\xa0", "\u2028", "\x85", "\0", "\x1c", "\x1f", "\u05d0\u200f", "\U0001f600", "e\u0301"),
    *("\u0130", "\uff11\uff12", "\u0663", "\u2212", "-", " ", "\t", "ANSWER:", "answer:", "ASK", "ASK:", "=", ",", "."),
    *("1", "000", "12", "1,000", "x", "`", "```", "\n```\n", "<tool_call>", "[f(a=1)]", "[TOOL_CALLS]", "<function=f>"),
    *('{"name": "f", ', '"arguments": {}}'),
]
TEXT = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=14).map("".join)
TOOL = st.sampled_from(["a", "b", "c", ""])
TOOLS = st.none() | st.lists(TOOL, max_size=4)
CALL_LIST = st.none() | st.lists(
    st.builds(Call, st.integers(0, 3), st.integers(0, 2), TOOL, st.just("{}"), st.none() | st.just("1")), max_size=4
)
TURN_LIST = st.none() | st.lists(
    st.builds(Turn, st.sampled_from(["assistant", "user", "tool"]), st.just("x")), max_size=4
)
INPUTS = {"calls": (CALLS, CALL_LIST), "turns": (TURNS, TURN_LIST)} | {
    name: (TEXTS, TOOLS) for name in ("wanted", "unwanted", "after", "never")
}


def column(name, values, dtype):
    def plain(value):
        return [{f: getattr(part, f) for f in part.__slots__} for part in value] if value is not None else None

    return pl.Series(name, [plain(v) for v in values] if dtype in (CALLS, TURNS) else values, dtype=dtype)


def evaluate(frame, expression):
    expr = expression.expr if isinstance(expression, SpanExpr) else expression
    return frame.select(result=expr)["result"]


@pytest.mark.parametrize("name", WITH_ENGINE)
def test_an_engine_agrees_with_the_definition(name):
    spoken = WORDS[name]
    parameters = list(spoken._signature.parameters)
    inputs = [INPUTS.get(parameter, (pl.String, st.none() | TEXT)) for parameter in parameters]

    @settings(max_examples=40, deadline=None, derandomize=True)
    @given(st.lists(st.tuples(*(strategy for _, strategy in inputs)), max_size=8))
    def check(rows):
        columns = [column(parameter, [row[i] for row in rows], inputs[i][0]) for i, parameter in enumerate(parameters)]
        result = evaluate(pl.DataFrame(columns), spoken(*(pl.col(p) for p in parameters)))
        assert result.dtype == spoken.returns
        assert to_values(result) == [spoken(*row) for row in rows]

    check()


@pytest.mark.parametrize("name", ["first_number", "last_number", "number_after_last_equals"])
def test_an_engine_groups_digits_as_the_definition_does(name):
    digits = ("1,0005", "1,000,5", "1,000,0005.5", "12345,678.", "1,000")
    ends = ("", ".25", "..", "-3", "\u0663", ",,,4")
    answers = [start + middle + end for start in ("", "=", "= x-") for middle in digits for end in ends]
    found = evaluate(pl.DataFrame({"a": answers}), WORDS[name](pl.col("a")))
    assert to_values(found) == [WORDS[name](answer) for answer in answers]


def test_the_words_that_are_asked_of_every_reply_have_an_engine():
    assert {"answer_line", "last_line", "first_number", "number_after_last_equals", "is_ask"} <= set(WITH_ENGINE)
    assert {"names", "missing", "present", "grounded"} <= set(WITH_ENGINE)


@pytest.mark.parametrize("name", sorted(WORDS))
def test_a_word_keeps_its_type_on_no_rows_and_on_nulls(name):
    spoken = WORDS[name]
    parameters = list(spoken._signature.parameters)
    dtypes = {p: INPUTS.get(p, (TEXTS if p == "menu" else pl.String, None))[0] for p in parameters}
    frame = pl.DataFrame({p: [None, None] for p in parameters}, schema=dtypes)
    for rows in (frame, frame.clear()):
        result = evaluate(rows, spoken(*(pl.col(p) for p in parameters)))
        assert result.dtype == spoken.returns
        assert len(result) == len(rows)
        if spoken.returns == pl.Boolean or name in ("names", "missing", "present", "unissued"):
            assert result.null_count() == 0
        else:
            assert result.null_count() == len(rows)


def test_a_word_runs_once_for_each_distinct_input_and_keeps_the_order():
    seen = []

    @word(pl.Int64)
    def length(value, extra):
        seen.append((value, extra))
        return len(value) + (extra or 0)

    frame = pl.DataFrame({"a": ["bb", None, "a", "bb", "bb", None], "b": [None, 1, 2, None, 1, 1]})
    assert evaluate(frame, length(pl.col("a"), pl.col("b"))).to_list() == [2, None, 3, 2, 3, None]
    assert sorted(seen, key=str) == [("a", 2), ("bb", 1), ("bb", None)]


def test_a_null_first_argument_is_null_or_false_and_the_function_is_not_called():
    @word(pl.Boolean)
    def refuses(value):
        raise AssertionError

    @word(SPAN)
    def also_refuses(value):
        raise AssertionError

    assert refuses(None) is False and also_refuses(None) is None
    frame = pl.DataFrame({"a": [None]}, schema={"a": pl.String})
    assert evaluate(frame, refuses(pl.col("a"))).to_list() == [False]
    assert evaluate(frame, also_refuses(pl.col("a"))).null_count() == 1


def test_words_compose_and_stand_in_filters_and_lazy_frames():
    frame = pl.DataFrame({"reply": ["work\nANSWER: 3 = 7.0 F", "ANSWER: ASK: which?", "none", None]})
    answer = text.answer_line(pl.col("reply"))
    value = text.number_after_last_equals(answer)
    asks = text.is_ask(answer)
    passed = text.same_number(value, 7)
    lazy = frame.lazy().with_columns(asks=asks, passed=passed, start=value.start).filter(asks | passed)
    for engine in ("in-memory", "streaming"):
        rows = lazy.collect(engine=engine)
        assert rows.select("asks", "passed", "start").rows() == [(False, True, 4), (True, False, None)]


def test_many_rows_keep_their_order():
    replies = [f"line\nANSWER: {i % 97} = {i}" for i in range(30_000)]
    frame = pl.DataFrame({"reply": replies})
    numbers = evaluate(frame, text.last_number(text.answer_line(pl.col("reply")))).struct.field("text")
    assert numbers.to_list() == [str(i) for i in range(30_000)]


def test_a_span_counts_as_its_text():
    answer = Span("a = 12", 50, 56)
    assert text.number_after_last_equals(answer) == Span("12", 4, 6)
    assert text.number_after(pl.col("x"), answer) is not None
    frame = pl.DataFrame({"x": [{"text": "a = 12", "start": 50, "stop": 56}, None]}, schema={"x": SPAN})
    assert to_values(evaluate(frame, text.last_number(pl.col("x")))) == [Span("12", 4, 6), None]
    assert to_values(evaluate(frame, text.first_number(pl.col("x")))) == [Span("12", 4, 6), None]
    assert to_values(evaluate(frame, text.first_number(SpanExpr(pl.col("x"))))) == [Span("12", 4, 6), None]


def test_first_of_takes_values_and_expressions_alike():
    assert first_of(None, Span("a", 0, 1), "b") == Span("a", 0, 1)
    assert first_of(None, "", "b") == ""
    assert first_of(None, None) is None and first_of() is None
    frame = pl.DataFrame({"a": ["x 1", "x", None], "b": ["p", None, None]})
    both = first_of(text.first_number(pl.col("a")), pl.col("b"), Span("q", 3, 4), None)
    assert to_values(evaluate(frame, both)) == [Span("1", 2, 3), Span("q", 3, 4), Span("q", 3, 4)]
    none = first_of(text.first_number(pl.col("a")), pl.col("b"))
    assert evaluate(frame, none).null_count() == 2


def test_columns_become_records_and_back():
    spans = [Span("a", 1, 2), None, Span("b")]
    assert to_values(to_series("s", spans, SPAN)) == spans
    assert to_values(to_series("s", ["plain"], SPAN)) == [Span("plain")]
    call = Call(0, 0, "f", "{}", None)
    assert to_values(column("c", [[call], None, []], CALLS)) == [[call], None, []]
    assert to_values(column("t", [[Turn("user", "hi")]], TURNS)) == [[Turn("user", "hi")]]
    other = pl.Series("o", [{"x": 1}, None])
    assert to_values(other) == [{"x": 1}, None]


def test_by_distinct_takes_any_columns():
    frame = pl.DataFrame({"n": [1.5, float("nan"), None], "d": [datetime.date(2020, 1, 1), None, None]})
    shown = by_distinct(lambda n, d: f"{n} {d}", [pl.col("n"), pl.col("d")], pl.String)
    assert evaluate(frame, shown).to_list() == ["1.5 2020-01-01", "nan None", "None None"]


def test_a_text_expression_without_a_place_has_a_null_position():
    frame = pl.DataFrame({"a": ["é x", None]})
    assert to_values(evaluate(frame, span_expr(pl.col("a")))) == [Span("é x"), None]
    assert to_values(evaluate(frame, span_expr(pl.col("a"), pl.lit(2)))) == [Span("é x", 2, 5), None]


def test_a_word_says_what_it_is():
    assert text.answer_line.__name__ == "answer_line"
    assert "last line that begins with" in text.answer_line.__doc__
    assert all(spoken.__doc__ for spoken in WORDS.values())


def test_a_pattern_of_the_bank_that_is_none_is_an_error():
    with pytest.raises(RuleError, match=r"found '\(', which is no regular expression"):
        text.matches_menu("x", ["("])
    with pytest.raises((RuleError, pl.exceptions.ComputeError), match="no regular expression"):
        evaluate(pl.DataFrame({"a": ["x"]}), text.matches_menu(pl.col("a"), ["("]))
