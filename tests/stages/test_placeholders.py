import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stages.placeholders import (
    fill,
    fill_text,
    is_marker,
    lookalikes_in,
    markers_in,
    names_in,
    renders_as_code,
    texts_in,
)

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.lists(st.integers(), max_size=2)
)


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("{note}", {"note": "leave at {dock} tonight", "dock": "D2"}, "leave at {dock} tonight"),
        ("{payload} noted", {"payload": '{"rack": 3}'}, '{"rack": 3} noted'),
        ("{a}{a} {_b1}", {"a": 1, "_b1": 1.5}, "11 1.5"),
        ("{a}", {"a": True}, "True"),
        ("{a}", {"a": None}, "None"),
        ("{a}", {"a": 1e16}, "1e+16"),
        ("{a}", {"a": ["x"]}, "['x']"),
        ("{{a}}", {"a": 5}, "{5}"),
        ("{a b} {a.b} {1a} {số} { a } {} {a-b}", {"a": 1}, "{a b} {a.b} {1a} {số} { a } {} {a-b}"),
    ],
)
def test_text_is_filled_in_one_pass(text, values, expected):
    assert fill_text(text, values) == expected


def test_a_name_without_a_value_is_our_own_fault():
    with pytest.raises(KeyError):
        fill_text("{a}", {})


@pytest.mark.parametrize("value", [6, 1.5, True, None, [1], {"a": 1}, "text", 10**30])
def test_an_argument_that_is_exactly_a_placeholder_keeps_its_type(value):
    filled = fill("{loaves}", {"loaves": value})
    assert filled == value
    assert type(filled) is type(value)


@pytest.mark.parametrize("text", [" {loaves}", "{loaves} ", "{loaves}{loaves}", "n={loaves}"])
def test_an_embedded_placeholder_makes_text(text):
    assert fill(text, {"loaves": 6}) == text.replace("{loaves}", "6")


def test_values_are_filled_at_any_depth_but_keys_and_markers_are_left_alone():
    marker = {"from_result": {"call": "{a}", "path": "{a}"}}
    written = {"{a}": ["{a}", {"deep": "{a}!"}, 4, None], "m": marker, "not_only": {**marker, "x": "{a}"}}
    assert fill(written, {"a": 7}) == {
        "{a}": [7, {"deep": "7!"}, 4, None],
        "m": marker,
        "not_only": {"from_result": {"call": 7, "path": 7}, "x": 7},
    }


def test_finding_texts_and_markers():
    marker = {"from_result": 3}
    written = {"a": ["x", {"b": "y"}], "m": [marker], "n": 4}
    assert list(texts_in(written)) == [(("a", 0), "x"), (("a", 1, "b"), "y")]
    assert list(markers_in(written)) == [(("m", 0), 3)]
    assert is_marker(marker)
    assert not is_marker({**marker, "x": 1})
    assert not is_marker([marker])


def test_names_come_once_in_order():
    assert names_in("{b} {a} {b} {c d} {{e}}") == ("b", "a", "e")


@pytest.mark.parametrize(
    "group",
    ["{số}", "{a.b}", "{ a }", "{1a}", "{a-b}", "{a b}", "{a:>8}", "{a!r}", "{a[0]}", "{{a}}", "{Größe}", "{{ a }}"],
)
def test_groups_that_were_meant_as_placeholders(group):
    assert lookalikes_in(f"say {group}, please") == (group,)


@pytest.mark.parametrize(
    "text",
    ["{a}", "{}", "{1}", "{1.5}", '{"a": 1}', "{'a'}", "{see: this note}", "a { b", "} {", "{\n}", '{"a":{"b":{}}}'],
)
def test_groups_that_were_not(text):
    assert lookalikes_in(text) == ()


def test_lookalikes_come_once_in_order():
    assert lookalikes_in("{b.c} {a} {ä} {b.c}") == ("{b.c}", "{ä}")


@pytest.mark.parametrize("text", ["{" * 10**5, "{ " * 10**5, "{" + " " * 10**5, "{a " * 10**5, "{" + "a" * 10**5])
def test_hostile_texts_are_searched_in_linear_time(text):
    started = time.monotonic()
    assert lookalikes_in(text) == ()
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("value", [True, False, None, [], ["a"], {}, {"a": 1}, 1e16, 1e-7, float("inf"), float("nan")])
def test_values_that_read_like_code(value):
    assert renders_as_code(value)


@pytest.mark.parametrize("value", ["True", "", 5, -5, 10**30, 1.5, -0.25, 1000.0])
def test_values_that_people_say(value):
    assert not renders_as_code(value)


@given(
    st.lists(st.tuples(st.text(alphabet="ab {}", max_size=4), NAMES), max_size=4), st.text(alphabet="ab ", max_size=4)
)
def test_filling_puts_each_value_where_its_name_stood(parts, tail):
    values = {name: f"<{name}>" for _, name in parts}
    text = "".join(f"{before.replace('{', '').replace('}', '')}{{{name}}}" for before, name in parts) + tail
    expected = "".join(f"{before.replace('{', '').replace('}', '')}<{name}>" for before, name in parts) + tail
    assert fill_text(text, values) == expected


@given(NAMES, VALUES)
def test_an_exact_placeholder_gives_the_very_value(name, value):
    assert fill({"x": [f"{{{name}}}"]}, {name: value})["x"][0] is value


@given(st.text(max_size=20))
def test_any_text_can_be_read(text):
    names = names_in(text)
    filled = fill_text(text, dict.fromkeys(names, ""))
    assert isinstance(filled, str)
    assert all(group in text for group in lookalikes_in(text))
