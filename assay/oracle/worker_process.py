"""One worker process: started, spoken to, killed.

What a worker is given at its start: an environment of our choosing from exec on, its own session, a scratch folder,
`/dev/null` to read from, one pipe for everything it prints, and no descriptor but those of the channel. The worker
confines itself before it loads the pack (`worker.confinement`) and says what it achieved.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from assay.oracle import interpreter, process_family
from assay.oracle.channel import Channel, Printed
from assay.oracle.crash_report import CrashReport
from assay.oracle.scratch import mount_point, remove

if TYPE_CHECKING:
    from assay.oracle.channel import Reply
    from assay.oracle.faults import Frame
    from assay.oracle.scratch import Scratch
    from assay.oracle.spec import Assignment

_REPLY_PIPE_BYTES: Final = 1 << 20
"""Room for a worker to work ahead while our process is busy elsewhere."""
_LAST_WORDS_S: Final = 0.5
"""How long a worker whose channel has closed may take to end, so that its exit code is known."""


class WorkerProcess:
    """A running worker and our end of its channel.

    Args:
        assignment: what it is started for.
        scratch: makes its scratch folder.

    Attributes:
        assigned: how many units of work it was given so far.
        ready: whether it is known to have imported its module.
        printed: what pack code printed.
        may_have_children: whether pack code could start processes; true until the worker reports otherwise.
        installed_files: module files from installed packages that its import brought in.
        ended: whether `end` was called.
        stack: once ended: where it was when it crashed or was asked, outermost frame first.

    Raises:
        OSError: when the system cannot start it.
    """

    def __init__(self, assignment: Assignment, scratch: Scratch) -> None:
        self.assignment = assignment
        self.assigned = 0
        self.ready = False
        self.printed = Printed(assignment.limits.output_bytes)
        self.may_have_children = True
        self.installed_files: tuple[str, ...] = ()
        self.stack: tuple[Frame, ...] = ()
        self.ended = False
        self._ending = threading.Lock()
        with ExitStack() as undo:
            self._folder = scratch.new_folder()
            undo.callback(remove, self._folder)
            self._crash_report = CrashReport(self._folder)
            undo.callback(self._crash_report.close)
            self._start(undo)
            undo.pop_all()
        self.send(json.dumps(self._settings()).encode(), assignment.fixtures.encode())

    @property
    def pid(self) -> int:
        """The process id, which is also that of its session and group."""
        return self._process.pid

    def send(self, *messages: bytes) -> None:
        """Queue messages."""
        self._channel.send(*messages)

    def push(self) -> None:
        """Hand queued messages over as far as there is room, without waiting."""
        self._channel.push()

    def receive(self, timeout_s: float) -> Reply | None:
        """Return the next reply, or None when none came in time.

        Raises:
            ChannelClosed: when none can come any more.
            BadReply: when something else came.
        """
        return self._channel.receive(timeout_s)

    def ask_for_stack(self) -> None:
        """Have a hanging worker write down where it is; `stack` has it after `end`."""
        self._crash_report.ask(self.pid)

    def ends_by_itself(self) -> bool:
        """Say whether a worker whose channel has closed also ends."""
        deadline = time.monotonic() + _LAST_WORDS_S
        while time.monotonic() < deadline:
            try:
                if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                    return True
            except ChildProcessError:  # a host that ignores SIGCHLD has had it taken away
                return True
            time.sleep(0.002)
        return False

    def end(self) -> int:
        """Kill the worker with all it has started, and clean up. Safe to call twice.

        Returns:
            The exit code; the negative number of the signal that ended it.
        """
        with self._ending:
            if not self.ended:
                self.ended = True
                self._kill()
                self._process.wait()
                self._channel.close()
                os.close(self._lifeline)
                self.stack = self._crash_report.frames()
                self._crash_report.close()
                remove(self._folder)
        code: int = self._process.returncode
        return code

    def kill(self) -> None:
        """Kill the worker with all it has started, from another thread than the one that uses it and will end it."""
        with self._ending:
            if not self.ended:
                self._kill()

    def _kill(self) -> None:
        if self.may_have_children:
            process_family.kill_family(self.pid, str(self._folder))
        process_family.kill_group(self.pid)

    def _start(self, undo: ExitStack) -> None:
        """Start the process and open the channel to it."""
        with ExitStack() as theirs:
            their_requests, requests = _pipe(theirs, undo)
            their_lifeline, self._lifeline = _pipe(theirs, undo)
            replies, their_replies = _pipe(undo, theirs)
            output, their_output = _pipe(undo, theirs)
            passed = (their_requests, their_replies, their_lifeline, self._crash_report.fileno())
            self._process = subprocess.Popen(  # noqa: S603 - the command is our own
                interpreter.command(*map(str, passed), str(self._folder)),
                stdin=subprocess.DEVNULL,
                stdout=their_output,
                stderr=their_output,
                cwd=self._folder,
                env=self.assignment.conditions.environment() | {"TMPDIR": str(self._folder)},
                pass_fds=passed,
                start_new_session=True,
                umask=0o077,
            )
        with suppress(OSError, AttributeError):
            fcntl.fcntl(replies, fcntl.F_SETPIPE_SZ, _REPLY_PIPE_BYTES)
        self._channel = Channel(
            requests=requests,
            replies=replies,
            output=output,
            process_end=os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else None,
            frame_bytes=self.assignment.limits.frame_bytes,
            printed=self.printed,
        )

    def _settings(self) -> dict[str, Any]:
        """Return what the worker is told before anything else."""
        work, limits = self.assignment, self.assignment.limits
        place = mount_point(work.conditions.folder, work.root)
        return {
            "role": work.role,
            "root": str(work.root),
            "file": work.file,
            "inspects": work.inspects,
            "confinement": asdict(work.confinement),
            "scratch": str(self._folder),
            "mount_point": None if place is None else str(place),
            "scratch_bytes": limits.scratch_bytes,
            "frame_bytes": limits.frame_bytes,
            "locales": work.conditions.locales,
            "wall_clock": {"shift_s": work.conditions.clock_shift_s, "held": work.conditions.clock_held},
            "packages": interpreter.package_folders(),
            "readable": interpreter.readable_folders(),
            "limits": {
                "address_space": limits.memory_bytes,
                "core": 0,
                "cpu": limits.cpu_s,
                "file_size": limits.file_bytes,
                "open_files": limits.open_files,
                "processes": limits.processes,
            },
        }


def _pipe(owner_of_reading_end: ExitStack, owner_of_writing_end: ExitStack) -> tuple[int, int]:
    """Return both ends of a pipe, each to be closed by its owner."""
    reading, writing = os.pipe()
    owner_of_reading_end.callback(os.close, reading)
    owner_of_writing_end.callback(os.close, writing)
    return reading, writing
