"""What the reference raises, and what we tell instead (ruling 1).

The reference stops at its first fault with an exception; ours are findings of severity error. A row of the table says
which: the code, and words that our message must hold, because one code covers several faults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Ours(NamedTuple):
    """Our word for an error of the reference. `code` is a finding's code, or the name of an exception of our API."""

    code: str
    words: str


_CORRECTION = "slot_correction_declaration_invalid"
_PLAN = "invalid_conversation_plan"
_DEPENDENT = "dependent_call_binding_failed"
_DROPPED = "every_instance_dropped"  # ruling 25: one instance's fault drops it; all of them dropped is an error

ERRORS: Final[Mapping[tuple[str, str], Ours]] = {
    # Binding
    ("ExpansionError", "author must declare primary_keys for moorings"): Ours("primary_key_ambiguous", "declare"),
    ("ExpansionError", "rows lack the declared key"): Ours("primary_key_ambiguous", "no row of `moorings` carries"),
    ("ExpansionError", "step may not be zero"): Ours("invalid_source", "`step` of a range may not be 0"),
    ("ExpansionError", "source kind not supported"): Ours("unknown_source_kind:ledger", "is not a kind of source"),
    ("ExpansionError", "replacement equals the original"): Ours(_CORRECTION, "Nothing that replaces `loaves` differs"),
    ("ExpansionError", "updates need the correction policy"): Ours(_CORRECTION, "`confirmation`, not `correction`"),
    ("ExpansionError", "no slot_updates declared"): Ours(_CORRECTION, "no user turn has `slot_updates`"),
    ("ExpansionError", "a hidden slot may not be replaced"): Ours(_CORRECTION, "`loaves` is withheld"),
    ("ExpansionError", "slot and replacement must be sourced alike"): Ours(_CORRECTION, "both need the same kind"),
    ("ExpansionError", "budget cannot keep every template"): Ours(
        "category_budget_too_small", "`cool` would have none"
    ),
    ("FilterError", "only and may join clauses"): Ours("unevaluable_filter", "`or`"),
    ("FilterError", "operator not known"): Ours("unevaluable_filter", "~"),
    ("FilterError", "right side must be a literal"): Ours("unevaluable_filter", "shelf_limit"),
    (
        "FilterError",
        "cannot be evaluated; pack validation reports unevaluable_filter in check 2 and does not raise",
    ): Ours("unevaluable_filter", "IN"),
    # Planning
    ("PlanError", "the group is split"): Ours(_PLAN, "is split"),
    ("PlanError", "no call batch was authorised by a user reply"): Ours(_PLAN, "No call is authorised"),
    ("PlanError", "a scripted reply is needed"): Ours(_PLAN, "waits for an answer"),
    ("PlanError", "that slot is not withheld"): Ours(_PLAN, "asks for `hours`, which is not withheld"),
    ("PlanError", "each question must name its slot"): Ours(
        "ask_for_slot_without_a_named_slot", "does not say which slot"
    ),
    # Rendering
    ("RenderError", "a user-facing turn is empty"): Ours("empty_turn", "is blank"),
    ("RenderError", "default system prompt not allowed for this language"): Ours(
        "default_system_prompt_in_other_language", "no system prompt of its own"
    ),
    # Deriving calls
    ("ExpectedTraceError", "oracle results are needed"): Ours(_DEPENDENT, "no oracle"),
    ("ExpectedTraceError", "producer must be in an earlier group"): Ours(_DEPENDENT, "issued in the same call_group"),
    ("ExpectedTraceError", "milestone id not known"): Ours(_DEPENDENT, "names no call: `elsewhere`"),
    ("ExpectedTraceError", "producer returned an error"): Ours(_DROPPED, "the call returned an error"),
    ("ExpectedTraceError", "index out of range"): Ours(_DROPPED, "index 0 is out of range"),
    ("ExpectedTraceError", "declare dependent_call"): Ours(_DEPENDENT, "the policy `dependent_call` only"),
    ("ExpectedTraceError", "a from_result is needed"): Ours(_DEPENDENT, "no argument of its calls has a `from_result`"),
    ("ExpectedTraceError", "uses the value the user replaced"): Ours(
        "superseded_slot_value_in_trace", "which the user later changes to 8"
    ),
    ("ExpectedTraceError", "placeholder is unbound"): Ours("unbound_placeholder", "`{ticket}`"),
    # The held-out binding report
    ("HeldOutLeakError", "stage four left no report"): Ours("HeldOutLeakError", "left no held_out_bindings.json"),
    ("HeldOutLeakError", "report belongs to another policy"): Ours("HeldOutLeakError", "differs in `version`"),
    ("HeldOutLeakError", "refs must be a sorted unique subset of the reserved ones"): Ours(
        "HeldOutLeakError", "what the policy does not reserve"
    ),
    ("HeldOutLeakError", "counts must be non-negative integers"): Ours("HeldOutLeakError", "whole numbers from 0"),
    ("HeldOutLeakError", "count differs from stage-four output"): Ours("HeldOutLeakError", "but binding left 2"),
    # The scaffold
    ("FileExistsError", "target is already there"): Ours("ScaffoldError", "is already there"),
}
