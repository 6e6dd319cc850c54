"""Codes of tool schemas and of the static check of expected calls."""

from typing import Final

from assay.findings.finding import Check, Code, Severity

_SURFACE = Check.BACKEND_SCHEMA_ALIGNMENT
_CONTRACT = Check.REPRESENTATIVE_GENERATION_CONTRACT

_MODELS_MISREAD = "Models and validators read the schema differently from each other, so scores depend on who reads it."
_NO_VALUE = "The declaration can never be met, so every call that uses the parameter would be judged wrong."
_UNCALLABLE = "The tool cannot be offered to a model in the published form."
_WRONG_GOLD = "A model that obeys the published schema could never produce this gold call."
_WRONG_ORDER = "The declared order, by which models are scored, is not the order of the gold calls."


def _definition(name: str, meaning: str, why: str, fix: str) -> Code:
    return Code(name=name, severity=Severity.ERROR, check=_SURFACE, meaning=meaning, why=why, fix=fix)


def _call(name: str, meaning: str, why: str, fix: str) -> Code:
    return Code(name=name, severity=Severity.ERROR, check=_CONTRACT, meaning=meaning, why=why, fix=fix)


_DEFINITIONS: Final = (
    _definition(
        "tool_not_object",
        "An entry of tools.json is not an object.",
        _UNCALLABLE,
        'Write `{"type": "function", "function": {...}}`.',
    ),
    _definition(
        "tool_type_not_function",
        "A tool's `type` is something other than `function`.",
        _UNCALLABLE,
        'Write `"type": "function"` or leave it out.',
    ),
    _definition(
        "tool_function_not_object",
        "A tool has no `function` object.",
        _UNCALLABLE,
        "Put name, description and parameters under `function`.",
    ),
    _definition(
        "tool_name_not_nonempty_string",
        "A tool's name is missing, blank or not a text.",
        _UNCALLABLE,
        "Give the tool a name.",
    ),
    _definition(
        "tool_description_not_string",
        "A tool's description is not a text.",
        _UNCALLABLE,
        "Write the description as a text, or leave it out.",
    ),
    _definition(
        "tool_strict_not_boolean",
        "A tool's `strict` is neither true nor false.",
        _UNCALLABLE,
        "Write true or false, or leave `strict` out.",
    ),
    _definition(
        "parameters_not_object",
        "A tool's `parameters` is missing or not an object.",
        "Without a schema anything goes, so no call can be judged.",
        'Declare a schema; for a tool without parameters `{"type": "object", "properties": {}}`.',
    ),
    _definition(
        "parameters_type_not_object",
        "The top-level type of a parameter schema is not `object`.",
        "Arguments are always an object, so no call could ever obey the schema.",
        'Write `"type": "object"`.',
    ),
    _definition(
        "unsupported_schema_keyword",
        "A schema uses a keyword outside the contract's subset.",
        "A validator that does not know the keyword ignores it silently, and with it the rule that the author meant.",
        "Remove it, or say the same with the keywords that the subset has.",
    ),
    _definition(
        "invalid_schema_type",
        "`type` is not a JSON-Schema type name, nor a non-empty list of them.",
        _MODELS_MISREAD,
        "Use string, integer, number, boolean, array, object or null.",
    ),
    _definition(
        "duplicate_schema_type",
        "A list of types names one twice.",
        "One of the two was meant to be another type.",
        "Remove the repeated name or correct it.",
    ),
    _definition("schema_enum_not_array", "`enum` is not a list.", _MODELS_MISREAD, "Write the values as a list."),
    _definition("schema_enum_empty", "`enum` lists no value.", _NO_VALUE, "List the allowed values or remove `enum`."),
    _definition(
        "duplicate_schema_enum_value",
        "`enum` lists a value twice (`1` and `1.0` are one value).",
        "One of the two was meant to be another value.",
        "Remove the repeated value or correct it.",
    ),
    _definition(
        "schema_value_violates_type",
        "An `enum` member or `const` is not of the declared type.",
        _NO_VALUE,
        "Correct the value or the type.",
    ),
    _definition(
        "invalid_schema_default",
        "A default breaks the very schema it stands in.",
        "A backend that applies the default acts on arguments that the schema refuses.",
        "Correct the default or the schema.",
    ),
    _definition(
        "schema_additional_properties_not_boolean",
        "`additionalProperties` is neither true nor false.",
        "Schemas for unnamed properties are outside the subset, so the rule would be ignored.",
        "Write false to refuse unnamed properties, or leave it out.",
    ),
    _definition(
        "invalid_schema_bound",
        "A bound is not a number, or a length bound is not a whole number from 0.",
        _MODELS_MISREAD,
        "Write a plain number; for lengths and item counts a whole number from 0.",
    ),
    _definition(
        "inconsistent_schema_bounds",
        "A lower bound is above its upper bound.",
        _NO_VALUE,
        "Swap or correct the two bounds.",
    ),
    _definition(
        "schema_pattern_not_string", "`pattern` is not a text.", _MODELS_MISREAD, "Write the pattern as a text."
    ),
    _definition(
        "invalid_schema_pattern",
        "A pattern is not a regular expression that can be used.",
        _MODELS_MISREAD,
        "Correct the regular expression (Python syntax).",
    ),
    _definition(
        "schema_ref_not_local",
        "A `$ref` does not point into its own schema (`#/...`).",
        "What it refers to is not part of the pack and may change or vanish.",
        "Copy the definition under `$defs` and refer to it with `#/$defs/<name>`.",
    ),
    _definition(
        "cyclic_schema_ref",
        "A `$ref` comes back to itself through `$ref` and `allOf` alone.",
        "The schema says nothing: validators run for ever or give up.",
        "Break the cycle; a recursive type refers to itself from within a property or an item.",
    ),
    _definition(
        "unresolvable_schema_ref",
        "A `$ref` leads to no schema.",
        "Validators refuse the whole tool or ignore the rule.",
        "Correct the reference or add the definition.",
    ),
    _definition(
        "schema_all_of_not_nonempty_array",
        "`allOf` is not a non-empty list.",
        _MODELS_MISREAD,
        "List at least one schema or remove `allOf`.",
    ),
    _definition(
        "all_of_schema_not_object", "A branch of `allOf` is not an object.", _MODELS_MISREAD, "Write a schema object."
    ),
    _definition(
        "schema_definitions_not_object",
        "`$defs` or `definitions` is not an object.",
        _MODELS_MISREAD,
        "Write an object: name -> schema.",
    ),
    _definition(
        "definition_schema_not_object",
        "A definition is not a schema object.",
        _MODELS_MISREAD,
        "Write a schema object.",
    ),
    _definition(
        "schema_properties_not_object",
        "`properties` is not an object.",
        _MODELS_MISREAD,
        "Write an object: parameter name -> schema.",
    ),
    _definition(
        "schema_required_not_string_array",
        "`required` is not a list of names.",
        _MODELS_MISREAD,
        "List the names of the required properties, at the object that holds them.",
    ),
    _definition(
        "duplicate_required_property",
        "`required` names a property twice.",
        "One of the two was meant to be another property.",
        "Remove the repeated name or correct it.",
    ),
    _definition(
        "required_property_not_declared",
        "`required` names a property that the same object does not declare.",
        "A model is told to pass something it knows nothing about.",
        "Declare the property beside `required`, or take the name out.",
    ),
    _definition(
        "property_schema_not_object",
        "A property's schema is not an object.",
        _MODELS_MISREAD,
        "Write a schema object; `{}` allows everything.",
    ),
    _definition(
        "items_schema_not_object",
        "`items` is not one schema object.",
        "Lists of schemas and booleans are outside the subset, so the rule would be ignored.",
        "Write one schema that holds for every item.",
    ),
    _definition(
        "schema_too_deep",
        "Schemas are nested beyond any use.",
        "No model can follow it, and checking it costs more than the pack is worth.",
        "Flatten the parameters.",
    ),
)

