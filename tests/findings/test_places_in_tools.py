"""Each fault of a tool definition, at the exact place in `tools.json` where it stands."""

import pytest

from assay.findings import Check, Severity
from tests.support.pack_files import spoil, write_pack
from tests.support.static_stages import static_findings

RECORD_ID = '"record_id": {"type": "string", "description": "Id of the record."}'

PARAMETERS = [
    ('{"type": §"dict"}', "invalid_schema_type"),
    ('{"type": §["null", "null"]}', "duplicate_schema_type"),
    ('{§"exclusiveMinimum": 1}', "unsupported_schema_keyword"),
    ('{"enum": §"abc"}', "schema_enum_not_array"),
    ('{"enum": §[]}', "schema_enum_empty"),
    ('{"enum": ["a", "b", §"a"]}', "duplicate_schema_enum_value"),
    ('{"type": "string", "enum": ["a", §4]}', "schema_value_violates_type"),
    ('{"type": "string", "const": §5}', "schema_value_violates_type"),
    ('{"type": "integer", "default": §"x"}', "invalid_schema_default"),
    ('{"additionalProperties": §{"type": "string"}}', "schema_additional_properties_not_boolean"),
    ('{"minLength": §-1}', "invalid_schema_bound"),
    ('{"maximum": §"9"}', "invalid_schema_bound"),
    ('{"minimum": §8, "maximum": 3}', "inconsistent_schema_bounds"),
    ('{"pattern": §77}', "schema_pattern_not_string"),
    ('{"pattern": §"("}', "invalid_schema_pattern"),
    ('{"$ref": §"https://example.org/x"}', "schema_ref_not_local"),
    ('{"$ref": §"#/$defs/none"}', "unresolvable_schema_ref"),
    ('{"$ref": §"#/properties/v"}', "cyclic_schema_ref"),
    ('{"allOf": §[]}', "schema_all_of_not_nonempty_array"),
    ('{"allOf": [{}, §true]}', "all_of_schema_not_object"),
    ('{"$defs": §[]}', "schema_definitions_not_object"),
    ('{"definitions": {"a": §true}}', "definition_schema_not_object"),
    ('{"properties": §[]}', "schema_properties_not_object"),
    ('{"properties": {"a": §true}}', "property_schema_not_object"),
    ('{"required": §"abc"}', "schema_required_not_string_array"),
    ('{"properties": {"a": {}}, "required": ["a", §"a"]}', "duplicate_required_property"),
    ('{"properties": {"a": {}}, "required": ["a", §"b"]}', "required_property_not_declared"),
    ('{"items": §true}', "items_schema_not_object"),
]
DEFINITIONS = [
    ('"type": "function"', '"type": §"tool"', "tool_type_not_function"),
    ('"description": "Return one record."', '"description": §7', "tool_description_not_string"),
    ('"description": "Return one record."', '"strict": §"yes"', "tool_strict_not_boolean"),
    ('"parameters": {', '"parameters": §7, "x-rest": {', "parameters_not_object"),
    ('"type": "object"', '"type": §"array"', "parameters_type_not_object"),
]


def found_in_tools(tmp_path, old, new, code):
    """Break the tools in one place; return the findings of a code and the place that is marked in the new text."""
    folder = write_pack(tmp_path / "pack")
    place = spoil(folder, "tools.json", old, new)
    return [each for each in static_findings(folder) if each.code == code], place


@pytest.mark.parametrize(("schema", "code"), PARAMETERS, ids=[schema for schema, _ in PARAMETERS])
def test_a_faulty_schema_of_a_parameter(tmp_path, schema, code):
    (found,), place = found_in_tools(tmp_path, RECORD_ID, f'{RECORD_ID}, "v": {schema}', code)
    assert found.place == place
    assert (found.severity, found.check, found.tool) == (Severity.ERROR, Check.BACKEND_SCHEMA_ALIGNMENT, "get_record")


@pytest.mark.parametrize(("old", "new", "code"), DEFINITIONS, ids=[code for *_, code in DEFINITIONS])
def test_a_faulty_part_of_a_definition(tmp_path, old, new, code):
    (found,), place = found_in_tools(tmp_path, old, new, code)
    assert found.place == place
    assert (found.severity, found.check, found.tool) == (Severity.ERROR, Check.BACKEND_SCHEMA_ALIGNMENT, "get_record")


def test_references_after_one_another_beyond_use(tmp_path):
    chain = [f'"e{number}": {{"$ref": "#/properties/v/examples/e{number + 1}"}}' for number in range(99)]
    schema = f'{{"$ref": "#/properties/v/examples/e0", "examples": {{{", ".join(chain)}, "e99": §{{}}}}}}'
    (found,), place = found_in_tools(tmp_path, RECORD_ID, f'{RECORD_ID}, "v": {schema}', "schema_too_deep")
    assert found.place == place
    assert (found.severity, found.tool) == (Severity.ERROR, "get_record")
