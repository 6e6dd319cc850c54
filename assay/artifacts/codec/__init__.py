"""Records to rows and back.

There is one writer and, where a later stage reads the table, one reader per kind of record. Writers put the columns in
the order of `assay.artifacts.tables`; open-ended values travel as canonical JSON text, so `1` and `1.0` stay apart.

Records of which there is one for every instance are written one by one (`..._row`, `..._rows`) and read as a stream;
tables about a pack as a whole, and findings, which are bounded, are made whole (`..._table`).

Each module is imported at the first use of one of its names: a run that is served from the cache reads findings only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.lazy import at_first_use

if TYPE_CHECKING:
    from assay.artifacts.codec.conversations import read_rendered_conversations, rendered_conversation_rows
    from assay.artifacts.codec.evidence import (
        assertion_outcome_rows,
        probes_table,
        read_assertion_outcomes,
        read_replays,
        read_verdicts,
        replay_state_row,
        replayed_call_rows,
        verdict_row,
    )
    from assay.artifacts.codec.findings import findings_table, packs_table, read_findings
    from assay.artifacts.codec.held_out import (
        held_out_bindings_table,
        held_out_scans_table,
        read_held_out_bindings,
        read_held_out_scan,
    )
    from assay.artifacts.codec.instances import (
        conversation_plan_row,
        read_conversation_plans,
        read_task_instances,
        task_instance_row,
    )
    from assay.artifacts.codec.mutants import mutant_row, read_mutants
    from assay.artifacts.codec.rows import PackIdentity, identity_of, make_table
    from assay.artifacts.codec.traces import (
        expected_call_rows,
        expected_trace_row,
        read_expected_traces,
        read_schema_checks,
        schema_check_row,
    )

__all__ = [
    "PackIdentity",
    "assertion_outcome_rows",
    "conversation_plan_row",
    "expected_call_rows",
    "expected_trace_row",
    "findings_table",
    "held_out_bindings_table",
    "held_out_scans_table",
    "identity_of",
    "make_table",
    "mutant_row",
    "packs_table",
    "probes_table",
    "read_assertion_outcomes",
    "read_conversation_plans",
    "read_expected_traces",
    "read_findings",
    "read_held_out_bindings",
    "read_held_out_scan",
    "read_mutants",
    "read_rendered_conversations",
    "read_replays",
    "read_schema_checks",
    "read_task_instances",
    "read_verdicts",
    "rendered_conversation_rows",
    "replay_state_row",
    "replayed_call_rows",
    "schema_check_row",
    "task_instance_row",
    "verdict_row",
]

__getattr__ = at_first_use(
    __name__,
    {
        "assay.artifacts.codec.conversations": (
            "read_rendered_conversations",
            "rendered_conversation_rows",
        ),
        "assay.artifacts.codec.evidence": (
            "assertion_outcome_rows",
            "probes_table",
            "read_assertion_outcomes",
            "read_replays",
            "read_verdicts",
            "replay_state_row",
            "replayed_call_rows",
            "verdict_row",
        ),
        "assay.artifacts.codec.findings": (
            "findings_table",
            "packs_table",
            "read_findings",
        ),
        "assay.artifacts.codec.held_out": (
            "held_out_bindings_table",
            "held_out_scans_table",
            "read_held_out_bindings",
            "read_held_out_scan",
        ),
        "assay.artifacts.codec.instances": (
            "conversation_plan_row",
            "read_conversation_plans",
            "read_task_instances",
            "task_instance_row",
        ),
        "assay.artifacts.codec.mutants": (
            "mutant_row",
            "read_mutants",
        ),
        "assay.artifacts.codec.rows": (
            "PackIdentity",
            "identity_of",
            "make_table",
        ),
        "assay.artifacts.codec.traces": (
            "expected_call_rows",
            "expected_trace_row",
            "read_expected_traces",
            "read_schema_checks",
            "schema_check_row",
        ),
    },
)