_ARGUMENTS: Final = (
    _call(
        "arguments_not_object",
        "The arguments of an expected call are not an object.",
        _WRONG_GOLD,
        "Write `args` as a mapping: parameter name -> value.",
    ),
    _call(
        "argument_type_mismatch",
        "An argument of an expected call is not of the type that the tool declares.",
        _WRONG_GOLD,
        "Correct the value (or the slot's source) or the declared type; text and number are different values.",
    ),
    _call(
        "argument_not_in_enum",
        "An argument of an expected call is none of the values that the tool allows.",
        _WRONG_GOLD,
        "Use one of the allowed values or add this one to the tool's `enum`.",
    ),
    _call(
        "argument_not_equal_const",
        "An argument of an expected call is not the one value that the tool allows.",
        _WRONG_GOLD,
        "Use that value or drop `const`.",
    ),
    _call(
        "string_too_short",
        "An argument's text is shorter than the tool allows.",
        _WRONG_GOLD,
        "Correct the value or `minLength`.",
    ),
    _call(
        "string_too_long",
        "An argument's text is longer than the tool allows.",
        _WRONG_GOLD,
        "Correct the value or `maxLength`.",
    ),
    _call(
        "string_pattern_mismatch",
        "An argument's text does not match the tool's pattern.",
        _WRONG_GOLD,
        "Correct the value or the pattern.",
    ),
    _call(
        "pattern_too_slow",
        "Matching a pattern takes longer than any useful pattern does.",
        "A pattern that backtracks without end hangs every validator, ours and the consumers'.",
        "Rewrite the pattern so that no repetition holds another one that matches the same text.",
    ),
    _call(
        "number_below_minimum",
        "An argument is below the tool's minimum.",
        _WRONG_GOLD,
        "Correct the value or `minimum`.",
    ),
    _call(
        "number_above_maximum",
        "An argument is above the tool's maximum.",
        _WRONG_GOLD,
        "Correct the value or `maximum`.",
    ),
    _call(
        "array_too_short",
        "An argument's list has fewer items than the tool allows.",
        _WRONG_GOLD,
        "Correct the list or `minItems`.",
    ),
    _call(
        "array_too_long",
        "An argument's list has more items than the tool allows.",
        _WRONG_GOLD,
        "Correct the list or `maxItems`.",
    ),
    _call(
        "missing_required_argument",
        "An expected call lacks a required argument.",
        _WRONG_GOLD,
        "Add it under `args`, or declare a slot of the same name.",
    ),
    _call(
        "unknown_argument",
        "An expected call has an argument that the tool does not declare.",
        _WRONG_GOLD,
        "Correct the argument's name, or declare the parameter in tools.json.",
    ),
)

