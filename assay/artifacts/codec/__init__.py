"""Records to rows and back.

There is one writer and, where a later stage reads the table, one reader per kind of record. Writers put the columns in
the order of `assay.artifacts.tables`; open-ended values travel as canonical JSON text, so `1` and `1.0` stay apart.
"""

from assay.artifacts.codec.conversations import read_rendered_conversations, rendered_conversations_table
from assay.artifacts.codec.evidence import (
    assertion_outcomes_table,
    probes_table,
    read_assertion_outcomes,
    read_replays,
    read_verdicts,
    replay_states_table,
    replays_table,
    verdicts_table,
)
from assay.artifacts.codec.findings import findings_table, packs_table, read_findings
from assay.artifacts.codec.held_out import (
    held_out_bindings_table,
    held_out_scans_table,
    read_held_out_bindings,
    read_held_out_scan,
)
from assay.artifacts.codec.instances import (
    conversation_plans_table,
    read_conversation_plans,
    read_task_instances,
    task_instances_table,
)
from assay.artifacts.codec.rows import PackIdentity, identity_of, make_table
from assay.artifacts.codec.traces import (
    expected_calls_table,
    expected_traces_table,
    read_expected_traces,
    read_schema_checks,
    schema_checks_table,
)

__all__ = [
    "PackIdentity",
    "assertion_outcomes_table",
    "conversation_plans_table",
    "expected_calls_table",
    "expected_traces_table",
    "findings_table",
    "held_out_bindings_table",
    "held_out_scans_table",
    "identity_of",
    "make_table",
    "packs_table",
    "probes_table",
    "read_assertion_outcomes",
    "read_conversation_plans",
    "read_expected_traces",
    "read_findings",
    "read_held_out_bindings",
    "read_held_out_scan",
    "read_rendered_conversations",
    "read_replays",
    "read_schema_checks",
    "read_task_instances",
    "read_verdicts",
    "rendered_conversations_table",
    "replay_states_table",
    "replays_table",
    "schema_checks_table",
    "task_instances_table",
    "verdicts_table",
]
