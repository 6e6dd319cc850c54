"""Every table and every column: name, type, whether it may be null, and what it means.

A table's columns are also its documentation: `docs/tables.md` is made from this module. Fixed shapes are Arrow structs
and lists; only open-ended values (arguments, results, states, bound values) are canonical JSON text, marked `JSON`
here. All tables carry the pack's identity, and every table below the template carries `template_id` and `task_id`, so
that they join on equal names.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXT: Final = pa.string()
TEXTS: Final = pa.list_(pa.field("item", pa.string(), nullable=False))
COUNT: Final = pa.int32()
INDICES: Final = pa.list_(pa.field("item", pa.int32(), nullable=False))
FLAG: Final = pa.bool_()
SEED: Final = pa.uint64()
JSON: Final = pa.string()


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `meaning` includes the unit, and for a nullable column what null stands for."""

    name: str
    type: pa.DataType
    meaning: str
    nullable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSchema:
    """One table: its name, the version of its columns, what a row is, and its columns."""

    name: str
    version: int
    row: str
    columns: tuple[Column, ...]

    @property
    def arrow(self) -> pa.Schema:
        """The Arrow schema, with the table's name and version in its metadata."""
        fields = [pa.field(each.name, each.type, nullable=each.nullable) for each in self.columns]
        return pa.schema(fields, metadata={"assay.table": self.name, "assay.table_version": str(self.version)})

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names in order."""
        return tuple(each.name for each in self.columns)


PACK_COLUMNS: Final = (
    Column("pack_id", TEXT, "manifest `pack_id`"),
    Column("pack_version", TEXT, "manifest `version` as text"),
    Column("pack_fingerprint", TEXT, "64 hex digits over all files of the pack and their roles"),
)
TASK_COLUMNS: Final = (
    *PACK_COLUMNS,
    Column("template_id", TEXT, "the template"),
    Column("task_id", TEXT, "the instance"),
)
ATTEMPT: Final = Column("attempt", COUNT, "1 or 2; the second attempt varies what an oracle must not depend on")

PACKS: Final = TableSchema(
    name="packs",
    version=1,
    row="a pack",
    columns=(
        *PACK_COLUMNS,
        Column("description", TEXT, "manifest `description`; null when absent", nullable=True),
        Column("oracle_kind", TEXT, "`python` or `endpoint`; null when the pack has neither", nullable=True),
        Column("n_tools", COUNT, "usable tools in tools.json"),
        Column("n_templates", COUNT, "usable templates"),
        Column("n_validation_cases", COUNT, "usable validation cases"),
        Column("n_fixture_collections", COUNT, "top-level keys of the fixtures"),
        Column("unusable", TEXTS, "roles whose file could not be used, sorted"),
        Column("files", JSON, "role -> path within the pack, or null"),
    ),
)

REPORT_STAGE: Final = "report"
"""The stage whose findings are those of the whole run, each once and linked; other stages hold what they found."""

FINDINGS: Final = TableSchema(
    name="findings",
    version=1,
    row="a finding",
    columns=(
        *PACK_COLUMNS,
        Column("stage", TEXT, "the stage that found it"),
        Column("id", TEXT, "12 hex digits, the same in every run over the same pack"),
        Column("code", TEXT, "declared code; `assay explain CODE` tells more"),
        Column("severity", TEXT, "`error`, `warning` or `note`"),
        Column("check", TEXT, "whole-pack check it counts against; null for faults of loading", nullable=True),
        Column("message", TEXT, "one sentence with the concrete values"),
        Column("fix", TEXT, "what to do"),
        Column("file", TEXT, "path within the pack; null without a place", nullable=True),
        Column("line", COUNT, "from 1; null without a place", nullable=True),
        Column("column", COUNT, "from 1; null without a place", nullable=True),
        Column("template_id", TEXT, "null when it concerns no template", nullable=True),
        Column("slot", TEXT, "null when it concerns no slot", nullable=True),
        Column("tool", TEXT, "null when it concerns no tool", nullable=True),
        Column("case_id", TEXT, "null when it concerns no validation case", nullable=True),
        Column("task_id", TEXT, "null when it concerns no instance", nullable=True),
        Column("assertion", TEXT, "null when it concerns no assertion", nullable=True),
        Column("root", TEXT, "id of the finding it follows from; null when it stands by itself", nullable=True),
        Column("detail", JSON, "structured facts; null when there are none", nullable=True),
    ),
)

ORACLES: Final = TableSchema(
    name="oracles",
    version=1,
    row="a pack's executable parts, as inspected",
    columns=(
        *PACK_COLUMNS,
        Column("tools", TEXTS, "what `list_tools` names, in its order; null when it could not be asked", nullable=True),
        Column("assertions", TEXTS, "exported assertions, in order of discovery"),
        Column("modules", JSON, "distribution from outside the pack -> version"),
        Column("skipped", JSON, "id of a check that could not run -> why"),
        Column("isolation", JSON, "protections that were in force"),
    ),
)

PROBES: Final = TableSchema(
    name="probes",
    version=1,
    row="a validation case x attempt",
    columns=(
        *PACK_COLUMNS,
        Column("case_id", TEXT, "the validation case"),
        Column("tool", TEXT, "the tool it calls"),
        ATTEMPT,
        Column("group", COUNT, "0-based number of its chain: cases between two resets"),
        Column("arguments", JSON, "as sent"),
        Column("result", JSON, "null when the call did not come back", nullable=True),
        Column(
            "result_class",
            TEXT,
            "success, awaiting_confirmation, structured_error, malformed_error, non_object, failed or not_run",
        ),
        Column("error_code", TEXT, "`error.code` of the result; null without", nullable=True),
        Column("state_changed", FLAG, "state after differs from state before; null when not observed", nullable=True),
        Column("failure", JSON, "what ended the episode; null when it completed", nullable=True),
    ),
)

_SLOT_UPDATE: Final = pa.struct(
    [
        pa.field("entry_index", pa.int32(), nullable=False),
        pa.field("values", JSON, nullable=False),
        pa.field("aliases", JSON, nullable=False),
    ]
)

TASK_INSTANCES: Final = TableSchema(
    name="task_instances",
    version=1,
    row="a bound instance",
    columns=(
        *TASK_COLUMNS,
        Column("intent", TEXT, "as the template states it; null when absent", nullable=True),
        Column("category", TEXT, "as the template states it; null when absent", nullable=True),
        Column("difficulty", TEXT, "as the template states it; null when absent", nullable=True),
        Column("turn_policy", TEXT, "one of the nine policies"),
        Column("call_order", TEXT, "`strict`, `any` or `prefix`"),
        Column("call_order_prefix", COUNT, "null unless `call_order` is `prefix`", nullable=True),
        Column("variant_index", COUNT, "0 for the template's own wording"),
        Column("seed", SEED, "0 to 2**64 - 1"),
        Column("representative", FLAG, "the instance that stands for its template in validation"),
        Column("mutates", FLAG, "the template declares a change of state"),
        Column("required_tools", TEXTS, "in declared order"),
        Column("tools_present", TEXTS, "in declared order"),
        Column("success_assertions", TEXTS, "in declared order"),
        Column("edge_signatures", TEXTS, "sorted"),
        Column("fixture_refs", TEXTS, 'sorted canonical `["collection","id"]` texts'),
        Column("slots", JSON, "slot -> final value"),
        Column("slots_initial", JSON, "slot -> value of the opening turn"),
        Column("slot_updates", pa.list_(pa.field("item", _SLOT_UPDATE, nullable=False)), "in order of delivery"),
        Column("reserved", FLAG, "its template is held out: it is proven, and never published"),
    ),
)

HELD_OUT_BINDINGS: Final = TableSchema(
    name="held_out_bindings",
    version=1,
    row="a pack with a held-out policy",
    columns=(
        *PACK_COLUMNS,
        Column("contract_version", TEXT, "version of the held-out contract"),
        Column("version", TEXT, "version of the policy"),
        Column("source", TEXT, "path of the policy as the manifest declares it; null when unknown", nullable=True),
        Column("policy_hash", TEXT, "`sha256:` and 64 hex digits over what the policy reserves"),
        Column("fixture_ref_count", COUNT, "reserved rows"),
        Column("template_count", COUNT, "reserved templates"),
        Column("fixtures_in_backend_state", FLAG, "the oracle has the reserved rows"),
        Column("seed", JSON, "whole number of any size, for the private evaluation"),
        Column("blocked_templates", TEXTS, "reserved templates, sorted"),
        Column("blocked_fixture_refs", TEXTS, "reserved rows that would else have been candidates, sorted"),
        Column("bind_attempts", COUNT, "rows that sources of public templates matched, reserved ones included"),
        Column("templates_blocked", COUNT, "entries of `blocked_templates`"),
        Column("fixture_refs_blocked", COUNT, "entries of `blocked_fixture_refs`"),
        Column("tasks_expanded", COUNT, "public instances that binding left"),
    ),
)

_HELD_OUT_HIT: Final = pa.struct(
    [
        pa.field("task_id", TEXT, nullable=False),
        pa.field("matched_template_id", TEXT),
        pa.field("matched_fixture_refs", TEXTS, nullable=False),
    ]
)

HELD_OUT_SCANS: Final = TableSchema(
    name="held_out_scans",
    version=1,
    row="a pack whose rows were scanned for held-out material",
    columns=(
        *PACK_COLUMNS,
        Column("policy_hash", TEXT, "as in `held_out_bindings`"),
        Column("rows_scanned", COUNT, "instances that passed, proofs of reserved templates left out"),
        Column("rows_hit", COUNT, "rows that touch held-out material"),
        Column("rows_blocked", COUNT, "the same: a hit blocks, and nothing is dropped"),
        Column("rows_dropped", COUNT, "always 0"),
        Column("planned_rows_published", COUNT, "rows that would be published without a hit"),
        Column("rows_published", COUNT, "rows that may be published: 0 with a hit"),
        Column("action", TEXT, "`publish` or `abort`"),
        Column("hits", pa.list_(pa.field("item", _HELD_OUT_HIT, nullable=False)), "by task id"),
    ),
)

_PLAN_STEP: Final = pa.struct(
    [
        pa.field("kind", TEXT, nullable=False),
        pa.field("source", TEXT),
        pa.field("entry_index", pa.int32()),
        pa.field("update_index", pa.int32()),
        pa.field("milestone_type", TEXT),
        pa.field("milestones", INDICES, nullable=False),
        pa.field("call_group", pa.int32()),
        pa.field("turn_index", pa.int32()),
        pa.field("tools", TEXTS, nullable=False),
    ]
)

CONVERSATION_PLANS: Final = TableSchema(
    name="conversation_plans",
    version=1,
    row="an instance",
    columns=(
        *TASK_COLUMNS,
        Column("turn_policy", TEXT, "one of the nine policies"),
        Column("steps", pa.list_(pa.field("item", _PLAN_STEP, nullable=False)), "turns in order"),
        Column("confirmed_call_turns", INDICES, "assistant turns whose calls an answered ask_confirm authorises"),
        Column("num_user_turns", COUNT, "user turns"),
        Column("num_tool_calls", COUNT, "calls over all batches"),
        Column("has_slot_correction", FLAG, "a user turn replaces a slot's value"),
    ),
)

_VIOLATION: Final = pa.struct(
    [
        pa.field("guard", TEXT, nullable=False),
        pa.field("slot", TEXT),
        pa.field("value", JSON),
        pa.field("tool", TEXT),
        pa.field("phrase", TEXT),
    ]
)

RENDERED_CONVERSATIONS: Final = TableSchema(
    name="rendered_conversations",
    version=1,
    row="a turn of an instance",
    columns=(
        *TASK_COLUMNS,
        Column("language", TEXT, "language of the run"),
        Column("system_prompt_id", TEXT, "`sha256:` and 16 hex digits of the system prompt"),
        Column("turn", COUNT, "0-based position in the conversation"),
        Column("role", TEXT, "`user` or `assistant`"),
        Column("content", TEXT, "the text; null for a turn of calls", nullable=True),
        Column("call_group", COUNT, "the batch a turn of calls issues; null for a text", nullable=True),
        Column("violations", pa.list_(pa.field("item", _VIOLATION, nullable=False)), "guards this turn breaks"),
    ),
)

EXPECTED_TRACES: Final = TableSchema(
    name="expected_traces",
    version=1,
    row="an instance",
    columns=(
        *TASK_COLUMNS,
        Column("turn_policy", TEXT, "one of the nine policies"),
        Column("derived", FLAG, "the calls could be derived"),
        Column("drop_reason", TEXT, "why not; null when derived", nullable=True),
        Column("num_tool_calls", COUNT, "0 when dropped"),
    ),
)

EXPECTED_CALLS: Final = TableSchema(
    name="expected_calls",
    version=1,
    row="an expected call",
    columns=(
        *TASK_COLUMNS,
        Column("call_index", COUNT, "0-based position in the trace"),
        Column("turn_index", COUNT, "0-based ordinal of the assistant turn that issues it"),
        Column("call_group", COUNT, "0-based ordinal of its batch"),
        Column("position_in_group", COUNT, "0-based position in its batch"),
        Column("function_name", TEXT, "the tool"),
        Column("arguments", JSON, "the arguments"),
        Column("milestone", COUNT, "0-based index in the template's assistant_milestones"),
    ),
)

SCHEMA_CHECKS: Final = TableSchema(
    name="schema_checks",
    version=1,
    row="an instance",
    columns=(
        *TASK_COLUMNS,
        Column("valid", FLAG, "the calls may be replayed"),
        Column("reject_reason", TEXT, "expected_trace_schema_mismatch, trace_not_derived; else null", nullable=True),
        Column("failures", JSON, "array of `{reason, ...}` objects in the order of the contract"),
    ),
)

REPLAYS: Final = TableSchema(
    name="replays",
    version=1,
    row="an instance x attempt x executed call",
    columns=(
        *TASK_COLUMNS,
        ATTEMPT,
        Column("call_index", COUNT, "0-based position in the trace"),
        Column("tool", TEXT, "the tool"),
        Column("arguments", JSON, "as sent"),
        Column("result", JSON, "null when the call did not come back", nullable=True),
        Column("failed", FLAG, "it did not come back, or answered with a structured error"),
        Column("consequence_of", COUNT, "call_index of the failing call it follows; null without", nullable=True),
    ),
)

REPLAY_STATES: Final = TableSchema(
    name="replay_states",
    version=1,
    row="an instance x attempt",
    columns=(
        *TASK_COLUMNS,
        ATTEMPT,
        Column("completed", FLAG, "the episode ran to its end"),
        Column("state_before", JSON, "state right after reset; null when not reached", nullable=True),
        Column("state_digest", TEXT, "SHA-256 of the state after the last call; null when not reached", nullable=True),
        Column("state_patch", JSON, "what the calls changed, as `[path, value]` or `[path]` steps", nullable=True),
        Column("failure", JSON, "what ended the episode; null when it completed", nullable=True),
    ),
)

ASSERTION_OUTCOMES: Final = TableSchema(
    name="assertion_outcomes",
    version=1,
    row="an instance x attempt x assertion",
    columns=(
        *TASK_COLUMNS,
        ATTEMPT,
        Column("position", COUNT, "0-based position in success_assertions"),
        Column("assertion", TEXT, "its exported name"),
        Column("status", TEXT, "passed, failed, not_applicable or infrastructure_error"),
        Column("detail", TEXT, "its message; null when it passed", nullable=True),
        Column("file", TEXT, "file of the line of pack code that raised; null without", nullable=True),
        Column("line", COUNT, "from 1; null without a place", nullable=True),
        Column("column", COUNT, "from 1; null without a place", nullable=True),
        Column("failure", JSON, "what went wrong beyond a verdict; null without", nullable=True),
    ),
)

_MUTANT_OUTCOME: Final = pa.struct(
    [
        pa.field("assertion", TEXT, nullable=False),
        pa.field("status", TEXT, nullable=False),
        pa.field("failure", JSON),
    ]
)

MUTANTS: Final = TableSchema(
    name="mutants",
    version=1,
    row="a mutant of an instance's evidence",
    columns=(
        *TASK_COLUMNS,
        Column("mutant", COUNT, "0-based position among the mutants of the instance"),
        Column(
            "kind",
            TEXT,
            "add_call (to a task without calls), drop_call, repeat_call, swap_calls (with the next), change_argument, "
            "change_result, blank_result, reset_state, change_effect (a value that the calls set), "
            "change_untouched (one that they left alone)",
        ),
        Column("call_index", COUNT, "0-based position of the call; null for a mutant of the state", nullable=True),
        Column("tool", TEXT, "the tool of that call; null for a mutant of the state", nullable=True),
        Column("path", TEXT, "JSON path of the changed value; null where none is changed", nullable=True),
        Column("before", JSON, "the value that was recorded; null where no single value is changed", nullable=True),
        Column("after", JSON, "the value in its place; null likewise", nullable=True),
        Column("status", TEXT, "killed, survived (every assertion accepts it) or undecided"),
        Column("killed_by", TEXTS, "assertions that do not pass it, in declared order"),
        Column(
            "outcomes",
            pa.list_(pa.field("item", _MUTANT_OUTCOME, nullable=False)),
            "one for each named assertion: passed, failed, not_applicable, infrastructure_error or undecided (with the "
            "failure that came instead of an answer); empty when it was not judged any more",
        ),
    ),
)

VERDICTS: Final = TableSchema(
    name="verdicts",
    version=1,
    row="an instance",
    columns=(
        *TASK_COLUMNS,
        Column("passed", FLAG, "executed twice with equal evidence, every assertion passed"),
        Column("reason", TEXT, "why not; null when passed", nullable=True),
        Column("diverged", TEXTS, "parts that differ between the attempts: results, state, assertions"),
        Column("paths", TEXTS, "JSON paths at which they differ"),
        Column("cause", TEXT, "hash_order, ambient, state_leak or unstable; null without divergence", nullable=True),
        Column("detail", JSON, "structured facts"),
    ),
)

CHECKS: Final = TableSchema(
    name="checks",
    version=1,
    row="a whole-pack check",
    columns=(
        *PACK_COLUMNS,
        Column("check", TEXT, "1 to 7, M1, D1, D2, T1, I1"),
        Column("name", TEXT, "its name"),
        Column("status", TEXT, "pass, fail or skipped"),
        Column("reason", TEXT, "why it was skipped; null otherwise", nullable=True),
        Column("errors", COUNT, "errors that count against it"),
    ),
)

_CODE_COUNT: Final = pa.struct([pa.field("code", TEXT, nullable=False), pa.field("findings", COUNT, nullable=False)])

BATCHES: Final = TableSchema(
    name="batches",
    version=1,
    row="a pack of a batch",
    columns=(
        Column("batch_id", TEXT, "the batch; begins with the moment at which it was begun, in UTC"),
        Column("run_id", TEXT, "the run of the pack, as in `runs` and `stages`"),
        Column("pack", TEXT, "where the pack lay"),
        Column("pack_id", TEXT, "its id; what people call it when it could not be read"),
        Column("pack_version", TEXT, "its version; null without a verdict", nullable=True),
        Column("pack_fingerprint", TEXT, "of its files; null without a verdict", nullable=True),
        Column("status", TEXT, "gold, not_gold, or error: no verdict"),
        Column("tier", TEXT, "as in the report; null without a verdict", nullable=True),
        Column("errors", COUNT, "findings of severity error"),
        Column("warnings", COUNT, "findings of severity warning"),
        Column("notes", COUNT, "findings of severity note"),
        Column("codes", pa.list_(pa.field("item", _CODE_COUNT, nullable=False)), "findings by code, by name"),
        Column("error", TEXT, "why there is no verdict; null with one", nullable=True),
        Column("deadline_passed", FLAG, "there is none because the pack overran its deadline"),
        Column("cached_stages", COUNT, "stages that were served from the store"),
        Column("computed_stages", COUNT, "stages that were computed"),
        Column("started", TEXT, "when its run began, ISO-8601 in UTC; null when it never did", nullable=True),
        Column("seconds", pa.float64(), "wall time from its first step to its last"),
    ),
)

LEDGER_TABLES: Final[Mapping[str, TableSchema]] = MappingProxyType({BATCHES.name: BATCHES})
"""Tables that tell of runs, by name. They hold ids and times of runs and are no artifacts."""

ALL_TABLES: Final[Mapping[str, TableSchema]] = MappingProxyType(
    {
        each.name: each
        for each in (
            PACKS,
            FINDINGS,
            ORACLES,
            PROBES,
            TASK_INSTANCES,
            HELD_OUT_BINDINGS,
            CONVERSATION_PLANS,
            RENDERED_CONVERSATIONS,
            EXPECTED_TRACES,
            EXPECTED_CALLS,
            SCHEMA_CHECKS,
            REPLAYS,
            REPLAY_STATES,
            ASSERTION_OUTCOMES,
            MUTANTS,
            VERDICTS,
            CHECKS,
            HELD_OUT_SCANS,
        )
    }
)
"""Every table that a stage leaves, by name."""
