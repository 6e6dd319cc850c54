import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.schema import definition_problems
from assay.schema.cycles import cycles
from tests.support.schemas import any_schema, json_values


def problems_of(parameters):
    return definition_problems({"type": "function", "function": {"name": "f", "parameters": parameters}})


def told(schema):
    """(reason, path) of the problems of one parameter `v`."""
    found = problems_of({"type": "object", "properties": {"v": schema}})
    return [(each.reason, each.path) for each in found]


def reasons(schema):
    return [reason for reason, _ in told(schema)]


def test_a_good_definition_has_no_problem():
    assert problems_of({"type": "object", "properties": {}}) == ()
    assert definition_problems({"function": {"name": "f", "parameters": {}, "strict": True, "description": ""}}) == ()


@pytest.mark.parametrize("entry", [None, [], "f", 4])
def test_an_entry_that_is_no_object_is_only_that(entry):
    assert [each.reason for each in definition_problems(entry)] == ["tool_not_object"]


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ({"type": "tool", "function": {"name": "f", "parameters": {}}}, ["tool_type_not_function"]),
        ({"type": None, "function": {"name": "f", "parameters": {}}}, ["tool_type_not_function"]),
        ({"type": "x"}, ["tool_type_not_function", "tool_function_not_object"]),
        ({"function": []}, ["tool_function_not_object"]),
        ({"function": {"parameters": {}}}, ["tool_name_not_nonempty_string"]),
        ({"function": {"name": "  ", "parameters": {}}}, ["tool_name_not_nonempty_string"]),
        ({"function": {"name": 4, "parameters": {}}}, ["tool_name_not_nonempty_string"]),
        ({"function": {"name": "f", "description": None, "parameters": {}}}, ["tool_description_not_string"]),
        ({"function": {"name": "f", "strict": "yes", "parameters": {}}}, ["tool_strict_not_boolean"]),
        ({"function": {"name": "f"}}, ["parameters_not_object"]),
        ({"function": {"name": "f", "parameters": None}}, ["parameters_not_object"]),
        ({"function": {"name": "f", "parameters": {"type": "array"}}}, ["parameters_type_not_object"]),
        ({"function": {"name": "f", "parameters": {"type": ["object"]}}}, ["parameters_type_not_object"]),
        (
            {"function": {"name": "", "description": 1, "strict": 1, "parameters": []}},
            [
                "tool_name_not_nonempty_string",
                "tool_description_not_string",
                "tool_strict_not_boolean",
                "parameters_not_object",
            ],
        ),
    ],
)
def test_faults_of_the_definition_itself(definition, expected):
    assert [each.reason for each in definition_problems(definition)] == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "decimalish"}, ["invalid_schema_type"]),
        ({"type": []}, ["invalid_schema_type"]),
        ({"type": None}, ["invalid_schema_type"]),
        ({"type": ["string", 4]}, ["invalid_schema_type"]),
        ({"type": {"a": 1}}, ["invalid_schema_type"]),
        ({"type": ["string", "string"]}, ["duplicate_schema_type"]),
        ({"enum": None}, ["schema_enum_not_array"]),
        ({"enum": "abc"}, ["schema_enum_not_array"]),
        ({"enum": []}, ["schema_enum_empty"]),
        ({"enum": ["a", "b", "a"]}, ["duplicate_schema_enum_value"]),
        ({"enum": [1, 1.0]}, ["duplicate_schema_enum_value"]),
        ({"enum": [1, True], "type": ["integer", "boolean"]}, []),
        ({"enum": [[1], [True]]}, []),
        ({"type": "string", "enum": ["a", 4, None]}, ["schema_value_violates_type", "schema_value_violates_type"]),
        ({"type": "string", "const": 5}, ["schema_value_violates_type"]),
        ({"type": "integer", "const": 5.0}, ["schema_value_violates_type"]),
        ({"const": None}, []),
        ({"type": "integer", "default": "x"}, ["invalid_schema_default"]),
        ({"required": ["a", "b"], "properties": {"a": {}, "b": {}}, "default": {}}, 2 * ["invalid_schema_default"]),
        ({"default": None}, []),
        ({"type": "dict", "default": {}}, ["invalid_schema_type"]),
        ({"additionalProperties": None}, ["schema_additional_properties_not_boolean"]),
        ({"additionalProperties": {"type": "string"}}, ["schema_additional_properties_not_boolean"]),
        ({"minLength": -1}, ["invalid_schema_bound"]),
        ({"maxLength": 1.0}, ["invalid_schema_bound"]),
        ({"minItems": True}, ["invalid_schema_bound"]),
        ({"maximum": "9"}, ["invalid_schema_bound"]),
        ({"minimum": False}, ["invalid_schema_bound"]),
        ({"minimum": None, "maxLength": None}, []),
        ({"minimum": -1.5, "maximum": -1.5}, []),
        ({"minimum": 8, "maximum": 3}, ["inconsistent_schema_bounds"]),
        ({"minLength": 6, "maxLength": 2}, ["inconsistent_schema_bounds"]),
        ({"minItems": 1, "maxItems": 0}, ["inconsistent_schema_bounds"]),
        ({"pattern": 77}, ["schema_pattern_not_string"]),
        ({"pattern": "("}, ["invalid_schema_pattern"]),
        ({"pattern": "((a{999}){999}){999}"}, ["invalid_schema_pattern"]),
        ({"$ref": "#"}, ["schema_ref_not_local"]),
        ({"$ref": "https://example.org/x"}, ["schema_ref_not_local"]),
        ({"$ref": 4}, ["schema_ref_not_local"]),
        ({"$ref": None}, []),
        ({"$ref": "#/$defs/none"}, ["unresolvable_schema_ref"]),
        ({"$ref": "#/properties/v"}, ["cyclic_schema_ref"]),
        ({"allOf": []}, ["schema_all_of_not_nonempty_array"]),
        ({"allOf": {}}, ["schema_all_of_not_nonempty_array"]),
        ({"allOf": None}, []),
        ({"allOf": [{}, True]}, ["all_of_schema_not_object"]),
        ({"$defs": []}, ["schema_definitions_not_object"]),
        ({"definitions": {"a": True}}, ["definition_schema_not_object"]),
        ({"$defs": None}, []),
        ({"properties": []}, ["schema_properties_not_object"]),
        ({"properties": {"a": True}}, ["property_schema_not_object"]),
        ({"required": "abc"}, ["schema_required_not_string_array"]),
        ({"required": [1]}, ["schema_required_not_string_array"]),
        ({"required": None, "properties": {}}, []),
        ({"required": ["a", "a"], "properties": {"a": {}}}, ["duplicate_required_property"]),
        ({"required": ["a"]}, ["required_property_not_declared"]),
        ({"items": True}, ["items_schema_not_object"]),
        ({"items": [{}]}, ["items_schema_not_object"]),
        ({"format": 7, "title": None, "examples": 1, "deprecated": "x"}, []),
    ],
)
def test_faults_of_a_schema_node(schema, expected):
    assert reasons(schema) == expected


