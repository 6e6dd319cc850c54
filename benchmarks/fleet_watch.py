"""What the processes of a site use while a batch runs, read from `/proc` once a second.

A process that lives between two readings only is not seen, and of one that ends the time since its last reading is
lost; flow processes live for seconds and minutes, so little is.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import psutil

if TYPE_CHECKING:
    from typing import Self

    from benchmarks.fleet_site import Site

_EVERY_S: Final = 1.0
"""To look through all processes takes about ten milliseconds, which the site would miss."""
_MB: Final = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Processor seconds and peak memory.

    Attributes:
        flows_s: of the processes that run flows, without the confined processes of pack code.
        server_s: of Prefect's server.
        database_s: of PostgreSQL.
        largest_flow_mb: the largest flow process at its peak, with its children.
        server_mb: Prefect's server at its peak.
    """

    flows_s: float
    server_s: float
    database_s: float
    largest_flow_mb: float
    server_mb: float


class Watch:
    """Reads in a thread of its own from entering to leaving."""

    def __init__(self, site: Site) -> None:
        self._server = psutil.Process(site.processes["server"].pid)
        self._workers = [psutil.Process(each.pid) for name, each in site.processes.items() if name != "server"]
        self._database = psutil.Process(site.database_pid)
        self._before = {"server": _seconds([self._server]), "database": self._database_seconds()}
        self._flows: dict[int, float] = {}
        self._largest_flow = 0
        self._largest_server = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._read_on, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._done.set()
        self._thread.join()

    def usage(self) -> Usage:
        """Return what was used so far."""
        return Usage(
            flows_s=sum(self._flows.values()),
            server_s=_seconds([self._server]) - self._before["server"],
            database_s=self._database_seconds() - self._before["database"],
            largest_flow_mb=self._largest_flow / _MB,
            server_mb=self._largest_server / _MB,
        )

    def _database_seconds(self) -> float:
        server, *connections = _family(self._database)
        return _seconds([server], reaped=True) + _seconds(connections)

    def _read_on(self) -> None:
        while not self._done.wait(_EVERY_S):
            with suppress(psutil.Error):
                self._largest_server = max(self._largest_server, self._server.memory_info().rss)
            for worker in self._workers:
                with suppress(psutil.Error):
                    for flow in worker.children():
                        self._flows[flow.pid] = _seconds([flow])
                        self._largest_flow = max(self._largest_flow, _memory(_family(flow)))


def _family(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return [process, *process.children(recursive=True)]
    return [process]


def _seconds(processes: list[psutil.Process], *, reaped: bool = False) -> float:
    """Return the processor time of processes; of their children that have ended as well, if wanted."""
    total = 0.0
    for each in processes:
        with suppress(psutil.Error):
            used = each.cpu_times()
            total += used.user + used.system + (used.children_user + used.children_system if reaped else 0.0)
    return total


def _memory(processes: list[psutil.Process]) -> int:
    total = 0
    for each in processes:
        with suppress(psutil.Error):
            total += each.memory_info().rss
    return total