_TRACES: Final = (
    _call(
        "bad_struct_field",
        "A published number of an expected call is not a whole number from 0.",
        "Consumers could not place the call in the conversation.",
        "Derive the traces anew.",
    ),
    _call(
        "confirmed_mutation_without_user_confirmation",
        "A call confirms a change that the user has not agreed to at this point.",
        "The benchmark would teach and reward acting without consent.",
        "Put an `ask_confirm` and the user's reply before this call; corrections and new questions withdraw consent.",
    ),
    _call(
        "superseded_slot_value_in_trace",
        "A call uses a slot's value that the user replaces later on.",
        "The gold would act on what the user took back.",
        "Move the correction before this call, and ask for confirmation again after it.",
    ),
    _call(
        "dependent_call_requires_strict_order",
        "A `dependent_call` task declares another call order than `strict`.",
        "A call that reads a result can only come after the call that gives it.",
        "Declare `call_order: strict`.",
    ),
    _call(
        "bad_call_order_prefix",
        "`call_order: prefix` goes without a prefix from 1 to the number of required tools.",
        _WRONG_ORDER,
        "Set `call_order_prefix` to how many of the required tools must come first.",
    ),
    _call(
        "call_order_prefix_without_prefix_order",
        "`call_order_prefix` stands beside another call order than `prefix`.",
        _WRONG_ORDER,
        "Remove it, or declare `call_order: prefix`.",
    ),
    _call(
        "call_order_mismatch",
        "The tools are first called in another order than `required_tools` lists them.",
        _WRONG_ORDER,
        "Reorder `required_tools` or the milestones, or declare `call_order: any`.",
    ),
    _call(
        "call_order_remainder_mismatch",
        "After the ordered prefix other tools are called than `required_tools` lists.",
        _WRONG_ORDER,
        "List every required tool once, the ordered ones first.",
    ),
    _call(
        "call_group_spans_turns",
        "One call group stands on more than one assistant turn.",
        "A parallel batch is one assistant message by definition.",
        "Put the calls of a group next to each other.",
    ),
    _call(
        "non_contiguous_group_positions",
        "The positions within a call group are not 0, 1, 2, ...",
        "Consumers could not pair calls with results.",
        "Derive the traces anew.",
    ),
    _call(
        "irrelevant_task_has_calls",
        "An `irrelevant` task expects a tool call.",
        "It would punish the model that declines, which is what the policy asks for.",
        "Remove the call or choose another `turn_policy`.",
    ),
    _call(
        "required_tool_not_called",
        "A tool in `required_tools` is never called.",
        "No run, not even the gold one, could satisfy the requirement.",
        "Add the call or take the tool out of `required_tools`.",
    ),
    Code(
        name="trace_not_derived",
        severity=Severity.WARNING,
        check=_CONTRACT,
        meaning="Instances were dropped because a `from_result` found nothing usable in their own data.",
        why="The budget is filled with fewer tasks than planned, and what is left may be one-sided.",
        fix="Narrow the slot's `filter` to rows for which the producing call returns what the path reads.",
    ),
)

CODES: Final[tuple[Code, ...]] = (*_DEFINITIONS, *_ARGUMENTS, *_TRACES)
