"""Stages about a pack as a whole, whose tables are short: load, probe, report."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING

from assay.artifacts import codec, tables
from assay.checks.consequences import link_stages
from assay.checks.probe import probe_pack
from assay.checks.report import judge_checks
from assay.checks.representatives import summarise_representatives
from assay.findings import Check, Finding
from assay.pipeline.stage import StageOutput
from assay.schema.findings import tool_findings
from assay.stages.held_out import HeldOutReview, RowReader, contract_of, review_held_out
from assay.values import canonical_json, indented_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.checks.probe import ProbeResult
    from assay.checks.report import CheckResult
    from assay.pipeline.stage import StageContext

_EVERYTHING = ("manifest", "tools", "fixtures", "templates", "assertions", "validation_cases")


def load(context: StageContext) -> StageOutput:
    """One row about the pack, and all that loading found."""
    pack = context.loaded.pack
    if pack is None:
        return StageOutput(tables={"packs": codec.make_table(tables.PACKS, [])}, findings=context.loaded.findings)
    found = chain(context.loaded.findings, *map(tool_findings, pack.tools))
    return StageOutput(tables={"packs": codec.packs_table(pack)}, findings=tuple(sorted(found, key=Finding.sort_key)))


def probe(context: StageContext) -> StageOutput:
    """Run every check that executes pack code but belongs to no instance."""
    result = probe_pack(context.pack, context.engine, context.config, context.findings["load"])
    return StageOutput(
        tables={
            "oracles": codec.make_table(tables.ORACLES, [_oracle_row(context, result)]),
            "probes": codec.probes_table(context.identity, result.attempts),
        },
        findings=result.findings,
        final=result.final,
    )


def _oracle_row(context: StageContext, result: ProbeResult) -> tuple[object, ...]:
    return (
        *context.identity.columns,
        result.surface.tools,
        list(result.assertions.assertions),
        canonical_json({**result.surface.modules, **result.assertions.modules}),
        canonical_json({str(check): why for check, why in result.skipped.items()}),
        canonical_json(context.engine.isolation),
    )


def report(context: StageContext) -> StageOutput:
    """Put all findings together, link them, and decide the whole-pack checks."""
    linked = link_stages(context.findings)
    held_out = _review_held_out(context, linked)
    by_stage = {**linked, "report": (*summarise_representatives(linked), *held_out.findings)}
    ordered = sorted(chain(*by_stage.values()), key=Finding.sort_key)
    pack = context.loaded.pack
    results = judge_checks(ordered, _skipped(context), _EVERYTHING if pack is None else pack.unusable)
    return StageOutput(
        tables={
            "checks": codec.make_table(tables.CHECKS, (_check_row(context, each) for each in results)),
            "findings": codec.findings_table(context.identity, by_stage),
            "held_out_scans": codec.held_out_scans_table(
                context.identity, None if pack is None else contract_of(pack.held_out), held_out.scan
            ),
        }
    )


def _review_held_out(context: StageContext, earlier: Mapping[str, tuple[Finding, ...]]) -> HeldOutReview:
    """Scan what passed for held-out material; without a policy nothing is scanned, which is not the same as clean."""
    pack = context.loaded.pack
    if pack is None or pack.paths.held_out is None:
        return HeldOutReview()
    given = context.tables
    rows = RowReader(pack).read(
        codec.read_verdicts(given["verdicts"]),
        codec.read_task_instances(given["task_instances"]),
        codec.read_expected_traces(given["expected_traces"], given["expected_calls"]),
        codec.read_rendered_conversations(given["rendered_conversations"]),
    )
    bindings = codec.read_held_out_bindings(given["held_out_bindings"])
    return review_held_out(
        pack,
        rows,
        bindings=None if bindings is None else indented_json(bindings),
        expanded=sum(not reserved for (reserved,) in given["task_instances"].values("reserved")),
        earlier=earlier,
    )


def _check_row(context: StageContext, result: CheckResult) -> tuple[object, ...]:
    return (
        *context.identity.columns,
        str(result.check),
        result.check.name.lower(),
        result.status,
        result.reason,
        sum(each.is_error for each in result.findings),
    )


def _skipped(context: StageContext) -> dict[Check, str]:
    rows = context.tables["oracles"].values("skipped")
    skipped = {Check(check): why for (row,) in rows for check, why in json.loads(row).items()}
    if context.config.templates:
        named = ", ".join(context.config.templates)
        skipped[Check.REPRESENTATIVE_GENERATION_CONTRACT] = f"not run in full: only {named} was asked for"
    return skipped
