import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.findings import Place, Severity
from assay.pack.bounds import MAX_DEPTH, MAX_DOCUMENT_BYTES, MAX_NODES
from assay.pack.json_reader import read_json
from assay.pack.json_scanner import has_more_values


def read(source):
    return read_json("x.json", source)


def fault(source, code):
    document, findings = read(source)
    assert [each.code for each in findings] == [code]
    return document, findings[0]


TEXT = """\
{
  "name": "one",
  "list": [1, {"a": true, "b \\"c\\"": ["x"]}],
  "đường": {"é": "𝔘", "z": null}
}
"""


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ((), (1, 1), None),
        (("name",), (2, 11), (2, 3)),
        (("list",), (3, 11), (3, 3)),
        (("list", 0), (3, 12), None),
        (("list", 1), (3, 15), None),
        (("list", 1, "a"), (3, 21), (3, 16)),
        (("list", 1, 'b "c"', 0), (3, 39), None),
        (("đường", "é"), (4, 18), (4, 13)),
        (("đường", "z"), (4, 28), (4, 23)),
    ],
)
def test_places_of_values_and_keys(path, value, key):
    document, findings = read(TEXT)
    assert findings == ()
    assert document.data == json.loads(TEXT)
    assert document.place(path) == Place("x.json", *value)
    if key is not None:
        assert document.place(path, key=True) == Place("x.json", *key)


@pytest.mark.parametrize(
    ("source", "line", "column", "told"),
    [
        ("", 1, 1, "the file is empty"),
        ('{"a": 1,\n}', 1, 8, "a comma before the closing bracket"),
        ("[1, 2, ]", 1, 6, "a comma before the closing bracket"),
        ('{"a": 1', 1, 8, "the file ends too early"),
        ("{'a': 1}", 1, 2, "texts stand in double quotes"),
        ("[\n  // no\n]", 2, 3, "JSON has no comments"),
        ("[None]", 1, 2, "`None` is not JSON"),
        ("[1]\n[2]", 2, 1, "extra data"),
        ('["a\nb"]', 1, 4, "control character"),
        ("[01]", 1, 3, "expecting ',' delimiter"),
    ],
)
def test_syntax_errors_stand_at_their_place(source, line, column, told):
    document, found = fault(source, "json_syntax")
    assert document is None
    assert found.place == Place("x.json", line, column)
    assert told in found.message


def test_a_byte_order_mark_is_an_error_and_the_rest_is_read():
    document, found = fault(b'\xef\xbb\xbf{"a": 1}', "byte_order_mark")
    assert document.data == {"a": 1}
    assert (found.severity, found.place) == (Severity.ERROR, Place("x.json", 1, 1))


def test_bytes_that_are_not_utf_8():
    _, found = fault(b'{"a":\n "\xe9"}', "not_utf8")
    assert found.place == Place("x.json", 2, 3)


def test_a_nul_byte():
    _, found = fault('{"a":\n \0}', "control_character")
    assert found.place == Place("x.json", 2, 2)


def test_duplicate_keys_name_both_places_and_the_last_value_counts():
    document, found = fault('{"a": {"k": 1,\n "\\u006b": 2}}', "duplicate_key")
    assert document.data == {"a": {"k": 2}}
    assert found.place == Place("x.json", 2, 2)
    assert "line 1, column 8" in found.message


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400 + ".0"])
def test_numbers_that_are_not_finite(written):
    document, found = fault('{"a": [0, ' + written + "]}", "non_finite_number")
    assert isinstance(document.data["a"][1], str)
    assert found.place == Place("x.json", 1, 11)
    assert written[:30] in found.message


def test_a_whole_document_that_is_not_finite():
    document, found = fault("NaN", "non_finite_number")
    assert document.data == "nan"
    assert found.place == Place("x.json", 1, 1)


def test_an_endless_integer_stays_text():
    document, found = fault('{"a": ' + "7" * 5000 + "}", "number_too_long")
    assert document.data == {"a": "7" * 5000}
    assert found.place == Place("x.json", 1, 7)
    assert "5000 characters" in found.message


def test_integers_of_300_digits_are_kept_exactly():
    document, findings = read("[" + "9" * 300 + "]")
    assert findings == ()
    assert document.data == [int("9" * 300)]


def test_half_of_a_surrogate_pair_is_reported_and_made_printable():
    document, findings = read('{"a": "x\\ud800", "\\udc00": 1, "ok": "\\ud835\\udd18"}')
    assert [(each.code, each.place) for each in findings] == [
        ("lone_surrogate", Place("x.json", 1, 7)),
        ("lone_surrogate", Place("x.json", 1, 18)),
    ]
    assert [each.message.split(" holds")[0] for each in findings] == ['"x\\\\ud800"', '"\\\\udc00" is a key that']
    assert document.data == {"a": "x\\ud800", "\\udc00": 1, "ok": "𝔘"}
    json.dumps(document.data, ensure_ascii=False).encode()


def test_depth_at_its_edge():
    assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH)[1] == ()
    document, found = fault("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "input_too_deep")
    assert document is None
    assert found.place == Place("x.json", 1, MAX_DEPTH + 1)


@pytest.mark.parametrize("source", ["[" * 10**6, '{"a":' * 10**6, "[" * 10**6 + "]" * 10**6])
def test_a_million_levels_are_refused_quickly(source):
    started = time.process_time()
    document, _ = fault(source, "input_too_deep")
    assert document is None
    assert time.process_time() - started < 5


def test_size_at_its_edge():
    text = '"' + "x" * (MAX_DOCUMENT_BYTES - 2) + '"'
    assert read(text)[1] == ()
    assert fault(text + " ", "input_too_large")[0] is None


def test_too_many_values_are_refused_before_they_are_made():
    assert fault("[" + "[]," * MAX_NODES + "[]]", "input_too_large")[0] is None


@pytest.mark.parametrize(("text", "limit", "more"), [("[1,2]", 2, True), ("[1,2]", 3, False), ('[",,,,"]', 2, False)])
def test_counting_values_passes_over_texts(text, limit, more):
    assert has_more_values(text, limit) is more


@given(st.text('[]{}:,"\\tf0123456789eE+-.nNaI ulrs\n', max_size=40) | st.text(max_size=40))
def test_no_text_raises(source):
    document, findings = read(source)
    assert document is not None or findings
    if document is not None:
        assert document.place(()).file == "x.json"


@given(st.binary(max_size=40))
def test_no_bytes_raise(source):
    document, findings = read(source)
    assert document is not None or findings


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def spots(value, path=()):
    yield path, value
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in parts:
        yield from spots(part, (*path, step))


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_every_place_is_where_the_value_begins(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    document, findings = read(text)
    assert findings == ()
    assert document.data == value
    lines = text.split("\n")
    for path, part in spots(value):
        place = document.place(path)
        rest = "\n".join([lines[place.line - 1][place.column - 1 :], *lines[place.line :]])
        assert json.JSONDecoder().raw_decode(rest)[0] == part
