from __future__ import annotations

import ast

import pytest

from assay.checks.capabilities import Capability, read_capabilities

EXPORTED = ("lamp_is_lit", "only_state")


def read(text, *, exported=EXPORTED, bound=True):
    return read_capabilities(ast.parse(text), "assertions.py", exported, bound=bound)


def told(text, **options):
    """Return (line, column, message) of every finding."""
    found = read(text, **options).findings
    assert {each.code for each in found} <= {"invalid_assertion_capability"}
    return [(each.place.line, each.place.column, each.message) for each in found]


def test_declared_and_default_capabilities():
    found = read('ASSERTION_CAPABILITIES = {"lamp_is_lit": {"trace": True, "executable": False, "category": "result"}}')
    assert found.findings == ()
    assert found.of("lamp_is_lit") == Capability(trace=True, executable=False, category="result")
    assert found.of("only_state") == Capability(trace=False, executable=True, category="unclassified")


def test_nothing_declared_means_the_defaults():
    assert read("", bound=False).of("lamp_is_lit") == Capability()


def test_an_annotated_assignment_counts():
    assert read('ASSERTION_CAPABILITIES: dict = {"lamp_is_lit": {"trace": True}}').of("lamp_is_lit").trace is True


def test_of_two_assignments_the_last_counts():
    text = 'ASSERTION_CAPABILITIES = {"lamp_is_lit": {"glow": 1}}\nASSERTION_CAPABILITIES = {"lamp_is_lit": {}}\n'
    assert read(text).findings == ()


def test_of_a_repeated_key_the_last_counts():
    text = 'ASSERTION_CAPABILITIES = {"lamp_is_lit": {"trace": 1, "trace": True}, "lamp_is_lit": {"trace": False}}'
    found = read(text)
    assert found.findings == ()
    assert found.of("lamp_is_lit").trace is False


@pytest.mark.parametrize(
    "text",
    [
        'ASSERTION_CAPABILITIES = dict(lamp_is_lit={"trace": True})',
        "ASSERTION_CAPABILITIES = {name: {} for name in ASSERTIONS}",
        "ASSERTION_CAPABILITIES = OTHER",
        "OTHER = ASSERTION_CAPABILITIES = {}",
        "ASSERTION_CAPABILITIES = {}\nASSERTION_CAPABILITIES |= {}",
        'ASSERTION_CAPABILITIES = {}\nASSERTION_CAPABILITIES["lamp_is_lit"] = {}',
        'ASSERTION_CAPABILITIES = {}\nASSERTION_CAPABILITIES["lamp_is_lit"]["trace"] = True',
        "ASSERTION_CAPABILITIES = {}\nASSERTION_CAPABILITIES.update({})",
        "ASSERTION_CAPABILITIES = {}\ndel ASSERTION_CAPABILITIES",
        "if True:\n    ASSERTION_CAPABILITIES = {}",
        "try:\n    ASSERTION_CAPABILITIES = {}\nfinally:\n    pass",
        "for ASSERTION_CAPABILITIES in [{}]:\n    pass",
        "from elsewhere import ASSERTION_CAPABILITIES",
        "import elsewhere as ASSERTION_CAPABILITIES",
        "def ASSERTION_CAPABILITIES():\n    pass",
        "globals()['ASSERTION_CAPABILITIES'] = {}",
        "from elsewhere import *",
    ],
)
def test_a_computed_mapping_is_refused_and_nothing_can_be_said_of_any_assertion(text):
    found = read(text)
    assert len(found.findings) == 1
    assert "computed" in found.findings[0].message
    assert found.of("lamp_is_lit") is None


def test_reading_the_mapping_elsewhere_does_not_compute_it():
    text = "ASSERTION_CAPABILITIES = {}\nNAMES = list(ASSERTION_CAPABILITIES.keys())\nassert set(NAMES) == set()\n"
    assert read(text).findings == ()


@pytest.mark.parametrize("value", ["[]", "None", "'text'", "3", "{1, 2}", "-1"])
def test_a_literal_that_is_no_mapping_is_refused_as_such(value):
    ((line, column, message),) = told(f"\nASSERTION_CAPABILITIES = {value}\n")
    assert (line, column) == (2, 26)
    assert "not a mapping" in message
    assert "computed" not in message


def test_an_unknown_assertion_is_told_at_its_key_with_the_near_miss():
    ((line, column, message),) = told('ASSERTION_CAPABILITIES = {\n    "lamp_is_lt": {"trace": True},\n}\n')
    assert (line, column) == (2, 5)
    assert "lamp_is_lt" in message
    assert "Did you mean `lamp_is_lit`?" in message


def test_an_unknown_field_is_told_at_its_key():
    ((line, column, message),) = told('ASSERTION_CAPABILITIES = {"lamp_is_lit": {"tracing": True}}')
    assert (line, column) == (1, 43)
    assert "'tracing'" in message


@pytest.mark.parametrize("given", ["1", "0", "'yes'", "None", "[]", "not False", "FLAG"])
@pytest.mark.parametrize("name", ["trace", "executable"])
def test_a_flag_is_a_boolean_and_nothing_else(name, given):
    text = f'ASSERTION_CAPABILITIES = {{"lamp_is_lit": {{"{name}": {given}}}}}'
    ((_, column, message),) = told(text)
    assert column == text.index(given, 44) + 1
    assert f"`{name}` of `lamp_is_lit`" in message
    assert read(text).of("lamp_is_lit") is None


@pytest.mark.parametrize("given", ["'glow'", "True", "3", "CATEGORY", "'State'"])
def test_a_category_is_one_of_five(given):
    ((_, _, message),) = told(f'ASSERTION_CAPABILITIES = {{"lamp_is_lit": {{"category": {given}}}}}')
    assert "state, path, result, final_answer, unclassified" in message
    assert given in message or "computed" in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('ASSERTION_CAPABILITIES = {**OTHER, "lamp_is_lit": {}}', "`**`"),
        ("ASSERTION_CAPABILITIES = {1: {}}", "key"),
        ("ASSERTION_CAPABILITIES = {NAME: {}}", "key"),
        ('ASSERTION_CAPABILITIES = {"lamp_is_lit": []}', "not a literal mapping"),
        ('ASSERTION_CAPABILITIES = {"lamp_is_lit": make()}', "computed"),
        ('ASSERTION_CAPABILITIES = {"lamp_is_lit": {**OTHER}}', "field"),
        ('ASSERTION_CAPABILITIES = {"lamp_is_lit": {b"trace": True}}', "field"),
    ],
)
def test_odd_entries_are_told_and_never_raise(text, expected):
    ((_, _, message),) = told(text)
    assert expected in message


def test_all_faults_are_told_at_once_and_sound_entries_still_count():
    found = read(
        """
ASSERTION_CAPABILITIES = {
    "lamp_is_lit": {"trace": "yes", "glow": 1},
    "nobody": {},
    "only_state": {"executable": False},
}
"""
    )
    assert [each.place.line for each in found.findings] == [3, 3, 4]
    assert found.of("only_state") == Capability(executable=False)
    assert found.of("lamp_is_lit") is None


def test_a_deeply_nested_literal_is_no_trouble():
    depth = 90
    value = "[" * depth + "]" * depth
    ((_, _, message),) = told(f'ASSERTION_CAPABILITIES = {{"lamp_is_lit": {{"trace": {value}}}}}')
    assert "must be True or False" in message
