import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assay.findings import Place, Severity
from assay.pack.bounds import MAX_DEPTH, MAX_DOCUMENT_BYTES, MAX_LISTED, MAX_NODES
from assay.pack.yaml_reader import read_yaml


def read(source):
    return read_yaml("x.yaml", source)


def data(source):
    document, findings = read(source)
    assert findings == ()
    return document.data


def fault(source, code):
    document, findings = read(source)
    assert [each.code for each in findings] == [code]
    return document, findings[0]


TEXT = """\
# a comment
name: one
list:
  - 1
  - {a: true, "b c": [x]}
đường: {é: "𝔘"}
block: |
  two
  lines
"""


def test_data_is_that_of_the_safe_loader():
    assert data(TEXT) == yaml.safe_load(TEXT)


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ((), (2, 1), None),
        (("name",), (2, 7), (2, 1)),
        (("list",), (4, 3), (3, 1)),
        (("list", 0), (4, 5), None),
        (("list", 1), (5, 5), None),
        (("list", 1, "a"), (5, 9), (5, 6)),
        (("list", 1, "b c", 0), (5, 23), None),
        (("đường", "é"), (6, 12), (6, 9)),
        (("block",), (7, 8), (7, 1)),
    ],
)
def test_places_of_values_and_keys(path, value, key):
    document, _ = read(TEXT)
    assert document.place(path) == Place("x.yaml", *value)
    if key is not None:
        assert document.place(path, key=True) == Place("x.yaml", *key)


def test_a_missing_node_falls_back_to_its_nearest_ancestor():
    document, _ = read(TEXT)
    assert document.place(("list", 1, "zzz", 4)) == Place("x.yaml", 5, 5)


def test_columns_count_characters_after_wide_ones_and_lines_end_as_editors_end_them():
    document, _ = read("𝔘: {a: 1}\r\nb: 2\r\n")
    assert document.place(("𝔘", "a")) == Place("x.yaml", 1, 8)
    assert document.place(("b",)) == Place("x.yaml", 2, 4)


@pytest.mark.parametrize("source", ["", "\n# nothing\n", "---\n", "null"])
def test_an_empty_document_is_null(source):
    assert data(source) is None


def test_how_numbers_are_written_is_known():
    document, _ = read("version: 0.10\nname: x\n")
    assert document.data["version"] == 0.1
    assert document.written(("version",)) == "0.10"
    assert document.written(("name",)) is None


# Syntax, encoding


@pytest.mark.parametrize(
    ("source", "line", "column", "told"),
    [
        ("a: 1\nb: c: d\n", 2, 5, "mapping values are not allowed"),
        ("a: [1, 2\nb: 3\n", 2, 2, "did not find expected ',' or ']'"),
        ("a:\n\t- 1\n", 2, 1, "cannot start any token"),
        ('a: "x\n', 2, 1, "unexpected end of stream"),
        ("a: *nowhere\n", 1, 4, "`*nowhere`"),
    ],
)
def test_syntax_errors_stand_at_their_place(source, line, column, told):
    _, found = fault(source, "yaml_syntax")
    assert found.place == Place("x.yaml", line, column)
    assert told in found.message
    assert found.severity is Severity.ERROR


def test_a_second_document_is_reported_and_the_first_one_read():
    document, found = fault("a: 1\n---\nb: 2\n", "multiple_documents")
    assert document.data == {"a": 1}
    assert found.place == Place("x.yaml", 2, 1)


def test_a_byte_order_mark_is_a_warning_and_no_part_of_the_text():
    document, found = fault(b"\xef\xbb\xbfa: 1\n", "byte_order_mark")
    assert document.data == {"a": 1}
    assert document.place(("a",), key=True) == Place("x.yaml", 1, 1)
    assert (found.severity, found.place) == (Severity.WARNING, Place("x.yaml", 1, 1))


def test_bytes_that_are_not_utf_8():
    document, found = fault("a: é\nb: ".encode() + b"\xff\n", "not_utf8")
    assert document is None
    assert found.place == Place("x.yaml", 2, 4)
    assert "0xFF" in found.message


def test_utf_16_is_not_utf_8():
    assert fault("a: 1".encode("utf-16"), "not_utf8")[0] is None


@pytest.mark.parametrize("character", ["\0", "\x07", "\x7f", "\u0080", "\ufffe"])
def test_control_characters(character):
    document, found = fault(f"a: 1\nb: x{character}y\n", "control_character")
    assert document is None
    assert found.place == Place("x.yaml", 2, 5)
    assert f"U+{ord(character):04X}" in found.message


