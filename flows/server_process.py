"""The process of an embedded server. It is run as a file and imports nothing of ours.

    python -P server_process.py PORT

It ends with its parent, however that ends: standard input is a pipe that only the parent holds open.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading


def main() -> None:
    """Be `prefect server start` on a loopback port."""
    threading.Thread(target=_leave_with_the_parent, daemon=True).start()
    sys.argv = ["prefect", "server", "start", "--host", "127.0.0.1", "--port", sys.argv[1], "--no-ui"]
    runpy.run_module("prefect", run_name="__main__", alter_sys=True)


def _leave_with_the_parent() -> None:
    os.read(0, 1)  # nothing is ever written: this returns when the other end is closed
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
