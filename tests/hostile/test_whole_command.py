"""Some of the corpus by the real command, in a process of its own: what it prints, how it ends, what it leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.hostile.corpus import read_corpus
from tests.hostile.surroundings import ENVIRONMENT_SECRET, MIB, Surroundings, survivors
from tests.hostile.trial import prepare

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hostile.corpus import Attempt

CORPUS = read_corpus()
BY_COMMAND = [each for each in CORPUS if each.by_command]
OUTLIVING = [each for each in CORPUS if each.outlives]
COMMAND = (sys.executable, "-c", "import sys; from flows.command import main; sys.exit(main())")
WORKER_MIB = 1024
IN_EVERY_FORM = ("backends/fault_with_commands.py", "backends/much_output.py")


def start(attempt: Attempt, surroundings: Surroundings, form: str) -> subprocess.Popen[bytes]:
    """Start `assay validate` over the pack of an attempt."""
    temporary = surroundings.folder / "temporary"
    temporary.mkdir(exist_ok=True)
    config = prepare(attempt, surroundings)
    environment = os.environ | {"TMPDIR": str(temporary), "ASSAY_TEST_SECRET": ENVIRONMENT_SECRET}
    options = ["--config", str(config), "--root", str(surroundings.store), "--format", form]
    return subprocess.Popen(
        [*COMMAND, "validate", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )


RUNS = [(each, "text") for each in BY_COMMAND] + [
    (each, form) for each in BY_COMMAND if each.file in IN_EVERY_FORM for form in ("github", "json")
]


@pytest.mark.parametrize(("attempt", "form"), RUNS, ids=[f"{each.file}-{form}" for each, form in RUNS])
def test_it_ends_with_a_verdict_and_tells_no_secret(attempt, form, tmp_path):
    with Surroundings(tmp_path) as surroundings:
        process = start(attempt, surroundings, form)
        told, asides = process.communicate(timeout=60)
        assert process.returncode == (2 if attempt.finds else 0), asides.decode()
        for secret in (surroundings.secret, ENVIRONMENT_SECRET):
            assert secret.encode() not in told + asides
        assert not set(b"\x1b\x07\r") & set(told + asides), "control characters"
        if form == "github":
            commands = (b"::error ", b"::warning ", b"::notice ")
            assert all(line.startswith(commands) for line in told.splitlines()), "a command that is not ours"
        if form == "json":
            assert json.loads(told)["status"] == ("not_gold" if attempt.finds else "gold")
        assert not survivors(tmp_path)
        assert not surroundings.told()


def test_no_process_of_the_command_grows_beyond_what_a_worker_is_allowed(tmp_path):
    (attempt,) = (each for each in CORPUS if each.file == "backends/memory_bomb.py")
    with Surroundings(tmp_path) as surroundings:
        process = start(attempt, surroundings, "json")
        process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        process.stderr.close()
    assert process.returncode == 2
    assert usage.ru_maxrss * 1024 < (WORKER_MIB + 64) * MIB


@pytest.mark.parametrize("attempt", OUTLIVING, ids=[each.file for each in OUTLIVING])
def test_it_does_not_outlive_the_command(attempt, tmp_path):
    with Surroundings(tmp_path) as surroundings:
        process = start(attempt, surroundings, "json")
        _until(lambda: (surroundings.folder / "temporary").glob("assay-*/*"))
        _until(lambda: _asleep(tmp_path))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        _until(lambda: not survivors(tmp_path))


def _asleep(folder: Path) -> bool:
    """Say whether a worker has imported the pack and sleeps in its call."""
    return any("worker/launch.py" in command for command in survivors(folder)) and _quiet(folder)


def _quiet(folder: Path) -> bool:
    before = survivors(folder)
    time.sleep(0.5)
    return before == survivors(folder)


def _until(condition) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.05)
