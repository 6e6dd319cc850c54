"""A site as an operator runs it, on this machine: PostgreSQL, a Prefect server on it, process workers.

PostgreSQL listens on a unix socket only, Prefect's server on loopback. All are stopped on leaving.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.fleet_database import database

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Self

DEPLOYMENTS: Final = Path(__file__).parents[1] / "deployments"
POOL: Final = "assay"
_START_S: Final = 90
_STOP_S: Final = 20
_COMMAND_S: Final = 120
_POLL_S: Final = 0.3
_FINAL: Final = frozenset({"COMPLETED", "FAILED", "CRASHED", "CANCELLED"})
_RECORDER: Final = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "2000",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "500",
}
"""What `deployments/README.md` sets for a server."""


class Site:
    """A running site. A context manager: entering starts the database and the server, leaving stops everything.

    Args:
        packs: the folder of packs that the nightly batch proves.
        pages: serve Prefect's pages as well.
        settings: further environment of server, workers and commands.

    Attributes:
        folder: holds everything: `store`, `reports`, the logs of all processes.
        api: URL of the server's API.
        processes: what was started, by name: `server`, and each worker.
        database_pid: of PostgreSQL.
        set_off_here: ids of the flow runs that `set_off` created.
    """

    def __init__(self, packs: Path, *, pages: bool = False, settings: Mapping[str, str] | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="assay-site-"))
        port = _free_port()
        self.api = f"http://127.0.0.1:{port}/api"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")},
            **_RECORDER,
            "PYTHONPATH": str(DEPLOYMENTS.parent),
            "PREFECT_WORKER_QUERY_SECONDS": "1",
            "PREFECT_HOME": str(self.folder / "prefect"),
            "PREFECT_API_URL": self.api,
            "ASSAY_POOL": POOL,
            "ASSAY_PACKS": str(packs),
            "ASSAY_ROOT": str(self.folder / "store"),
            "ASSAY_REPORTS": str(self.folder / "reports"),
            **(settings or {}),
        }
        self._server = ["server", "start", "--host", "127.0.0.1", "--port", str(port)] + ([] if pages else ["--no-ui"])
        self.database_pid = 0
        self.set_off_here: list[str] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
            url, self.database_pid = stack.enter_context(database(self.folder))
            stack.callback(self._stop_all)
            self._start("server", *self._server, PREFECT_SERVER_DATABASE_CONNECTION_URL=url)
            self._wait_for_server()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def prefect(self, *arguments: str) -> str:
        """Run a `prefect` command as an operator would; return what it printed.

        Raises:
            RuntimeError: when it fails; the text is what it said.
        """
        command = [sys.executable, "-m", "prefect", *arguments]
        shown = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=_COMMAND_S,
            check=False,
        )
        if shown.returncode:
            raise RuntimeError(f"prefect {' '.join(arguments)}: {shown.stdout}{shown.stderr}")
        return shown.stdout

    def deploy(self) -> None:
        """Create the work pool and all deployments."""
        self.prefect("work-pool", "create", POOL, "--type", "process")
        self.prefect("deploy", "--all", "--prefect-file", str(DEPLOYMENTS / "prefect.yaml"))

    def set_off(self, deployment: str, parameters: Mapping[str, Any]) -> str:
        """Create a run of a deployment, to begin at once; return its id."""
        found = self.ask(f"/deployments/name/{deployment}")
        run: dict[str, Any] = self._post(f"/deployments/{found['id']}/create_flow_run", {"parameters": {**parameters}})
        self.set_off_here.append(str(run["id"]))
        return self.set_off_here[-1]

    def ask(self, path: str) -> dict[str, Any]:
        """Return what the server's API says at a path."""
        with urllib.request.urlopen(f"{self.api}{path}", timeout=_COMMAND_S) as answer:
            facts: dict[str, Any] = json.load(answer)
            return facts

    def query(self, path: str, question: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return what the server's API answers to a question that is posted to a path."""
        facts: list[dict[str, Any]] = self._post(path, question)
        return facts

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.api}{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=_COMMAND_S) as answer:
            return json.load(answer)

    def wait_for(
        self, runs: list[str], most_s: float, states: Collection[str] = _FINAL, *, every_s: float = _POLL_S
    ) -> list[dict[str, Any]]:
        """Wait until flow runs have ended, or are in states of certain types; return what the server says of each.

        Raises:
            RuntimeError: when they are not by then.
        """
        deadline = time.monotonic() + most_s
        while time.monotonic() < deadline:
            found = [self.ask(f"/flow_runs/{run}") for run in runs]
            if all(each["state_type"] in states for each in found):
                return found
            time.sleep(every_s)
        logs = "\n".join(f"{name}: {self.log_of(name)[-1500:]}" for name in self.processes)
        raise RuntimeError(f"runs are not done after {most_s:g} s: {[each['state_name'] for each in found]}\n{logs}")

    def log_of(self, name: str) -> str:
        """Return what a process has printed so far."""
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def start_worker(self, name: str) -> None:
        """Start a worker that takes one flow run at a time."""
        self._start(name, "worker", "start", "--pool", POOL, "--name", name, "--limit", "1")

    def _start(self, name: str, *arguments: str, **settings: str) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-m", "prefect", *arguments],
                cwd=self.folder,
                env={**self.environment, **settings},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _wait_for_server(self) -> None:
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline and self.processes["server"].poll() is None:
            try:
                with urllib.request.urlopen(f"{self.api}/health", timeout=5):
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.1)
        raise RuntimeError(f"the server did not come up:\n{(self.folder / 'server.log').read_text()[-2000:]}")

    def _stop_all(self) -> None:
        """Stop the workers, then the server."""
        for process in reversed(self.processes.values()):
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
