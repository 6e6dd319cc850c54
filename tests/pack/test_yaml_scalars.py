import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assay.pack.yaml_scalars import NumberTooLong, means_itself, read_plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("0", 0),
        ("42", 42),
        ("-7", -7),
        ("+7", 7),
        ("0.5", 0.5),
        ("1.", 1.0),
        ("2.5e+3", 2500.0),
        ("plain", "plain"),
        ("1.2.3", "1.2.3"),
        ("-", "-"),
        ("2026-03-02", "2026-03-02"),
        ("2026-03-02T09:00:00+07:00", "2026-03-02T09:00:00+07:00"),
        ("0x1F", 31),
    ],
)
def test_what_all_readers_agree_on(text, value):
    reading = read_plain(text)
    assert reading.value == value
    assert type(reading.value) is type(value)
    assert reading.rewrite is None


@pytest.mark.parametrize(
    ("text", "value", "rewrite"),
    [
        ("yes", True, '`true` for the boolean, `"yes"` for the text'),
        ("NO", False, '`false` for the boolean, `"NO"` for the text'),
        ("on", True, '`true` for the boolean, `"on"` for the text'),
        ("Off", False, '`false` for the boolean, `"Off"` for the text'),
        ("010", 8, '`8` for the number, `"010"` for the text'),
        ("1:30", 90, '`90` for the number, `"1:30"` for the text'),
        ("12:30:45", 45045, '`45045` for the number, `"12:30:45"` for the text'),
        ("1_000", 1000, '`1000` for the number, `"1_000"` for the text'),
        ("0b101", 5, '`5` for the number, `"0b101"` for the text'),
        ("1:30.5", 90.5, '`90.5` for the number, `"1:30.5"` for the text'),
        ("1e3", "1e3", '`1000.0` for the number, `"1e3"` for the text'),
        ("0o14", "0o14", '`12` for the number, `"0o14"` for the text'),
        ("08", "08", '`8` for the number, `"08"` for the text'),
        ("-.5", "-.5", '`-0.5` for the number, `"-.5"` for the text'),
    ],
)
def test_what_yaml_versions_read_differently_keeps_the_1_1_meaning(text, value, rewrite):
    reading = read_plain(text)
    assert reading.value == value
    assert type(reading.value) is type(value)
    assert reading.rewrite == rewrite


@pytest.mark.parametrize("text", [".inf", "-.INF", "+.Inf", ".nan"])
def test_numbers_that_are_not_finite_are_read_alike_by_all(text):
    reading = read_plain(text)
    assert not math.isfinite(reading.value)
    assert reading.rewrite is None


@pytest.mark.parametrize("text", ["9" * 301, "0x" + "f" * 300, "1:" + "1:" * 200 + "1", "9" * 400 + ".5"])
def test_endless_numbers_are_refused_before_they_are_made(text):
    with pytest.raises(NumberTooLong):
        read_plain(text)


def test_a_number_of_300_digits_is_a_number():
    assert read_plain("9" * 300).value == int("9" * 300)


@given(st.from_regex(r"[-+.0-9:_exobinfaynNtrue]{1,8}", fullmatch=True))
def test_values_are_those_of_the_reference_reader(text):
    try:
        expected = yaml.load("- " + text, yaml.SafeLoader)
    except (yaml.YAMLError, ValueError):
        return
    if not (isinstance(expected, list) and len(expected) == 1) or isinstance(expected[0], (list, dict)):
        return
    if means_itself(text):
        assert expected == [text]
        return
    value = read_plain(text).value
    assert [value] == expected or (math.isnan(value) and math.isnan(expected[0]))
