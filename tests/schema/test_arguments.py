import time

import pytest
from hypothesis import given

from assay.schema import argument_problems, find_argument_problems
from tests.support.schemas import any_schema, json_values

ORDER = {
    "type": "object",
    "properties": {
        "order_ref": {"type": "string"},
        "loaves": {"type": "integer"},
        "finish": {"type": "string", "enum": ["glazed", "plain"]},
    },
    "required": ["order_ref"],
    "additionalProperties": False,
}


def value_problems(schema, value):
    """What is wrong with one value, held by a parameter `v`."""
    found = argument_problems({"properties": {"v": schema}}, {"v": value})
    return [(each["reason"], each["argument"]) for each in found]


def reasons(schema, value):
    return [reason for reason, _ in value_problems(schema, value)]


def test_a_good_call_has_no_problem():
    assert argument_problems(ORDER, {"order_ref": "ORD-4", "finish": "plain", "loaves": 3}) == ()


@pytest.mark.parametrize("payload", [None, [], "x", 3, True])
def test_arguments_must_be_an_object(payload):
    assert argument_problems(ORDER, payload) == ({"reason": "arguments_not_object", "argument": "$"},)


def test_a_tool_without_a_schema_accepts_anything():
    assert argument_problems({}, {"anything": [1, {"goes": None}]}) == ()


def test_a_missing_and_an_unknown_argument_are_named():
    assert argument_problems(ORDER, {"tip": 1}) == (
        {"reason": "missing_required_argument", "argument": "order_ref"},
        {"reason": "unknown_argument", "argument": "tip"},
    )


def test_unknown_arguments_are_allowed_unless_additional_properties_is_exactly_false():
    for allowed in (True, None, 0, {}, {"type": "string"}):
        assert argument_problems({**ORDER, "additionalProperties": allowed}, {"order_ref": "x", "tip": 1}) == ()


def test_a_type_mismatch_names_the_expected_type_and_ends_the_look_at_that_value():
    found = argument_problems(ORDER, {"order_ref": "x", "finish": 4})
    assert found == ({"reason": "argument_type_mismatch", "argument": "finish", "expected_type": "string"},)


@pytest.mark.parametrize(
    ("name", "fits", "breaks"),
    [
        ("integer", [0, -3, 10**30], [True, 1.0, "1", None]),
        ("number", [0, 1.5, 1.0], [True, "1", None]),
        ("boolean", [True, False], [0, 1, "true"]),
        ("string", ["", "x"], [0, None, ["x"]]),
        ("array", [[], [1]], [{}, "x"]),
        ("object", [{}], [[], None]),
        ("null", [None], [0, False, ""]),
    ],
)
def test_type_names(name, fits, breaks):
    for value in fits:
        assert reasons({"type": name}, value) == []
    for value in breaks:
        assert reasons({"type": name}, value) == ["argument_type_mismatch"]


def test_a_list_of_types_allows_any_of_them():
    schema = {"type": ["integer", "null"]}
    assert reasons(schema, None) == reasons(schema, 3) == []
    assert argument_problems({"properties": {"v": schema}}, {"v": "x"})[0]["expected_type"] == ["integer", "null"]


@pytest.mark.parametrize(
    ("schema", "fits", "breaks", "reason"),
    [
        ({"enum": [1, "a"]}, [1, 1.0, "a"], [True, 2, "A"], "argument_not_in_enum"),
        ({"enum": [True]}, [True], [1, 1.0], "argument_not_in_enum"),
        ({"enum": [[1, {"a": 0}]]}, [[1.0, {"a": 0}]], [[True, {"a": 0}], [1, {"a": False}]], "argument_not_in_enum"),
        ({"const": True}, [True], [1, "true"], "argument_not_equal_const"),
        ({"const": None}, [None], [0, False], "argument_not_equal_const"),
        ({"minLength": 2}, ["ab", "日本"], ["a", "\U0001f600"], "string_too_short"),
        ({"maxLength": 2}, ["ab", "\U0001f600\U0001f600"], ["abc"], "string_too_long"),
        ({"pattern": "^[A-Z]+-[0-9]$"}, ["ORD-4"], ["ord-4", "ORD-44"], "string_pattern_mismatch"),
        ({"pattern": "b"}, ["abc"], ["ac"], "string_pattern_mismatch"),
        ({"minimum": 1}, [1, 1.0, 1.5], [0, 0.99], "number_below_minimum"),
        ({"maximum": 2.5}, [2.5, 2], [3, 2.51], "number_above_maximum"),
        ({"minItems": 1}, [[0]], [[]], "array_too_short"),
        ({"maxItems": 1}, [[0]], [[0, 0]], "array_too_long"),
    ],
)
def test_keywords_at_their_edges(schema, fits, breaks, reason):
    for value in fits:
        assert reasons(schema, value) == []
    for value in breaks:
        assert reasons(schema, value) == [reason]


@pytest.mark.parametrize("value", [None, True, 4, "abc", [1, 2, 3], {"a": 1}])
def test_constraints_of_another_type_are_ignored(value):
    bounds = {
        "string": {"minLength": 9},
        "number": {"minimum": 99},
        "array": {"minItems": 9},
        "object": {"required": ["z"], "properties": {"z": {}}},
    }
    own = {str: "string", int: "number", list: "array", dict: "object"}.get(type(value))
    for kind, schema in bounds.items():
        assert bool(reasons(schema, value)) == (kind == own)


