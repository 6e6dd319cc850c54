"""A Dask cluster as an operator would start it: a scheduler and workers, each a process, on loopback."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from distributed import Client

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

PATIENCE_S = 60
LOOPBACK = "127.0.0.1"


@contextmanager
def dask_cluster(folder: Path, *, workers: int = 2) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Start a scheduler and workers with two threads each; give the scheduler's address and the worker processes."""
    port = free_port()
    address = f"tcp://{LOOPBACK}:{port}"
    with ExitStack() as stack:
        scheduler = stack.enter_context(_process(folder, "scheduler", "--port", str(port)))
        wait_for_port(port, scheduler)
        processes = [stack.enter_context(_worker(folder, address)) for _ in range(workers)]
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=PATIENCE_S)
        yield address, processes


@contextmanager
def one_more_worker(folder: Path, address: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start another worker of a cluster, and wait until the scheduler knows it."""
    with Client(address, set_as_default=False) as client:
        before = len(client.nthreads())
        with _worker(folder, address) as process:
            client.wait_for_workers(before + 1, timeout=PATIENCE_S)
            yield process


def _worker(folder: Path, address: str) -> AbstractContextManager[subprocess.Popen[bytes]]:
    scratch = str(folder / "scratch")
    return _process(folder, "worker", address, "--nthreads", "2", "--no-nanny", "--local-directory", scratch)


@contextmanager
def _process(folder: Path, role: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "dask", role, "--host", LOOPBACK, "--no-dashboard", *options]
    with (folder / f"{role}.log").open("ab") as log:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]


def wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until something listens."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            socket.create_connection((LOOPBACK, port), timeout=1).close()
        except OSError:
            assert process.poll() is None, f"{process.args} ended with {process.returncode}"
            assert time.monotonic() < deadline, f"nothing listens on port {port}"
            time.sleep(0.05)
        else:
            return
