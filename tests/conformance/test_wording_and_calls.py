"""The contract's cases about wording, deriving calls and tool schemas, driven through our own functions.

`cases/*.yaml` are copies of the contract's files; how to read them stands in `cases/README.md`. Where a case expects
an error class of the reference, ours is a finding of severity error (ruling 1) that names what the case mentions.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

from assay.config import SurfaceGeneration
from assay.findings import Severity
from assay.oracle.process_engine import ProcessEngine
from assay.oracle.spec import OracleSpec
from assay.schema import argument_problems, definition_problems
from assay.stages.call_templates import call_templates
from assay.stages.conversation import exchanges_of, shape_of
from assay.stages.guards import Guards
from assay.stages.matching import composed
from assay.stages.placeholders import fill_text
from assay.stages.plan import plan_instance
from assay.stages.records import ExpectedCall, ExpectedTrace, SlotUpdate
from assay.stages.render import render_pack
from assay.stages.schema_check import check_traces
from assay.stages.speech import USER, Speech
from assay.stages.text_sources import language_gaps
from assay.stages.tool_names import ToolNames
from assay.stages.trace import derive_traces
from assay.stages.trace_templates import read_trace_template
from tests.conformance.test_binding_and_planning import assert_told, kinds
from tests.support import models
from tests.support.records import instance

TYPES = {int: "integer", str: "string", bool: "boolean", float: "number"}

CANNED = """\
import json

RESULTS = json.loads({results!r})
made = 0


def list_tools():
    return []


def reset(*, ctx, fixtures=None):
    global made
    made = 0


def get_state():
    return {{}}


def call_tool(name, arguments, *, ctx):
    global made
    made += 1
    return RESULTS[made - 1]
"""


def pack_of(given, *entries):
    return models.pack(*entries, tools=given.get("tools", ()), **given.get("manifest", {}))


def task_of(pack, facts):
    """The instance that a case describes; what it leaves out is the template's."""
    made = instance(pack, facts["template_id"], **facts.get("slots", {}))
    names = ("task_id", "turn_policy", "call_order", "call_order_prefix")
    lists = ("tools_present", "required_tools")
    given = {name: facts[name] for name in names if name in facts}
    given |= {name: tuple(facts[name]) for name in lists if name in facts}
    if "slots_initial" in facts:
        given["slots_initial"] = facts["slots_initial"]
    given["slot_updates"] = tuple(SlotUpdate(**update) for update in facts.get("slot_updates", ()))
    return replace(made, **given)


def plan_of(pack, task):
    template = pack.template_named(task.template_id)
    return plan_instance(task, shape_of(exchanges_of(template)))


def no_engine():
    raise AssertionError("no call reads a result")


@kinds("trace")
def test_traces(given, expect, tmp_path):
    pack = pack_of(given, given["template"])
    task = task_of(pack, given["task"])
    engine = None
    if given.get("resolver") != "none" and "results_by_prefix" in given:
        pack = replace(pack, paths=replace(pack.paths, backend="backend.py"))
        text = CANNED.format(results=json.dumps(given["results_by_prefix"]))
        (tmp_path / "backend.py").write_text(text, encoding="utf-8")
        engine = ProcessEngine(OracleSpec(root=tmp_path, backend="backend.py", assertions=None, fixtures=None))
    try:
        source = no_engine if engine is None else lambda: engine
        result = derive_traces(pack, [task], [plan_of(pack, task)], source, models.run_config())
    finally:
        if engine is not None:
            engine.close()
    if "error" in expect:
        assert_told(result.findings, expect["error"])
        assert not result.traces[0].derived
    else:
        assert result.findings == ()
        calls = [{"function_name": call.function_name, "arguments": call.arguments} for call in result.traces[0].calls]
        assert calls == expect["calls"]


