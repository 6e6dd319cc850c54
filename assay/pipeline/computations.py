"""Stages about instances, as the pipeline calls them: rows in, records through the stage, rows out, one by one."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from assay.artifacts import codec
from assay.pipeline.stage import StageOutput
from assay.pipeline.tasks import checks, conversations, executed, planned, proven
from assay.stages.assertion_review import AssertionReview
from assay.stages.assertions import judge_replays
from assay.stages.bind import Binding
from assay.stages.by_task import TaskReader, unzipped
from assay.stages.compare import Causes, compare_instance
from assay.stages.compare_review import CompareReview
from assay.stages.held_out import binding_report, contract_of
from assay.stages.plan import Planning
from assay.stages.provenance import OriginsAfterReplay
from assay.stages.render import Rendering
from assay.stages.replay import replay_traces
from assay.stages.replay_review import ReplayReview
from assay.stages.schema_check import SchemaChecking
from assay.stages.trace import Tracing

if TYPE_CHECKING:
    from assay.pipeline.stage import RowStream, StageContext


def bind(context: StageContext) -> RowStream:
    """Bind the templates under the budgets; reserved templates give one instance each, for their proof only."""
    binding = Binding(context.pack, context.config)
    reserved = (replace(each, reserved=True) for each in binding.reserved())
    for instance in chain(binding.instances(), reserved):
        yield "task_instances", codec.task_instance_row(context.identity, instance)
    contract, ledger = contract_of(context.pack.held_out), binding.ledger
    withheld = None if contract is None or ledger is None else binding_report(contract, ledger)
    bindings = codec.held_out_bindings_table(context.identity, withheld)
    return StageOutput(tables={"held_out_bindings": bindings}, findings=binding.findings())


def plan(context: StageContext) -> RowStream:
    """Plan every template, and every instance that this run proves."""
    planning = Planning(context.pack)
    for each in planning.plans(proven(context)):
        yield "conversation_plans", codec.conversation_plan_row(context.identity, each)
    return StageOutput(findings=planning.findings)


def render(context: StageContext) -> RowStream:
    """Put the plans into words."""
    rendering = Rendering(context.pack, context.config)
    for conversation in rendering.conversations(planned(context)):
        for row in codec.rendered_conversation_rows(context.identity, conversation):
            yield "rendered_conversations", row
    return StageOutput(findings=rendering.findings())


def trace(context: StageContext) -> RowStream:
    """Derive the expected calls."""
    tracing = Tracing(context.pack, context.engine_source, context.config)
    for each in tracing.traces(planned(context)):
        yield "expected_traces", codec.expected_trace_row(context.identity, each)
        for row in codec.expected_call_rows(context.identity, each):
            yield "expected_calls", row
    return StageOutput(findings=tracing.findings(), final=tracing.final)


def schema_check(context: StageContext) -> RowStream:
    """Hold the expected calls against the published schemas and the conversation."""
    checking = SchemaChecking(context.pack)
    spoken = conversations(context)
    for task in executed(context):
        check = checking.check(task.instance, task.plan, task.trace, spoken.take_one(task.instance.task_id))
        yield "schema_checks", codec.schema_check_row(context.identity, check)
    return StageOutput(findings=checking.findings())


def replay(context: StageContext) -> RowStream:
    """Execute every instance twice."""
    review = ReplayReview(context.pack)
    instances, traces = unzipped(((task.instance, task.trace) for task in executed(context)), 2)
    stream = replay_traces(context.pack, instances, traces, checks(context), context.engine, context.config)
    for each in review.watch(stream):
        yield "replay_states", codec.replay_state_row(context.identity, each)
        for row in codec.replayed_call_rows(context.identity, each):
            yield "replays", row
    return StageOutput(findings=review.findings(), final=review.final)


def judge(context: StageContext) -> RowStream:
    """Run the assertions over the evidence."""
    review = AssertionReview(context.pack, context.findings["replay"])
    instances, plans = unzipped(((task.instance, task.plan) for task in executed(context)), 2)
    replays = codec.read_replays(context.tables["replay_states"], context.tables["replays"])
    stream = judge_replays(context.pack, instances, plans, replays, context.engine, context.config)
    for row in codec.assertion_outcome_rows(context.identity, review.watch(stream)):
        yield "assertion_outcomes", row
    return StageOutput(findings=review.findings(), final=review.final)


def compare(context: StageContext) -> RowStream:
    """Give the verdict on every instance, and say of arguments what only results can tell: where they come from."""
    review, origins = CompareReview(context.pack), OriginsAfterReplay(context.pack)
    causes = Causes(context.pack, context.engine, context.config)
    spoken = conversations(context)
    attempts = TaskReader(codec.read_replays(context.tables["replay_states"], context.tables["replays"]))
    judged = TaskReader(codec.read_assertion_outcomes(context.tables["assertion_outcomes"]))
    for task, check in zip(executed(context), checks(context), strict=True):
        task_id = task.instance.task_id
        pair, conversation = attempts.take(task_id), spoken.take_one(task_id)
        if conversation is not None:
            origins.look_at(task.instance, task.plan, conversation, pair)
        verdict = compare_instance(task.instance, task.trace, check, pair, judged.take(task_id), causes)
        review.look_at(verdict)
        yield "verdicts", codec.verdict_row(context.identity, verdict)
    return StageOutput(findings=(*review.findings(), *origins.findings()))
