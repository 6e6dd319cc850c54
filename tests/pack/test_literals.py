from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.pack.literals import MAX_CHARACTERS, MAX_DEPTH, NotALiteralError, NotJsonError, parse_literal

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_what_python_writes_is_read_back_with_its_types(value):
    read = parse_literal(repr(value))
    assert read == value
    assert json.dumps(read) == json.dumps(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("+5", 5),
        ("-5", -5),
        ("1_000", 1000),
        ("0x10", 16),
        ("1e3", 1000.0),
        ("True", True),
        ("None", None),
        ("'a' 'b'", "ab"),
        ("5 # five", 5),
        ("(1, 2)", [1, 2]),
        ("1, 2", [1, 2]),
        ("{'a': [1]}", {"a": [1]}),
        (r"'\d'", r"\d"),
    ],
)
def test_literals(text, value):
    read = parse_literal(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "true",
        "null",
        "NaN",
        "inf",
        "2024-10-11",
        "0123",
        "1/2",
        "x # c",
        "",
        "--5",
        "-True",
        "f'a'",
        "1+2",
        "*a",
        "{**a}",
    ],
)
def test_texts_that_are_no_literals(text):
    with pytest.raises(NotALiteralError):
        parse_literal(text)


@pytest.mark.parametrize(
    "text",
    [
        *("{1, 2}", "set()", "b'x'", "2j", "1+2j", "-2j", "...", "1e999", "-1e999", "{1: 2}", r"'\ud800'", "[{1}]"),
        "0x" + "f" * 300,
        "[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2),
    ],
)
def test_literals_that_json_cannot_carry(text):
    with pytest.raises(NotJsonError):
        parse_literal(text)


@pytest.mark.parametrize(
    "text", ["-" * 30_000 + "1", "(" * 30_000, "1+" * 15_000 + "1", "a." * 15_000 + "b", "9" * 5000, "\x00", "\ud800"]
)
def test_hostile_texts_are_refused_like_any_other(text):
    with pytest.raises(NotALiteralError):
        parse_literal(text)


def test_a_text_beyond_the_bound_is_not_even_parsed():
    with pytest.raises(NotALiteralError, match="allowed"):
        parse_literal("1" + " " * MAX_CHARACTERS)


def test_an_unquoted_name_is_named():
    with pytest.raises(NotALiteralError, match="`gravel`"):
        parse_literal("[gravel]")
