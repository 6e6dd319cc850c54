"""The whole probe stage over a pack that is Gold but for one place."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from assay.checks.probe import probe_pack
from assay.findings import Check, Place, finding
from assay.oracle.limits import Limits
from tests.support.quay import Quay, config_of, load, running

QUICK = Limits(tool_s=0.5, reset_s=0.5, import_s=3.0, assertion_s=0.5, episode_s=5.0)
CASES = "validation_cases.yaml"
TOP = Place("backend.py", 1, 1)
AFTER_SURFACE = {"5", "6", "M1", "D1", "D2"}


@pytest.fixture
def quay(tmp_path):
    return Quay(tmp_path)


def probed_wholly(quay, *, limits=None, earlier=(), worker="process"):
    pack = load(quay)
    config = config_of(quay, limits=limits or Limits(), worker=worker)
    with running(pack, config) as engine:
        return probe_pack(pack, engine, config, earlier)


def probed(quay, **settings):
    """Probe without T1, which takes half a second and which `thread` skips, and without what I1 says to that."""
    result = probed_wholly(quay, worker="thread", **settings)
    findings = tuple(each for each in result.findings if each.check is not Check.GOLD_ISOLATION)
    skipped = {check: why for check, why in result.skipped.items() if check is not Check.TIMEOUT_WIRING}
    return replace(result, findings=findings, skipped=skipped)


def codes(result):
    return [each.code for each in result.findings]


def the_only(result):
    (only,) = result.findings
    return only


def roots(result):
    return [each for each in result.findings if each.root is None]


def test_a_gold_pack_passes_every_check(quay):
    result = probed_wholly(quay)
    assert result.findings == ()
    assert result.skipped == {}
    assert result.final
    assert result.counts == {"n_assertions": 4, "n_case_groups": 5, "n_case_runs": 12}
    assert result.surface.tools == ("find_berth", "book_berth")


def test_there_is_one_record_per_case_and_attempt(quay):
    attempts = probed(quay).attempts
    assert [(each.case_id, each.attempt, each.group) for each in attempts[:6]] == [
        ("find_works", 1, 0),
        ("find_misses", 1, 1),
        ("book_works", 1, 2),
        ("find_after_booking", 1, 2),
        ("book_unconfirmed", 1, 3),
        ("book_taken", 1, 4),
    ]
    assert [each.attempt for each in attempts[6:]] == [2] * 6
    assert [(each.result_class, each.error_code, each.state_changed) for each in attempts[:6]] == [
        ("success", None, False),
        ("structured_error", "not_found", False),
        ("success", None, True),
        ("success", None, False),
        ("awaiting_confirmation", None, False),
        ("success", None, False),
    ]
    assert attempts[0].arguments == {"berth_id": "B-1"}
    assert attempts[0].result == {"berth_id": "B-1", "depth": 12, "free": True}
    assert all(each.failure is None for each in attempts)


# Check 3


def test_a_pack_without_an_oracle_is_told_and_everything_executed_is_skipped(quay):
    (quay.root / "backend.py").unlink()
    result = probed(quay)
    assert codes(result) == ["oracle_missing"]
    assert the_only(result).place == Place("manifest.yaml", 1, 1)
    assert {str(each) for each in result.skipped} == {"3", *AFTER_SURFACE}


def test_an_endpoint_is_told_at_its_file_and_everything_executed_is_skipped(quay):
    (quay.root / "backend.py").unlink()
    quay.write("endpoint_config.yaml", "protocol_version: bfcl-oracle-http-v1\n")
    result = probed(quay)
    assert codes(result) == ["endpoint_transport_unsupported"]
    assert the_only(result).place == Place("endpoint_config.yaml", 1, 1)
    assert {str(each) for each in result.skipped} == {"3", *AFTER_SURFACE}


def test_a_declared_tool_that_the_oracle_lacks(quay):
    quay.replace("backend.py", 'return ["find_berth", "book_berth"]', 'return ["find_berth"]')
    result = probed(quay)
    first, consequence = result.findings
    assert (first.code, first.tool, str(first.check)) == ("schema_without_implementation", "book_berth", "3")
    assert first.place == quay.tool_place("book_berth")
    assert (consequence.code, consequence.case_id, consequence.root) == ("case_not_run", "find_after_booking", first.id)
    assert consequence.severity == "note"
    assert {str(each) for each in result.skipped} == AFTER_SURFACE
    assert all("schema_without_implementation" in why for why in result.skipped.values())


def test_faults_of_other_tools_are_told_although_the_oracle_lacks_one(quay):
    quay.replace("backend.py", 'return ["find_berth", "book_berth"]', 'return ["find_berth"]')
    quay.replace(CASES, "depth: 12", "depth: 13")
    assert "result_field_mismatch" in codes(probed(quay))


def test_a_listed_tool_that_is_not_declared(quay):
    quay.replace("backend.py", '"book_berth"]', '"book_berth", "tow"]')
    only = the_only(probed(quay))
    assert (only.code, only.tool) == ("implementation_without_schema", "tow")
    assert only.place == quay.place("backend.py", "def list_tools")


def test_a_missing_callable_is_told_although_the_listing_fails(quay):
    quay.replace("backend.py", 'return ["find_berth", "book_berth"]', "return 1 / 0")
    quay.replace("backend.py", "def get_state(", "def no_get_state(")
    assert [each.code for each in roots(probed(quay))] == ["list_tools_failed", "missing_backend_symbol"]


@pytest.mark.parametrize("name", ["list_tools", "reset", "call_tool", "get_state"])
def test_a_missing_callable(quay, name):
    quay.replace("backend.py", f"def {name}(", f"def no_{name}(")
    result = probed(quay)
    first, *rest = result.findings
    assert (first.code, first.detail["symbol"]) == ("missing_backend_symbol", name)
    assert first.place == TOP
    assert all(each.code == "schema_without_implementation" and each.root == first.id for each in rest)
    assert {str(each) for each in result.skipped} == AFTER_SURFACE
    assert result.attempts == ()


@pytest.mark.parametrize(
    ("line", "at", "final"),
    [
        ("import no_such_module", "import no_such_module", True),
        ("raise RuntimeError('no tide')", "raise", True),
        ("1 / 0", "1 / 0", True),
        ("def f(:", ":", True),
        ("import os; os._exit(1)", None, False),
    ],
)
def test_a_backend_that_cannot_be_imported_is_one_root_at_its_line(quay, line, at, final):
    quay.replace("backend.py", "STATE = {}", f"STATE = {{}}\n{line}")
    result = probed(quay)
    (root,) = roots(result)
    assert "list_tools_failed" in codes(result)
    assert root.place == (Place("backend.py", quay.line("backend.py", line), line.index(at) + 1) if at else TOP)
    assert [each.code for each in result.findings if each.code == "schema_without_implementation"] != []
    assert result.final is final


def test_an_import_that_hangs_is_told_by_its_limit_in_bounded_time(quay):
    quay.replace("backend.py", "STATE = {}", "STATE = {}\nimport time; time.sleep(60)")
    started = time.monotonic()
    result = probed(quay, limits=Limits(import_s=1.0))
    assert time.monotonic() - started < 10
    (root,) = roots(result)
    assert (root.code, root.place) == ("import_timeout", quay.place("backend.py", "import time"))
    assert "list_tools_failed" in codes(result)
    assert not result.final


@pytest.mark.parametrize("listed", ["None", "7", '"find_berth"', "[1, 2]", "1 / 0", "[object()]"])
def test_list_tools_that_gives_no_names_is_one_root(quay, listed):
    quay.replace("backend.py", 'return ["find_berth", "book_berth"]', f"return {listed}")
    result = probed(quay)
    (root,) = roots(result)
    assert "list_tools_failed" in codes(result)
    assert root.place.file == "backend.py"


def test_a_faulty_definition_from_loading_skips_but_does_not_hide(quay):
    quay.replace(CASES, "depth: 12", "depth: 13")
    fault = finding("parameters_type_not_object", "Odd.", tool="book_berth")
    result = probed(quay, earlier=[fault])
    assert {str(each) for each in result.skipped} == AFTER_SURFACE
    assert codes(result)[0] == "result_field_mismatch"


@pytest.mark.parametrize(
    ("file", "role"), [("tools.json", "tools"), ("fixtures.json", "fixtures"), (CASES, "validation_cases")]
)
def test_without_a_usable_file_its_checks_are_skipped_and_nothing_false_is_told(quay, file, role):
    quay.write(file, "{[")
    result = probed(quay)
    assert result.findings == ()
    assert result.attempts == ()
    assert {str(each) for each in result.skipped} == AFTER_SURFACE
    assert all(role in why for why in result.skipped.values())


@pytest.mark.parametrize("file", ["backend.py", "assertions.py"])
def test_a_module_that_is_a_folder_is_left_to_the_loader(quay, file):
    (quay.root / file).unlink()
    (quay.root / file).mkdir()
    (quay.root / file / "x.txt").write_text("x")
    result = probed(quay)
    assert {each.code for each in result.findings} <= {"oracle_missing"}


# Check 4


def test_the_assertions_module_cannot_be_imported(quay):
    quay.replace("assertions.py", "ASSERTIONS = {", "import no_such_module\nASSERTIONS = {")
    result = probed(quay)
    first, *rest = result.findings
    assert (first.code, str(first.check)) == ("assertions_import_failed", "4")
    assert first.place == quay.place("assertions.py", "import no_such_module")
    assert [(each.code, each.root) for each in rest] == [("missing_assertion", first.id)] * 4


def test_an_assertion_that_is_not_exported_is_told_at_the_reference_and_has_one_root(quay):
    quay.replace("assertions.py", '    "assert_refused": assert_refused,\n', "")
    quay.replace("task_templates.yaml", "[assert_berth_reported]", "[assert_berth_reported, assert_refused]")
    first, second = probed(quay).findings
    assert (first.code, first.template_id, first.assertion) == ("missing_assertion", "berth_depth", "assert_refused")
    assert first.place == quay.place("task_templates.yaml", "assert_refused")
    assert second.place == quay.place("task_templates.yaml", "assert_refused", 2)
    assert second.root == first.id


def test_a_name_that_is_a_slip_is_met_with_the_right_one(quay):
    quay.replace("task_templates.yaml", "[assert_refused]", "[assert_refussed]")
    assert "Did you mean `assert_refused`?" in the_only(probed(quay)).message


def test_an_assertion_outside_the_mapping_is_not_exported(quay):
    quay.append("assertions.py", "\n\ndef assert_more(*, state, trace, task, ctx):\n    pass\n")
    quay.replace("task_templates.yaml", "[assert_refused]", "[assert_more]")
    assert the_only(probed(quay)).code == "missing_assertion"


def test_without_the_mapping_names_that_begin_with_assert_are_exported(quay):
    text = quay.text("assertions.py")
    quay.write("assertions.py", text[: text.index("ASSERTIONS = {")])
    assert probed(quay).findings == ()


@pytest.mark.parametrize(
    "parameters",
    [
        "*, state, trace, task",
        "*, state",
        "",
        "state, trace, task, ctx, /",
        "*, state, trace, task, ctx, extra",
        "one, *, state, trace, task, ctx",
        "state, /, **rest",
    ],
)
def test_a_signature_that_cannot_be_called_is_told_at_the_function(quay, parameters):
    quay.replace("assertions.py", "assert_refused(*, state, trace, task, ctx)", f"assert_refused({parameters})")
    quay.replace("task_templates.yaml", "[assert_berth_reported]", "[assert_berth_reported, assert_refused]")
    only = the_only(probed(quay))
    assert (only.code, only.assertion) == ("invalid_signature", "assert_refused")
    assert only.place == quay.place("assertions.py", "def assert_refused")
    assert only.detail["templates"] == ["berth_depth", "berth_unknown"]


@pytest.mark.parametrize(
    "parameters",
    [
        "state, trace, task, ctx",
        "ctx, task, trace, state",
        "**evidence",
        "*, state, **rest",
        "*, state, trace, task, ctx, x=1",
    ],
)
def test_call_compatible_signatures_will_do(quay, parameters):
    quay.replace(
        "assertions.py", "assert_no_tool_called(*, state, trace, task, ctx)", f"assert_no_tool_called({parameters})"
    )
    assert probed(quay).findings == ()


def test_a_faulty_capability_is_told_at_its_key(quay):
    quay.replace("assertions.py", '"category": "path"', '"categorie": "path"')
    only = the_only(probed(quay))
    assert (only.code, only.assertion) == ("invalid_assertion_capability", "assert_no_tool_called")
    assert only.place == quay.place("assertions.py", '"categorie"')
    assert "Did you mean `category`?" in only.message


def test_capabilities_that_are_computed_at_run_time_are_refused(quay):
    text = quay.text("assertions.py")
    start = text.index("ASSERTION_CAPABILITIES")
    quay.write("assertions.py", text[:start] + "globals()['ASSERTION_' + 'CAPABILITIES'] = {}\n")
    only = the_only(probed(quay))
    assert only.code == "invalid_assertion_capability"
    assert "computed" in only.message


def test_an_assertion_that_must_not_run_on_replays_is_told_at_the_reference(quay):
    quay.replace("assertions.py", '{"category": "state"}', '{"category": "state", "executable": False}')
    only = the_only(probed(quay))
    assert (only.code, only.assertion) == ("assertion_not_executable_compatible", "assert_berth_booked")
    assert only.place == quay.place("task_templates.yaml", "assert_berth_booked")


# Check 5


def test_no_cases_at_all(quay):
    quay.write(CASES, "[]\n")
    result = probed(quay)
    assert codes(result)[:3] == ["validation_cases_empty"] + ["incomplete_validation_coverage"] * 2
    assert result.findings[0].place == Place(CASES, 1, 1)


@pytest.mark.parametrize(
    ("old", "new", "code", "at"),
    [
        ("depth: 12", "depth: 13", "result_field_mismatch", "13"),
        ("depth: 12", "height: 3", "result_field_mismatch", "3}"),
        ("error_code: not_found", "error_code: gone", "error_code_mismatch", "gone"),
        ("error_code: not_found", "error_code: null", "error_code_mismatch", "null, state"),
        (
            "result_class: structured_error",
            "result_class: success",
            "result_class_mismatch",
            "success, error_code: not",
        ),
        ("result_class: success", "result_class: succes", "unknown_result_class", "succes, "),
        ("result_class: success", "result_class: true", "unknown_result_class", "true, error"),
        ("result_class: success", "result_class: malformed_error", "unknown_result_class", "malformed"),
    ],
)
def test_an_unmet_expectation_is_told_at_its_value(quay, old, new, code, at):
    quay.replace(CASES, old, new)
    result = probed(quay)
    first, *rest = result.findings
    assert (first.code, first.severity, str(first.check), first.tool) == (code, "error", "5", "find_berth")
    assert first.place == quay.place(CASES, at)
    assert first.case_id in ("find_works", "find_misses")
    assert {each.code for each in rest} <= {"incomplete_validation_coverage", "no_success_case_to_repeat"}
    assert all(each.root == first.id for each in rest)


def test_several_expectations_of_one_case_may_be_missed_at_once(quay):
    quay.replace(CASES, "error_code: null, depth: 12", "error_code: odd, depth: 1, free: false")
    result = probed(quay)
    assert [each.code for each in result.findings if each.case_id == "find_works"] == [
        "error_code_mismatch",
        "result_field_mismatch",
        "result_field_mismatch",
    ]


@pytest.mark.parametrize("met", ["depth: 12.0", "free: true", "nowhere: null", "berth_id: B-1"])
def test_expectations_that_are_met(quay, met):
    quay.replace(CASES, "depth: 12", met)
    assert probed(quay).findings == ()


@pytest.mark.parametrize("unmet", ["free: 1", 'depth: "12"', "depth: true", "berth_id: null"])
def test_booleans_numbers_and_texts_are_not_mixed_up(quay, unmet):
    quay.replace(CASES, "depth: 12", unmet)
    assert codes(probed(quay))[0] == "result_field_mismatch"


def test_a_state_that_should_stay_as_it_is(quay):
    quay.replace(CASES, "expect: {result_class: success, status: booked}", "expect: {state_unchanged: true}")
    first = probed(quay).findings[0]
    assert (first.code, first.case_id) == ("state_changed", "book_works")
    assert first.place == quay.place(CASES, "true}", 3)


def test_an_expectation_without_effect_is_a_warning(quay):
    quay.replace(CASES, "status: booked", "state_unchanged: false")
    only = the_only(probed(quay))
    assert (only.code, only.severity, only.case_id) == ("expectation_without_effect", "warning", "book_works")
    assert only.place == quay.place(CASES, "false}")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("return [1]", "non_object_result"),
        ("return None", "non_object_result"),
        ('return {"error": "x"}', "malformed_error"),
    ],
)
def test_a_result_that_the_contract_does_not_allow(quay, line, code):
    quay.replace(
        "backend.py",
        "    if berth is None:",
        f'    if arguments["berth_id"] == "B-1":\n        {line}\n    if berth is None:',
    )
    first = probed(quay).findings[0]
    assert (first.code, first.case_id, str(first.check)) == (code, "find_works", "5")
    assert first.place == quay.place(CASES, "id: find_works")


def test_a_success_on_arguments_that_the_schema_refuses(quay):
    quay.replace("backend.py", '{"berth_id", "confirm"}', '{"berth_id", "confirm", "lamp"}')
    quay.replace(CASES, "arguments: {berth_id: B-1}", "arguments: {berth_id: B-1, lamp: red}")
    result = probed(quay)
    first = result.findings[0]
    assert (first.code, first.case_id) == ("successful_validation_case_schema_mismatch", "find_works")
    assert first.place == quay.place(CASES, "{berth_id: B-1, lamp")
    assert first.detail["failures"] == [{"reason": "unknown_argument", "argument": "lamp"}]


def test_successes_on_refused_arguments_alone_do_not_cover_a_tool(quay):
    quay.replace("backend.py", '{"berth_id", "confirm"}', '{"berth_id", "confirm", "lamp"}')
    quay.replace(CASES, "arguments: {berth_id: B-1}", "arguments: {berth_id: B-1, lamp: red}", count=2)
    told = [each for each in probed(quay).findings if str(each.check) == "5"]
    assert [(each.code, each.case_id, each.tool) for each in told] == [
        ("successful_validation_case_schema_mismatch", "find_works", "find_berth"),
        ("successful_validation_case_schema_mismatch", "find_after_booking", "find_berth"),
        ("incomplete_validation_coverage", None, "find_berth"),
    ]
    assert told[2].detail == {"missing": ["success"]}


def test_one_case_does_not_cover_both_sides(quay):
    quay.replace(CASES, "  expect: {result_class: success, error_code: null, depth: 12}", "  coverage: negative")
    quay.replace(CASES, "  expect: {result_class: success, free: false}", "  coverage: negative")
    result = probed(quay)
    first = result.findings[0]
    assert (first.code, first.tool, first.detail) == (
        "incomplete_validation_coverage",
        "find_berth",
        {"missing": ["success"]},
    )
    assert first.place == quay.tool_place("find_berth")


def test_a_missing_side_follows_from_the_case_that_failed(quay):
    quay.replace(CASES, "error_code: not_found", "error_code: gone")
    first, second = probed(quay).findings
    assert (second.code, second.detail, second.root) == (
        "incomplete_validation_coverage",
        {"missing": ["negative"]},
        first.id,
    )


def test_inference_without_a_result_class(quay):
    quay.replace(CASES, "result_class: success, ", "", count=9)
    assert probed(quay).findings == ()


def hostile(quay, line, case="B-1"):
    quay.replace(
        "backend.py",
        "    if berth is None:",
        f'    if arguments["berth_id"] == "{case}":\n        {line}\n    if berth is None:',
    )


@pytest.mark.parametrize(
    ("line", "code", "final"),
    [
        ("import time; time.sleep(60)", "tool_timeout", False),
        ("import os; os._exit(3)", "worker_died", False),
        ("return {'x': {1, 2}}", "non_json_result", True),
        ("raise ValueError('no tide')", "raised", True),
        ("return {'x': float('nan')}", "non_json_result", True),
    ],
    ids=["hangs", "exits", "no JSON", "raises", "not a number"],
)
def test_a_hostile_case_is_told_alone_and_in_bounded_time(quay, line, code, final):
    hostile(quay, line)
    started = time.monotonic()
    result = probed(quay, limits=QUICK)
    assert time.monotonic() - started < 20
    failing = [each for each in result.findings if each.code == code]
    known_line = code in ("raised", "tool_timeout")
    independent = [each.case_id for each in failing if each.root is None]
    assert independent == (["find_works"] if known_line else ["find_works", "book_works"])
    assert [(each.case_id, each.tool) for each in failing] == [
        ("find_works", "find_berth"),
        ("book_works", "book_berth"),
    ]
    assert all((each.code, each.severity, str(each.check)) == (code, "error", "5") for each in failing)
    assert failing[0].message.startswith("Case find_works: ")
    assert failing[0].place == (quay.place("backend.py", line) if known_line else quay.place(CASES, "id: find_works"))
    assert [each.case_id for each in result.findings if each.code == "case_not_run"] == ["find_after_booking"]
    assert result.final is final
    classes = {each.case_id: each.result_class for each in result.attempts if each.attempt == 1}
    assert classes["find_works"] == "failed"
    assert classes["find_after_booking"] == "not_run"
    assert classes["book_unconfirmed"] == "awaiting_confirmation"


def test_a_megabyte_on_standard_output_harms_nobody(quay):
    hostile(quay, "print('x' * 1_000_000)")
    assert probed(quay).findings == ()


def test_a_reset_that_raises_is_one_root(quay):
    quay.replace("backend.py", "    STATE.clear()", '    raise RuntimeError("no tide table")')
    result = probed(quay)
    (root,) = [each for each in roots(result) if str(each.check) == "5"]
    assert "no tide table" in root.message


@pytest.mark.parametrize("arguments", ["[]", "[1]", '"text"', "7", "true", "null", "{a: {b: [1, null]}}"])
def test_arguments_of_any_shape_never_raise(quay, arguments):
    quay.append(
        CASES,
        f"""
        - id: odd
          tool: find_berth
          arguments: {arguments}
          expect: {{result_class: structured_error}}
        """,
    )
    quay.replace(
        "backend.py",
        "    unknown =",
        '    if not isinstance(arguments, dict):\n        return refuse("bad", "an object")\n    unknown =',
    )
    assert probed(quay).findings == ()


# Check 6


def test_a_confirming_tool_without_the_parameter(quay):
    quay.replace("tools.json", '"confirm": {"type"', '"sure": {"type"')
    result = probed(quay)
    told = [each for each in result.findings if str(each.check) == "6"]
    assert [(each.code, each.tool, each.detail["parameter"]) for each in told] == [
        ("missing_confirm_param", "book_berth", "confirm")
    ]
    place = quay.place("tools.json", '"properties": {', 2)
    assert told[0].place == replace(place, column=place.column + len('"properties": '))


def test_the_parameter_may_stand_behind_a_reference(quay):
    quay.replace(
        "tools.json",
        '          "confirm": {"type": "boolean", "description": "True once agreed.", "default": false}\n',
        "",
    )
    quay.replace("tools.json", '"description": "Berth id."},\n', '"description": "Berth id."}\n')
    quay.replace(
        "tools.json",
        '        "required": ["berth_id"],\n        "additionalProperties": false\n      }\n    }\n  }\n]',
        '        "allOf": [{"$ref": "#/$defs/sure"}],\n'
        '        "$defs": {"sure": {"type": "object", "properties": {"confirm": {"type": "boolean"}}}},\n'
        '        "required": ["berth_id"]\n      }\n    }\n  }\n]',
    )
    assert [each.code for each in probed(quay).findings if str(each.check) == "6"] == []


def test_no_unconfirmed_case(quay):
    quay.replace(CASES, "confirm: false", "confirm: true")
    quay.replace(CASES, "result_class: awaiting_confirmation, state_unchanged: true", "status: booked")
    only = the_only(probed(quay))
    assert (only.code, only.tool) == ("missing_confirm_false_case", "book_berth")
    assert only.place == quay.tool_place("book_berth")


def unconfirmed(quay, answer):
    """Let the oracle answer an unconfirmed booking in another way."""
    quay.replace(
        "backend.py",
        '        return {"status": "awaiting_confirmation", "berth_id": berth["berth_id"]}',
        f"        {answer}",
    )
    quay.replace(CASES, "expect: {result_class: awaiting_confirmation, state_unchanged: true}", "expect: {}")


def test_an_unconfirmed_call_that_changes_the_state(quay):
    unconfirmed(quay, 'berth["free"] = False; return {"status": "awaiting_confirmation"}')
    told = [each for each in probed(quay).findings if str(each.check) == "6"]
    assert [each.code for each in told] == ["confirm_false_mutated_state", "confirm_omitted_mutated_state"]
    assert told[0].place == told[1].place == quay.place(CASES, "id: book_unconfirmed")


def test_an_unconfirmed_call_with_another_answer(quay):
    unconfirmed(quay, 'return {"status": "booked"}')
    (told,) = [each for each in probed(quay).findings if str(each.check) == "6"]
    assert (told.code, told.case_id) == ("confirm_false_bad_status", "book_unconfirmed")
    assert told.place == quay.place(CASES, "id: book_unconfirmed")
    assert '{"status":"booked"}' in told.message


def test_a_call_without_the_parameter_that_changes_the_state(quay):
    quay.replace(
        "backend.py", 'arguments.get("confirm", False) is not True', 'arguments.get("confirm", True) is not True'
    )
    only = the_only(probed(quay))
    assert (only.code, only.case_id, only.tool) == ("confirm_omitted_mutated_state", "book_unconfirmed", "book_berth")


@pytest.mark.parametrize(("required", "severity"), [(False, "error"), (True, "warning")])
def test_a_call_without_the_parameter_that_raises(quay, required, severity):
    quay.replace("backend.py", 'arguments.get("confirm", False)', 'arguments["confirm"]')
    if required:
        quay.replace(
            "tools.json",
            '"required": ["berth_id"],\n        "additionalProperties": false\n      }\n    }\n  }\n]',
            '"required": ["berth_id", "confirm"]\n      }\n    }\n  }\n]',
        )
    only = the_only(probed(quay))
    assert (only.severity, str(only.check), only.case_id) == (severity, "6", "book_unconfirmed")
    assert only.place == quay.place("backend.py", 'arguments["confirm"]')


def test_a_chained_probe_is_preceded_by_its_chain(quay):
    quay.replace(
        CASES,
        "  arguments: {berth_id: B-2, confirm: false}",
        "  reset_before: false\n  arguments: {berth_id: B-2, confirm: false}",
    )
    quay.replace(
        "backend.py",
        '    if arguments.get("confirm", False) is not True:',
        '    if arguments.get("confirm", False) is not True and STATE["bookings"]:',
    )
    assert probed(quay).findings == ()


# M1


def test_a_mutation_that_the_tool_does_not_declare(quay):
    quay.replace("tools.json", '    "x-mutates": true,\n', "")
    only = the_only(probed(quay))
    assert (only.code, str(only.check), only.tool) == ("undeclared_mutation", "M1", "book_berth")
    assert only.detail == {"cases": ["book_works"]}
    assert only.place == quay.tool_place("book_berth")


def test_a_declared_mutation_that_no_success_shows(quay):
    quay.replace("tools.json", '    "type": "function",\n', '    "type": "function",\n    "x-mutates": true,\n')
    only = the_only(probed(quay))
    assert (only.code, only.tool) == ("declared_mutation_not_observed", "find_berth")
    assert only.place == quay.place("tools.json", "true,")


# D1, D2


def test_results_that_differ_when_repeated(quay):
    hostile(quay, 'return {"depth": 12, "berth_id": "B-1", "x": hash("tide"), "status": "booked", "free": False}')
    told = [each for each in probed(quay).findings if str(each.check) == "D1"]
    assert {each.code for each in told} == {"nondeterministic"}
    assert told[0].case_id == "find_works"
    assert told[0].place == quay.place(CASES, "id: find_works")
    assert told[0].detail["paths"] == ["$.result.x"]
    assert told[0].detail["cause"] == "hash_order"


def test_a_state_that_differs_while_results_agree(quay):
    quay.replace("backend.py", '"made_at": ctx.clock.isoformat()', '"made_at": hash("now")')
    told = [each for each in probed(quay).findings if str(each.check) == "D1"]
    assert {each.case_id for each in told} == {"book_works", "find_after_booking"}
    assert told[0].detail["paths"] == ["$.state.bookings[0].made_at"]


def test_errors_are_repeated_as_well(quay):
    quay.replace("backend.py", '"no such berth"', 'str(hash("berth"))')
    told = [each for each in probed(quay).findings if str(each.check) == "D1"]
    assert [each.case_id for each in told] == ["find_misses"]


def test_a_tool_without_a_success_cannot_be_repeated(quay):
    quay.replace(CASES, "depth: 12", "depth: 13")
    quay.replace(CASES, "free: false", "free: true")
    result = probed(quay)
    told = [each for each in result.findings if each.code == "no_success_case_to_repeat"]
    assert [each.tool for each in told] == ["find_berth"]
    assert (told[0].root, told[0].place) == (result.findings[0].id, quay.tool_place("find_berth"))


@pytest.mark.parametrize("error", ["{}", '{"code": ""}', '{"code": 7}', '{"code": None, "message": "x"}'])
def test_an_error_without_a_code(quay, error):
    quay.replace("backend.py", 'return refuse("not_found", "no such berth")', f'return {{"error": {error}}}')
    quay.replace(CASES, "error_code: not_found, ", "")
    only = the_only(probed(quay))
    assert (only.code, str(only.check), only.case_id) == ("error_without_code", "D2", "find_misses")
    assert only.place == quay.place(CASES, "id: find_misses")


def test_an_error_that_is_gone_when_repeated(quay):
    quay.replace(
        "backend.py",
        'return refuse("not_found", "no such berth")',
        'import os; return refuse("not_found", "no such berth") if "12" in os.environ["TZ"] else {}',
    )
    first, second = probed(quay).findings
    assert [first.code, second.code] == ["nondeterministic", "missing_error_object"]
    assert first.place == second.place == quay.place(CASES, "id: find_misses")
    assert (first.detail["cause"], second.root) == ("ambient", first.id)


def test_a_repetition_that_fails_is_told_by_d1(quay):
    hostile(quay, 'import os; assert "12" in os.environ["TZ"]')
    told = [each for each in probed(quay).findings if str(each.check) == "D1"]
    assert told[0].case_id == "find_works"
    assert told[0].severity == "error"


# T1, I1


def test_a_thread_worker_is_never_gold(quay):
    result = probed_wholly(quay, worker="thread")
    only = the_only(result)
    assert (only.code, str(only.check), only.detail) == ("process_worker_required_for_gold", "I1", {"worker": "thread"})
    assert only.place is None
    assert list(result.skipped) == [Check.TIMEOUT_WIRING]


def test_two_probes_give_the_same_bytes(quay):
    hostile(quay, "raise ValueError({'a', 'b', 'c', 'd'})")
    quay.replace(CASES, "depth: 12", "depth: 13")
    first, second = probed(quay), probed(quay)
    assert [each.to_json() for each in first.findings] == [each.to_json() for each in second.findings]
    assert first.attempts == second.attempts
