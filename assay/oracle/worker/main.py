"""The life of a worker: read the settings, confine itself, import the pack, serve."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys

from . import faults, pack_modules, surroundings
from .assertion_server import AssertionServer
from .backend_server import BackendServer
from .channel import Channel
from .confinement import Confinement
from .encoding import Unfit
from .lifeline import die_with
from .protocol import ANSWER, CHANNEL_LOST, FAULT, SETUP_FAILED, STARTED
from .wall_clock import WallClock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Final

_HIGH: Final = 200
"""Where the channel's descriptors live: far above the numbers that opened files get."""


def main(arguments: list[str]) -> None:
    """Run a worker until our process ends it.

    Args:
        arguments: descriptor numbers of requests, replies, the lifeline and the crash report; a mark by which this
            process is found, and all that it forks.
    """
    requests, replies, lifeline, crash_report = (_moved_up(int(each)) for each in arguments[:4])
    lifeline_holds = die_with(lifeline)
    faulthandler.enable(crash_report, all_threads=False)
    faulthandler.register(signal.SIGUSR2, file=crash_report, all_threads=False)
    channel = Channel(requests, replies)
    settings, fixtures = json.loads(channel.text()), channel.text()
    try:
        signatures = _signatures() if settings["inspects"] else None
        protections = _confine(settings, lifeline) | {"dies_with_us": lifeline_holds}
    except Exception as problem:
        channel.reply(SETUP_FAILED, _fault(problem))
        return
    channel.reply(STARTED, json.dumps(protections).encode())
    _run(channel, settings, fixtures, signatures)


def _moved_up(descriptor: int) -> int:
    """Move a descriptor to a high number, where the surroundings allow such numbers."""
    try:
        moved = os.dup2(descriptor, _HIGH + descriptor, inheritable=False)
    except OSError:
        os.set_inheritable(descriptor, False)
        return descriptor
    os.close(descriptor)
    return moved


def _confine(settings: dict[str, Any], lifeline: int) -> dict[str, Any]:
    """Give up what the settings say and return the protections in force."""
    confinement = Confinement(settings["confinement"], settings["scratch"], settings["mount_point"], lifeline)
    confinement.apply(settings["limits"], settings["scratch_bytes"], [settings["root"], *settings["readable"]])
    surroundings.settle(confinement.scratch, settings["locales"])
    clock = settings["wall_clock"]
    if clock["held"] or clock["shift_s"]:
        WallClock(clock["shift_s"], held=clock["held"]).install()
    return confinement.protections


def _run(channel: Channel, settings: dict[str, Any], fixtures: str, signatures: ModuleType | None) -> None:
    """Import the module and serve it. From here on, nothing of ours is imported any more."""
    _forget_ourselves()
    packages = settings["packages"]
    pack_modules.prepare_search_path(settings["root"], settings["file"], packages)
    try:
        module = pack_modules.load(settings["root"], settings["file"], f"_pack_{settings['role']}")
        came_along = json.dumps(pack_modules.installed_modules(packages)).encode()
    except BaseException as problem:
        _send(channel, FAULT, _fault(problem))
    else:
        _send(channel, ANSWER, came_along)
        _serve(channel, _server(module, settings, channel, fixtures, signatures))
    channel.drain()
    os._exit(0)


def _signatures() -> ModuleType:
    """Load what an inspection needs, while the standard library still comes first on the search path."""
    from . import signatures  # noqa: PLC0415 - costs milliseconds that only inspections pay

    return signatures


def _forget_ourselves() -> None:
    """Take our modules out of the reach of imports, and stop writing byte code."""
    sys.dont_write_bytecode = True
    for name in [each for each in sys.modules if each.partition(".")[0] == __package__]:
        del sys.modules[name]


def _server(
    module: ModuleType, settings: dict[str, Any], channel: Channel, fixtures: str, signatures: ModuleType | None
) -> BackendServer | AssertionServer:
    limit: int = settings["frame_bytes"]
    if settings["role"] == "backend":
        return BackendServer(module, fixtures, limit)
    return AssertionServer(module, channel, limit, signatures)


def _serve(channel: Channel, server: BackendServer | AssertionServer) -> None:
    """Answer requests until our process closes the channel or pack code fails."""
    for op, *details in channel.messages():
        answers = server.answers(op, *details)
        while True:
            try:
                answer = next(answers, None)
            except BaseException as problem:
                _send(channel, FAULT, _fault(problem))
                return
            if answer is None:
                break
            _send(channel, ANSWER, answer)


def _send(channel: Channel, kind: bytes, body: bytes) -> None:
    """Send a reply; when pack code has closed the channel there is nothing left to do."""
    try:
        channel.reply(kind, body)
    except OSError:
        os._exit(CHANNEL_LOST)


def _fault(problem: BaseException) -> bytes:
    """Say what went wrong."""
    if isinstance(problem, Unfit):
        return json.dumps({"kind": problem.kind, "text": str(problem)[: faults.MAX_TEXT]}).encode()
    return json.dumps(faults.describe(problem)).encode()