@pytest.mark.parametrize("keyword", ["exclusiveMinimum", "uniqueItems", "$schema", "x-note", "Type"])
def test_keywords_outside_the_subset_are_refused(keyword):
    assert told({keyword: 1}) == [("unsupported_schema_keyword", "$.v")]


def test_branching_keywords_come_first_then_the_others_each_sorted():
    found = problems_of({"zeta": 1, "oneOf": [], "if": {}, "anyOf": [], "not": {}})
    assert [each.extras["keyword"] for each in found] == ["anyOf", "not", "oneOf", "if", "zeta"]


def test_the_order_within_a_node_is_the_contracts():
    node = {
        "required": ["z"],
        "allOf": [],
        "$ref": "x",
        "minimum": 5,
        "maximum": 1,
        "pattern": 1,
        "minLength": -1,
        "additionalProperties": 1,
        "enum": [4, 4],
        "type": ["integer", "integer"],
        "odd": 1,
    }
    assert reasons(node) == [
        "unsupported_schema_keyword",
        "duplicate_schema_type",
        "duplicate_schema_enum_value",
        "schema_additional_properties_not_boolean",
        "invalid_schema_bound",
        "schema_pattern_not_string",
        "inconsistent_schema_bounds",
        "schema_ref_not_local",
        "schema_all_of_not_nonempty_array",
        "required_property_not_declared",
    ]


