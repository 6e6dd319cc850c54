import json
import time

from hypothesis import given

from assay.schema import argument_problems, with_defaults
from tests.support.schemas import any_schema, json_values


def test_a_missing_property_takes_its_default_and_a_given_one_stays():
    schema = {"properties": {"confirm": {"default": False}, "n": {"default": 3}, "free": {}}}
    assert with_defaults(schema, {"n": None}) == {"confirm": False, "n": None}


def test_the_arguments_and_the_schema_are_left_alone():
    schema = {"properties": {"tags": {"default": ["a"]}, "deep": {"properties": {"x": {"default": 1}}}}}
    given_arguments = {"deep": {}}
    filled = with_defaults(schema, given_arguments)
    filled["tags"].append("b")
    assert given_arguments == {"deep": {}}
    assert filled["deep"] == {"x": 1}
    assert schema["properties"]["tags"]["default"] == ["a"]


def test_a_missing_object_without_a_default_stays_missing():
    schema = {"properties": {"deep": {"properties": {"x": {"default": 1}}}}}
    assert with_defaults(schema, {}) == {}


def test_defaults_reach_into_items_and_inserted_values():
    schema = {
        "properties": {
            "rows": {"items": {"properties": {"n": {"default": 0}}}},
            "box": {"default": {}, "properties": {"lid": {"default": True}}},
        }
    }
    assert with_defaults(schema, {"rows": [{}, {"n": 5}, "x"]}) == {
        "rows": [{"n": 0}, {"n": 5}, "x"],
        "box": {"lid": True},
    }


def test_a_default_comes_from_the_property_else_the_reference_else_the_first_branch_with_one():
    schema = {
        "properties": {
            "own": {"$ref": "#/$defs/d", "default": "own"},
            "referred": {"$ref": "#/$defs/d", "allOf": [{"default": "branch"}]},
            "branched": {"allOf": [{}, {"default": "first"}, {"default": "second"}]},
        },
        "$defs": {"d": {"default": "referred"}},
    }
    assert with_defaults(schema, {}) == {"own": "own", "referred": "referred", "branched": "first"}


def test_reference_and_bounds_together():
    schema = {
        "type": "object",
        "properties": {"n": {"allOf": [{"$ref": "#/$defs/low"}, {"maximum": 9}]}},
        "$defs": {"low": {"minimum": 2, "default": 5}},
    }
    assert with_defaults(schema, {}) == {"n": 5}
    assert [each["reason"] for each in argument_problems(schema, {"n": 1})] == ["number_below_minimum"]
    assert [each["reason"] for each in argument_problems(schema, {"n": 10})] == ["number_above_maximum"]


def test_a_default_that_a_recursive_schema_would_insert_for_ever_is_inserted_once():
    schema = {"properties": {"child": {"$ref": "#/$defs/node", "default": {}}}}
    schema["$defs"] = {"node": {"properties": {"child": {"$ref": "#/$defs/node", "default": {}}}}}
    assert with_defaults(schema, {}) == {"child": {"child": {}}}


def test_schemas_that_double_at_each_level_take_no_longer_than_their_data():
    definitions = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(60)
    }
    schema = {"$ref": "#/$defs/d0", "properties": {"v": {"$ref": "#/$defs/d0"}}, "$defs": {**definitions, "d60": {}}}
    started = time.monotonic()
    assert with_defaults(schema, {}) == {}
    assert time.monotonic() - started < 2


@given(any_schema, json_values)
def test_no_schema_raises(schema, value):
    filled = with_defaults(schema, {"v": value})
    assert filled["v"] is not None or value is None
    json.dumps(filled)
