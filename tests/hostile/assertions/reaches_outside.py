"""Reaches for everything outside: files, processes, network, our process. It fails when anything is in reach."""

import os
import signal
import socket
from pathlib import Path

import judging
import target

ATTEMPTS = {
    "home": lambda: Path(target.SECRET_FILE).read_text(),
    "store": lambda: sorted(Path(target.STORE).iterdir()),
    "accounts": lambda: Path("/etc/passwd").read_text(),
    "our_environment": lambda: Path(f"/proc/{target.PARENT}/environ").read_bytes(),
    "write": lambda: Path(target.ROOT, "assay-hostile").write_text("x"),
    "network": lambda: socket.create_connection(("127.0.0.1", target.PORT), 0.3),
    "fork": os.fork,
    "program": lambda: os.execv("/bin/true", ["true"]),
    "signal": lambda: os.kill(target.PARENT, signal.SIGURG),
}


def assert_record_reported(*, state, trace, task, ctx):
    judging.assert_record_reported(state=state, trace=trace, task=task, ctx=ctx)
    seen = {name: judging.outcome(attempt) for name, attempt in ATTEMPTS.items()}
    reached = {name: outcome for name, outcome in seen.items() if outcome not in ("PermissionError", "OSError")}
    assert not reached, f"{reached}"
    assert "ASSAY_TEST_SECRET" not in os.environ


ASSERTIONS = {"assert_record_reported": assert_record_reported}
ASSERTION_CAPABILITIES = {"assert_record_reported": {"trace": False, "executable": True, "category": "result"}}
