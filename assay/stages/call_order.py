"""Failures of a whole trace: the order of its calls, their batches, the tools it must call.

They depend on the template alone, since every instance of it calls the same tools in the same order. Only the first
call of each tool counts for the order; repeats and tools that are not required may stand anywhere
(`reference/trace-replay.md` 3.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.pack.model import CALL_ORDERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.stages.records import ExpectedCall, TaskInstance
    from assay.values import JsonObject


def trace_failures(instance: TaskInstance, calls: Sequence[ExpectedCall]) -> Iterator[JsonObject]:
    """Yield the failures of a trace as a whole, in the contract's order."""
    yield from _declaration_failures(instance)
    yield from _order_failures(instance, calls)
    yield from _batch_failures(calls)
    if instance.turn_policy == "irrelevant" and calls:
        yield {"reason": "irrelevant_task_has_calls"}
    called = {call.function_name for call in calls}
    for tool in dict.fromkeys(instance.required_tools):
        if tool not in called:
            yield {"reason": "required_tool_not_called", "tool": tool}


def _declaration_failures(instance: TaskInstance) -> Iterator[JsonObject]:
    order, prefix = instance.call_order, instance.call_order_prefix
    if instance.turn_policy == "dependent_call" and order != "strict":
        yield {"reason": "dependent_call_requires_strict_order", "call_order": order}
    if order not in CALL_ORDERS:
        yield {"reason": "unknown_call_order", "call_order": order}
    elif order == "prefix" and not _is_prefix(prefix, instance):
        yield {"reason": "bad_call_order_prefix", "call_order_prefix": prefix}
    if order != "prefix" and prefix is not None:
        yield {"reason": "call_order_prefix_without_prefix_order"}


def _is_prefix(prefix: Any, instance: TaskInstance) -> bool:
    return type(prefix) is int and 1 <= prefix <= len(instance.required_tools)


def _order_failures(instance: TaskInstance, calls: Sequence[ExpectedCall]) -> Iterator[JsonObject]:
    required = list(instance.required_tools)
    seen = list(dict.fromkeys(call.function_name for call in calls if call.function_name in required))
    if instance.call_order == "strict" and required and seen != required:
        yield {"reason": "call_order_mismatch", "call_order": "strict", "expected": [*required], "got": [*seen]}
    if instance.call_order != "prefix" or not _is_prefix(instance.call_order_prefix, instance):
        return
    ordered = instance.call_order_prefix or 0
    if seen[:ordered] != required[:ordered]:
        expected, got = required[:ordered], seen[:ordered]
        yield {"reason": "call_order_mismatch", "call_order": "prefix", "expected": [*expected], "got": [*got]}
    if sorted(seen[ordered:]) != sorted(required[ordered:]):
        expected, got = sorted(required[ordered:]), sorted(seen[ordered:])
        yield {"reason": "call_order_remainder_mismatch", "expected": [*expected], "got": [*got]}


def bad_numbers(call: ExpectedCall) -> dict[str, Any]:
    """Return those of a call's published numbers that are no whole numbers from 0."""
    numbers = {name: getattr(call, name) for name in ("turn_index", "call_group", "position_in_group")}
    return {name: value for name, value in numbers.items() if type(value) is not int or value < 0}


def _batch_failures(calls: Sequence[ExpectedCall]) -> Iterator[JsonObject]:
    turns: dict[int, set[int]] = {}
    positions: dict[tuple[int, int], list[int]] = {}
    for call in calls:
        if not isinstance(call.arguments, dict) or bad_numbers(call):
            continue
        turns.setdefault(call.call_group, set()).add(call.turn_index)
        positions.setdefault((call.turn_index, call.call_group), []).append(call.position_in_group)
    for group, where in turns.items():
        if len(where) > 1:
            yield {"reason": "call_group_spans_turns", "call_group": group}
    for (turn, group), found in positions.items():
        if sorted(found) != list(range(len(found))):
            yield {
                "reason": "non_contiguous_group_positions",
                "turn_index": turn,
                "call_group": group,
                "positions": [*found],
            }
