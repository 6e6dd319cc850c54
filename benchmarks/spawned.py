"""What a process that serves one episode runs. A module of its own, so that such a process imports nothing else."""

from __future__ import annotations

import importlib.util

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path
    from typing import Any


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("bench_backend", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_episode(connection: Connection[Any, Any], path: Path) -> None:
    backend = load(path)
    backend.reset(ctx=None, fixtures=connection.recv())
    before = backend.get_state()
    result = backend.call_tool("look", {"book_id": "BK-1"}, ctx=None)
    connection.send((before, result, backend.get_state()))
