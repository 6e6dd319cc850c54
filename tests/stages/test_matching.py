import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stages.matching import composed, occurs, states


def says(text, value):
    return states(composed(text), value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("200000đ", 200000),
        ("USD500", 500),
        ("500 USD", 500),
        ("500.", 500),
        ("(500)", 500),
        ("500, please", 500),
        ("500%", "500"),
        ("500.000", 500000),
        ("500,000", 500000),
        ("1.234.567", 1234567),
        ("1,234,567", 1234567),
        ("1 234 567", 1234567),
        ("1\u00a0234\u00a0567", 1234567),
        ("1\u202f234\u202f567", 1234567),
        ("1'234'567", 1234567),
        ("1’234’567", 1234567),
        ("1.500 000", 1500000),
        ("15,00,000", 1500000),
        ("1,00,000", "100000"),
        ("12,34,567", 1234567),
        ("5.5", 5.5),
        ("5,5", 5.5),
        ("1.234", 1.234),
        ("0.500", 0.5),
        ("1000", 1000.0),
        ("1.000", 1000.0),
        ("1.000,50", 1000.5),
        ("1 234,56", 1234.56),
        ("5.0", 5.0),
        ("5.50", "5.5"),
        ("-5", -5),
        ("−5", -5),
        ("(-5)", -5),
        ("5-10", 5),
        ("5-10", 10),
        ("TXN-10", 10),
        ("2026-03-02", 2026),
        ("1, 2, 3", 2),
        ("1,2,3", 2),
        ("12 500", 500),
        ("12 500", 12500),
        ("call 0123", "0123"),
        ("1e+16", 1e16),
        ("0", 0),
    ],
)
def test_numbers_that_are_stated(text, value):
    assert says(f"It is {text} now", value)
    assert says(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("500.000", 500),
        ("500,000", 500),
        ("500,000", "000"),
        ("5500", 500),
        ("12000000", 200000),
        ("5.5", 5),
        ("5,500", 5),
        ("-5", 5),
        ("−5", 5),
        ("5", -5),
        ("1, 2, 3", 123),
        ("1,2,3", 123),
        ("500.0000", 500000),
        ("1.2.3", 2),
        ("192.168.1.1", 168),
        ("12\u00a0500", 500),
        ("0123", 123),
        ("123", "0123"),
        ("five", 5),
        ("", 5),
    ],
)
def test_numbers_that_are_not(text, value):
    assert not says(f"It is {text} now", value)
    assert not says(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("TXN-1.", "TXN-1"),
        ("us-east", "us"),
        ("in us, now", "us"),
        ("我在北京工作", "北京"),
        ("서울에서", "서울"),
        ("ไปกรุงเทพฯ", "กรุงเทพ"),
        ("ここは東京タワー", "東京"),
        ("去Oban的船", "Oban"),
        ("หมายเลขAC-10ครับ", "AC-10"),
        ("cafe\u0301", "café"),
        ("café", "cafe\u0301"),
        ("Đà Nẵng", "Đà Nẵng"),
        ("a 'quoted' word", "'quoted'"),
        ("True", True),
        ("x; y", ";"),
        ("दिल में", "दिल"),
    ],
)
def test_words_that_are_stated(text, value):
    assert says(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("TXN-10", "TXN-1"),
        ("status", "us"),
        ("us", "US"),
        ("us_east", "us"),
        ("us1", "us"),
        ("élan", "lan"),
        ("दिल्ली", "दिल"),
        ("anything", ""),
        ("", "x"),
        ("true", True),
    ],
)
def test_words_that_are_not(text, value):
    assert not says(text, value)


def test_a_later_occurrence_counts():
    assert says("status of us", "us")
    assert says("5.5 and 5", 5)


@pytest.mark.parametrize("text", ["1" * 10**5, "1," * 10**5, "1 " * 10**5, "-" * 10**5, "1.1 " * 10**5, "a" * 10**5])
def test_hostile_texts_are_searched_in_linear_time(text):
    started = time.monotonic()
    says(text, 7)
    says(text, "aa-")
    assert time.monotonic() - started < 3


@given(st.integers(0, 10**12), st.sampled_from([".", ",", " ", "\u00a0", "\u202f", "'", "’"]))
def test_a_number_is_stated_by_its_groups_of_three(number, separator):
    assert says(f"pay {number:,} now".replace(",", separator), number)


@given(st.integers(), st.integers())
def test_a_number_states_itself_and_no_other(number, other):
    assert says(f"pay {number} now", number)
    assert says(f"pay {number} now", other) == (number == other)


@given(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))
def test_what_stands_between_blanks_is_stated(before, value, after):
    text = composed(f"{before}\n{value}\n{after}")
    assert not value or states(text, value)
    assert states(text, value) == states(text, unicodedata.normalize("NFD", value))


@given(st.text(max_size=12), st.text(min_size=1, max_size=3))
def test_what_is_stated_stands_in_the_text(text, value):
    if occurs(composed(text), composed(value)):
        assert composed(value) in composed(text)
