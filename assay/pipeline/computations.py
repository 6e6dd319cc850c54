"""The stages' functions as the pipeline calls them: tables in, records through the stage, tables out."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
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
from assay.stages.assertion_review import AssertionReview
from assay.stages.assertions import judge_replays
from assay.stages.bind import bind_pack
from assay.stages.compare import Causes, compare_instances
from assay.stages.compare_review import CompareReview
from assay.stages.held_out import HeldOutReview, RowReader, binding_report, contract_of, review_held_out
from assay.stages.plan import plan_pack
from assay.stages.provenance import origins_after_replay
from assay.stages.render import render_pack
from assay.stages.replay import replay_traces
from assay.stages.replay_review import ReplayReview
from assay.stages.schema_check import check_traces
from assay.stages.trace import derive_traces
from assay.values import canonical_json, indented_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.checks.probe import ProbeResult
    from assay.checks.report import CheckResult
    from assay.pipeline.stage import StageContext
    from assay.stages.records import ConversationPlan, ExpectedTrace, Replay, SchemaCheck, TaskInstance

DEPENDENT_CALL = "dependent_call"
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


def bind(context: StageContext) -> StageOutput:
    """Bind the templates under the budgets; reserved templates give one instance each, for their proof only."""
    result = bind_pack(context.pack, context.config)
    reserved = (replace(each, reserved=True) for each in result.reserved)
    instances = codec.task_instances_table(context.identity, chain(result.instances, reserved))
    contract = contract_of(context.pack.held_out)
    withheld = None if contract is None or result.ledger is None else binding_report(contract, result.ledger)
    bindings = codec.held_out_bindings_table(context.identity, withheld)
    return StageOutput(tables={"task_instances": instances, "held_out_bindings": bindings}, findings=result.findings)


def plan(context: StageContext) -> StageOutput:
    """Plan every template, and every instance that this run proves."""
    result = plan_pack(context.pack, _proven(context))
    plans = codec.conversation_plans_table(context.identity, result.plans)
    return StageOutput(tables={"conversation_plans": plans}, findings=result.findings)


def _proven(context: StageContext) -> tuple[TaskInstance, ...]:
    """Return the instances that may be proven: representatives, or all of them when told so (ruling 38).

    Of a template with dependent calls all instances are looked at, because the data of one may not lead anywhere
    (ruling 25): `_chosen` takes the first that does. Without tools or fixtures nothing can be proven.
    """
    config = context.config
    if {"tools", "fixtures"} & context.pack.unusable:
        return ()
    return tuple(
        each
        for each in codec.read_task_instances(context.tables["task_instances"])
        if (each.representative or config.exhaustive or each.turn_policy == DEPENDENT_CALL)
        and (not config.templates or each.template_id in config.templates)
    )


def _planned(context: StageContext) -> tuple[tuple[TaskInstance, ...], tuple[ConversationPlan, ...]]:
    """Return the instances that have a plan, and their plans, in the same order."""
    plans = codec.read_conversation_plans(context.tables["conversation_plans"])
    planned = {each.task_id for each in plans}
    return tuple(each for each in _proven(context) if each.task_id in planned), plans


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """The instances that are executed, with their plans and traces, in the same order."""

    instances: tuple[TaskInstance, ...]
    plans: tuple[ConversationPlan, ...]
    traces: tuple[ExpectedTrace, ...]


def _chosen(context: StageContext) -> _Chosen:
    """Return what is executed: everything, or of each template the first instance whose calls could be derived."""
    instances, plans = _planned(context)
    traces = codec.read_expected_traces(context.tables["expected_traces"], context.tables["expected_calls"])
    if not context.config.exhaustive:
        kept = _one_of_each_template(traces)
        instances = tuple(each for each in instances if each.task_id in kept)
        plans = tuple(each for each in plans if each.task_id in kept)
        traces = tuple(each for each in traces if each.task_id in kept)
    return _Chosen(instances=instances, plans=plans, traces=traces)


def _one_of_each_template(traces: Iterable[ExpectedTrace]) -> set[str]:
    chosen: dict[str, ExpectedTrace] = {}
    for trace in traces:
        present = chosen.setdefault(trace.template_id, trace)
        if trace.derived and not present.derived:
            chosen[trace.template_id] = trace
    return {each.task_id for each in chosen.values()}


def render(context: StageContext) -> StageOutput:
    """Put the plans into words."""
    instances, plans = _planned(context)
    result = render_pack(context.pack, instances, plans, context.config)
    turns = codec.rendered_conversations_table(context.identity, result.conversations)
    return StageOutput(tables={"rendered_conversations": turns}, findings=result.findings)


def trace(context: StageContext) -> StageOutput:
    """Derive the expected calls."""
    instances, plans = _planned(context)
    result = derive_traces(context.pack, instances, plans, context.engine_source, context.config)
    return StageOutput(
        tables={
            "expected_traces": codec.expected_traces_table(context.identity, result.traces),
            "expected_calls": codec.expected_calls_table(context.identity, result.traces),
        },
        findings=result.findings,
        final=result.final,
    )


def schema_check(context: StageContext) -> StageOutput:
    """Hold the expected calls against the published schemas and the conversation."""
    chosen = _chosen(context)
    conversations = codec.read_rendered_conversations(context.tables["rendered_conversations"])
    result = check_traces(context.pack, chosen.instances, chosen.plans, chosen.traces, conversations)
    checks = codec.schema_checks_table(context.identity, result.checks)
    return StageOutput(tables={"schema_checks": checks}, findings=result.findings)


def _checked(context: StageContext) -> tuple[SchemaCheck, ...]:
    return codec.read_schema_checks(context.tables["schema_checks"])


def replay(context: StageContext) -> StageOutput:
    """Execute every instance twice."""
    chosen = _chosen(context)
    review = ReplayReview(context.pack)
    checks = _checked(context)
    stream = replay_traces(context.pack, chosen.instances, chosen.traces, checks, context.engine, context.config)
    replays = tuple(review.watch(stream))
    return StageOutput(
        tables={
            "replay_states": codec.replay_states_table(context.identity, replays),
            "replays": codec.replays_table(context.identity, replays),
        },
        findings=review.findings(),
        final=review.final,
    )


def _replayed(context: StageContext) -> tuple[Replay, ...]:
    return codec.read_replays(context.tables["replay_states"], context.tables["replays"])


def judge(context: StageContext) -> StageOutput:
    """Run the assertions over the evidence."""
    chosen = _chosen(context)
    review = AssertionReview(context.pack, context.findings["replay"])
    replays = _replayed(context)
    stream = judge_replays(context.pack, chosen.instances, chosen.plans, replays, context.engine, context.config)
    outcomes = codec.assertion_outcomes_table(context.identity, review.watch(stream))
    return StageOutput(tables={"assertion_outcomes": outcomes}, findings=review.findings(), final=review.final)


def compare(context: StageContext) -> StageOutput:
    """Give the verdict on every instance, and say of arguments what only results can tell: where they come from."""
    chosen = _chosen(context)
    review = CompareReview(context.pack)
    replays = _replayed(context)
    stream = compare_instances(
        chosen.instances,
        chosen.traces,
        _checked(context),
        replays,
        codec.read_assertion_outcomes(context.tables["assertion_outcomes"]),
        Causes(context.pack, context.engine, context.config),
    )
    verdicts = codec.verdicts_table(context.identity, review.watch(stream))
    conversations = codec.read_rendered_conversations(context.tables["rendered_conversations"])
    origins = origins_after_replay(context.pack, chosen.instances, chosen.plans, conversations, replays)
    return StageOutput(tables={"verdicts": verdicts}, findings=(*review.findings(), *origins))


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
    instances = codec.read_task_instances(given["task_instances"])
    rows = RowReader(pack).read(
        codec.read_verdicts(given["verdicts"]),
        instances,
        codec.read_expected_traces(given["expected_traces"], given["expected_calls"]),
        codec.read_rendered_conversations(given["rendered_conversations"]),
    )
    bindings = codec.read_held_out_bindings(given["held_out_bindings"])
    return review_held_out(
        pack,
        tuple(rows),
        bindings=None if bindings is None else indented_json(bindings),
        expanded=sum(not each.reserved for each in instances),
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
    rows = context.tables["oracles"].column("skipped").to_pylist()
    skipped = {Check(check): why for row in rows for check, why in json.loads(row).items()}
    if context.config.templates:
        named = ", ".join(context.config.templates)
        skipped[Check.REPRESENTATIVE_GENERATION_CONTRACT] = f"not run in full: only {named} was asked for"
    return skipped
