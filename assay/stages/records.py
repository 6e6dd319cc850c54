"""What flows between the stages, one type per kind of record.

Tables of the same content are declared in `assay.artifacts.tables`; `assay.artifacts.codec` turns records into rows and
back. Values bound from a pack are JSON values and keep their JSON type.

Shapes and derivations: `reference/bind-plan-render.md` 1.7, 2.5, 3.9 and `reference/trace-replay.md` 1, 4.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.findings import Place
    from assay.values import JsonObject, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotUpdate:
    """One correcting turn, bound: what changes when simulator turn `entry_index` is spoken.

    Attributes:
        entry_index: index in `user_simulator_turns`.
        values: slot -> new value.
        aliases: `bind_as` name -> new value, for the text of that turn only.
    """

    entry_index: int
    values: Mapping[str, JsonValue]
    aliases: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskInstance:
    """A template with every slot bound.

    Attributes:
        task_id: `<pack_id>__<template_id>__<16 hex>`.
        seed: 0 .. 2**64 - 1.
        representative: the one instance of its template that validation proves unless told to prove all.
        reserved: its template is held out: it is proven, and never published.
        category: as the template states it (may be None); budgets use `Template.bucket`.
        slots: final values, after every correction.
        slots_initial: values of the opening turn.
        slot_updates: in the order in which the conversation delivers them.
        fixture_refs: sorted canonical `["collection","id"]` texts.
    """

    task_id: str
    template_id: str
    pack_id: str
    pack_version: str
    intent: str | None
    category: str | None
    difficulty: str | None
    turn_policy: str
    call_order: str
    call_order_prefix: int | None
    variant_index: int
    seed: int
    representative: bool
    mutates: bool
    required_tools: tuple[str, ...]
    tools_present: tuple[str, ...]
    success_assertions: tuple[str, ...]
    edge_signatures: tuple[str, ...]
    fixture_refs: tuple[str, ...]
    slots: Mapping[str, JsonValue]
    slots_initial: Mapping[str, JsonValue]
    slot_updates: tuple[SlotUpdate, ...]
    reserved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One turn of a planned conversation.

    Attributes:
        kind: `user`, `text` (an assistant text) or `calls` (one batch of tool calls).
        source: for a user step: `first_turn` or `simulator`.
        entry_index: for a simulator step: its index in `user_simulator_turns`.
        update_index: the same index when that turn corrects a slot, else None.
        milestone_type: for a text step.
        milestones: indices in `assistant_milestones`: one for a text step, one or more for a calls step.
        call_group: for a calls step: 0, 1, 2, ... in order of issue.
        turn_index: for assistant steps (text and calls): 0-based ordinal among them; None for user steps.
        tools: for a calls step: tool names in batch order.
    """

    kind: str
    source: str | None = None
    entry_index: int | None = None
    update_index: int | None = None
    milestone_type: str | None = None
    milestones: tuple[int, ...] = ()
    call_group: int | None = None
    turn_index: int | None = None
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPlan:
    """The ordered turns of one instance. It depends on the template alone."""

    task_id: str
    template_id: str
    turn_policy: str
    steps: tuple[PlanStep, ...]
    confirmed_call_turns: tuple[int, ...]
    num_user_turns: int
    num_tool_calls: int
    has_slot_correction: bool

    @property
    def is_multi_turn(self) -> bool:
        """Whether the user speaks more than once."""
        return self.num_user_turns > 1

    @property
    def has_user_confirmation(self) -> bool:
        """Whether any call batch is authorised by an answered `ask_confirm`."""
        return bool(self.confirmed_call_turns)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedTurn:
    """One turn as people read it. A calls turn has no text (`content` None) and names its group."""

    turn: int
    role: str
    content: str | None
    call_group: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardViolation:
    """A surface guard that a conversation breaks (`reference/bind-plan-render.md` 3.7; ruling 23).

    Attributes:
        guard: `must_preserve`, `must_omit` or `must_not_mention`.
        turn: 0-based index of the turn that breaks it; for a value that is missing: the turn that should have it.
    """

    guard: str
    turn: int
    slot: str | None = None
    value: JsonValue = None
    tool: str | None = None
    phrase: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedConversation:
    """All turns of one instance in one language."""

    task_id: str
    template_id: str
    language: str
    system_prompt_id: str
    turns: tuple[RenderedTurn, ...]
    guard_violations: tuple[GuardViolation, ...]

    @property
    def accepted(self) -> bool:
        """Whether no guard is broken."""
        return not self.guard_violations


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCall:
    """One gold call. `milestone` is its index in `assistant_milestones`; the other five fields are published."""

    turn_index: int
    call_group: int
    position_in_group: int
    function_name: str
    arguments: JsonObject
    milestone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedTrace:
    """The calls of one instance, or the reason why it was dropped."""

    task_id: str
    template_id: str
    turn_policy: str
    calls: tuple[ExpectedCall, ...]
    drop_reason: str | None = None

    @property
    def derived(self) -> bool:
        """Whether the calls could be derived."""
        return self.drop_reason is None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaCheck:
    """Verdict of the static check of one instance's calls.

    Attributes:
        reject_reason: None, `expected_trace_schema_mismatch` or `trace_not_derived`.
        failures: `{"reason": ..., ...}` objects in the order of the contract.
    """

    task_id: str
    template_id: str
    reject_reason: str | None
    failures: tuple[JsonObject, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the calls may be replayed."""
        return self.reject_reason is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedCall:
    """One executed call of one attempt. `result` is None when the call did not come back with one."""

    call_index: int
    tool: str
    arguments: JsonObject
    result: JsonValue
    failed: bool = False
    consequence_of: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """One attempt at one instance.

    Attributes:
        attempt: 1 or 2.
        completed: whether the episode ran to its end.
        calls: one per executed call, in order.
        state_before: oracle state right after reset; None when it was not reached.
        state_after: oracle state after the last call; None when it was not reached.
        failure: for an episode that did not complete: what happened, as JSON of `assay.oracle.Failure`.
    """

    task_id: str
    template_id: str
    attempt: int
    completed: bool
    calls: tuple[ReplayedCall, ...]
    state_before: JsonValue
    state_after: JsonValue
    failure: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionOutcome:
    """One assertion over the evidence of one attempt (ruling 31).

    Attributes:
        status: `passed`, `failed`, `not_applicable` or `infrastructure_error`.
        detail: the assertion's message, or None.
        place: the line of pack code that raised, if any.
        failure: for an infrastructure error: JSON of `assay.oracle.Failure`.
    """

    task_id: str
    template_id: str
    attempt: int
    assertion: str
    status: str
    detail: str | None = None
    place: Place | None = None
    failure: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantOutcome:
    """One assertion over one mutant.

    Attributes:
        status: as in `AssertionOutcome`; `undecided` when a deadline or a dead worker came instead of an answer.
        failure: for `undecided`: JSON of `assay.oracle.Failure`.
    """

    assertion: str
    status: str
    failure: JsonObject | None = None

    @property
    def answered(self) -> bool:
        """Whether the assertion gave an answer, be it an exception."""
        return self.status != "undecided"

    @property
    def kills(self) -> bool:
        """Whether the assertion refused the mutant: whatever is no pass would not score as a success (ruling 31)."""
        return self.answered and self.status != "passed"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedMutant:
    """A task's evidence with one fact changed, and what the task's assertions said to it.

    Attributes:
        index: 0, 1, 2, ... within the task.
        kind: one of `assay.stages.mutation.KINDS`.
        call_index: the call concerned; None for a mutant of the state.
        tool: the tool of that call.
        path: the changed place as text, such as `$.title`; None for other kinds.
        before: the value that was recorded, `assay.values.ABSENT` where no single value was changed.
        after: the value in its place, `ABSENT` likewise.
        outcomes: one per named assertion, in declared order; empty when the mutant was not judged any more.
    """

    task_id: str
    template_id: str
    index: int
    kind: str
    call_index: int | None
    tool: str | None
    path: str | None
    before: Any
    after: Any
    outcomes: tuple[MutantOutcome, ...]

    @property
    def killed_by(self) -> tuple[str, ...]:
        """The assertions that refused it, each once."""
        return tuple(dict.fromkeys(each.assertion for each in self.outcomes if each.kills))

    @property
    def status(self) -> str:
        """`killed`; `survived` when every assertion accepted it; `undecided` when one might yet have refused it."""
        if self.killed_by:
            return "killed"
        accepted = bool(self.outcomes) and all(each.status == "passed" for each in self.outcomes)
        return "survived" if accepted else "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceVerdict:
    """The end of the line for one instance.

    Attributes:
        passed: executed twice with equal evidence, every assertion passed.
        reason: None, `trace_not_derived`, `expected_trace_schema_mismatch`, `executable_replay_failed`,
            `nondeterministic_replay` or `assertion_failed`.
        diverged: `results`, `state`, `assertions`: which parts of the evidence differ.
        paths: JSON paths at which they differ, as text.
        cause: for a divergence: `hash_order`, `ambient`, `state_leak` or `unstable`; else None.
    """

    task_id: str
    template_id: str
    passed: bool
    reason: str | None = None
    diverged: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    cause: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeAttempt:
    """One attempt at one validation case: what the oracle was asked and what it gave back.

    Attributes:
        group: 0-based number of its chain, in file order.
        arguments: as sent; any JSON value.
        result: as returned; None when the call did not come back.
        result_class: `success`, `awaiting_confirmation` or `structured_error`; for what is none of them:
            `malformed_error` (an `error` that is not an object), `non_object`, `failed` (the episode ended in this
            case) or `not_run` (it ended in an earlier case of the chain).
        error_code: `error.code` of a structured error, when it is text.
        state_changed: whether the state after the call differs from the state before; None when not observed.
        failure: for `failed`: JSON of `assay.oracle.Failure`.
    """

    case_id: str
    tool: str
    attempt: int
    group: int
    arguments: JsonValue
    result: JsonValue
    result_class: str
    error_code: str | None
    state_changed: bool | None
    failure: JsonObject | None = None
