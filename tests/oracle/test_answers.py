"""What our process takes from a worker, whoever wrote it: bounds on depth, parts, numbers and texts."""

from __future__ import annotations

import json

import pytest

from assay.oracle.answers import OversizedAnswer, read_answer
from assay.oracle.worker.protocol import MAX_DEPTH, MAX_PARTS, parts_of


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    return opening * depth + closing * depth


@pytest.mark.parametrize("depth", [1, 2, MAX_DEPTH])
def test_as_deep_as_allowed(depth):
    assert read_answer(nested(depth)) == json.loads(nested(depth))


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 400])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":[', b"]}")])
def test_deeper_is_refused_in_whatever_form(depth, opening, closing):
    with pytest.raises(OversizedAnswer, match=f"nested more than {MAX_DEPTH} levels"):
        read_answer(nested(depth, opening, closing))


def test_far_deeper_is_refused_before_python_gives_up():
    with pytest.raises((OversizedAnswer, RecursionError)):
        read_answer(nested(100_000))


def test_brackets_in_texts_are_no_depth():
    assert read_answer(json.dumps("[" * 1000).encode()) == "[" * 1000


def test_many_shallow_containers_are_no_depth():
    assert len(read_answer(json.dumps([[]] * 1000).encode())) == 1000


def test_parts_are_bounded_before_anything_is_read():
    assert len(read_answer(b"[" + b"1," * (MAX_PARTS - 2) + b"1]")) == MAX_PARTS - 1
    with pytest.raises(OversizedAnswer, match=f"has {MAX_PARTS + 1} parts .*; the limit is {MAX_PARTS}"):
        read_answer(b"[" + b"1," * MAX_PARTS + b"1]")


@pytest.mark.parametrize(("text", "parts"), [(b"1", 0), (b"[]", 1), (b"[1,2]", 2), (b'{"a":{},"b":[1]}', 4)])
def test_how_parts_are_counted(text, parts):
    assert parts_of(text) == parts


@pytest.mark.parametrize(
    "text", [rb'"\ud800"', rb'{"\uDFFF": 1}', rb'["\ud83d\ud83d"]', b"[NaN]", b"[1e999]", b'"\xff"']
)
def test_what_cannot_be_carried_on_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        read_answer(text)


@pytest.mark.parametrize(("text", "value"), [(rb'"\ud83d\ude00"', "\U0001f600"), (rb'"\\ud800"', "\\ud800")])
def test_whole_characters_and_escaped_backslashes_pass(text, value):
    assert read_answer(text) == value