def test_defaults_are_judged_after_enums_and_before_bounds():
    node = {"minimum": "x", "default": 1, "enum": [2, 2], "type": "integer"}
    assert reasons(node) == ["duplicate_schema_enum_value", "invalid_schema_default", "invalid_schema_bound"]


def test_paths_and_node_paths():
    bad = {"oops": 1}
    found = problems_of(
        {
            "properties": {"a": {"properties": {"b": bad}}, "c": {"items": bad}},
            "allOf": [bad],
            "$defs": {"d": bad},
        }
    )
    base = ("function", "parameters")
    assert [(each.path, each.node_path) for each in found] == [
        ("$.allOf[0]", (*base, "allOf", 0, "oops")),
        ("$.$defs.d", (*base, "$defs", "d", "oops")),
        ("$.a.b", (*base, "properties", "a", "properties", "b", "oops")),
        ("$.c[]", (*base, "properties", "c", "items", "oops")),
    ]


def test_a_definition_that_two_references_reach_is_reported_once():
    found = problems_of(
        {"properties": {"a": {"$ref": "#/$defs/d"}, "b": {"$ref": "#/$defs/d"}}, "$defs": {"d": {"type": "dict"}}}
    )
    assert [(each.reason, each.path) for each in found] == [("invalid_schema_type", "$.$defs.d")]


def test_a_place_outside_the_structure_is_looked_at_through_its_reference():
    found = problems_of({"properties": {"a": {"$ref": "#/examples/e"}}, "examples": {"e": {"type": "dict"}}})
    assert [(each.reason, each.path) for each in found] == [("invalid_schema_type", "$.a->#/examples/e")]


@pytest.mark.parametrize("keyword", ["properties", "items"])
def test_a_schema_may_refer_to_its_ancestor_through_data(keyword):
    below = {"$ref": "#/$defs/node"}
    node = {"properties": {"next": below}} if keyword == "properties" else {"items": below}
    assert problems_of({"properties": {"v": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}) == ()


def test_cycles_through_references_and_branches_alone_are_refused_once_each():
    found = problems_of(
        {
            "properties": {"v": {"$ref": "#/$defs/a"}},
            "$defs": {
                "a": {"$ref": "#/$defs/b"},
                "b": {"allOf": [{"$ref": "#/$defs/a"}]},
                "c": {"$ref": "#/$defs/c"},
                "d": {"$ref": "#/$defs/a"},
            },
        }
    )
    assert [each.reason for each in found] == ["cyclic_schema_ref", "cyclic_schema_ref"]
    assert {each.extras["reference"] for each in found} == {"#/$defs/a", "#/$defs/c"}
    assert all(each.node_path[-1] == "$ref" for each in found)


def test_cycles_of_a_graph():
    assert list(cycles({1: [2], 2: [3], 3: []})) == []
    assert list(cycles({1: [2], 2: [3], 3: [2]})) == [[2, 3]]
    assert list(cycles({1: [1], 2: [1, 3], 3: [2]})) == [[1], [2, 3]]


@given(st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 6), max_size=3), max_size=7))
def test_breaking_the_found_cycles_leaves_none(edges):
    left = {node: list(targets) for node, targets in edges.items()}
    for cycle in cycles(edges):
        last, first = cycle[-1], cycle[0]
        assert first in edges[last]
        assert all(following in edges[node] for node, following in pairwise(cycle))
        left[last] = [target for target in left[last] if target != first]
    assert list(cycles(left)) == []


def test_hostile_sizes_take_bounded_time():
    chain = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(3000)}
    wide = {"enum": [[n] for n in range(20_000)]}
    started = time.monotonic()
    found = problems_of({"properties": {"a": {"$ref": "#/$defs/d0"}, "b": wide}, "$defs": {**chain, "d3000": {}}})
    assert time.monotonic() - started < 5
    assert found == ()


def test_nesting_beyond_use_is_refused_and_not_followed():
    schema = {}
    for _ in range(150):
        schema = {"items": schema}
    assert [each.reason for each in problems_of({"properties": {"v": schema}})] == ["schema_too_deep"]


@given(json_values)
def test_no_entry_raises(entry):
    assert isinstance(definition_problems(entry), tuple)


@given(any_schema)
def test_no_schema_raises(schema):
    for problem in problems_of(schema):
        assert problem.reason
        assert problem.node_path[:2] == ("function", "parameters")
        assert problem.to_json()["reason"] == problem.reason
