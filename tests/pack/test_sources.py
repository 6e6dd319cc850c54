from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.pack.sources import (
    MAX_RANGE,
    AbsentSource,
    EnumSource,
    FixtureSource,
    LiteralSource,
    RangeSource,
    SourceError,
    parse_source,
    split_source,
)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("fixture:books.book_id", FixtureSource("books", "book_id")),
        ("books.book_id", FixtureSource("books", "book_id")),
        ("fixture:books.a.b", FixtureSource("books", "a.b")),
        ("fixture: books.id ", FixtureSource(" books", "id ")),
        ("enum:place_order.finish", EnumSource("place_order", "finish")),
        ("enum:tool.a.b", EnumSource("tool", "a.b")),
        ("absent: books ", AbsentSource("books")),
        ("literal:4500", LiteralSource((4500,))),
        ("literal:gravel", LiteralSource(("gravel",))),
        ("literal: ", LiteralSource(("",))),
        ("literal: 7 ", LiteralSource((7,))),
        ("literal:a:b", LiteralSource(("a:b",))),
        ("literal:['R-1']", LiteralSource(("R-1",))),
        ('literal:["q", "r"]', LiteralSource(("q", "r"))),
        ("literal:[3,6]", LiteralSource((3, 6))),
        ("literal:[[1], (2,)]", LiteralSource(([1], [2]))),
        ("literal:1, 2", LiteralSource(([1, 2],))),
        ("literal:{'a':1}", LiteralSource(({"a": 1},))),
        ("literal:true", LiteralSource(("true",))),
        ("literal:True", LiteralSource((True,))),
        ("literal:5 # five", LiteralSource((5,))),
        ("literal:x # c", LiteralSource(("x # c",))),
        ("range:{'min': 9, 'max': 5, 'step': -2}", RangeSource(range(9, 4, -2))),
        ("range:{'min': 3, 'max': 1, 'step': -1}", RangeSource(range(3, 0, -1))),
        ("range: {'min': 1, 'max': 3}", RangeSource(range(1, 4))),
        ("range:{'min': 4, 'max': 4, 'step': -7}", RangeSource(range(4, 3, -1))),
        ("range:{'min': 1, 'max': 9, 'setp': 2}", RangeSource(range(1, 10), ("setp",))),
    ],
)
def test_sources(text, source):
    parsed = parse_source(text)
    assert parsed == source
    if isinstance(parsed, LiteralSource):
        assert repr(parsed) == repr(source)  # True and 1 are told apart


@pytest.mark.parametrize(
    ("text", "code", "about"),
    [
        ("books", "bad_fixture_path", "`books`"),
        ("fixture:books", "bad_fixture_path", "`books`"),
        ("fixture:books.", "bad_fixture_path", "collection.field"),
        ("fixture:.book_id", "bad_fixture_path", "collection.field"),
        ("fixture: .book_id", "bad_fixture_path", "collection.field"),
        ("literal:", "bad_fixture_path", "`literal:`"),
        ("enum:finish", "bad_enum_path", "tool.parameter"),
        ("ledger:berths.berth_id", "unknown_source_kind:ledger", "kinds are"),
        ("Fixture:books.id", "unknown_source_kind:Fixture", "Did you mean `fixture`"),
        (" literal:5", "unknown_source_kind: literal", "Did you mean `literal`"),
        ("literal:[]", "invalid_source", "empty"),
        ("literal:[a]", "invalid_source", "`a`"),
        ("literal:[1,2", "invalid_source", "cannot be read"),
        ("literal:[{1}]", "invalid_source", "set"),
        ("literal:{1,2}", "invalid_source", "set"),
        ("literal:b'x'", "invalid_source", "bytes"),
        ("literal:1+2j", "invalid_source", "complex"),
        ("literal:...", "invalid_source", "ellipsis"),
        ("literal:1e999", "invalid_source", "too large"),
        ("literal:\ud800", "invalid_source", "surrogate"),
        ("range:5", "invalid_source", "a mapping"),
        ("range:{min: 1, max: 2}", "invalid_source", "cannot be read"),
        ("range:{'min': 1", "invalid_source", "cannot be read"),
        ("range:{'min': 1}", "invalid_source", "lacks `max`"),
        ("range:{}", "invalid_source", "`min` and `max`"),
        ("range:{'min': True, 'max': 2}", "invalid_source", "`min` is true"),
        ("range:{'min': 1.0, 'max': '2'}", "invalid_source", '`min` is 1.0 and `max` is "2"'),
        ("range:{'min': 1, 'max': 2, 'step': None}", "invalid_source", "`step` is null"),
        ("range:{'min': 2, 'max': 6, 'step': 0}", "invalid_source", "may not be 0"),
        ("range:{'min': 2, 'max': 6, 'step': -1}", "invalid_source", "never leads"),
        ("range:{'min': 6, 'max': 2}", "invalid_source", "never leads"),
        (f"range:{{'min': 1, 'max': {MAX_RANGE + 1}}}", "invalid_source", "more than"),
    ],
)
def test_faults(text, code, about):
    with pytest.raises(SourceError) as caught:
        parse_source(text)
    assert caught.value.code == code
    assert about.lower() in str(caught.value).lower()


def test_the_largest_range_is_not_listed():
    source = parse_source(f"range:{{'min': 1, 'max': {MAX_RANGE}}}")
    assert isinstance(source, RangeSource)
    assert source.values[-1] == MAX_RANGE


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-9, 9))
def test_a_range_holds_both_ends_when_the_step_lands_on_them(low, high, step):
    try:
        source = parse_source(f"range:{{'min': {low}, 'max': {high}, 'step': {step}}}")
    except SourceError:
        assert step == 0 or (high != low and (high > low) != (step > 0))
        return
    assert isinstance(source, RangeSource)
    assert list(source.values) == [low + index * step for index in range((high - low) // step + 1)]


@pytest.mark.parametrize(("text", "kind"), [("a:b", "a"), ("a:", "fixture"), ("a", "fixture"), (":b", "")])
def test_the_kind_stands_before_the_first_colon(text, kind):
    assert split_source(text)[0] == kind


@given(st.text(max_size=60))
def test_no_text_breaks_it(text):
    try:
        parse_source(text)
    except SourceError as error:
        assert error.code