@kinds("bind_arguments")
def test_arguments_are_bound(given, expect):
    call = {"type": "tool_call", "tool": given["tool"], "args": given["args"]}
    slots = {name: {"visible_in_first_turn": True} for name in given["slots"]}
    template = models.template(slots=slots, assistant_milestones=[call])
    tools = {each["function"]["name"]: models.tool(each) for each in given["tools"]}
    if "error" in expect:
        assert_told(read_trace_template(template, tools).findings, expect["error"])
        return
    bound = call_templates(template, tools)[0]
    arguments = bound.bind(given["slots"])
    assert arguments == expect["arguments"]
    for name, kind in expect.get("types", {}).items():
        assert TYPES[type(arguments[name])] == kind
    if "consumed_slots" in expect:
        assert sorted({use.slot for use in bound.uses}) == sorted(expect["consumed_slots"])


@kinds("substitute")
def test_substitution(given, expect):
    assert fill_text(given["template_text"], given["values"]) == expect["text"]


@kinds("render")
def test_rendering(given, expect):
    pack = pack_of(given, given["template"])
    task = task_of(pack, given["task"])
    config = models.run_config(surface_generation=SurfaceGeneration(language=given["language"]))
    result = render_pack(pack, [task], [plan_of(pack, task)], config)
    if "error" in expect:
        assert any(each.code == "empty_turn" for each in result.findings)
        assert_told(result.findings, expect["error"])
        assert result.conversations == ()
        return
    turns = result.conversations[0].turns
    for index, content in expect["content_at"].items():
        assert turns[index].content == content


@kinds("render_run")
def test_rendering_a_run(given, expect):
    pack = pack_of(given, *given["templates"])
    task = task_of(pack, given["task"])
    config = models.run_config(lineage_policy=given["lineage_policy"])
    result = render_pack(pack, [task], [plan_of(pack, task)], config)
    (found,) = result.findings
    assert found.code == "default_system_prompt_in_other_language"
    if "error" in expect:
        assert_told(result.findings, expect["error"])
    else:
        assert found.severity is Severity.WARNING
        assert result.conversations[0].language == expect["surface_language"]


@kinds("language_gaps")
def test_gaps_of_a_language(given, expect):
    template = models.template(given["template"])
    gaps = language_gaps(template, models.manifest(**given["manifest"]), given["language"])
    told = [{"block": gap.block, "template": gap.template_id, "after": gap.after} for gap in gaps]
    wanted = expect.get("gaps", expect.get("gaps_in_order"))
    assert told == [{"after": None, **each} for each in wanted]


@kinds("guards")
def test_surface_guards(given, expect):
    template = models.template(given["template"])
    pack = models.pack(template)
    task = task_of(pack, {"template_id": template.template_id, **given["task"]})
    turns = [Speech(index, USER, None, None, composed(text)) for index, text in enumerate(given["user_texts"])]
    violations = Guards(template, SurfaceGeneration(), ToolNames(given["tool_names"])).check(task, turns)
    told = [{"guard": each.guard, "slot": each.slot} for each in violations]
    assert told == expect["violations"]


@kinds("arguments")
def test_argument_failures(given, expect):
    found = argument_problems(given["function"]["parameters"], given["arguments"])
    if "failures" in expect:
        assert list(found) == expect["failures"]
    assert set(expect.get("reasons_include", ())) <= {each["reason"] for each in found}


@kinds("function_schema")
def test_tool_definitions(given, expect):
    found = definition_problems({"type": "function", "function": given["function"]})
    if "failures" in expect:
        assert [each.to_json() for each in found] == expect["failures"]
    if "reasons_exactly" in expect:
        assert Counter(each.reason for each in found) == Counter(expect["reasons_exactly"])
    assert set(expect.get("reasons_include", ())) <= {each.reason for each in found}


@kinds("validate_task")
def test_stored_calls(given, expect):
    pack = pack_of(given, {"template_id": given["task"]["template_id"]})
    task = task_of(pack, given["task"])
    calls = tuple(ExpectedCall(milestone=index, **call) for index, call in enumerate(given["calls"]))
    trace = ExpectedTrace(task_id=task.task_id, template_id=task.template_id, turn_policy=task.turn_policy, calls=calls)
    result = check_traces(pack, [task], [plan_of(pack, task)], [trace])
    reasons = {each["reason"] for each in result.checks[0].failures}
    assert set(expect["reasons_include"]) <= reasons
    assert set(expect["reasons_include"]) <= {each.code for each in result.findings}