def test_half_of_a_surrogate_pair_in_text_given_as_text():
    assert fault("a: \ud800\n", "not_utf8")[0] is None


def test_an_escape_for_half_of_a_surrogate_pair_is_a_syntax_error():
    assert fault('a: "\\ud800"\n', "yaml_syntax")[0] is None


# Keys


def test_duplicate_keys_name_both_places_and_the_last_value_counts():
    document, found = fault("a: 1\nb:\n  k: 1\n  'k': 2\n", "duplicate_key")
    assert document.data == {"a": 1, "b": {"k": 2}}
    assert found.place == Place("x.yaml", 4, 3)
    assert "line 3, column 3" in found.message
    assert found.detail == {"key": "k", "first": {"line": 3, "column": 3}}


def test_a_key_that_stands_three_times_is_reported_twice():
    _, findings = read("{a: 1, a: 2, a: 3}")
    assert [(each.code, each.place.column) for each in findings] == [("duplicate_key", 8), ("duplicate_key", 14)]


@pytest.mark.parametrize(
    ("source", "key"), [("1: x", "1"), ("true: x", "true"), ("~: x", "~"), ("0.50: x", "0.50"), ("? \n: x", "")]
)
def test_keys_that_are_not_text_become_the_text_as_written(source, key):
    document, found = fault(source, "key_not_text")
    assert document.data == {key: "x"}
    assert f'"{key}"' in found.fix


def test_a_norwegian_key_is_reported_and_kept():
    document, findings = read("user_turn_templates:\n  no: Hei\n")
    assert [each.code for each in findings] == ["ambiguous_scalar", "key_not_text"]
    assert document.data == {"user_turn_templates": {"no": "Hei"}}


def test_a_key_that_is_a_list_is_reported_and_its_entry_left_out():
    document, found = fault("? [a]\n: 1\nb: 2\n", "key_not_text")
    assert document.data == {"b": 2}
    assert found.place == Place("x.yaml", 1, 3)


def test_keys_of_different_unicode_forms_are_different_keys():
    assert data("{'\u00e9': 1, 'e\u0301': 2}") == {"\u00e9": 1, "e\u0301": 2}


# Values


def test_ambiguous_scalars_keep_their_meaning_and_tell_the_spelling():
    document, findings = read("a: yes\nb: 010\nc: [1:30]\n")
    assert document.data == {"a": True, "b": 8, "c": [90]}
    assert [(each.code, each.severity, each.place) for each in findings] == [
        ("ambiguous_scalar", "warning", Place("x.yaml", 1, 4)),
        ("ambiguous_scalar", "warning", Place("x.yaml", 2, 4)),
        ("ambiguous_scalar", "warning", Place("x.yaml", 3, 5)),
    ]
    assert findings[0].fix == 'Write `true` for the boolean, `"yes"` for the text.'


def test_quoted_scalars_are_text():
    assert data("[\"yes\", '010', !!str 7]") == ["yes", "010", "7"]


@pytest.mark.parametrize("written", [".nan", "-.inf", "9" * 200 + ".0e+200"])
def test_numbers_that_are_not_finite(written):
    document, found = fault(f"a: {written}\n", "non_finite_number")
    assert document.data == {"a": written}
    assert found.place == Place("x.yaml", 1, 4)


def test_an_endless_number_stays_text():
    document, found = fault("a: " + "7" * 5000, "number_too_long")
    assert document.data == {"a": "7" * 5000}
    assert found.place == Place("x.yaml", 1, 4)
    assert "5000 characters" in found.message


def test_timestamps_stay_text():
    assert data("a: 2026-03-02\nb: !!timestamp 2026-03-02\n") == {"a": "2026-03-02", "b": "2026-03-02"}


@pytest.mark.parametrize("tag", ["!!python/object:os.system", "!!binary", "!!set", "!mine", "!!int", "!!bool"])
def test_tags_that_json_has_no_use_for(tag):
    document, found = fault(f"a: {tag} abc\n", "unsupported_tag")
    assert document.data == {"a": "abc"}
    assert tag in found.message


def test_tags_of_collections():
    document, found = fault("a: !!omap [x]\nb: !!map {}\n", "unsupported_tag")
    assert document.data == {"a": ["x"], "b": {}}
    assert found.place == Place("x.yaml", 1, 4)


def test_standard_tags():
    assert data("[!!int 5, !!float 5, !!bool true, !!null ~, !!seq [], !!map {}]") == [5, 5.0, True, None, [], {}]


# Anchors


def test_aliases_are_copies():
    loaded = data("a: &x {k: [1]}\nb: *x\n")
    assert loaded == {"a": {"k": [1]}, "b": {"k": [1]}}
    assert loaded["a"] is not loaded["b"]


