"""All stages in order: what each reads, what each leaves."""

from __future__ import annotations

from typing import Final

from assay.pipeline import computations
from assay.pipeline.stage import Stage

_RUNTIME = ("clock", "limits")
_SCOPE = ("exhaustive", "templates")

PIPELINE: Final[tuple[Stage, ...]] = (
    Stage(
        name="load",
        version=1,
        inputs=(),
        settings=("task_generation",),
        tables=("packs",),
        needs_pack=False,
        compute=computations.load,
    ),
    Stage(
        name="probe",
        version=1,
        inputs=("load",),
        settings=(*_RUNTIME, "worker", "random_seed"),
        tables=("oracles", "probes"),
        runs_pack_code=True,
        compute=computations.probe,
    ),
    Stage(
        name="bind",
        version=2,
        inputs=(),
        settings=("random_seed", "task_generation"),
        tables=("task_instances", "held_out_bindings"),
        compute=computations.bind,
    ),
    Stage(
        name="plan",
        version=1,
        inputs=("bind",),
        settings=_SCOPE,
        tables=("conversation_plans",),
        compute=computations.plan,
    ),
    Stage(
        name="render",
        version=1,
        inputs=("bind", "plan"),
        settings=(*_SCOPE, "surface_generation", "lineage_policy"),
        tables=("rendered_conversations",),
        compute=computations.render,
    ),
    Stage(
        name="trace",
        version=1,
        inputs=("bind", "plan"),
        settings=(*_SCOPE, *_RUNTIME),
        tables=("expected_traces", "expected_calls"),
        runs_pack_code=True,
        compute=computations.trace,
    ),
    Stage(
        name="schema_check",
        version=1,
        inputs=("bind", "plan", "render", "trace"),
        settings=_SCOPE,
        tables=("schema_checks",),
        compute=computations.schema_check,
    ),
    Stage(
        name="replay",
        version=1,
        inputs=("bind", "plan", "trace", "schema_check"),
        settings=(*_SCOPE, *_RUNTIME),
        tables=("replay_states", "replays"),
        runs_pack_code=True,
        compute=computations.replay,
    ),
    Stage(
        name="assert",
        version=1,
        inputs=("bind", "plan", "trace", "replay"),
        settings=(*_SCOPE, *_RUNTIME),
        tables=("assertion_outcomes",),
        runs_pack_code=True,
        compute=computations.judge,
    ),
    Stage(
        name="compare",
        version=1,
        inputs=("bind", "plan", "render", "trace", "schema_check", "replay", "assert"),
        settings=(*_SCOPE, *_RUNTIME),
        tables=("verdicts",),
        runs_pack_code=True,
        compute=computations.compare,
    ),
    Stage(
        name="report",
        version=2,
        inputs=("load", "probe", "bind", "plan", "render", "trace", "schema_check", "replay", "assert", "compare"),
        settings=("templates",),
        tables=("checks", "held_out_scans"),
        needs_pack=False,
        compute=computations.report,
    ),
)
"""Every stage, in an order in which each comes after all that it reads."""


def stage_named(name: str) -> Stage:
    """Return the stage of that name.

    Raises:
        KeyError: when there is none.
    """
    for stage in PIPELINE:
        if stage.name == name:
            return stage
    raise KeyError(name)
