"""Our reading of the subset, held against the package `jsonschema` (draft 2020-12) on generated schemas and values.

The package is told the two things in which the contract is stricter: a boolean is no number, `1.0` is no integer.
"""

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, validators

from assay.schema import argument_problems, definition_problems

TYPES = Draft202012Validator.TYPE_CHECKER.redefine_many(
    {
        "integer": lambda _, value: type(value) is int,
        "number": lambda _, value: type(value) in (int, float),
    }
)
Reference = validators.extend(Draft202012Validator, type_checker=TYPES)

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 2, 2.5, -1, "", "a", "ab", "abc", "1"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)
TYPE_NAMES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
DEFINED = ("#/$defs/one", "#/$defs/two")


def schemas(inner):
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPE_NAMES | st.lists(TYPE_NAMES, min_size=1, max_size=3, unique=True),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "const": VALUES,
            "minLength": st.integers(0, 3),
            "maxLength": st.integers(0, 3),
            "minimum": st.sampled_from([-1, 0, 1, 1.5]),
            "maximum": st.sampled_from([0, 1, 2.0]),
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(0, 2),
            "pattern": st.sampled_from(["a", "^a", "b$", "^[ab]+$"]),
            "required": st.lists(NAMES, max_size=2, unique=True),
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "additionalProperties": st.booleans(),
            "items": inner,
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "$ref": st.sampled_from(DEFINED),
        },
    )


SCHEMAS = st.recursive(schemas(st.just({})), schemas, max_leaves=6)
# The second definition may recur through a property or an item; the first refers to nothing, so that no cycle stays.
FLAT = schemas(st.just({})).map(lambda schema: {name: rule for name, rule in schema.items() if name != "$ref"})
RECURSIVE = st.fixed_dictionaries(
    {"properties": st.dictionaries(NAMES, st.just({"$ref": "#/$defs/two"}), max_size=2), "items": FLAT}
)


@settings(max_examples=150, deadline=None)
@given(SCHEMAS, FLAT, RECURSIVE, VALUES)
def test_both_agree_on_what_is_valid(schema, one, two, value):
    root = {"properties": {"v": schema}, "$defs": {"one": one, "two": two}}
    arguments = {"v": value}
    assert (argument_problems(root, arguments) == ()) == Reference(root).is_valid(arguments)


@settings(max_examples=60, deadline=None)
@given(SCHEMAS, FLAT, RECURSIVE)
def test_what_passes_the_gate_is_a_schema_to_the_package_too(schema, one, two):
    root = {"type": "object", "properties": {"v": schema}, "$defs": {"one": one, "two": two}}
    if definition_problems({"function": {"name": "f", "parameters": root}}) == ():
        Draft202012Validator.check_schema(root)