def test_the_place_of_an_aliased_value_is_where_it_is_written():
    document, _ = read("a: &x {k: [1]}\nb: *x\n")
    assert document.place(("b", "k", 0)) == Place("x.yaml", 1, 12)
    assert document.place(("b",), key=True) == Place("x.yaml", 2, 1)


MERGE = """\
base: &base {a: 1, b: 2}
more: &more {b: 3, c: 4}
one: {<<: *base, b: 9}
two: {<<: [*base, *more]}
"""


def test_merge_keys_do_what_the_safe_loader_does():
    assert data(MERGE) == yaml.safe_load(MERGE)
    assert list(data(MERGE)["one"]) == ["a", "b"]


def test_a_quoted_merge_key_is_a_key():
    assert data('{"<<": 1}') == {"<<": 1}


def test_a_merge_of_something_else():
    document, found = fault("a: {<<: 5, b: 1}\n", "merge_not_mapping")
    assert document.data == {"a": {"b": 1}}
    assert found.place == Place("x.yaml", 1, 5)


def test_an_alias_inside_its_own_anchor():
    document, found = fault("a: &x [1, *x]\n", "recursive_alias")
    assert document.data == {"a": [1, None]}
    assert found.place == Place("x.yaml", 1, 11)


# Bounds


def test_depth_at_its_edge():
    assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH)[1] == ()
    document, found = fault("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "input_too_deep")
    assert document is None
    assert found.place == Place("x.yaml", 1, MAX_DEPTH + 1)


@pytest.mark.parametrize(
    "source", ["[" * 10**6, "{a: " * 10**6, "- " * 10**6, "? " * 10**6, "[{" * 10**6, "[?" * 10**6, "{? " * 10**6]
)
def test_a_million_levels_are_refused_quickly(source):
    started = time.process_time()
    document, _ = fault(source, "input_too_deep")
    assert document is None
    assert time.process_time() - started < 5


def test_an_alias_bomb_is_refused_quickly():
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    started = time.process_time()
    document, found = fault("\n".join(levels), "input_too_large")
    assert document is None
    assert found.place.line == 6
    assert time.process_time() - started < 2


def test_a_merge_bomb_is_refused():
    levels = ["a0: &a0 {k: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]}"]
    levels += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 12)]
    document, _ = fault("\n".join(levels), "input_too_large")
    assert document is None


def test_a_chain_of_anchors_that_grows_deep():
    levels = ["- &a0 [x]"] + [f"- &a{n} [*a{n - 1}]" for n in range(1, 200)]
    document, _ = fault("\n".join(levels), "input_too_deep")
    assert document is None


def test_size_at_its_edge():
    text = "a: " + "x" * (MAX_DOCUMENT_BYTES - 3)
    assert read(text)[1] == ()
    document, found = fault(text + "x", "input_too_large")
    assert document is None
    assert str(MAX_DOCUMENT_BYTES + 1) in found.message


def test_too_many_values():
    document, _ = fault("[" + "1," * MAX_NODES + "]", "input_too_large")
    assert document is None


def test_many_directives_are_refused_before_they_are_compared_with_one_another():
    source = "".join(f"%TAG !a{n}! tag:x\n" for n in range(200_000)) + "--- 1\n"
    started = time.process_time()
    document, found = fault(source, "input_too_large")
    assert document is None
    assert found.place == Place("x.yaml", 21, 1)
    assert time.process_time() - started < 2


def test_findings_of_one_code_are_counted_when_there_are_too_many():
    _, findings = read("\n".join("a: 1" for _ in range(MAX_LISTED + 8)))
    assert [each.code for each in findings].count("duplicate_key") == MAX_LISTED
    further = [each for each in findings if each.code == "further_findings"]
    assert [each.detail for each in further] == [{"code": "duplicate_key", "count": MAX_LISTED + 7}]
    assert further[0].place == Place("x.yaml", 1, 1)
    assert "7 further" in further[0].message


@given(st.text(alphabet=st.characters(), max_size=60) | st.text("[]{}:,-?&*!|>'\"%@` \n\tab1.<~#", max_size=40))
def test_no_text_raises(source):
    document, findings = read(source)
    assert document is not None or findings
    if document is not None:
        assert document.place(()).file == "x.yaml"


@given(st.binary(max_size=40))
def test_no_bytes_raise(source):
    document, findings = read(source)
    assert document is not None or findings


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON_LIKE)
def test_what_is_written_is_read_back(value):
    document, findings = read(yaml.safe_dump(value))
    assert document.data == value
    assert {each.code for each in findings} <= {"ambiguous_scalar"}
