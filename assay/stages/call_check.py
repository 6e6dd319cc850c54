"""Failures of one expected call, in the contract's order (`reference/trace-replay.md` 3.1 and 3.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.schema.arguments import find_argument_problems
from assay.stages.call_order import bad_numbers
from assay.stages.superseded import superseded_uses
from assay.values import path_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.pack.model import ConfirmationProtocol, Tool
    from assay.stages.call_templates import CallTemplate
    from assay.stages.records import ConversationPlan, ExpectedCall, TaskInstance
    from assay.values import JsonObject, JsonPath, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFailure:
    """One thing that is wrong with a call.

    Attributes:
        reason: the contract's reason code.
        extras: what the contract's record holds besides it.
        path: the argument concerned; empty for the call itself.
        rule: the schema keyword that is broken and what it says.
    """

    reason: str
    extras: Mapping[str, JsonValue] = field(default_factory=dict)
    path: JsonPath = ()
    rule: tuple[str, JsonValue] | None = None

    def to_json(self) -> JsonObject:
        """Return the contract's record."""
        return {"reason": self.reason, **self.extras}


class CallCheck:
    """Checks calls of one pack."""

    def __init__(self, tools: Mapping[str, Tool], confirmation: ConfirmationProtocol) -> None:
        self._tools = tools
        self._confirm = confirmation.parameter

    def check(
        self, call: ExpectedCall, template: CallTemplate | None, instance: TaskInstance, plan: ConversationPlan
    ) -> Iterator[CallFailure]:
        """Yield what is wrong with a call.

        Args:
            call: it.
            template: how it was made; None when that is not known.
            instance: the task that it belongs to.
            plan: that task's plan.
        """
        name = call.function_name
        for each, value in bad_numbers(call).items():
            yield CallFailure(reason="bad_struct_field", extras={"field": each, "value": value})
        arguments: Any = call.arguments
        if not isinstance(arguments, dict):
            yield CallFailure(reason="arguments_not_object")
            return
        tool = self._tools.get(name)
        if tool is None:
            yield CallFailure(reason="unknown_tool", extras={"tool": name})
            return
        if name not in instance.tools_present:
            yield CallFailure(reason="tool_not_exposed", extras={"tool": name})
        if self._is_unconfirmed(call, tool, plan):
            reason = "confirmed_mutation_without_user_confirmation"
            yield CallFailure(reason=reason, extras={"tool": name}, path=(self._confirm,))
        if template is not None:
            yield from _superseded(call, template, instance)
        for problem in find_argument_problems(tool.parameters, call.arguments):
            extras = {"argument": problem.argument, **problem.extras, "tool": name}
            yield CallFailure(reason=problem.reason, extras=extras, path=problem.path, rule=problem.rule)

    def _is_unconfirmed(self, call: ExpectedCall, tool: Tool, plan: ConversationPlan) -> bool:
        """Say whether a call confirms what the user has not agreed to; the plan decides, never the policy's name."""
        confirms = tool.requires_confirmation and call.arguments.get(self._confirm) is True
        return confirms and call.turn_index not in plan.confirmed_call_turns


def _superseded(call: ExpectedCall, template: CallTemplate, instance: TaskInstance) -> Iterator[CallFailure]:
    for use, _ in superseded_uses(template, call.arguments, instance):
        argument = path_text(use.path).removeprefix("$.")
        extras: JsonObject = {"tool": call.function_name, "argument": argument, "slot": use.slot}
        yield CallFailure(reason="superseded_slot_value_in_trace", extras=extras, path=use.path)
