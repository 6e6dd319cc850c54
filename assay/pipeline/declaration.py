"""All stages in order: what each reads, what each leaves."""

from __future__ import annotations

from typing import Final

from assay.pipeline.stage import Stage

_COMPUTATIONS = "assay.pipeline.computations"
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
        computation="assay.pipeline.whole_pack:load",
    ),
    Stage(
        name="probe",
        version=1,
        inputs=("load",),
        settings=(*_RUNTIME, "worker", "random_seed"),
        tables=("oracles", "probes"),
        runs_pack_code=True,
        computation="assay.pipeline.whole_pack:probe",
    ),
    Stage(
        name="bind",
        version=2,
        inputs=(),
        settings=("random_seed", "task_generation"),
        tables=("task_instances", "held_out_bindings"),
        computation=f"{_COMPUTATIONS}:bind",
    ),
    Stage(
        name="plan",
        version=1,
        inputs=("bind",),
        settings=_SCOPE,
        tables=("conversation_plans",),
        computation=f"{_COMPUTATIONS}:plan",
    ),
    Stage(
        name="render",
        version=1,
        inputs=("bind", "plan"),
        settings=(*_SCOPE, "surface_generation", "lineage_policy"),
        tables=("rendered_conversations",),
        computation=f"{_COMPUTATIONS}:render",
    ),
    Stage(
        name="trace",
        version=1,
        inputs=("bind", "plan"),
        settings=(*_SCOPE, *_RUNTIME),
        tables=("expected_traces", "expected_calls"),
        runs_pack_code=True,
        computation=f"{_COMPUTATIONS}:trace",
    ),
    Stage(
        name="schema_check",
        version=1,
        inputs=("bind", "plan", "render", "trace"),
        settings=_SCOPE,
        tables=("schema_checks",),
        computation=f"{_COMPUTATIONS}:schema_check",
    ),
    Stage(
        name="replay",
        version=1,
        inputs=("bind", "plan", "trace", "schema_check"),
        settings=(*_SCOPE, *_RUNTIME),
        tables=("replay_states", "replays"),
        runs_pack_code=True,
        computation=f"{_COMPUTATIONS}:replay",
    ),
    Stage(
        name="assert",
        version=1,
        inputs=("bind", "plan", "trace", "replay"),
        settings=(*_SCOPE, *_RUNTIME),
        tables=("assertion_outcomes",),
        runs_pack_code=True,
        computation=f"{_COMPUTATIONS}:judge",
    ),
    Stage(
        name="strength",
        version=1,
        inputs=("bind", "plan", "replay", "assert"),
        settings=(*_RUNTIME, "mutants"),
        tables=("mutants",),
        runs_pack_code=True,
        computation="assay.pipeline.strength:strength",
    ),
    Stage(
        name="compare",
        version=1,
        inputs=("bind", "plan", "render", "trace", "schema_check", "replay", "assert"),
        settings=(*_SCOPE, *_RUNTIME),
        tables=("verdicts",),
        runs_pack_code=True,
        computation=f"{_COMPUTATIONS}:compare",
    ),
    Stage(
        name="report",
        version=2,
        inputs=(
            *("load", "probe", "bind", "plan", "render", "trace"),
            *("schema_check", "replay", "assert", "strength", "compare"),
        ),
        settings=("templates",),
        tables=("checks", "held_out_scans"),
        needs_pack=False,
        computation="assay.pipeline.whole_pack:report",
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


def stages_from(name: str) -> frozenset[str]:
    """Return the names of a stage and of all that depend on it, directly or not.

    Raises:
        KeyError: when there is no such stage.
    """
    found = {stage_named(name).name}
    for stage in PIPELINE:
        if found.intersection(stage.after):
            found.add(stage.name)
    return frozenset(found)
