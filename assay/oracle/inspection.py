"""Asking a module what it offers, without running any of it but the import and `list_tools`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.oracle.distributions import distributions_of
from assay.oracle.evidence import AssertionModule, BackendSurface, DiscoveredAssertion
from assay.oracle.exchange import StepFailed, Waiting, answer
from assay.oracle.interpreter import package_folders
from assay.oracle.requests import request

if TYPE_CHECKING:
    from assay.oracle.pack_frames import PackFrames
    from assay.oracle.spec import Assignment
    from assay.oracle.worker_process import WorkerProcess
    from assay.oracle.workers import Workers

CALLABLES = ("list_tools", "reset", "call_tool", "get_state")


def inspect_backend(workers: Workers, assignment: Assignment, frames: PackFrames) -> BackendSurface:
    """Import a backend and ask for its callables and its tools."""
    offered: dict[str, bool] = dict.fromkeys(CALLABLES, False)
    modules: dict[str, str] = {}
    tools: tuple[str, ...] | None = None
    try:
        worker = workers.take(assignment)
        modules = _modules(worker)
        surface = _mapping(_ask(worker, "surface", _part_of_import(worker), frames))
        offered = {name: surface.get(name) is True for name in CALLABLES}
        if offered["list_tools"]:
            tools = _names(_ask(worker, "list_tools", _listing(worker), frames))
    except StepFailed as stop:
        return BackendSurface(callables=offered, tools=None, failure=stop.failure, modules=modules)
    workers.set_aside(worker)
    return BackendSurface(callables=offered, tools=tools, failure=None, modules=modules)


def inspect_assertions(workers: Workers, assignment: Assignment, frames: PackFrames) -> AssertionModule:
    """Import an assertions module and ask for what it exports."""
    modules: dict[str, str] = {}
    try:
        worker = workers.take(assignment)
        modules = _modules(worker)
        exports = _mapping(_ask(worker, "exports", _part_of_import(worker), frames))
    except StepFailed as stop:
        return AssertionModule(assertions={}, has_capabilities=False, failure=stop.failure, modules=modules)
    workers.end(worker)
    found = {
        name: _discovered(name, _mapping(facts), assignment.file, frames)
        for name, facts in _mapping(exports.get("assertions")).items()
    }
    return AssertionModule(
        assertions=found, has_capabilities=exports.get("has_capabilities") is True, failure=None, modules=modules
    )


def _ask(worker: WorkerProcess, op: str, waiting: Waiting, frames: PackFrames) -> Any:
    worker.send(request(op))
    return answer(worker, waiting, frames)


def _part_of_import(worker: WorkerProcess) -> Waiting:
    """Looking at a module can run its code (`__getattr__`); that counts as importing it."""
    limit_s = worker.assignment.limits.import_s
    return Waiting(op="import", limit="import", limit_s=limit_s, left_s=limit_s, subject=worker.assignment.file)


def _listing(worker: WorkerProcess) -> Waiting:
    limit_s = worker.assignment.limits.tool_s
    return Waiting(op="list_tools", limit="tool", limit_s=limit_s, left_s=limit_s)


def _modules(worker: WorkerProcess) -> dict[str, str]:
    return distributions_of(worker.installed_files, package_folders())


def _discovered(name: str, facts: dict[str, Any], file: str, frames: PackFrames) -> DiscoveredAssertion:
    reason = facts.get("reason")
    match facts.get("defined_at"):
        case [str(path), int(line)]:
            place = frames.place_of(path, line)
        case _:
            place = None
    return DiscoveredAssertion(
        name=name,
        valid=reason is None,
        reason=None if reason is None else str(reason),
        line=place.line if place is not None and place.file == file else None,
    )


def _mapping(content: Any) -> dict[str, Any]:
    """A worker's words are not taken on trust."""
    return content if isinstance(content, dict) else {}


def _names(content: Any) -> tuple[str, ...]:
    return tuple(name for name in content if isinstance(name, str)) if isinstance(content, list) else ()
