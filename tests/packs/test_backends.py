from .second_opinion import run_cases


def test_every_case_gets_what_it_expects(outcomes):
    assert {case["id"]: case["unmet"] for case in outcomes["cases"] if case["unmet"]} == {}


def test_backend_and_schemas_name_the_same_tools(pack, outcomes):
    assert outcomes["tools"] == sorted(tool["function"]["name"] for tool in pack.tools)


def test_every_tool_has_a_case_that_succeeds_and_one_that_is_refused(outcomes):
    for tool in outcomes["tools"]:
        classes = {case["class"] for case in outcomes["cases"] if case["tool"] == tool}
        assert {"success", "structured_error"} <= classes, tool


def test_only_declared_tools_change_the_state_and_each_of_them_does(pack, outcomes):
    declared = {tool["function"]["name"] for tool in pack.tools if tool.get("x-mutates")}
    assert {case["tool"] for case in outcomes["cases"] if case["changed"]} == declared


def test_what_is_refused_or_pending_changes_nothing(outcomes):
    assert [case["id"] for case in outcomes["cases"] if case["changed"] and case["class"] != "success"] == []


def test_refusals_have_the_same_five_fields(outcomes):
    for case in outcomes["cases"]:
        if case["class"] == "structured_error":
            assert set(case["result"]["error"]) == {"code", "entity", "id", "field", "message"}, case["id"]


def test_results_and_states_do_not_depend_on_hash_seed_time_zone_or_locale(pack, tmp_path):
    first = run_cases(pack.folder, PYTHONHASHSEED="0", TZ="UTC", LC_ALL="C.UTF-8")
    second = run_cases(pack.folder, PYTHONHASHSEED="4711", TZ="Asia/Ho_Chi_Minh", LC_ALL="C", HOME=str(tmp_path))
    assert first == second
