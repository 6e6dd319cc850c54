"""Dying with our process, even from within a loop in C.

Our process holds the only writing end of a pipe and never writes. When it ends, however it ends, the kernel tells the
readers of the pipe; the worker has asked to be told by SIGKILL to its whole process group (`F_SETSIG`, Linux). The
usual parent-death signal is of no use here: it fires when the *thread* that started the worker ends, and workers
outlive the threads of a task runner.

Elsewhere a worker ends when it next finds the channel closed, or at its limit on processor time.
"""

from __future__ import annotations

import fcntl
import os
import signal


def die_with(lifeline: int) -> bool:
    """Tie this process group to the writing end of a pipe; say whether the system can."""
    if not hasattr(fcntl, "F_SETSIG"):
        return False
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    return True
