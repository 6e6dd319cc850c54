"""A Prefect server of our own, for the length of one command.

Prefect can start one by itself, but then imports all of the server into our process first, waits for it in line, and
lets it write on the user's terminal. Started here with the public `prefect server start`, it is up in half the time,
and what it has to say goes to `server.log` in Prefect's home.

The server ends with us even when we are killed (`server_process`).
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from flows.settings import FIRST_START_S, home

if TYPE_CHECKING:
    from typing import Self

_PROCESS = Path(__file__).with_name("server_process.py")
_POLL_S = 0.05
_STOP_S = 10
_DELIVERY_S = 10
_LOG_TAIL = 2000


class ServerUnavailable(Exception):
    """There is no Prefect server to run flows on. The text is for people."""


def is_first_start() -> bool:
    """Say whether the next embedded server has its database still to create, which takes ten seconds and more."""
    return not (home() / "prefect.db").exists()


class EmbeddedServer:
    """A Prefect server on a free loopback port: started on entering, stopped on leaving.

    Call `flows.settings.prepare` first. The server takes seconds to come up; there is time to import Prefect between
    `__enter__` and `wait_until_up`.

    Attributes:
        url: of its API.
        log: what it and its libraries print.
    """

    def __init__(self) -> None:
        port = _free_port()
        self.url = f"http://127.0.0.1:{port}/api"
        self.log = home() / "server.log"
        self._command = [sys.executable, "-P", str(_PROCESS), str(port)]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start the server.

        Raises:
            ServerUnavailable: when its process cannot be started.
        """
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            with self.log.open("wb") as log:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                    self._command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
                )
        except OSError as error:
            raise ServerUnavailable(f"the embedded Prefect server cannot be started: {error}") from error
        return self

    def __exit__(self, *exception: object) -> None:
        if self._process is None or self._process.stdin is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdin.close()

    def wait_until_up(self) -> str:
        """Wait until the server answers; return its API URL.

        Raises:
            ServerUnavailable: when it does not come up.
        """
        deadline = time.monotonic() + FIRST_START_S
        while self._is_alive and time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=_STOP_S):  # noqa: S310 - loopback
                    return self.url
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(_POLL_S)
        how = f"did not answer within {FIRST_START_S} s" if self._is_alive else "ended at once"
        tail = self.log.read_text(encoding="utf-8", errors="replace")[-_LOG_TAIL:].strip()
        raise ServerUnavailable(f"the embedded Prefect server {how}; its log is {self.log}\n{tail}")

    @property
    def _is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None


def deliver() -> None:
    """Wait until logs and states of this process have reached the server. Call it before the server is stopped."""
    from prefect.events.worker import EventsWorker  # noqa: PLC0415 - imports Prefect
    from prefect.logging.handlers import APILogWorker  # noqa: PLC0415 - imports Prefect

    EventsWorker.drain_all(timeout=_DELIVERY_S)
    APILogWorker.drain_all(timeout=_DELIVERY_S)


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
