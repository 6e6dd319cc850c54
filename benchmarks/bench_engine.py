"""How much running an episode in a confined worker costs, as ratios within one run.

Compared, for a backend with one lookup tool over 50 rows and episodes of reset, state, call, state:

* a bare loop in this process: what the pack code itself takes;
* the engine, both attempts, confinement as the kernel allows;
* one process by `multiprocessing` (spawn) for each episode, measured on a few.

Run: `python -m benchmarks.bench_engine [episodes]`.
"""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from assay.oracle.evidence import CallTool, Episode, EpisodeContext, GetState, Reset
from assay.oracle.process_engine import ProcessEngine
from assay.oracle.spec import OracleSpec

BACKEND = """
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
ROWS = 50
FIXTURES: dict[str, Any] = {
    "books": [{"book_id": f"BK-{n}", "title": f"Title {n}", "status": "available", "copies": n} for n in range(ROWS)]
}
SPAWNED = 20


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("bench_backend", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def episodes(count: int) -> list[Episode]:
    return [
        Episode(
            context=EpisodeContext(clock="2026-01-01T00:00:00+00:00", seed=n, timeout_s=5.0, task_id=f"task-{n}"),
            steps=(Reset(), GetState(), CallTool("look", {"book_id": f"BK-{n % ROWS}"}), GetState()),
        )
        for n in range(count)
    ]


def bare_loop(path: Path, count: int) -> float:
    backend, text = load(path), json.dumps(FIXTURES)
    started = time.perf_counter()
    for n in range(count):
        backend.reset(ctx=None, fixtures=json.loads(text))
        before = json.dumps(backend.get_state())
        backend.call_tool("look", {"book_id": f"BK-{n % ROWS}"}, ctx=None)
        after = json.dumps(backend.get_state())
        assert before == after
    return (time.perf_counter() - started) / count


def engine(path: Path, count: int) -> tuple[float, float, dict[str, object]]:
    """Return seconds until the first evidence, seconds per episode and attempt, and the protections in force."""
    spec = OracleSpec(root=path.parent, backend=path.name, assertions=None, fixtures=FIXTURES)
    work = episodes(count)
    with ProcessEngine(spec) as running:
        started = time.perf_counter()
        next(running.run(work[:1]))
        first = time.perf_counter() - started
        started = time.perf_counter()
        pairs = zip(running.run(work, attempt=1), running.run(work, attempt=2), strict=True)
        assert all(one.completed and one.results == two.results for one, two in pairs)
        return first, (time.perf_counter() - started) / count / 2, running.isolation


def one_spawned_episode(connection: Any, path: Path) -> None:
    backend = load(path)
    backend.reset(ctx=None, fixtures=connection.recv())
    before = backend.get_state()
    result = backend.call_tool("look", {"book_id": "BK-1"}, ctx=None)
    connection.send((before, result, backend.get_state()))


def spawned(path: Path, count: int) -> float:
    context = multiprocessing.get_context("spawn")
    started = time.perf_counter()
    for _ in range(count):
        ours, theirs = context.Pipe()
        process = context.Process(target=one_spawned_episode, args=(theirs, path))
        process.start()
        ours.send(FIXTURES)
        ours.recv()
        process.join()
    return (time.perf_counter() - started) / count


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "backend.py"
        path.write_text(BACKEND, encoding="utf-8")
        bare = bare_loop(path, count)
        first, streamed, isolation = engine(path, count)
        apart = spawned(path, SPAWNED)
    print(f"episodes                      {count}, twice each")
    print(f"bare loop in this process     {bare * 1e3:8.3f} ms an episode")
    print(f"engine, both attempts at once {streamed * 1e3:8.3f} ms an episode   {streamed / bare:6.2f} x the bare loop")
    print(f"multiprocessing spawn         {apart * 1e3:8.3f} ms an episode   {apart / streamed:6.1f} x the engine")
    print(f"first evidence of an engine   {first * 1e3:8.1f} ms (start of a worker, confinement, import)")
    print(f"files {isolation['files']}, network {isolation['network']}, new processes {isolation['new_processes']}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
