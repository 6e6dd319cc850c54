import json

import pytest

from assay.findings import Check, Severity
from assay.schema import definition_findings, tool_findings
from assay.schema.findings import _MESSAGES
from tests.support.models import document, line_of, tool


def findings_of(schema, **function):
    entry = {"type": "function", "function": {"name": "lend", "parameters": schema, **function}}
    return tool_findings(tool(entry)), tool(entry)


def only(schema):
    (found,), _ = findings_of({"type": "object", "properties": {"v": schema}})
    return found


def test_a_finding_stands_at_the_node_and_counts_against_check_3():
    (found,), model = findings_of({"type": "object", "properties": {"fee": {"type": "float"}}})
    assert found.code == "invalid_schema_type"
    assert found.severity is Severity.ERROR
    assert found.check is Check.BACKEND_SCHEMA_ALIGNMENT
    assert found.tool == "lend"
    assert found.place.line == line_of(model, "function", "parameters", "properties", "fee", "type")
    assert found.place.column == 5
    assert "$.fee" in found.message
    assert '"float"' in found.message
    assert found.detail == {"path": "$.fee", "value": "float"}


def test_an_unknown_keyword_is_shown_at_its_key():
    (found,), model = findings_of({"properties": {"fee": {"exclusiveMinimum": 0}}})
    assert found.place.line == line_of(model, "function", "parameters", "properties", "fee", "exclusiveMinimum")
    assert found.place.column == 1
    assert found.detail == {"path": "$.fee", "keyword": "exclusiveMinimum"}
    assert "minimum" in found.fix


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("dict", '"object"'),
        ("float", '"number"'),
        ("int", '"integer"'),
        ("str", '"string"'),
        ("bool", '"boolean"'),
        ("tuple", '"array"'),
        ("None", '"null"'),
        ("String", '"string"'),
        ("interger", '"integer"'),
        (["str", "null"], '["string","null"]'),
    ],
)
def test_the_fix_names_the_right_type(written, right):
    assert right in only({"type": written}).fix


def test_any_is_best_left_out():
    assert "Leave `type` out" in only({"type": "any"}).fix


@pytest.mark.parametrize(
    ("written", "right"), [("minlength", "minLength"), ("requried", "required"), ("propertys", "properties")]
)
def test_the_fix_names_the_right_keyword(written, right):
    assert f"`{right}`" in only({written: 1}).fix


@pytest.mark.parametrize("value", [3, {"a": 1}, [], ["str", 4]])
def test_a_type_that_nobody_can_guess_keeps_the_general_fix(value):
    assert "string, integer" in only({"type": value}).fix


def test_a_foreign_root_type_is_one_root_with_one_consequence():
    found, _ = findings_of({"type": "dict", "properties": {}})
    assert [(each.code, each.root) for each in found] == [
        ("parameters_type_not_object", None),
        ("invalid_schema_type", found[0].id),
    ]


def test_a_missing_part_is_shown_at_its_parent():
    entry = {"type": "function", "function": {"name": "lend"}}
    (found,) = tool_findings(tool(entry))
    assert found.code == "parameters_not_object"
    assert found.place.line == line_of(tool(entry), "function")


def test_entries_that_are_no_tool_at_all():
    at = document([7], "tools.json").anchor(0)
    (found,) = definition_findings(7, at=at)
    assert (found.code, found.tool, found.place.line) == ("tool_not_object", None, 2)


def test_large_values_are_cut():
    found = only({"type": {"x" * 10_000: 1}})
    assert len(found.message) < 400
    assert len(json.dumps(found.detail)) < 400


BROKEN = {
    "type": "tool",
    "function": {
        "name": "",
        "description": 1,
        "strict": 1,
        "parameters": {
            "type": "array",
            "properties": {
                "a": {"type": "x", "enum": 1, "additionalProperties": 1, "minLength": -1, "pattern": 1, "$ref": "x"},
                "b": {"type": ["null", "null"], "enum": [], "pattern": "(", "allOf": [], "$defs": 1, "properties": 1},
                "c": {"enum": [1, 1], "minimum": 2, "maximum": 1, "required": 1, "items": 1, "allOf": [1]},
                "d": {"type": "string", "const": 1, "default": 2, "required": ["z", "z"], "definitions": {"q": 1}},
                "e": {"$ref": "#/none", "oneOf": []},
                "f": {"$ref": "#/properties/f", "properties": {"g": 1}},
            },
        },
    },
}


def test_every_reason_has_its_words():
    found = list(definition_findings(BROKEN, at=document(BROKEN).anchor(), tool="t"))
    found += definition_findings({"function": 1}, at=document({}).anchor())
    found += definition_findings({"function": {"name": "x"}}, at=document({}).anchor())
    found += definition_findings(1, at=document(1).anchor())
    deep = {}
    for _ in range(150):
        deep = {"items": deep}
    found += definition_findings({"function": {"name": "x", "parameters": deep}}, at=document({}).anchor())
    assert {each.code for each in found} == set(_MESSAGES)
    assert not [each.message for each in found if "{" in each.message.replace('{"', "")]
