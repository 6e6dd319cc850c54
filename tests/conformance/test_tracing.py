"""The contract's cases about deriving expected calls, from slots and from results."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace

from assay.oracle.process_engine import ProcessEngine
from assay.oracle.spec import OracleSpec
from assay.stages.call_templates import call_templates
from assay.stages.trace import derive_traces
from assay.stages.trace_templates import read_trace_template
from tests.conformance.checks import drives
from tests.conformance.expectations import assert_error, assert_expected
from tests.conformance.given import pack_of, plan_of, task_of
from tests.support import models

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


@contextmanager
def canned_oracle(folder, results):
    """Run a backend that answers the first call with the first result, and so on."""
    (folder / "backend.py").write_text(CANNED.format(results=json.dumps(results)), encoding="utf-8")
    with ProcessEngine(OracleSpec(root=folder, backend="backend.py", assertions=None, fixtures=None)) as engine:
        yield lambda: engine


def no_engine():
    raise AssertionError("no call reads a result")


def traced(given, folder):
    pack = pack_of(given, given["template"])
    task = task_of(pack, given["task"])
    plans = [plan_of(pack, task)]
    if given.get("resolver") == "none" or "results_by_prefix" not in given:
        return derive_traces(pack, [task], plans, no_engine, models.run_config())
    pack = replace(pack, paths=replace(pack.paths, backend="backend.py"))
    with canned_oracle(folder, given["results_by_prefix"]) as engine_source:
        return derive_traces(pack, [task], plans, engine_source, models.run_config())


@drives("trace")
def test_traces(given, expect, tmp_path):
    result = traced(given, tmp_path)
    (trace,) = result.traces
    if "error" in expect:
        assert_error(result.findings, expect["error"])
        assert not trace.derived
        assert trace.calls == ()
        return
    assert result.findings == ()
    calls = [{"function_name": call.function_name, "arguments": call.arguments} for call in trace.calls]
    assert_expected({"calls": calls}, expect)


@drives("bind_arguments")
def test_arguments_are_bound(given, expect):
    call = {"type": "tool_call", "tool": given["tool"], "args": given["args"]}
    slots = {name: {"visible_in_first_turn": True} for name in given["slots"]}
    template = models.template(slots=slots, assistant_milestones=[call])
    tools = {each["function"]["name"]: models.tool(each) for each in given["tools"]}
    findings = read_trace_template(template, tools).findings
    if "error" in expect:
        assert_error(findings, expect["error"])
        return
    assert findings == ()
    bound = call_templates(template, tools)[0]
    arguments = bound.bind(given["slots"])
    told = {
        "arguments": arguments,
        "types": {name: TYPES[type(arguments[name])] for name in expect.get("types", ())},
        "consumed_slots": sorted({use.slot for use in bound.uses}),
    }
    assert_expected(told, expect)
