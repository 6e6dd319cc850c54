from __future__ import annotations

import datetime
import decimal
import enum
import json
import sys
from collections import OrderedDict, namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.oracle.worker.encoding import NOT_JSON, TOO_LARGE, Unfit, encode
from assay.oracle.worker.protocol import MAX_DEPTH

LIMIT = 1 << 20

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def refusal(value, limit=LIMIT):
    with pytest.raises(Unfit) as caught:
        encode(value, "result", limit)
    return caught.value.kind, str(caught.value)


@given(json_values)
def test_json_values_come_back_as_they_were(value):
    assert json.loads(encode(value, "result", LIMIT)) == value


def test_order_of_keys_and_kinds_of_numbers_are_kept():
    assert encode({"b": 1, "a": 1.0, "c": True}, "result", LIMIT) == b'{"b":1,"a":1.0,"c":true}'


class Colour(enum.IntEnum):
    RED = 3


class Tone(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((1, (2, 3)), "[1,[2,3]]"),
        (OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
        (namedtuple("Pair", "left right")(1, 2), "[1,2]"),
        ({1: "a", None: "b"}, '{"1":"a","null":"b"}'),
        ({1.5: "a", False: "b"}, '{"1.5":"a","false":"b"}'),
        ([Colour.RED, Tone("x")], '[3,"x"]'),
        ("é\u2028", '"é\u2028"'),
        (-0.0, "-0.0"),
        (10**400, "1" + "0" * 400),
    ],
)
def test_what_the_json_module_writes_is_accepted(value, text):
    assert encode(value, "result", LIMIT).decode() == text


class Record:
    pass


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"items": ["a", "b", {1}]}, "result.items[2] is a set"),
        ({"at": datetime.date(2026, 1, 1)}, "result.at is a date"),
        ([b"x"], "result[0] is a bytes"),
        (decimal.Decimal(1), "result is a Decimal"),
        ({"a": {"b": Record()}}, "result.a.b is a Record"),
        ([object()], "result[0] is an object"),
        ({"x": float("nan")}, "result.x is nan, which JSON does not have"),
        ([1.0, float("-inf")], "result[1] is -inf, which JSON does not have"),
        ({float("inf"): 1}, "a key of result is inf, which JSON does not have"),
        ({("a", 1): 1}, "result has a key that is a tuple"),
        ({b"k": 1}, "result has a key that is a bytes"),
        ({1: "a", "1": "b"}, 'result has an object with two keys that JSON writes as "1"'),
        ([{"in": {True: 1, "true": 2}}], 'result has an object with two keys that JSON writes as "true"'),
        ({"a": ["fine", "\ud800"]}, "result.a[1] holds an unpaired surrogate, which UTF-8 cannot carry"),
        ({"\udfff": 1}, "a key of result holds an unpaired surrogate, which UTF-8 cannot carry"),
        ([10**5000], "result[0] is a number of too many digits to be read back"),
        (lambda: 1, "result is a function"),
        ((each for each in ()), "result is a generator"),
        (type, "result is a type"),
    ],
)
def test_what_json_has_no_form_for_is_named_with_its_place(value, told):
    assert refusal(value) == (NOT_JSON, told)


def nested(levels):
    value = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_depth_is_bounded_on_the_level():
    assert json.loads(encode(nested(MAX_DEPTH), "state", LIMIT)) == nested(MAX_DEPTH)
    told = f"result is nested more than {MAX_DEPTH} levels deep"
    assert refusal(nested(MAX_DEPTH + 1)) == (TOO_LARGE, told)
    assert refusal(nested(100_000)) == (TOO_LARGE, told)


def test_a_value_that_contains_itself_is_too_deep():
    value = {}
    value["self"] = [value]
    assert refusal(value)[0] == TOO_LARGE


def test_a_small_value_that_unfolds_without_end_is_too_large_in_no_time():
    value = []
    for _ in range(100):
        value = [value, value]
    kind, told = refusal(value)
    assert kind == TOO_LARGE
    assert "so many parts" in told


def test_length_is_bounded_on_the_byte():
    assert encode("é" * 10, "state", 22) == f'"{"é" * 10}"'.encode()
    assert refusal("é" * 10, 21) == (TOO_LARGE, "result takes 22 bytes as JSON; the limit is 21")


def test_the_result_can_be_read_where_the_recursion_limit_is_the_usual_one():
    assert sys.getrecursionlimit() > MAX_DEPTH * 4


def test_many_keys_that_are_no_texts_take_no_quadratic_time():
    assert len(encode(dict.fromkeys(range(100_000), 0), "state", LIMIT * 4)) > 100_000


class Trap(dict):
    def items(self):
        raise ValueError("never mind")


def test_a_container_that_misbehaves_is_not_json():
    assert refusal(Trap(a=1)) == (NOT_JSON, "result cannot be written as JSON")
