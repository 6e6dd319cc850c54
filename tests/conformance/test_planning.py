"""The contract's cases about planning a conversation."""

from __future__ import annotations

from assay.stages.plan import plan_template
from tests.conformance.checks import drives
from tests.conformance.expectations import assert_error, assert_expected
from tests.support.models import template


@drives("plan")
def test_plan(given, expect):
    shape, findings = plan_template(template(given["template"]))
    if "error" in expect:
        assert_error(findings, expect["error"])
        return
    calls = [step for step in shape.steps if step.kind == "calls"]
    told = {
        "calls_steps": len(calls),
        "batch_sizes": [len(step.milestones) for step in calls],
        "num_tool_calls": shape.num_tool_calls,
        "is_multi_turn": shape.num_user_turns > 1,
        "published_call_groups": [step.call_group for step in calls],
        "confirmed_call_turns": list(shape.confirmed_call_turns),
    }
    assert_expected(told, expect)
