"""Failure records of the static check as findings, each at the milestone, argument or declaration to mend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.findings import Check, Finding, finding
from assay.stages.superseded import value_at
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.findings import Place
    from assay.pack.model import Template
    from assay.stages.call_check import CallFailure
    from assay.stages.call_templates import CallTemplate
    from assay.stages.records import ExpectedCall, TaskInstance
    from assay.values import JsonObject

_CONTRACT: Final = Check.REPRESENTATIVE_GENERATION_CONTRACT

_OF_CALL: Final[Mapping[str, str]] = {
    "bad_struct_field": "has {value} as its `{field}`",
    "arguments_not_object": "has arguments that are no object",
    "unknown_tool": "names a tool that the catalogue does not declare",
    "tool_not_exposed": "names a tool that the template does not expose",
    "confirmed_mutation_without_user_confirmation": "confirms, but the user has not agreed to it at this point",
    "superseded_slot_value_in_trace": "takes `{argument}` from `{slot}`, which the user changes later",
    "missing_required_argument": "lacks the required argument `{argument}`",
    "unknown_argument": "passes `{argument}`, which the tool does not declare",
    "argument_type_mismatch": "passes {got} as `{argument}`, which is not of type {expected_type}",
    "pattern_too_slow": "passes {got} as `{argument}`, and it takes too long to match that with {rule}",
}
_BREAKS: Final = "passes {got} as `{argument}`, which breaks {rule}"

_OF_TRACE: Final[Mapping[str, str]] = {
    "dependent_call_requires_strict_order": "is a dependent call with `call_order` {call_order}, not strict",
    "unknown_call_order": "has an unknown `call_order`, {call_order}",
    "bad_call_order_prefix": "has `call_order: prefix` with {call_order_prefix} as its `call_order_prefix`",
    "call_order_prefix_without_prefix_order": "has a `call_order_prefix` without `call_order: prefix`",
    "call_order_mismatch": "calls {got} in this order, but declares {expected} ({call_order})",
    "call_order_remainder_mismatch": "calls {got} after the ordered prefix, but declares {expected}",
    "call_group_spans_turns": "has call group {call_group} on more than one turn",
    "non_contiguous_group_positions": "has positions {positions} in call group {call_group} of turn {turn_index}",
    "irrelevant_task_has_calls": "is `irrelevant` but calls a tool",
    "required_tool_not_called": "never calls {tool}, which it requires",
}
_FIELD: Final[Mapping[str, str]] = {
    "dependent_call_requires_strict_order": "call_order",
    "unknown_call_order": "call_order",
    "bad_call_order_prefix": "call_order_prefix",
    "call_order_prefix_without_prefix_order": "call_order_prefix",
    "call_group_spans_turns": "assistant_milestones",
    "non_contiguous_group_positions": "assistant_milestones",
    "irrelevant_task_has_calls": "turn_policy",
}
"""Reason -> the template's field to look at; `required_tools` for the others."""


def call_finding(
    failure: CallFailure, call: ExpectedCall, template: CallTemplate | None, instance: TaskInstance
) -> Finding:
    """Return the finding about a failure of one call."""
    facts = {name: shown(value) for name, value in failure.extras.items()}
    facts |= {name: str(failure.extras[name]) for name in ("argument", "slot", "field") if name in failure.extras}
    keyword, says = failure.rule or ("", None)
    facts |= {"got": shown(value_at(call.arguments, failure.path)), "rule": f"`{keyword}: {shown(says, 80)}`"}
    breach = _OF_CALL.get(failure.reason, _BREAKS).format_map(facts)
    slot = failure.extras.get("slot")
    return finding(
        failure.reason,
        f"The call of `{call.function_name}` in {instance.template_id} {breach}",
        at=None if template is None else template.place_of(failure.path),
        check=_CONTRACT,
        template_id=instance.template_id,
        task_id=instance.task_id,
        tool=call.function_name,
        slot=slot if isinstance(slot, str) else None,
        detail={name: value for name, value in failure.extras.items() if name not in ("tool", "slot")} or None,
    )


def trace_finding(record: JsonObject, template: Template | None, instance: TaskInstance) -> Finding:
    """Return the finding about a failure of a trace as a whole."""
    reason = str(record["reason"])
    facts = {name: shown(value) for name, value in record.items()}
    tool = record.get("tool")
    return finding(
        reason,
        f"{instance.template_id} {_OF_TRACE[reason].format_map(facts)}",
        at=_place(reason, tool, template),
        check=_CONTRACT,
        template_id=instance.template_id,
        task_id=instance.task_id,
        tool=tool if isinstance(tool, str) else None,
        detail={name: value for name, value in record.items() if name not in ("reason", "tool")} or None,
    )


def _place(reason: str, tool: object, template: Template | None) -> Place | None:
    if template is None:
        return None
    below: tuple[str | int, ...] = (_FIELD.get(reason, "required_tools"),)
    if reason == "required_tool_not_called" and tool in template.required_tools:
        below = (*below, template.required_tools.index(str(tool)))
    return template.at.place(*below)
