"""What running an episode in a confined worker costs, as ratios within one run.

Compared, for a backend with one lookup tool over 50 rows and tasks of one call (reset, state, call, state):

* a bare loop in this process of reset, calls and state, with the JSON that the evidence takes;
* the engine: every task twice, both attempts side by side, confined as far as the kernel allows;
* one process by `multiprocessing` (spawn) for each episode, twice each task, measured on a sample.

Run: `python -m benchmarks --only engine`.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from assay.oracle.evidence import CallTool, Episode, EpisodeContext, GetState, Reset
from assay.oracle.process_engine import ProcessEngine
from assay.oracle.spec import OracleSpec
from benchmarks.results import Figure
from benchmarks.spawned import load, run_episode

BACKEND: Final = """
import copy

_state = {}


def list_tools():
    return ["look"]


def reset(*, ctx, fixtures):
    _state.clear()
    _state.update(copy.deepcopy(fixtures))


def call_tool(name, arguments, *, ctx):
    for row in _state["books"]:
        if row["book_id"] == arguments["book_id"]:
            return dict(row)
    return {"error": {"code": "not_found"}}


def get_state():
    return _state
"""
ROWS: Final = 50
FIXTURES: Final[dict[str, Any]] = {
    "books": [{"book_id": f"BK-{n}", "title": f"Title {n}", "status": "available", "copies": n} for n in range(ROWS)]
}
TASKS: Final = 2000
SPAWNED: Final = 40
ATTEMPTS: Final = (1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTimes:
    """What the engine took.

    Attributes:
        first_s: until the first evidence: start of a worker, confinement, import.
        episode_s: per episode, both attempts side by side.
        own_s: processor time of our own process per episode.
        cores: processor time of all processes over elapsed time.
        isolation: the protections in force.
    """

    first_s: float
    episode_s: float
    own_s: float
    cores: float
    isolation: dict[str, object]


def figures() -> list[Figure]:
    """Measure and return the figures of the engine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "backend.py"
        path.write_text(BACKEND, encoding="utf-8")
        bare_s = bare_loop(path)
        engine = engine_times(path)
        spawn_s = spawned(path)
    confined = "files {files}, network {network}, new processes {new_processes}".format(**engine.isolation)
    return [
        Figure(
            name="faster than one spawn per episode",
            value=spawn_s / engine.episode_s,
            unit="x",
            target=50,
            at_most=False,
            note=f"{TASKS} tasks twice each against a sample of {SPAWNED} tasks; confined: {confined}",
        ),
        Figure(
            name="slower than a bare loop in process",
            value=engine.episode_s / bare_s,
            unit="x",
            target=4,
            note="reset, call, state, with the JSON of the evidence",
        ),
        Figure(name="engine, an episode", value=engine.episode_s * 1e3, unit="ms", note="both attempts side by side"),
        Figure(name="of that in our own process", value=engine.own_s * 1e3, unit="ms", note="processor time"),
        Figure(name="cores in use", value=engine.cores, unit="cores", note="processor time over elapsed time"),
        Figure(name="bare loop, an episode", value=bare_s * 1e3, unit="ms"),
        Figure(name="spawn, an episode", value=spawn_s * 1e3, unit="ms"),
        Figure(
            name="first evidence of an engine",
            value=engine.first_s * 1e3,
            unit="ms",
            note="start of a worker, confinement, import",
        ),
    ]


def episodes() -> list[Episode]:
    return [
        Episode(
            context=EpisodeContext(clock="2026-01-01T00:00:00+00:00", seed=n, timeout_s=5.0, task_id=f"task-{n}"),
            steps=(Reset(), GetState(), CallTool("look", {"book_id": f"BK-{n % ROWS}"}), GetState()),
        )
        for n in range(TASKS)
    ]


def bare_loop(path: Path) -> float:
    """Return seconds an episode of the same work in this process."""
    backend, text = load(path), json.dumps(FIXTURES)
    started = time.perf_counter()
    for n in range(TASKS):
        backend.reset(ctx=None, fixtures=json.loads(text))
        before = json.dumps(backend.get_state())
        backend.call_tool("look", {"book_id": f"BK-{n % ROWS}"}, ctx=None)
        after = json.dumps(backend.get_state())
        assert before == after
    return (time.perf_counter() - started) / TASKS


def engine_times(path: Path) -> EngineTimes:
    """Run every task twice in confined workers."""
    spec = OracleSpec(root=path.parent, backend=path.name, assertions=None, fixtures=FIXTURES)
    work = episodes()
    with ProcessEngine(spec) as engine:
        started = time.perf_counter()
        next(engine.run(work[:1]))
        first_s = time.perf_counter() - started
        started, before = time.perf_counter(), os.times()
        pairs = zip(*(engine.run(work, attempt=attempt) for attempt in ATTEMPTS), strict=True)
        assert all(one.completed and one.results == two.results for one, two in pairs)
        took_s, after = time.perf_counter() - started, os.times()
        isolation = engine.isolation
    own_s = after.user + after.system - before.user - before.system
    workers_s = after.children_user + after.children_system - before.children_user - before.children_system
    runs = TASKS * len(ATTEMPTS)
    return EngineTimes(
        first_s=first_s,
        episode_s=took_s / runs,
        own_s=own_s / runs,
        cores=(own_s + workers_s) / took_s,
        isolation=isolation,
    )


def spawned(path: Path) -> float:
    """Return seconds an episode with a process for each."""
    context = multiprocessing.get_context("spawn")
    started = time.perf_counter()
    for _ in range(SPAWNED * len(ATTEMPTS)):
        ours, theirs = context.Pipe()
        process = context.Process(target=run_episode, args=(theirs, path))
        process.start()
        ours.send(FIXTURES)
        ours.recv()
        process.join()
    return (time.perf_counter() - started) / SPAWNED / len(ATTEMPTS)
