"""The contract's cases about executing pack code: what it sees, and what it leaves behind."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import PurePath

from assay.checks.isolation import check_isolation
from assay.oracle.evidence import CallTool, Episode, EpisodeContext, Reset
from assay.oracle.limits import Limits
from assay.oracle.process_engine import ProcessEngine
from assay.oracle.spec import OracleSpec
from assay.stages.assertions import judge_replays
from assay.stages.compare import Causes, compare_instances
from assay.stages.records import ExpectedCall, ExpectedTrace
from assay.stages.replay import replay_traces
from assay.stages.schema_check import check_traces
from tests.conformance.checks import drives
from tests.conformance.expectations import assert_expected
from tests.conformance.given import pack_of, plan_of, task_of
from tests.oracle.running import write_files
from tests.support.models import run_config

STEPS = {"reset": lambda step: Reset(), "call_tool": lambda step: CallTool(**step)}


@drives("replay")
def test_replays(given, expect, tmp_path):
    write_files(tmp_path, {"backend.py": given["backend"]})
    pack = pack_of(given, {"template_id": given["task"]["template_id"]})
    pack = replace(pack, root=tmp_path, paths=replace(pack.paths, backend="backend.py"))
    config = run_config()
    tasks = [task_of(pack, given["task"])]
    plans = [plan_of(pack, task) for task in tasks]
    calls = tuple(ExpectedCall(milestone=index, **call) for index, call in enumerate(given["calls"]))
    ids = {name: given["task"][name] for name in ("task_id", "template_id", "turn_policy")}
    traces = [ExpectedTrace(**ids, calls=calls)]
    checks = check_traces(pack, tasks, plans, traces).checks
    with ProcessEngine(OracleSpec(root=tmp_path, backend="backend.py", assertions=None, fixtures=None)) as engine:
        replays = [*replay_traces(pack, tasks, traces, checks, engine, config)]
        outcomes = [*judge_replays(pack, tasks, plans, replays, engine, config)]
        (verdict,) = compare_instances(tasks, traces, checks, replays, outcomes, Causes(pack, engine, config))
    told = {
        "passed": verdict.passed,
        "attempts": len(replays),
        "task_ids_seen": [call.result["seen_task"] for replay in replays for call in replay.calls],
    }
    assert_expected(told, expect)


def step_of(facts):
    details = {name: value for name, value in facts.items() if name != "op"}
    return STEPS[facts["op"]](details)


def state_of_our_process():
    return {"sys.path": [*sys.path], "sys.dont_write_bytecode": sys.dont_write_bytecode}


@drives("episode")
def test_episodes(given, expect, tmp_path, monkeypatch):
    for name, value in given.get("host_env", {}).items():
        monkeypatch.setenv(name, value)
    write_files(tmp_path, given["files"])
    backend = given.get("backend_path", "backend.py")
    spec = OracleSpec(
        root=tmp_path / given.get("import_root", "."),
        backend=backend,
        assertions=None,
        fixtures=None,
        limits=Limits(episode_s=given["limits"]["episode_timeout_s"]),
    )
    context = EpisodeContext(clock="2026-03-02T09:00:00+07:00", seed=7, timeout_s=5.0, task_id="episode")
    before = state_of_our_process()
    with ProcessEngine(spec) as engine:
        (evidence,) = engine.run([Episode(context=context, steps=tuple(map(step_of, given["steps"])))])
    after = state_of_our_process()
    helpers = [PurePath(file).stem for file in given["files"] if file != backend]
    told = {
        "outputs_after_reset": [*evidence.results[1:]],
        "host_env_after": {name: os.environ.get(name) for name in given.get("host_env", ())},
        "unchanged": [name for name in before if before[name] == after[name]],
        "absent_from_sys_modules": [name for name in helpers if name not in sys.modules],
        "told_of_the_worker": [each.code for each in check_isolation(run_config(worker=given["worker"]))],
    }
    assert evidence.completed
    assert_expected(told, expect)