def test_names_of_nested_arguments():
    parcel = {
        "type": "object",
        "properties": {
            "tag": {"type": "string", "pattern": "^[A-Z]+$"},
            "weights": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        },
        "required": ["tag", "owner"],
        "additionalProperties": False,
    }
    found = value_problems(parcel, {"tag": "small", "weights": [2, 0, "x"], "fragile": True})
    assert found == [
        ("missing_required_argument", "v.owner"),
        ("unknown_argument", "v.fragile"),
        ("string_pattern_mismatch", "v.tag"),
        ("number_below_minimum", "v.weights[1]"),
        ("argument_type_mismatch", "v.weights[2]"),
    ]


def test_failures_of_the_whole_keep_the_dollar():
    assert argument_problems({"const": 1}, {})[0]["argument"] == "$"


def test_paths_lead_to_the_value():
    found = find_argument_problems({"properties": {"a.b": {"items": {"maximum": 1}}}}, {"a.b": [0, 5]})
    assert [(each.path, each.rule) for each in found] == [(("a.b", 1), ("maximum", 1))]


def test_references_are_followed_and_combined_with_their_siblings():
    schema = {
        "properties": {"port": {"$ref": "#/$defs/port", "maximum": 5}},
        "$defs": {"port": {"type": "integer", "minimum": 3}},
    }
    assert argument_problems(schema, {"port": 4}) == ()
    assert [each["reason"] for each in argument_problems(schema, {"port": 2})] == ["number_below_minimum"]
    assert [each["reason"] for each in argument_problems(schema, {"port": 6})] == ["number_above_maximum"]


def test_pointers_are_percent_decoded_then_unescaped():
    schema = {"properties": {"v": {"$ref": "#/$defs/a~1b%20~0c"}}, "$defs": {"a/b ~c": {"type": "integer"}}}
    assert [each["reason"] for each in argument_problems(schema, {"v": "x"})] == ["argument_type_mismatch"]


@pytest.mark.parametrize("reference", ["#/$defs/none", "#", "other.json#/a", 7, "#/allOf/0"])
def test_a_reference_to_nowhere_stops_the_look_at_that_node(reference):
    schema = {"properties": {"v": {"$ref": reference, "maximum": 1}}, "allOf": [{}]}
    assert argument_problems(schema, {"v": 9}) == ({"reason": "unresolvable_schema_ref", "argument": "v"},)


def test_every_all_of_branch_holds():
    schema = {"allOf": [{"minimum": 2}, {"maximum": 4}, {"enum": [1, 3, 9]}]}
    assert reasons(schema, 3) == []
    assert reasons(schema, 1) == ["number_below_minimum"]
    assert reasons(schema, 9) == ["number_above_maximum"]


def test_a_recursive_schema_is_followed_as_far_as_the_data_go():
    tree = {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}, "n": {"type": "integer"}}}
    schema = {"properties": {"root": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": tree}}
    value = {"n": 1, "left": {"n": 2, "left": {"n": "three"}}}
    assert argument_problems(schema, {"root": value}) == (
        {"reason": "argument_type_mismatch", "argument": "root.left.left.n", "expected_type": "integer"},
    )


def test_the_same_failure_found_by_two_ways_is_told_once():
    schema = {
        "properties": {"v": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}},
        "$defs": {"a": {"maximum": 1}},
    }
    assert len(argument_problems(schema, {"v": 2})) == 1


def test_a_cycle_that_consumes_no_data_ends():
    schema = {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}}
    assert argument_problems(schema, {"v": 1}) == ()


def test_schemas_that_double_at_each_level_take_no_longer_than_their_data():
    branch = {"properties": {"x": {"$ref": "#/$defs/node"}}}
    schema = {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {"allOf": [{"$ref": "#/$defs/one"}, {"$ref": "#/$defs/two"}]},
            "one": branch,
            "two": {**branch, "required": ["x"]},
        },
    }
    value = {}
    for _ in range(90):
        value = {"x": value}
    started = time.monotonic()
    found = argument_problems(schema, value)
    assert time.monotonic() - started < 2
    assert [each["reason"] for each in found] == ["missing_required_argument"]


def test_long_chains_of_references_do_not_exhaust_the_stack():
    definitions = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(5000)}
    schema = {"properties": {"v": {"$ref": "#/$defs/d0"}}, "$defs": {**definitions, "d5000": {"type": "null"}}}
    assert [each["reason"] for each in argument_problems(schema, {"v": 1})] == ["argument_type_mismatch"]


def test_what_is_malformed_in_a_schema_is_passed_over():
    broken = {
        "enum": "abc",
        "minLength": "2",
        "minimum": True,
        "maxItems": 1.0,
        "pattern": 7,
        "allOf": {"a": 1},
        "required": "abc",
        "properties": [],
        "items": True,
    }
    for value in (None, True, 4, "abc", [1, 2, 3], {"a": 1}):
        assert reasons(broken, value) == []


def test_a_malformed_type_cannot_be_judged():
    assert reasons({"type": "dict", "maximum": 1}, 5) == ["invalid_schema_type"]
    assert reasons({"type": []}, 5) == ["invalid_schema_type"]
    assert reasons({"pattern": "("}, "x") == ["invalid_schema_pattern"]


@given(any_schema, json_values)
def test_no_schema_and_no_value_raises(schema, value):
    for problem in find_argument_problems(schema, value):
        assert problem.reason
        assert isinstance(problem.to_json()["argument"], str)
